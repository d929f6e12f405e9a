import { ChosenCampaigns, FileCampaign, SendAgain, ShelveCampaigns } from '../../core/campaigns/campaign-request.ts'
import type { Engine } from '../../core/engine.ts'
import { CampaignAnswer, CampaignFolders, ManyCampaigns } from '../answers/campaigns.ts'
import type { ApiRequest } from '../http/requests.ts'
import { created, type KeyRoute, ok, type Reply } from '../http/route.ts'
import { EXAMPLE_IDS } from '../openapi/example-ids.ts'

/** Order among campaigns, the public archive, and sending one again. */
export const campaignFilingRoutes: readonly KeyRoute[] = [
  {
    method: 'GET',
    path: '/campaigns/folders',
    operation: 'listCampaignFolders',
    summary: 'List the folders of campaigns',
    description: 'By name, at most 1,000, each with the number of its campaigns that were not put away.',
    access: 'secret',
    gives: { 200: CampaignFolders },
    async handle(engine, { caller }) {
      return ok(await engine.campaigns.filing.folders(caller.project))
    },
  },
  {
    method: 'POST',
    path: '/campaigns/bulk-file',
    operation: 'fileCampaigns',
    summary: 'Put campaigns away, or into a folder',
    description:
      'Up to 500. `shelved` puts them away or brings them back, `folder` moves them. Those that it is not possible for are `left`, with the reason.',
    access: 'secret',
    body: 'json',
    takes: { body: ShelveCampaigns },
    gives: { 200: ManyCampaigns },
    examples: [{ body: { ids: [EXAMPLE_IDS.campaign], shelved: true } }],
    async handle(engine, { caller, body }) {
      return ok(await engine.campaigns.filing.fileAll(caller.project, body))
    },
  },
  {
    method: 'POST',
    path: '/campaigns/bulk-delete',
    operation: 'deleteCampaigns',
    summary: 'Delete campaigns',
    description: 'Up to 500. Those that are being sent or do not exist are `left`, with the reason.',
    access: 'secret',
    body: 'json',
    takes: { body: ChosenCampaigns },
    gives: { 200: ManyCampaigns },
    examples: [{ body: { ids: [EXAMPLE_IDS.campaign] } }],
    async handle(engine, { caller, body }) {
      return ok(await engine.campaigns.filing.removeAll(caller.project, body))
    },
  },
  {
    method: 'POST',
    path: '/campaigns/:id/again',
    operation: 'sendCampaignAgain',
    summary: 'Make a draft of a campaign for some of its people',
    description:
      'For those who opened it or did not, clicked or did not, for whom it failed, or who are new in its audience. The draft has the same content, and names the campaign as its `originId`. Contacts must still belong to the audience of the campaign; unsubscribed and suppressed ones are left out as always. What programs did on their own counts as no opening and no click. 409 unless the campaign is finished.',
    access: 'secret',
    body: 'json',
    takes: { body: SendAgain },
    gives: { 201: CampaignAnswer.schema },
    examples: [
      { summary: 'With another subject', body: { to: 'not-opened', subject: 'Did you miss this?' } },
      { summary: 'To those it failed for', body: { to: 'failed' } },
    ],
    async handle(engine, request) {
      const { caller, body } = request
      return created(CampaignAnswer.of(await engine.campaigns.again(caller.project, request.param('id'), body)))
    },
  },
  {
    method: 'PATCH',
    path: '/campaigns/:id/filing',
    operation: 'fileCampaign',
    summary: 'Put a campaign into a folder, note something, or put it away',
    description:
      'Works in any status; only what is named changes. A campaign that was put away is left out of lists. 409 for one that is scheduled, being sent or paused.',
    access: 'secret',
    body: 'json',
    takes: { body: FileCampaign },
    gives: { 200: CampaignAnswer.schema },
    examples: [{ body: { folder: 'Summer', note: 'The short subject did better.' } }, { body: { shelved: true } }],
    async handle(engine, request) {
      const { caller, body } = request
      return ok(CampaignAnswer.of(await engine.campaigns.filing.file(caller.project, request.param('id'), body)))
    },
  },
  {
    method: 'POST',
    path: '/campaigns/:id/publish',
    operation: 'publishCampaign',
    summary: 'Publish a campaign',
    description:
      'It stands in the public archive of the project once it is SENT, filled in without personal data. In any status; repeating it changes nothing.',
    access: 'secret',
    gives: { 200: CampaignAnswer.schema },
    async handle(engine, request) {
      return published(engine, request, true)
    },
  },
  {
    method: 'POST',
    path: '/campaigns/:id/unpublish',
    operation: 'unpublishCampaign',
    summary: 'Take a campaign out of the archive',
    description: 'Its page is gone at once, but for copies that browsers and proxies keep for five minutes.',
    access: 'secret',
    gives: { 200: CampaignAnswer.schema },
    async handle(engine, request) {
      return published(engine, request, false)
    },
  },
]

async function published({ campaigns }: Engine, request: ApiRequest, isPublic: boolean): Promise<Reply> {
  const { project } = request.caller
  await campaigns.archive.publish(project, request.param('id'), isPublic)
  return ok(CampaignAnswer.of(await campaigns.get(project, request.param('id'))))
}

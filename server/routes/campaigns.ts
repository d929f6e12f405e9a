import { CampaignSeriesQuery } from '../../core/campaigns/campaign-course.ts'
import {
  CampaignStatsQuery,
  ChangeCampaign,
  ListCampaigns,
  ListLeftOut,
  ListRecipients,
  ResumeCampaign,
  SendCampaign,
  TestCampaign,
  WriteCampaign,
} from '../../core/campaigns/campaign-request.ts'
import type { ChangeCampaignOptions } from '../../core/campaigns/campaigns.ts'
import { ChooseWinner, PreviewQuery } from '../../core/campaigns/variants/variant-request.ts'
import type { Engine } from '../../core/engine.ts'
import { AttachmentBody } from '../../core/mails/attached-file.ts'
import { CopyRequest } from '../../core/values/copy-name.ts'
import {
  CampaignFigures,
  CampaignLinks,
  CampaignSeries,
  CampaignStatsAnswer,
  LeftOutAnswer,
  RecipientAnswer,
} from '../answers/campaign-figures.ts'
import { VariantResults } from '../answers/campaign-variants.ts'
import { CampaignAnswer, CampaignPreview, ListedCampaignAnswer, RetriedMails } from '../answers/campaigns.ts'
import { cursorList, listed, numbered, numberedList } from '../answers/lists.ts'
import { envelope, success } from '../answers/parts.ts'
import { MEGABYTE } from '../http/body.ts'
import type { ApiRequest } from '../http/requests.ts'
import { created, type KeyRoute, noContent, ok, type Reply, versioned } from '../http/route.ts'

/** One mail to many contacts. */
export const campaignRoutes: readonly KeyRoute[] = [
  {
    method: 'GET',
    path: '/campaigns',
    operation: 'listCampaigns',
    summary: 'List campaigns',
    description:
      'Newest first, by page or by cursor, without their bodies. `status`, `search`, `folder` and `originId` narrow the list. Campaigns that were put away are only listed with `shelved=true`.',
    access: 'secret',
    takes: { query: ListCampaigns },
    gives: { 200: numberedList('campaigns', ListedCampaignAnswer.schema) },
    examples: [{ query: { status: 'DRAFT' } }, { query: { search: 'june' } }],
    async handle(engine, { caller, query }) {
      return ok(numbered('campaigns', await engine.campaigns.list(caller.project, query), ListedCampaignAnswer.of))
    },
  },
  {
    method: 'POST',
    path: '/campaigns',
    operation: 'createCampaign',
    summary: 'Create a campaign',
    description:
      'It is created as a draft: nothing is sent until `POST /campaigns/{id}/send`. A `template` fills in fields that are left out.',
    access: 'secret',
    body: 'json',
    takes: { body: WriteCampaign },
    gives: { 201: envelope(CampaignAnswer.schema) },
    examples: [
      {
        summary: 'To everyone',
        body: {
          name: 'June',
          subject: 'News of June',
          body: '<p>Hello {{ name ?? friend }}</p>',
          from: 'hello@example.com',
          audienceType: 'ALL',
        },
      },
      {
        summary: 'To contacts that match a filter',
        body: {
          name: 'June, pro',
          subject: 'News of June',
          body: '<p>Hello</p>',
          from: 'hello@example.com',
          audienceType: 'FILTERED',
          audienceFilter: {
            operator: 'OR',
            conditions: [{ field: 'data.plan', operator: 'in', value: ['pro', 'team'] }],
          },
        },
      },
      {
        summary: 'With two subjects, of which the better one goes to most',
        body: {
          name: 'June',
          subject: 'News of June',
          body: '<p>Hello</p>',
          from: 'hello@example.com',
          audienceType: 'ALL',
          variants: [{ subject: 'What June brings' }],
          test: { share: 20, metric: 'clicks', hours: 4 },
        },
      },
    ],
    async handle(engine, { caller, body }) {
      return created({ success: true, data: CampaignAnswer.of(await engine.campaigns.create(caller.project, body)) })
    },
  },
  {
    method: 'GET',
    path: '/campaigns/:id',
    operation: 'getCampaign',
    summary: 'Get a campaign',
    description: 'Shows its text, its audience and its figures.',
    access: 'secret',
    gives: { 200: CampaignAnswer.schema },
    async handle(engine, request) {
      return versioned(CampaignAnswer.of(await engine.campaigns.get(request.caller.project, request.param('id'))))
    },
  },
  {
    ...changing({ onlyNamed: false }),
    method: 'PUT',
    operation: 'changeCampaign',
    summary: 'Change or replace a campaign',
    description:
      'Only the fields in the request change, but a request with name, subject, body, from and audienceType replaces all. Only while the campaign is DRAFT or SCHEDULED; otherwise 409. `scheduledFor` moves a scheduled one to another time.',
  },
  {
    ...changing({ onlyNamed: true }),
    method: 'PATCH',
    operation: 'patchCampaign',
    summary: 'Change a campaign',
    description:
      'Only the fields in the request change, and only while the campaign is DRAFT or SCHEDULED; otherwise 409. `scheduledFor` moves a scheduled one to another time.',
  },
  {
    method: 'DELETE',
    path: '/campaigns/:id',
    operation: 'deleteCampaign',
    summary: 'Delete a campaign',
    description: 'Its mails stay on record. 409 while it is being sent.',
    access: 'secret',
    gives: { 204: null },
    async handle(engine, request) {
      await engine.campaigns.remove(request.caller.project, request.param('id'))
      return noContent
    },
  },
  {
    method: 'POST',
    path: '/campaigns/:id/attachments',
    operation: 'attachToCampaign',
    summary: 'Attach a file to a campaign',
    description:
      'Every mail of the campaign has it. 10 files at most, 10 MB in total. Only while the campaign is DRAFT or SCHEDULED; otherwise 409.',
    access: 'secret',
    body: 'json',
    bodyLimit: 15 * MEGABYTE,
    takes: { body: AttachmentBody },
    gives: { 201: CampaignAnswer.schema },
    examples: [{ body: { filename: 'menu.pdf', contentType: 'application/pdf', content: 'JVBERi0xLjQK' } }],
    async handle(engine, request) {
      const { caller, body } = request
      return created(CampaignAnswer.of(await engine.campaigns.attach(caller.project, request.param('id'), body)))
    },
  },
  {
    method: 'DELETE',
    path: '/campaigns/:id/attachments/:attachmentId',
    operation: 'detachFromCampaign',
    summary: 'Remove a file from a campaign',
    description: 'Returns the campaign. Only while it is DRAFT or SCHEDULED; otherwise 409.',
    access: 'secret',
    gives: { 200: CampaignAnswer.schema },
    async handle(engine, request) {
      const [id, attachmentId] = [request.param('id'), request.param('attachmentId')]
      return versioned(CampaignAnswer.of(await engine.campaigns.detach(request.caller.project, id, attachmentId)))
    },
  },
  {
    method: 'POST',
    path: '/campaigns/:id/duplicate',
    operation: 'duplicateCampaign',
    summary: 'Copy a campaign',
    description: 'The copy is a draft with the same text and audience.',
    access: 'secret',
    body: 'json-or-nothing',
    takes: { body: CopyRequest },
    gives: { 201: CampaignAnswer.schema },
    examples: [{ body: { name: 'Newsletter of December' } }],
    async handle(engine, request) {
      const id = request.param('id')
      return created(CampaignAnswer.of(await engine.campaigns.duplicate(request.caller.project, id, request.body)))
    },
  },
  {
    method: 'POST',
    path: '/campaigns/:id/send',
    operation: 'sendCampaign',
    summary: 'Send a campaign, now or at a set time',
    description:
      'Its audience is fixed when sending starts: subscribed contacts whose address is not suppressed. 409 unless it is DRAFT, SCHEDULED or PAUSED.',
    access: 'secret',
    body: 'json-or-nothing',
    takes: { body: SendCampaign },
    gives: { 200: null },
    idempotent: 'room',
    examples: [{ summary: 'Now', body: { scheduledFor: null } }],
    async handle(engine, request) {
      const { caller, body, idempotencyKey } = request
      const { replayed } = await engine.campaigns.send(caller.project, request.param('id'), body, { idempotencyKey })
      return replayed ? { status: 200, headers: { 'idempotent-replayed': 'true' } } : { status: 200 }
    },
  },
  {
    method: 'POST',
    path: '/campaigns/:id/cancel',
    operation: 'cancelCampaign',
    summary: 'Cancel a campaign permanently',
    description:
      'Once the request is answered, no further mail is handed over, except for mail that is just being sent.',
    access: 'secret',
    gives: { 200: CampaignAnswer.schema },
    async handle(engine, request) {
      return versioned(CampaignAnswer.of(await engine.campaigns.cancel(request.caller.project, request.param('id'))))
    },
  },
  {
    method: 'POST',
    path: '/campaigns/:id/pause',
    operation: 'pauseCampaign',
    summary: 'Pause a campaign that is being sent',
    description: 'No further mail is handed over until it is resumed.',
    access: 'secret',
    gives: { 200: CampaignAnswer.schema },
    async handle(engine, request) {
      return versioned(CampaignAnswer.of(await engine.campaigns.pause(request.caller.project, request.param('id'))))
    },
  },
  {
    method: 'POST',
    path: '/campaigns/:id/resume',
    operation: 'resumeCampaign',
    summary: 'Resume a paused campaign',
    description:
      'A campaign that was paused because of its bounces needs a decision about them in `bounces`; otherwise 422.',
    access: 'secret',
    body: 'json-or-nothing',
    takes: { body: ResumeCampaign },
    gives: { 200: CampaignAnswer.schema },
    examples: [{ body: { bounces: 'accept' } }],
    async handle(engine, request) {
      const id = request.param('id')
      return versioned(CampaignAnswer.of(await engine.campaigns.resume(request.caller.project, id, request.body)))
    },
  },
  {
    method: 'POST',
    path: '/campaigns/:id/retry-failed',
    operation: 'retryFailedMails',
    summary: 'Send the failed mails of a campaign again',
    description: 'Queues those with the status FAILED again, and returns how many there are.',
    access: 'secret',
    gives: { 200: RetriedMails },
    async handle(engine, request) {
      return ok(await engine.campaigns.retryFailed(request.caller.project, request.param('id')))
    },
  },
  {
    method: 'POST',
    path: '/campaigns/:id/test',
    operation: 'testCampaign',
    summary: 'Send a test of a campaign to one address',
    description: 'The subject begins with `[TEST]`. The mail does not count in the figures of the campaign.',
    access: 'secret',
    body: 'json',
    takes: { body: TestCampaign },
    gives: { 200: success({}) },
    examples: [{ body: { email: 'me@example.com' } }],
    async handle(engine, request) {
      await engine.campaigns.test(request.caller.project, request.param('id'), request.body)
      return ok({ success: true })
    },
  },
  {
    method: 'POST',
    path: '/campaigns/:id/preview',
    operation: 'previewCampaign',
    audit: 'never',
    idempotent: 'ignored',
    summary: 'Preview a campaign',
    description:
      'Counts the contacts who would get it and those who are left out, and shows the mail as one of them would get it. `warnings` name probable mistakes, such as an empty subject. Nothing is sent.',
    access: 'secret',
    area: 'read',
    takes: { query: PreviewQuery },
    gives: { 200: CampaignPreview },
    async handle(engine, request) {
      return ok(await engine.campaigns.preview(request.caller.project, request.param('id'), request.query))
    },
  },
  {
    method: 'GET',
    path: '/campaigns/:id/variants',
    operation: 'getVariantResults',
    summary: 'Compare the variants of a campaign',
    description:
      'What became of the mails of each variant, how many met what they are compared by, and how sure that is. Those who got the winner after the test are under `rest`, those who get nothing under `heldOut`.',
    access: 'secret',
    gives: { 200: VariantResults },
    async handle(engine, request) {
      return ok(await engine.campaigns.variants.results(request.caller.project, request.param('id')))
    },
  },
  {
    method: 'POST',
    path: '/campaigns/:id/winner',
    operation: 'chooseWinner',
    summary: 'Choose the variant that wins the test',
    description:
      'Everyone who is not in the test gets it, at once. Possible while the campaign waits for its winner (`testing.phase` is `waiting`), even before the time of the test is over; otherwise 409.',
    access: 'secret',
    body: 'json',
    takes: { body: ChooseWinner },
    gives: { 200: CampaignAnswer.schema },
    examples: [{ body: { variant: 'B' } }],
    async handle(engine, request) {
      const [{ project }, id] = [request.caller, request.param('id')]
      await engine.campaigns.variants.choose(project, id, request.body)
      return versioned(CampaignAnswer.of(await engine.campaigns.get(project, id)))
    },
  },
  {
    method: 'GET',
    path: '/campaigns/:id/stats',
    operation: 'getCampaignStats',
    summary: 'Get the figures of a campaign',
    description: 'Counts what became of its mails. `excludeMachine` leaves out opens and clicks of machines.',
    access: 'secret',
    takes: { query: CampaignStatsQuery },
    gives: { 200: CampaignStatsAnswer },
    examples: [{ query: { excludeMachine: true } }],
    async handle(engine, request) {
      const stats = await engine.campaigns.stats(request.caller.project, request.param('id'), request.query)
      const figures = CampaignFigures.of(stats)
      return ok({ success: true, ...figures, data: figures })
    },
  },
  {
    method: 'GET',
    path: '/campaigns/:id/timeseries',
    operation: 'getCampaignTimeSeries',
    summary: 'Get the figures of a campaign by hour or by day',
    description:
      'The hours of its first three days, or the days since it started, at most 366, up to the last one in which something happened. Empty before it is sent.',
    access: 'secret',
    takes: { query: CampaignSeriesQuery },
    gives: { 200: CampaignSeries },
    examples: [
      { summary: 'The first three days in Berlin', query: { unit: 'hour', timezone: 'Europe/Berlin' } },
      { summary: 'Day by day', query: { unit: 'day' } },
    ],
    async handle(engine, request) {
      return ok(await engine.campaigns.timeSeries(request.caller.project, request.param('id'), request.query))
    },
  },
  {
    method: 'GET',
    path: '/campaigns/:id/recipients',
    operation: 'listRecipients',
    summary: 'List the mails of a campaign',
    description:
      "Shows the state of each recipient's mail. The filters narrow the list to those behind a figure, such as those who opened, clicked or unsubscribed.",
    access: 'secret',
    takes: { query: ListRecipients },
    gives: { 200: cursorList(RecipientAnswer.schema) },
    examples: [
      { query: { status: 'QUEUED' } },
      { summary: 'Who clicked', query: { clicked: true } },
      { summary: 'Who unsubscribed', query: { unsubscribed: true } },
      { summary: 'Who got the variant B in the test', query: { variant: 'B' } },
    ],
    async handle(engine, request) {
      const page = await engine.campaigns.recipients(request.caller.project, request.param('id'), request.query)
      return ok(listed(page, RecipientAnswer.of))
    },
  },
  {
    method: 'GET',
    path: '/campaigns/:id/left-out',
    operation: 'listLeftOut',
    summary: 'List those whom a campaign left out',
    description:
      'The contacts behind a figure of `skipped`, or behind all of them: those who were left out when sending began, and those whose mail was skipped later. The newest come first.',
    access: 'secret',
    takes: { query: ListLeftOut },
    gives: { 200: cursorList(LeftOutAnswer.schema) },
    examples: [{ summary: 'Those who do not get the topic', query: { reason: 'topic' } }],
    async handle(engine, request) {
      const page = await engine.campaigns.leftOut(request.caller.project, request.param('id'), request.query)
      return ok(listed(page, LeftOutAnswer.of))
    },
  },
  {
    method: 'GET',
    path: '/campaigns/:id/links',
    operation: 'listCampaignLinks',
    summary: 'List the clicked links of a campaign',
    description: 'Each with how often and by how many people. The most followed come first.',
    access: 'secret',
    gives: { 200: CampaignLinks },
    async handle(engine, request) {
      return ok(await engine.campaigns.links(request.caller.project, request.param('id')))
    },
  },
]

/** Both ways to change a campaign. */
function changing(options: ChangeCampaignOptions) {
  return {
    path: '/campaigns/:id',
    access: 'secret',
    body: 'json',
    takes: { body: ChangeCampaign },
    gives: { 200: CampaignAnswer.schema },
    examples: [{ body: { subject: 'News of June and July' } }],
    async handle({ campaigns }: Engine, request: ApiRequest): Promise<Reply> {
      const { caller, body } = request
      return versioned(CampaignAnswer.of(await campaigns.change(caller.project, request.param('id'), body, options)))
    },
  } as const satisfies Partial<KeyRoute>
}

import { useAskNow } from '../api/ask.ts'
import type { components } from '../api/client.ts'
import { type Project, useProject } from '../api/project.tsx'
import type { PlacedFinding } from '../parts/last-question.tsx'
import { type OwnFinding, useFindingsNow } from '../parts/mail-check.tsx'
import { domainFindings, errorIn, sampleFindings } from '../parts/own-findings.ts'
import { useTexts } from '../texts/texts.tsx'
import type { Texts } from '../texts/types.ts'
import { type Campaign, previewOf, type VariantMail, variantMails } from './queries.ts'

type Schemas = components['schemas']

/** The surroundings that the check of a campaign's mail goes by. */
export interface Around {
  readonly mail: VariantMail
  readonly topicId: string | null | undefined
  /** The mail server that it names, where the project may name that no more. */
  readonly gone: string | undefined
  readonly preview: Pick<Schemas['CampaignPreview'], 'totalRecipients' | 'leavers' | 'sample'>
  /** Undefined while they are on their way. */
  readonly domains: readonly Pick<Schemas['Domain'], 'domain' | 'verified' | 'status'>[] | undefined
  readonly topics: readonly Pick<Schemas['Topic'], 'archived'>[] | undefined
}

/** The findings of the dashboard itself: no audience, a domain that is not verified, sample words, no topic. */
export function ownFindings(
  { mail, topicId, gone, preview, domains, topics }: Around,
  t: Texts,
): readonly OwnFinding[] {
  const domain = mail.from.split('@')[1] ?? ''
  // a domain that is not listed is one that the operator vouches for: no other project's is taken
  const added = domains?.find((each) => each.domain === domain)
  const { totalRecipients, leavers, sample } = preview
  const choosable = topics?.filter(({ archived }) => !archived) ?? []
  const isAboutNoTopic = !topicId && choosable.length > 0 && totalRecipients > 0
  return [
    ...(totalRecipients === 0 ? [errorIn('audience', t.campaigns.checks.nobody)] : []),
    ...(added === undefined ? [] : domainFindings(added, t)),
    ...(gone === undefined ? [] : [{ severity: 'warning' as const, message: t.campaigns.checks.serverGone(gone) }]),
    ...sampleFindings(sample.html, t),
    ...(isAboutNoTopic && leavers > 0 ? [errorIn('audience', t.campaigns.checks.leavers(leavers))] : []),
    ...(isAboutNoTopic && leavers === 0
      ? [{ severity: 'warning' as const, field: 'audience' as const, message: t.campaigns.checks.noTopic, asks: true }]
      : []),
  ]
}

/** The names in a campaign that may be gone by now. */
export function namedBy({ topicId, transport }: Campaign, { mayName }: Project): Pick<Around, 'topicId' | 'gone'> {
  return { topicId, gone: transport === undefined || mayName.includes(transport) ? undefined : transport }
}

/** Asks for all that is found in a campaign's mails, those of its variants too, when something is pressed. */
export function useCampaignFindings() {
  const t = useTexts()
  const project = useProject()
  const askNow = useAskNow()
  const checked = useFindingsNow()
  return async (campaign: Campaign): Promise<readonly PlacedFinding[]> => {
    const place = `/campaigns/${campaign.id}`
    const of = { content: place, audience: `${place}?step=audience` }
    const [domains, topics] = await Promise.all([
      askNow(['domains'], (api, signal) =>
        api.GET('/domains/project/{projectId}', { params: { path: { projectId: project.id } }, signal }),
      ),
      askNow(['topics', 'list'], (api, signal) => api.GET('/topics', { signal })),
    ])
    const found = await Promise.all(
      variantMails(campaign).map(async (mail) => {
        const [findings, preview] = await Promise.all([
          checked(mail),
          askNow<Schemas['CampaignPreview']>(...previewOf(campaign.id, campaign.updatedAt, mail.name)),
        ])
        const around = { mail, ...namedBy(campaign, project), preview, domains, topics: topics.data }
        return [...ownFindings(around, t), ...findings]
      }),
    )
    return found.flat().map((each) => ({ ...each, of }))
  }
}

import type { CompiledMails } from '../../mail/compiled-mails.ts'
import { type Campaign, type TestPart, VARIANTS } from '../../ports/store/campaigns.ts'
import type { Shares } from './test-part.ts'
import { sharesOf } from './test-progress.ts'

/** The content that many mails of a campaign share, and which of the recipient's data it needs, if that is known. */
export interface CampaignMail {
  readonly contentId: string
  readonly keys: ReadonlySet<string> | undefined
}

/** How a test shares out the audience, and the mail of each variant. */
export interface TestedMails {
  readonly shares: Shares
  readonly mails: ReadonlyMap<TestPart, CampaignMail>
}

/** The mails of a campaign with a test, which need this data besides what they print; undefined when it has none. */
export async function testedMails(
  compiled: CompiledMails,
  campaign: Campaign,
  needed: readonly string[],
): Promise<TestedMails | undefined> {
  const shares = sharesOf(campaign)
  if (shares === undefined) return undefined
  const mails = new Map<TestPart, CampaignMail>()
  const contents = campaign.fanOut?.test?.contents ?? []
  for (const [i, contentId] of contents.entries()) {
    const printed = await (await compiled.find(contentId))?.keys()
    mails.set(VARIANTS[i] ?? 'A', { contentId, keys: printed && new Set([...printed, ...needed]) })
  }
  return { shares, mails }
}

import type { Campaign, CampaignVariant, VariantName } from '../../ports/store/campaigns.ts'
import { VARIANTS } from '../../ports/store/campaigns.ts'
import type { MailContent } from '../../ports/store/contents.ts'
import type { Project } from '../../ports/store/projects.ts'
import type { Store } from '../../ports/store/store.ts'
import { refused } from '../../values/parse.ts'
import { campaignContent } from '../campaign-content.ts'

/** The campaign as one of its variants is sent. Throws EngineError `VALIDATION_ERROR` when it has no such variant. */
export function asVariant(campaign: Campaign, name: VariantName = 'A'): Campaign {
  const { variants = [] } = campaign
  if (name === 'A') return campaign
  const variant = variants[VARIANTS.indexOf(name) - 1]
  if (variant) return merged(campaign, variant)
  const names = VARIANTS.slice(0, 1 + variants.length).join(', ')
  throw refused([{ field: 'variant', code: 'custom', message: `must be one of the campaign's variants: ${names}` }])
}

/** The campaign's fields, with those of the variant over them. */
export function merged<Fields extends Partial<Campaign>>(campaign: Fields, variant: CampaignVariant): Fields {
  const { preheader, layoutId, fromName, design, source, ...kept } = campaign
  const own = variant.body === undefined ? { design, source } : {}
  const all = { ...kept, preheader, layoutId, fromName, ...own, ...variant }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value != null)) as Fields
}

/** The contents of the other variants, in order. */
export async function otherContents(
  store: Store,
  project: Project,
  campaign: Campaign,
  now: Date,
): Promise<readonly MailContent[]> {
  const contents: MailContent[] = []
  for (const variant of campaign.variants ?? [])
    contents.push(await campaignContent(store, project, merged(campaign, variant), now))
  return contents
}

import { useAsk } from '../api/ask.ts'
import type { Api, components } from '../api/client.ts'
import type { CheckableMail } from '../parts/mail-check.tsx'

export type Campaign = components['schemas']['Campaign']

/** How often a campaign that is on its way is looked at, in milliseconds. */
const LIVE = 2000

/** A campaign; asked again and again while it is being sent. */
export function useCampaign(id: string) {
  return useAsk<Campaign>(
    ['campaigns', id],
    (api, signal) => api.GET('/campaigns/{id}', { params: { path: { id } }, signal }),
    {
      every: (campaign) => (campaign?.status === 'SENDING' ? LIVE : campaign?.status === 'SCHEDULED' ? 15_000 : false),
    },
  )
}

/** The names of variants, by their place; the campaign itself is A. */
export const VARIANTS = ['A', 'B', 'C', 'D', 'E'] as const
export type VariantName = (typeof VARIANTS)[number]

/** The mails of a campaign by the names of its variants: A, and what the others have instead of it. */
export function variantMails(campaign: Campaign): readonly VariantMail[] {
  const { subject, preheader, body, layoutId, from, variants = [] } = campaign
  const own = { type: 'MARKETING', subject, preheader: preheader ?? '', body, layoutId: layoutId ?? '', from } as const
  return [
    { name: 'A', ...own },
    ...variants.map((variant, at) => ({
      ...own,
      name: VARIANTS[at + 1] ?? 'A',
      subject: variant.subject ?? subject,
      preheader: variant.preheader === null ? '' : (variant.preheader ?? own.preheader),
      body: variant.body ?? body,
      layoutId: variant.layoutId === null ? '' : (variant.layoutId ?? own.layoutId),
      from: variant.from ?? from,
    })),
  ]
}

/** One variant's mail as it is checked, and whom it is from. */
export interface VariantMail extends CheckableMail {
  readonly name: VariantName
  readonly from: string
}

/** How a preview is asked for; see `usePreview`. */
export function previewOf(id: string, of: unknown, variant: VariantName = 'A') {
  return [
    ['campaigns', id, 'preview', of, variant],
    (api: Api, signal: AbortSignal) =>
      api.POST('/campaigns/{id}/preview', { params: { path: { id }, query: { variant } }, signal }),
  ] as const
}

/**
 * The audience as it is now, who is left out, and the mail as its first recipient would get it. `of` is what of the
 * campaign it depends on. The last answer stays while that for another variant is on its way.
 */
export function usePreview(id: string, of: unknown, variant: VariantName = 'A') {
  return useAsk<components['schemas']['CampaignPreview']>(...previewOf(id, of, variant), { keep: true })
}

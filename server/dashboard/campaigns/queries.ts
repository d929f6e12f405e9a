import { useAsk } from '../api/ask.ts'
import type { components } from '../api/client.ts'
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

/** What of a campaign is checked. */
export function checkable({ subject, preheader, body, layoutId }: Campaign): CheckableMail {
  return { type: 'MARKETING', subject, preheader: preheader ?? '', body, layoutId: layoutId ?? '' }
}

/** The audience as it is now, who is left out, and the mail as its first recipient would get it. `of` is what of the campaign it depends on. */
export function usePreview(id: string, of: unknown) {
  return useAsk(['campaigns', id, 'preview', of], (api, signal) =>
    api.POST('/campaigns/{id}/preview', { params: { path: { id } }, signal }),
  )
}

/** What variants are called, by their place; the campaign itself is A. */
export const VARIANTS = ['A', 'B', 'C', 'D', 'E'] as const

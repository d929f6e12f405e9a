/**
 * The consent to recording a contact's use of mail, from most to least: `full`, their openings and clicks; `anonymous`,
 * that a recipient opened or clicked, but not which one; `none`, nothing.
 */
export const TRACKING_CONSENTS = ['full', 'anonymous', 'none'] as const
export type TrackingConsent = (typeof TRACKING_CONSENTS)[number]

/** The one that allows less. */
export function lesserConsent(one: TrackingConsent, other: TrackingConsent): TrackingConsent {
  return TRACKING_CONSENTS[Math.max(TRACKING_CONSENTS.indexOf(one), TRACKING_CONSENTS.indexOf(other))] ?? 'none'
}

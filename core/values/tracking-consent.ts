/**
 * What may be noted of what somebody does with mail, from the most to the least: `full`, their openings and clicks;
 * `anonymous`, that somebody opened or clicked, but not who; `none`, nothing.
 */
export const TRACKING_CONSENTS = ['full', 'anonymous', 'none'] as const
export type TrackingConsent = (typeof TRACKING_CONSENTS)[number]

/** The one of the two that allows less. */
export function lesserConsent(one: TrackingConsent, other: TrackingConsent): TrackingConsent {
  return TRACKING_CONSENTS[Math.max(TRACKING_CONSENTS.indexOf(one), TRACKING_CONSENTS.indexOf(other))] ?? 'none'
}

/** Why a contact's subscription, or its consent to tracking, changed. */
export const SUBSCRIPTION_REASONS = [
  'api',
  'link',
  'form',
  'import',
  'bulk',
  'workflow',
  'bounce',
  'complaint',
] as const
export type SubscriptionReason = (typeof SUBSCRIPTION_REASONS)[number]

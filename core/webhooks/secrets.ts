import type { WebhookSecrets } from '../ports/store/webhook-endpoints.ts'

/** The currently valid secrets, the newest first. */
export function countingSecrets({ secret, earlier, earlierUntil }: WebhookSecrets, now: Date): readonly string[] {
  return earlier !== undefined && earlierUntil !== undefined && earlierUntil > now ? [secret, earlier] : [secret]
}

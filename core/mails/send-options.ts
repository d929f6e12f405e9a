import type { Json } from '../values/json.ts'
import type { HostOptions } from '../work/host-transaction.ts'

/** How mail is accepted. */
export interface SendOptions extends HostOptions {
  /** 1 to 255 printable ASCII characters: the same key and input within 24 hours is sent once. */
  readonly idempotencyKey?: string | undefined
  /** The input that a repeated key is compared by, where the same request may give another `input`. Default: `input`. */
  readonly meaning?: Json | undefined
}

/** Their names. */
export const SEND_OPTIONS = { client: true, idempotencyKey: true, meaning: true } as const

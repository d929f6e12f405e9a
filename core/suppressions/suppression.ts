import * as v from 'valibot'
import { EmailAddress } from '../values/email-address.ts'
import type { InputOf } from '../values/input.ts'
import { IsoDate } from '../values/iso-date.ts'

/** How long a reason for people may be. */
export const MAX_DETAIL = 1000

export const AddSuppression = v.object({
  /** The address that gets no more mail. */
  email: EmailAddress,
  /** The reason, for people. */
  detail: v.nullish(v.pipe(v.string(), v.maxLength(MAX_DETAIL))),
  /** Until when (ISO 8601); without it for ever. */
  expiresAt: v.nullish(IsoDate),
})

/** An address to add to the list. */
export interface AddSuppressionInput extends InputOf<typeof AddSuppression> {}

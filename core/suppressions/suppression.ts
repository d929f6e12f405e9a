import * as v from 'valibot'
import { EmailAddress } from '../values/email-address.ts'
import type { InputOf } from '../values/input.ts'
import { IsoDate } from '../values/iso-date.ts'

export const AddSuppression = v.object({
  /** The address that is not mailed any more. */
  email: EmailAddress,
  /** Why, for people. */
  detail: v.nullish(v.pipe(v.string(), v.maxLength(1000))),
  /** Until when (ISO 8601); for ever without it. */
  expiresAt: v.nullish(IsoDate),
})

/** An address for the list. */
export interface AddSuppressionInput extends InputOf<typeof AddSuppression> {}

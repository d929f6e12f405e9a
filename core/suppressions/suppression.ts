import { Suppression } from '../ports/store/suppressions.ts'
import { EmailAddress } from '../values/email-address.ts'
import type { InputOf } from '../values/input.ts'
import { IsoDate } from '../values/iso-date.ts'
import { creating } from '../values/record.ts'

/** How long a reason for people may be. */
export const MAX_DETAIL = 1000

export const AddSuppression = creating(Suppression, { email: EmailAddress, expiresAt: IsoDate })

/** An address to add to the list. */
export interface AddSuppressionInput extends InputOf<typeof AddSuppression> {}

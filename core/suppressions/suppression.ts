import * as v from 'valibot'
import { SUPPRESSION_REASONS, Suppression } from '../ports/store/suppressions.ts'
import { EmailAddress } from '../values/email-address.ts'
import type { InputOf } from '../values/input.ts'
import { IsoDate } from '../values/iso-date.ts'
import { CursorQuery } from '../values/page.ts'
import { say } from '../values/parse.ts'
import { creating } from '../values/record.ts'

/** How long a reason for people may be. */
export const MAX_DETAIL = 1000

/** As many addresses are looked up at once. */
const MAX_ASKED = 100

export const NO_PATTERN =
  'must be one address, since the list has no patterns; an audience leaves out a domain by the filter email notContains @example.com'

/** Whether what looks like an address stands for many, as other programs write it. */
export function isPattern(email: string): boolean {
  return /\*|^[%?]+@/.test(email)
}

/** Why an address is on the list, in any case of letters. */
export const Reason = v.pipe(
  v.string(),
  v.toUpperCase(),
  v.picklist(SUPPRESSION_REASONS, `must be one of ${SUPPRESSION_REASONS.join(', ')}`),
)

/** An address, and no pattern such as `*@example.com`, which would be taken for an address of that name. */
const OneAddress = v.pipe(
  EmailAddress,
  v.check((email) => !isPattern(email), say('invalid_string', NO_PATTERN)),
)

export const AddSuppression = v.object({
  ...creating(Suppression, { email: OneAddress, expiresAt: IsoDate }).entries,
  /** Why: `MANUAL` by default; the others for lists that come from another service. */
  reason: v.optional(Reason, 'MANUAL'),
})

export const SuppressionQuery = v.object({
  ...CursorQuery.entries,
  /** Only entries with this reason. */
  reason: v.optional(Reason),
  /** Only these addresses, separated by commas: up to 100. */
  email: v.optional(
    v.pipe(
      v.string(),
      v.transform((text) => text.split(',').map((each) => each.trim().toLowerCase())),
      v.check((list) => list.length <= MAX_ASKED, say('too_big', `must be at most ${MAX_ASKED} addresses`)),
    ),
  ),
})

/** Which entries of the list are wanted. */
export interface SuppressionQueryInput extends InputOf<typeof SuppressionQuery> {}

/** An address to add to the list. */
export interface AddSuppressionInput extends InputOf<typeof AddSuppression> {}

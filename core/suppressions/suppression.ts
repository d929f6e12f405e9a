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

/** Why an address is on the list, in any case of letters. */
export const Reason = v.pipe(
  v.string(),
  v.toUpperCase(),
  v.picklist(SUPPRESSION_REASONS, `must be one of ${SUPPRESSION_REASONS.join(', ')}`),
)

export const AddSuppression = v.object({
  ...creating(Suppression, { email: EmailAddress, expiresAt: IsoDate }).entries,
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

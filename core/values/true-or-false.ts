import * as v from 'valibot'
import { describedBy } from './described.ts'
import { say } from './parse.ts'

/** True or false, also as a query has it: as text. */
export const TrueOrFalse = describedBy(
  v.pipe(
    v.union([v.boolean(), v.picklist(['true', 'false'])], say('invalid_type', 'must be true or false')),
    v.transform((given) => String(given) === 'true'),
  ),
  v.boolean(),
)

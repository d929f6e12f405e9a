import * as v from 'valibot'
import { say } from './parse.ts'

/** A date or date-time of ISO 8601 as text; a bare date is midnight UTC. Read as a Date. */
export const IsoDate = v.pipe(
  v.string(),
  v.check(
    (text) => /^\d{4}-\d\d-\d\d/.test(text) && !Number.isNaN(Date.parse(text)),
    say('invalid_date', 'must be an ISO 8601 date such as 2026-01-31T09:00:00Z'),
  ),
  v.transform((text) => new Date(text)),
)

import * as v from 'valibot'
import { say } from '../../../core/values/parse.ts'

/** Where a PostgreSQL database is. What is refused is never repeated: it may hold a password. */
export const DatabaseUrl = v.pipe(
  v.string(),
  v.trim(),
  v.regex(
    /^postgres(ql)?:\/\/\S+$/i,
    say('custom', 'must be a URL such as postgres://user:password@host:5432/mailwright'),
  ),
)

import { unreadable } from './unreadable-report.ts'

/** A report covers a day (RFC 9990, section 3.1.1.9); some cover a week, and none more than this many seconds. */
const LONGEST = 40 * 86_400

/** The time that a report covers, from seconds since 1970. Throws EngineError `VALIDATION_ERROR` on `file` for none. */
export function rangeOf(begin: number, end: number): { readonly begin: Date; readonly end: Date } {
  if (!(begin > 0 && end >= begin))
    throw unreadable('is a report whose time range is missing, or ends before it begins')
  if (end - begin > LONGEST) throw unreadable('is a report on more than 40 days')
  return { begin: new Date(begin * 1000), end: new Date(end * 1000) }
}

import * as v from 'valibot'
import { meantBy } from '../values/nearest.ts'

/** An object without other keys, which says for one what was meant. */
export function objectOf<const Entries extends v.ObjectEntries>(entries: Entries) {
  const keys = Object.keys(entries)
  return v.strictObject(entries, (issue) => {
    if (issue.expected !== 'never') return issue.message
    return `is not a known key (${meantBy(String(issue.path?.at(-1)?.key), keys)})`
  })
}

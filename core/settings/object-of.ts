import * as v from 'valibot'
import { nearest } from '../values/nearest.ts'

/** An object without other keys, which says for one what was meant. */
export function objectOf<const Entries extends v.ObjectEntries>(entries: Entries) {
  const keys = Object.keys(entries)
  return v.strictObject(entries, (issue) => {
    if (issue.expected !== 'never') return issue.message
    const near = nearest(String(issue.path?.at(-1)?.key), keys)
    return `is not a known key (${near === undefined ? `there are ${keys.join(', ')}` : `did you mean ${near}?`})`
  })
}

import type { Filter } from '../ports/store/filters.ts'
import { conditionsOf } from './mentions.ts'
import { subjectOf } from './subject.ts'

/**
 * True when a contact's own row decides whether it matches, at any time: then only changed contacts can begin or cease
 * to match. False with events, campaigns, other segments (whose filters may change) and spans counted from now.
 */
export function isSteady(filter: Filter): boolean {
  for (const { field, operator } of conditionsOf(filter)) {
    const kind = subjectOf(field)?.kind
    if (kind === undefined || kind === 'event' || kind === 'segment' || kind === 'campaign') return false
    if (operator === 'within' || operator === 'olderThan') return false
  }
  return true
}

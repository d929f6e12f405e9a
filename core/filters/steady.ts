import type { Filter } from '../ports/store/filters.ts'
import { conditionsOf } from './mentions.ts'
import { subjectOf } from './subject.ts'

/**
 * True when a contact's own row alone says whether it matches, whenever it is asked: then only contacts that changed
 * can begin or cease to match. Events, other segments (whose filters may change) and spans counted from now are none of
 * that.
 */
export function isSteady(filter: Filter): boolean {
  for (const { field, operator } of conditionsOf(filter)) {
    const kind = subjectOf(field)?.kind
    if (kind === undefined || kind === 'event' || kind === 'segment') return false
    if (operator === 'within' || operator === 'olderThan') return false
  }
  return true
}

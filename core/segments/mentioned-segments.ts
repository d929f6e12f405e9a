import { mentionsOf } from '../filters/mentions.ts'
import type { Filter } from '../ports/store/filters.ts'
import type { Segment } from '../ports/store/segments.ts'
import { refused } from '../values/parse.ts'

/**
 * Checks the segments in a filter against all of the project, while they cannot be changed: each must exist and none
 * may lead back to the segment `self`. Throws EngineError `VALIDATION_ERROR` at `field`.
 */
export function checkMentionedSegments(all: readonly Segment[], filter: Filter, self: string, field: string): void {
  const known = new Map(all.map((segment) => [segment.id, segment]))
  const reached = new Set<string>()
  const ahead = [...mentionsOf(filter).segments]
  for (let id = ahead.pop(); id !== undefined; id = ahead.pop()) {
    const message = id === self ? 'leads back to the segment itself' : 'names a segment that is not there'
    const segment = known.get(id)
    if (id === self || segment === undefined) throw refused([{ field, code: 'custom', message }])
    if (reached.has(id)) continue
    reached.add(id)
    if (segment.filter) ahead.push(...mentionsOf(segment.filter).segments)
  }
}

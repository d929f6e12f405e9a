import type { FieldProblem } from '../errors.ts'
import { asPlunkWroteIt } from '../filters/as-written.ts'
import type { Filters } from '../filters/filters.ts'
import { filterProblems } from '../filters/read-filter.ts'
import type { Filter } from '../ports/store/filters.ts'
import type { Project } from '../ports/store/projects.ts'
import type { Segment } from '../ports/store/segments.ts'
import type { JsonObject, Untrusted } from '../values/json.ts'
import { refused } from '../values/parse.ts'
import { sameFilter } from './same-filter.ts'

/** A filter, and its form of Plunk when it was written so. */
export interface WrittenFilter {
  readonly filter: Filter
  readonly condition?: JsonObject
}

const FIELDS = ['filters', 'condition'] as const

/** The problems of a new segment's filter, as far as the request shows them. */
export function newFilterProblems({ type, filters, condition }: Partial<Given>): readonly FieldProblem[] {
  if (type !== 'DYNAMIC') return []
  const given = { filters, condition }
  if (FIELDS.every((field) => given[field] == null)) {
    return [{ field: 'filters', code: 'required', message: 'is required for a DYNAMIC segment' }]
  }
  return FIELDS.flatMap((field) => filterProblems(given[field], field))
}

interface Given {
  readonly type: Segment['type']
  readonly filters?: Untrusted
  readonly condition?: Untrusted
}

/**
 * Reads the filter of a request, from `filters` or `condition` (or both when they agree, as in a record that was read
 * before). Answers undefined when there is none; a DYNAMIC segment's cannot be removed with null, a STATIC one has
 * none. Throws EngineError `VALIDATION_ERROR`.
 */
export async function readFilterOf(
  filters: Filters,
  project: Project,
  { id, type }: Pick<Segment, 'id' | 'type'>,
  given: { readonly [Field in (typeof FIELDS)[number]]?: Untrusted },
): Promise<WrittenFilter | undefined> {
  const read: WrittenFilter[] = []
  for (const field of FIELDS) {
    const input = given[field]
    if (input === undefined || (input === null && type === 'STATIC')) continue
    if (type === 'STATIC') throw refused([{ field, code: 'custom', message: 'is not for a STATIC segment' }])
    if (input === null) throw refused([{ field, code: 'required', message: 'is required for a DYNAMIC segment' }])
    const condition = asPlunkWroteIt(input)
    read.push({ filter: await filters.read(project, input, field, { self: id }), ...(condition ? { condition } : {}) })
  }
  const [first, other = first] = read
  if (sameFilter(first?.filter, other?.filter)) return first && { ...first, ...other }
  throw refused([{ field: 'condition', code: 'custom', message: 'contradicts filters' }])
}

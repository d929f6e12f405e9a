import type { Filter } from '../filters/filter.ts'
import type { Filters } from '../filters/filters.ts'
import type { Project } from '../projects/project.ts'
import type { Untrusted } from '../values/json.ts'
import { refused } from '../values/parse.ts'
import { sameFilter } from './same-filter.ts'
import type { Segment } from './segment.ts'

const FIELDS = ['filters', 'condition'] as const

/**
 * Reads the filter of a request, which may stand under `filters` or `condition` (both, as in a record that was read before,
 * when they say the same). Answers undefined when there is none; a DYNAMIC segment's cannot be taken away with null, a
 * STATIC one has none. Throws EngineError `VALIDATION_ERROR`.
 */
export async function readFilterOf(
  filters: Filters,
  project: Project,
  { id, type }: Pick<Segment, 'id' | 'type'>,
  given: { readonly [Field in (typeof FIELDS)[number]]?: Untrusted },
): Promise<Filter | undefined> {
  const read: Filter[] = []
  for (const field of FIELDS) {
    const input = given[field]
    if (input === undefined || (input === null && type === 'STATIC')) continue
    if (type === 'STATIC') throw refused([{ field, code: 'custom', message: 'is not for a STATIC segment' }])
    if (input === null) throw refused([{ field, code: 'required', message: 'is required for a DYNAMIC segment' }])
    read.push(await filters.read(project, input, field, id))
  }
  const [filter, other = filter] = read
  if (sameFilter(filter, other)) return filter
  throw refused([{ field: 'condition', code: 'custom', message: 'says something else than filters' }])
}

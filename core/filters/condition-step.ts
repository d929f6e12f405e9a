import type { Filter } from '../ports/store/filters.ts'
import { isJsonObject, type JsonObject } from '../values/json.ts'
import { readWithSegments } from './read-filter.ts'
import { subjectInWorkflow } from './workflow-filter.ts'

/** The filter of a CONDITION step's config, which was read before. */
export function filterOf(config: JsonObject): Filter {
  const [place, given] = filterIn(config)
  const filter = isCondition(given) ? { operator: 'AND', conditions: [given] } : given
  return readWithSegments(filter, place, subjectInWorkflow).filter
}

/** The filter as it is written, and its key in the config. */
export function filterIn(config: JsonObject): readonly [place: string, filter: JsonObject] {
  const key = placeOfFilter(config)
  const given = key && config[key]
  return isJsonObject(given) ? [`config.${key}`, given] : ['config', config]
}

/** The key in the config that holds the filter. */
export function placeOfFilter(config: JsonObject): string | undefined {
  return ['filter', 'condition'].find((key) => isJsonObject(config[key]))
}

/** True for a single condition. */
export function isCondition(given: JsonObject): boolean {
  return 'field' in given
}

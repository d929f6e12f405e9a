import { isJsonObject, type Json, type JsonObject } from '../values/json.ts'
import { readCondition } from './read-condition.ts'
import { isPlunks } from './read-filter.ts'

/**
 * A filter in Plunk's form as it was written, without unknown keys; undefined for one in the normal form. It was read
 * before, so it is known to be valid.
 */
export function asPlunkWroteIt(filter: unknown): JsonObject | undefined {
  return isJsonObject(filter) && isPlunks(filter) ? written(filter) : undefined
}

function written(part: JsonObject): JsonObject {
  if (isPlunks(part)) return { logic: part.logic ?? 'AND', groups: listIn(part.groups).map(group) }
  if ('conditions' in part)
    return { operator: part.operator ?? 'AND', conditions: listIn(part.conditions).map(written) }
  return { ...readCondition(part, '', () => {}) }
}

function group({ filters, conditions }: JsonObject): JsonObject {
  const own = listIn(filters ?? []).map(written)
  return isJsonObject(conditions) ? { filters: own, conditions: written(conditions) } : { filters: own }
}

function listIn(value: Json | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : []
}

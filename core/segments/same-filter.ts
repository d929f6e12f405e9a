import type { Filter } from '../ports/store/filters.ts'
import { isJsonObject } from '../values/json.ts'

/** Whether both are equal; a store may answer a filter's keys in another order. */
export function sameFilter(one: Filter | undefined, other: Filter | undefined): boolean {
  return textOf(one) === textOf(other)
}

function textOf(filter: Filter | undefined): string | undefined {
  return JSON.stringify(filter, (_key, value: unknown) =>
    isJsonObject(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value,
  )
}

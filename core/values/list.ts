import * as v from 'valibot'
import { describedBy } from './described.ts'
import { takes } from './input.ts'
import { say } from './parse.ts'

/**
 * A list of `min` to `max` items. The length is checked first: a list of half a million wrong items gives one problem,
 * not half a million.
 */
export function listOf<const Item extends v.GenericSchema>(item: Item, min: number, max: number) {
  const items = v.pipe(v.array(item), v.minLength(min), v.maxLength(max))
  const tooMany = v.custom<never>(() => false, say('too_big', `must have at most ${max} items`))
  const list = takes<readonly v.InferInput<Item>[]>()(
    v.lazy((given) => (Array.isArray(given) && given.length > max ? tooMany : items)),
  )
  return describedBy(list, items)
}

/** The same list, read with each of its items once. */
export function distinct<Item>(list: v.GenericSchema<readonly Item[]>) {
  return describedBy(
    v.pipe(
      list,
      v.transform((items): readonly Item[] => [...new Set(items)]),
    ),
    list,
  )
}

import * as v from 'valibot'
import { named, worded } from '../../core/values/described.ts'
import { type Noun, type RecordOf, type ShownOf, showing } from '../../core/values/record.ts'

/** How something is answered: its schema, and the function that writes one. */
export interface Answer<Entries extends v.ObjectEntries, Given extends readonly unknown[]> {
  readonly schema: v.ObjectSchema<Entries, undefined>
  /** The fields of the schema, in its order, and nothing else. Dates stay dates, of which JSON makes ISO 8601. */
  readonly of: (...given: Given) => v.InferOutput<v.ObjectSchema<Entries, undefined>>
}

type NullableKeys<Entries> = {
  [Key in keyof Entries]: Entries[Key] extends { readonly type: 'nullable' } ? Key : never
}[keyof Entries]

/** The values of an answer, among others. A nullable one that is missing is answered with null. */
export type Found<Entries extends v.ObjectEntries> = v.InferOutput<
  v.ObjectSchema<Omit<Entries, NullableKeys<Entries>>, undefined>
> & { readonly [Key in NullableKeys<Entries>]?: v.InferOutput<Entries[Key]> | undefined }

/** The answer that has these fields, under its name in the API document. */
export function answer<const Entries extends v.ObjectEntries>(
  name: string,
  entries: Entries,
): Answer<Entries, [found: Found<Entries>]>
/** The same, with the function that finds the fields in what the room gives. */
export function answer<const Entries extends v.ObjectEntries, Given extends readonly unknown[]>(
  name: string,
  entries: Entries,
  find: (...given: Given) => Found<Entries>,
): Answer<Entries, Given>
export function answer(
  name: string,
  entries: v.ObjectEntries,
  find: (...given: never[]) => Readonly<Record<string, unknown>> = asItIs,
): Answer<v.ObjectEntries, never[]> {
  return writing(named(name, v.object(entries)), find)
}

/** The answer that shows a noun: every field of its record that is not internal. */
export function answerOf<const N extends Noun>(noun: N): Answer<ShownOf<N>, [record: RecordOf<N>]>
/**
 * The same with `more`: what is found, or shown otherwise than it is stored, and the function that finds it. What is
 * found stands before the times.
 */
export function answerOf<const N extends Noun, const More extends v.ObjectEntries, Given extends readonly unknown[]>(
  noun: N,
  more: More,
  find: (...given: Given) => Found<Omit<ShownOf<N>, keyof More> & More>,
): Answer<Omit<ShownOf<N>, keyof More> & More, Given>
export function answerOf(
  noun: Noun,
  more: v.ObjectEntries = {},
  find: (...given: never[]) => Readonly<Record<string, unknown>> = asItIs,
): Answer<v.ObjectEntries, never[]> {
  const own = Object.entries<v.GenericSchema>(showing(noun).entries)
  const times = own.slice(own.findIndex(([key]) => key === 'createdAt')).filter(([key]) => !(key in more))
  const others = Object.entries(more).map(([key, entry]) => {
    const sentence = noun.fields[key]?.[1]
    return [key, sentence === undefined ? entry : worded(entry, sentence)] as const
  })
  const entries = Object.fromEntries([...own.filter((each) => !times.includes(each)), ...others, ...times])
  return writing(named(noun.name, worded(v.object(entries), noun.sentence)), find)
}

function asItIs(found: Readonly<Record<string, unknown>>) {
  return found
}

function writing(
  schema: v.ObjectSchema<v.ObjectEntries, undefined>,
  find: (...given: never[]) => Readonly<Record<string, unknown>>,
): Answer<v.ObjectEntries, never[]> {
  const fields = Object.entries(schema.entries).map(
    ([key, { type }]) => [key, type === 'nullable' ? null : undefined] as const,
  )
  return {
    schema,
    of(...given) {
      const found = find(...given)
      const values = fields.map(([key, nothing]) => [key, found[key] === undefined ? nothing : found[key]] as const)
      return Object.fromEntries(values.filter(([, value]) => value !== undefined))
    },
  }
}

import * as v from 'valibot'
import { named, worded } from '../../core/values/described.ts'
import { type Noun, type RecordOf, type ShownOf, showing } from '../../core/values/record.ts'

/** An answer: its schema, and what writes one. */
export interface Answer<Entries extends v.ObjectEntries, Given extends readonly unknown[]> {
  readonly schema: v.ObjectSchema<Entries, undefined>
  /** The record in the form of an answer, of whose dates JSON makes ISO 8601. */
  of(...given: Given): v.InferOutput<v.ObjectSchema<Entries, undefined>>
}

/** The answer that shows a noun: every field of its record that is not internal. */
export function answerOf<const N extends Noun>(noun: N): Answer<ShownOf<N>, [record: RecordOf<N>]>
/** The same with what is found, or shown otherwise than it is stored. What is found stands before the times. */
export function answerOf<const N extends Noun, const More extends v.ObjectEntries>(
  noun: N,
  more: More,
): Answer<
  Omit<ShownOf<N>, keyof More> & More,
  [record: RecordOf<N>, more: v.InferOutput<v.ObjectSchema<More, undefined>>]
>
export function answerOf(noun: Noun, more: v.ObjectEntries = {}): Answer<v.ObjectEntries, [object, object?]> {
  const own = Object.entries<v.GenericSchema>(showing(noun).entries)
  const times = own.slice(own.findIndex(([key]) => key === 'createdAt')).filter(([key]) => !(key in more))
  const others = Object.entries(more).map(([key, shown]) => {
    const sentence = noun.fields[key]?.[1]
    return [key, sentence === undefined ? shown : worded(shown, sentence)] as const
  })
  const schema = v.object(Object.fromEntries([...own.filter((each) => !times.includes(each)), ...others, ...times]))
  const nothing = (key: string) => (noun.fields[key]?.[0].presence === 'orNull' ? null : undefined)
  const shown = Object.keys(schema.entries).map((key) => [key, nothing(key)] as const)
  return {
    schema: named(noun.name, worded(schema, noun.sentence)),
    of(record, others) {
      const fields: Readonly<Record<string, unknown>> = { ...record, ...others }
      const values = shown.map(([key, none]) => [key, fields[key] === undefined ? none : fields[key]] as const)
      return Object.fromEntries(values.filter(([, value]) => value !== undefined))
    },
  }
}

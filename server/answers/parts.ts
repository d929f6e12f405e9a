import * as v from 'valibot'
import { named } from '../../core/values/described.ts'

// The parts of the schemas of answers. They describe answers and check their types; nothing is read through them.

export const Id = v.pipe(v.string(), v.uuid())

/** An e-mail address; its domain may be international. */
export const Address = v.pipe(v.string(), v.metadata({ format: 'idn-email' }))

/** A URL, as written in ASCII. */
export const Url = v.pipe(v.string(), v.metadata({ format: 'uri' }))
export const UrlOrPath = v.pipe(v.string(), v.metadata({ format: 'uri-reference' }))

/** A time: a Date until JSON makes ISO 8601 of it. */
export const Time = v.date()

/** A whole number from 0. */
export const Count = v.pipe(v.number(), v.integer(), v.minValue(0))

/** 0 to 100. */
export const Percentage = v.pipe(v.number(), v.minValue(0), v.maxValue(100))

/** An object with keys of the caller's own. */
export const Fields = v.record(v.string(), v.unknown())

/** A list of any length. */
export function many<Item extends v.GenericSchema>(
  item: Item,
): v.GenericSchema<readonly v.InferInput<Item>[], readonly v.InferOutput<Item>[]> {
  return v.array(item)
}

/** Sentences, each as a code that stays the same and the values in it, for translations. */
export const AdviceCodes = many(
  named('AdviceCode', v.object({ code: v.string(), params: v.record(v.string(), v.union([v.string(), v.number()])) })),
)

/** Input that was understood, but is probably not meant. */
export const Warnings = named('Warnings', many(v.object({ field: v.string(), message: v.string() })))

/** An answer with `success` beside its fields. */
export function success<Entries extends v.ObjectEntries>(fields: Entries) {
  return v.object({ success: v.literal(true), warnings: v.optional(Warnings), ...fields })
}

/** The envelope of the public API. */
export function envelope<Data extends v.GenericSchema>(data: Data) {
  return success({ data })
}

/** That it works. */
export const Ok = named('Ok', v.object({ status: v.literal('ok') }))

/** Parameters that are added to links. */
export const UtmRecord = named(
  'Utm',
  v.object({
    source: v.optional(v.string()),
    medium: v.optional(v.string()),
    campaign: v.optional(v.string()),
    term: v.optional(v.string()),
    content: v.optional(v.string()),
  }),
)

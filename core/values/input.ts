import type * as v from 'valibot'

declare const unread: unique symbol

/** Data of unknown form, marked by `untrusted`. Every room accepts it instead of its input, and checks both alike. */
export interface UntrustedInput {
  readonly [unread]: true
}

/**
 * Lets data of unknown form, such as the JSON of a request, be used as an input. It changes nothing: rooms check all
 * input.
 */
export function untrusted(value: unknown): UntrustedInput {
  return value as UntrustedInput
}

/** The input of a schema, without the keys it only refuses by name. */
export type InputOf<Schema extends v.GenericSchema> = {
  [Key in keyof v.InferInput<Schema> as IsRefused<v.InferInput<Schema>[Key]> extends true
    ? never
    : Key]: v.InferInput<Schema>[Key]
}

type IsRefused<Value> = unknown extends Value ? false : [NonNullable<Value>] extends [never] ? true : false

/**
 * Declares the input type of a schema that chooses by its input, or leaves the reading to others:
 * `takes<FilterInput>()(v.unknown())`. Does not change the schema.
 */
export function takes<Input>() {
  return <Output>(schema: v.GenericSchema<unknown, Output>) => schema as v.GenericSchema<Input, Output>
}

import type * as v from 'valibot'

declare const unread: unique symbol

/** Data of unknown form, as `untrusted` marks it. Every room takes it in place of its input, and checks both alike. */
export interface UntrustedInput {
  readonly [unread]: true
}

/**
 * Lets data of unknown form, such as the JSON of a request, stand where an input is expected. It changes nothing: rooms
 * check whatever they are given.
 */
export function untrusted(value: unknown): UntrustedInput {
  return value as UntrustedInput
}

/** What a schema takes, without the keys it only refuses by name. */
export type InputOf<Schema extends v.GenericSchema> = {
  [Key in keyof v.InferInput<Schema> as IsRefused<v.InferInput<Schema>[Key]> extends true
    ? never
    : Key]: v.InferInput<Schema>[Key]
}

type IsRefused<Value> = unknown extends Value ? false : [NonNullable<Value>] extends [never] ? true : false

/**
 * States for the compiler what a schema takes that looks at its input before it chooses, or leaves the reading to others:
 * `takes<FilterInput>()(v.unknown())`. The schema stays as it is.
 */
export function takes<Input>() {
  return <Output>(schema: v.GenericSchema<unknown, Output>) => schema as v.GenericSchema<Input, Output>
}

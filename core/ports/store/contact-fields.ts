/** One batch of a removal: how many contacts lost the key, and where to go on; without `last` none behind has it. */
export interface FieldRemoval {
  readonly removed: number
  readonly last?: string
}

/** The kinds of values a data key is counted by; `date` is a text that looks like an ISO 8601 date. */
export const VALUE_KINDS = ['string', 'number', 'boolean', 'date', 'object', 'array', 'null'] as const
export type ValueKind = (typeof VALUE_KINDS)[number]

export type KindCounts = Readonly<Partial<Record<ValueKind, number>>>

export interface ContactFields {
  readonly contacts: number
  /** How many different keys there are in all. */
  readonly keys: number
  readonly fields: readonly { readonly key: string; readonly kinds: KindCounts }[]
}

/** The longest value of a key that is listed, in characters of its JSON. */
export const LISTED_VALUE = 1000

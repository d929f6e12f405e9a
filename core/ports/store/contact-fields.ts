import type { ProjectId } from '../../values/project-id.ts'

/** Which keys the data of contacts has. */
export interface ContactFieldRepository {
  /**
   * How many contacts have which data keys, with values of which kinds; with a `limit` of more keys those that most
   * contacts have. Kept up to date with every write, not counted.
   */
  list(projectId: ProjectId, limit?: number): Promise<ContactFields>
  /** How many contacts have this data key, with values of which kinds; undefined when nobody has it. */
  find(projectId: ProjectId, key: string): Promise<KindCounts | undefined>
  /**
   * Up to `limit` different values of a data key (texts, numbers, booleans), in the order of their texts; which of more is
   * open. Those that are longer than LISTED_VALUE characters as JSON are left out.
   */
  values(projectId: ProjectId, key: string, limit: number): Promise<readonly (string | number | boolean)[]>
  /** Takes the key from the data of the next up to `limit` contacts behind `after` (by id) that have it. */
  remove(
    projectId: ProjectId,
    key: string,
    now: Date,
    batch: { readonly limit: number; readonly after?: string },
  ): Promise<FieldRemoval>
}

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

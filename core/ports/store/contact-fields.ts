import type { ProjectId } from '../../values/project-id.ts'

/** The keys in contacts' data. */
export interface ContactFieldRepository {
  /**
   * How many contacts have each data key, by type of value; with a `limit` only the most frequent keys. Maintained
   * with every write, not counted on read.
   */
  list(projectId: ProjectId, limit?: number): Promise<ContactFields>
  /** Which of these data keys at least one contact has. */
  known(projectId: ProjectId, keys: readonly string[]): Promise<ReadonlySet<string>>
  /** How many contacts have this data key, by type of value; undefined when none has it. */
  find(projectId: ProjectId, key: string): Promise<KindCounts | undefined>
  /**
   * Up to `limit` different values of a data key (texts, numbers, booleans, and the elements of lists), ordered as
   * text. When there are more, which ones is undefined. Values longer than LISTED_VALUE characters as JSON are left
   * out.
   */
  values(projectId: ProjectId, key: string, limit: number): Promise<readonly (string | number | boolean)[]>
  /** Removes the key from the data of the next up to `limit` contacts after `after` (by id) that have it. */
  remove(
    projectId: ProjectId,
    key: string,
    now: Date,
    batch: { readonly limit: number; readonly after?: string },
  ): Promise<FieldRemoval>
}

/** One batch of a removal: how many contacts lost the key, and where to continue; without `last` it is complete. */
export interface FieldRemoval {
  readonly removed: number
  readonly last?: string
}

/** The types by which values of a data key are counted; `date` is a text that looks like an ISO 8601 date. */
export const VALUE_KINDS = ['string', 'number', 'boolean', 'date', 'object', 'array', 'null'] as const
export type ValueKind = (typeof VALUE_KINDS)[number]

export type KindCounts = Readonly<Partial<Record<ValueKind, number>>>

export interface ContactFields {
  readonly contacts: number
  /** How many different keys there are in total. */
  readonly keys: number
  readonly fields: readonly { readonly key: string; readonly kinds: KindCounts }[]
}

/** The longest listed value of a key, in characters of its JSON. */
export const LISTED_VALUE = 1000

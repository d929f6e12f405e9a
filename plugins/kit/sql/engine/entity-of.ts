import { defineEntity, type EntitySchema, p } from '@mikro-orm/core'
import type { Kind, Presence } from '../../../../core/values/kind.ts'
import { mayLack, type Noun, type RecordOf } from '../../../../core/values/record.ts'

const COLUMNS = {
  uuid: () => p.uuid(),
  text: () => p.text(),
  json: () => p.json(),
  date: () => p.datetime(3),
  boolean: () => p.boolean(),
  integer: () => p.integer(),
  version: () => p.integer().default(1),
} as const

/** A table's name, and the indexes over fields of its noun. */
interface Storage<Key> {
  readonly name: string
  readonly tableName: string
  readonly indexes?: readonly Index<Key>[]
  readonly uniques?: readonly Index<Key>[]
}

interface Index<Key> {
  readonly name: string
  readonly properties: readonly Key[]
  /** Which rows are in it, as SQL. */
  readonly where?: string
}

/** The table of a noun, with a column for each of its fields. */
export function entityOf<const N extends Noun>(noun: N, storage: Storage<keyof RecordOf<N> & string>) {
  const columns = Object.entries(noun.fields).map(([key, [kind]]) => [key, columnOf(key, kind)] as const)
  const { name, tableName, indexes = [], uniques = [] } = storage
  const entity = defineEntity({
    name,
    tableName,
    properties: Object.fromEntries(columns),
    indexes: indexes.map(mutable),
    uniques: uniques.map(mutable),
  })
  return entity as EntitySchema & { readonly properties: Columns<N> }
}

type Columns<N extends Noun> = { readonly [Key in keyof N['fields']]: unknown }

function columnOf(key: string, { column, presence }: Kind<unknown, Presence>) {
  const made = COLUMNS[column]()
  if (key === 'id') return made.primary()
  return mayLack(presence) ? made.nullable() : made
}

function mutable(index: Index<string>) {
  return { ...index, properties: [...index.properties] }
}

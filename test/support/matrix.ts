import { sqlite } from '../../plugins/store-sqlite/index.ts'
import { freshPostgres } from './fresh-postgres.ts'

/** The stores every test of the HTTP API runs on: a name, and a fresh empty store. */
export const STORES = [
  { name: 'SQLite', store: () => sqlite({ file: ':memory:' }) },
  { name: 'PostgreSQL', store: () => freshPostgres() },
] as const

export type StoreCase = (typeof STORES)[number]

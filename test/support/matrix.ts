import { freshPostgres } from './fresh-postgres.ts'
import { freshSqlite } from './fresh-sqlite.ts'

/** The stores every test of the HTTP API runs on: a name, and a fresh empty store. */
export const STORES = [
  { name: 'SQLite', store: () => freshSqlite() },
  { name: 'PostgreSQL', store: () => freshPostgres() },
] as const

export type StoreCase = (typeof STORES)[number]

import { freshPostgres } from './fresh-postgres.ts'
import { freshSqlite } from './fresh-sqlite.ts'

/** The stores every test of the HTTP API runs on: a name, and a fresh empty store. */
export const STORES = [
  { name: 'SQLite', store: () => freshSqlite() },
  { name: 'PostgreSQL', store: () => freshPostgres() },
] as const

/**
 * The stores of tests that run on one alone: QUICK for what is done before a store is asked, STRICT for the rest. `.ci/run`
 * runs their files again with SWAP_STORES=1, on the other store.
 */
export const [QUICK, STRICT] = process.env.SWAP_STORES === '1' ? swapped(STORES) : STORES

export type StoreCase = (typeof STORES)[number]

function swapped<First, Second>([first, second]: readonly [First, Second]): readonly [Second, First] {
  return [second, first]
}

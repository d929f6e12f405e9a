import { freshPostgres } from './fresh-postgres.ts'
import { freshSqlite } from './fresh-sqlite.ts'

/** The stores every test of the HTTP API runs on: a name, and a fresh empty store. */
export const STORES = [
  { name: 'SQLite', store: () => freshSqlite() },
  { name: 'PostgreSQL', store: () => freshPostgres() },
] as const

/**
 * The stores of tests that run on one alone: QUICK for what asks little of a store, STRICT for the rest. `.ci/run`
 * runs their files again on the other store: the project `swapped` sets SWAP_STORES.
 */
export const [QUICK, STRICT] = process.env.SWAP_STORES === '1' ? swapped(STORES) : STORES

/**
 * The store of tests whose results no store decides: documents, a page, tools that call routes. `.ci/run` does not run
 * them again: what they reach in a store is looked at on both by the tests of the routes behind it.
 */
export const ANY = STORES[0]

export type StoreCase = (typeof STORES)[number]

function swapped<First, Second>([first, second]: readonly [First, Second]): readonly [Second, First] {
  return [second, first]
}

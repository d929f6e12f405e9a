import { freshPostgres } from './fresh-postgres.ts'
import { freshSqlite } from './fresh-sqlite.ts'

/** A store's name, and a fresh empty one. */
const BOTH = [
  { name: 'SQLite', store: () => freshSqlite() },
  { name: 'PostgreSQL', store: () => freshPostgres() },
] as const

/** Which tests of one store a swapped project runs on PostgreSQL: STRICT for every change, QUICK at night. */
const swap = process.env.SWAP_STORES

/** Whether another project has run already those tests that name a store of their own, or that no store decides. */
export const isSwapped = swap !== undefined

/** The same for tests of QUICK in a file that has some of STRICT: at night they are run on PostgreSQL, too. */
export const isStrictSwapped = swap === 'STRICT'

/** The stores of tests that run on both. The swapped projects, which set SWAP_STORES, do not run them once more. */
export const STORES: readonly StoreCase[] = isSwapped ? [] : BOTH

/**
 * The store of tests that run on one: in `npm test` the embedded default, which takes half of the time. `.ci/run` runs
 * those of STRICT again on PostgreSQL, in the project `swapped`; `npm run test:all` does so with both. STRICT is for
 * what rests on SQL written by hand, by filters or by transactions of many rows, QUICK for what asks little of a store. The
 * contract of stores holds every repository to the same answers on both, so a file of QUICK shows nothing there that it would
 * miss. Tests run on both each time only where they look at the SQL of both, or where one goes wrong in a way of its own.
 */
export const [QUICK, STRICT] = isSwapped ? twice(BOTH[1]) : twice(BOTH[0])

/**
 * The store of tests whose results no store decides: documents, a page, tools that call routes. `.ci/run` does not run
 * them again: what they reach in a store is looked at on both by the tests of the routes behind it.
 */
export const ANY = BOTH[0]

export type StoreCase = (typeof BOTH)[number]

function twice<Case>(store: Case): readonly [Case, Case] {
  return [store, store]
}

import { sqlite } from '../../plugins/store-sqlite/index.ts'

/** The stores every test of the HTTP API runs on: a name, and a fresh empty store. */
export const STORES = [{ name: 'SQLite', store: () => sqlite({ file: ':memory:' }) }] as const

export type StoreCase = (typeof STORES)[number]

import { inject } from 'vitest'
import { makeDatabase } from './postgres.ts'

/** A database with the schema and nothing in it, on the PostgreSQL server of this test run; answers its url. */
export function freshDatabase(): Promise<string> {
  return makeDatabase(inject('postgresUrl'), inject('postgresTemplate'))
}

/** A database without even the schema, on the PostgreSQL server of this test run; answers its url. */
export function bareDatabase(): Promise<string> {
  return makeDatabase(inject('postgresUrl'))
}

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the PostgreSQL server of this test run is. */
    postgresUrl: string
    /** The name of the database that others are copied from. */
    postgresTemplate: string
    /** The path of the SQLite file that others are copied from. */
    sqliteTemplate: string
  }
}

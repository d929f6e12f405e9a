import { inject } from 'vitest'
import { makeDatabase } from './postgres.ts'

/** A database with the schema and no rows, on this test run's PostgreSQL server. Answers its URL. */
export function freshDatabase(): Promise<string> {
  return makeDatabase(inject('postgresUrl'), inject('postgresTemplate'))
}

/** A database without the schema, on this test run's PostgreSQL server. Answers its URL. */
export function bareDatabase(): Promise<string> {
  return makeDatabase(inject('postgresUrl'))
}

declare module 'vitest' {
  interface ProvidedContext {
    /** The URL of this test run's PostgreSQL server. */
    postgresUrl: string
    /** The name of the database that others are copied from. */
    postgresTemplate: string
    /** The path of the SQLite file that others are copied from. */
    sqliteTemplate: string
  }
}

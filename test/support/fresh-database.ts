import { inject } from 'vitest'
import { atEndOfFile } from './end-of-file.ts'
import { dropDatabase, makeDatabase } from './postgres.ts'

/**
 * A database with the schema and no rows, on this test run's PostgreSQL server. Answers its URL. It is removed when the
 * test file ends, since the server looks after each that it has.
 */
export function freshDatabase(): Promise<string> {
  return untilEnd(makeDatabase(inject('postgresUrl'), inject('postgresTemplate')))
}

/** The same without the schema. */
export function bareDatabase(): Promise<string> {
  return untilEnd(makeDatabase(inject('postgresUrl')))
}

async function untilEnd(making: Promise<string>): Promise<string> {
  const url = await making
  atEndOfFile(() => dropDatabase(url))
  return url
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

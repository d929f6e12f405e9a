import { inject } from 'vitest'
import { makeDatabase } from './postgres.ts'

/** An empty database on the PostgreSQL server of this test run; answers its url. */
export function freshDatabase(): Promise<string> {
  return makeDatabase(inject('postgresUrl'))
}

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the PostgreSQL server of this test run is. */
    postgresUrl: string
  }
}

import type { TestProject } from 'vitest/node'
import { startPostgres } from './postgres.ts'

/** Starts the PostgreSQL server of a test run; test files ask it for databases of their own. */
export default async function postgresForAll(project: TestProject): Promise<() => Promise<void>> {
  const server = await startPostgres()
  project.provide('postgresUrl', server.url)
  return () => server.stop()
}

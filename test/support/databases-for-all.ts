import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { TestProject } from 'vitest/node'
import { startPostgres } from './postgres.ts'

const run = promisify(execFile)
const MAKE = fileURLToPath(new URL('make-templates.ts', import.meta.url))

/**
 * Starts the PostgreSQL server of a test run, and makes one database of each kind with every migration. Test files copy
 * it, since running the migrations takes several times as long.
 */
export default async function databasesForAll(project: TestProject): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), 'mailwright-template-'))
  const server = await startPostgres()
  const stop = async () => {
    rmSync(folder, { recursive: true, force: true })
    await server.stop()
  }
  try {
    const file = join(folder, 'template.db')
    const database = await server.database()
    await run(process.execPath, [MAKE, file, database])
    project.provide('sqliteTemplate', file)
    project.provide('postgresUrl', server.url)
    project.provide('postgresTemplate', new URL(database).pathname.slice(1))
    return stop
  } catch (error) {
    await stop()
    throw error
  }
}

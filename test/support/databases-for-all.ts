import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { TestProject } from 'vitest/node'
import { folderOfRun } from './folder-of-run.ts'
import { startPostgres } from './postgres.ts'

const run = promisify(execFile)
const MAKE = fileURLToPath(new URL('make-templates.ts', import.meta.url))

/**
 * Has everything temporary of a test run in folders that end with it, starts its PostgreSQL server, and makes one database of
 * each kind with every migration. Test files copy it, since running the migrations takes several times as long.
 */
export default async function databasesForAll(project: TestProject): Promise<() => Promise<void>> {
  const removeAll = ownFolders(project)
  const folder = mkdtempSync(join(tmpdir(), 'mailwright-template-'))
  const server = await startPostgres({ keepNew: join(folder, 'postgres') })
  const stop = async () => {
    rmSync(folder, { recursive: true, force: true })
    await server.stop()
    await removeAll()
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

/** Folders of this run alone: for this process and those it starts, and for each project that keeps its files elsewhere. */
function ownFolders({ vitest }: TestProject): () => Promise<void> {
  const made = new Map<string, ReturnType<typeof folderOfRun>>()
  const within = (parent: string) => {
    const known = made.get(parent) ?? folderOfRun(parent)
    made.set(parent, known)
    return known.folder
  }
  for (const { config } of vitest.projects) {
    const { TMPDIR } = config.env ?? {}
    if (TMPDIR !== undefined) config.env.TMPDIR = within(TMPDIR)
  }
  process.env.TMPDIR = within(tmpdir())
  return async () => {
    await Promise.all([...made.values()].map(({ remove }) => remove()))
  }
}

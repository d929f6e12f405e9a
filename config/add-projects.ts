import { EngineError } from '../core/errors.ts'
import { loadOptional } from '../core/plugin/optional-packages.ts'
import { systemClock } from '../core/ports/clock.ts'
import { silentLog } from '../core/ports/log.ts'
import { OpenPlugins } from '../core/start/open-plugins.ts'
import { isJsonObject } from '../core/values/json.ts'
import { nameTaken } from '../plugins/kit/sql/copy/add-project.ts'
import type { CopySide } from '../plugins/kit/sql/copy/copy-side.ts'
import type { LoadedConfig } from './load.ts'
import { databaseFile } from './require-database.ts'

type Target = Pick<LoadedConfig, 'engine' | 'given'>

/**
 * Opens the configured store for a moment, which makes it if it is missing, and looks whether a project can be added.
 * Throws EngineError, `CONFLICT` when there is one of this name, `STORE_LOCKED` while a server has a file of SQLite open.
 */
export async function requireFreeName({ engine }: Target, name: string): Promise<void> {
  if (engine.store.name === 'store-sqlite' && databaseFile({ store: engine.store }) === undefined) throw inMemory()
  const plugins = new OpenPlugins({ log: silentLog, clock: systemClock })
  try {
    const { store } = await plugins.open('store', engine.store)
    if ((await store.projects.list()).some((project) => project.name === name)) throw nameTaken(name)
  } finally {
    await plugins.close()
  }
}

/**
 * Adds the projects in this file of SQLite to the configured store, beside those it has: everything, or nothing. Throws
 * EngineError `CONFLICT` when one has the name of another, and as opening the store does.
 */
export async function addProjectsOf(file: string, target: Target): Promise<void> {
  const { sqliteSide } = await import('../plugins/store-sqlite/copy-side.ts')
  const { addProjects } = await import('../plugins/kit/sql/copy/add-project.ts')
  const from = await sqliteSide(file, 'from')
  try {
    const to = await openStore(target, 'into')
    try {
      await addProjects(from, to)
    } finally {
      await to.close()
    }
  } finally {
    await from.close()
  }
}

/**
 * The configured store, to add projects to it or to read one from it. Throws EngineError `CONFIG_INVALID` when it is in
 * memory, or none of ours, and as opening the store does.
 */
export async function openStore({ engine, given }: Target, end: 'into' | 'from'): Promise<CopySide> {
  const file = databaseFile(engine)
  if (file !== undefined) {
    const { sqliteSide } = await import('../plugins/store-sqlite/copy-side.ts')
    return sqliteSide(file, end)
  }
  if (engine.store.name !== 'store-postgres') throw inMemory()
  const { store } = given
  if (!isJsonObject(store) || store.use !== 'postgres') {
    throw new EngineError('CONFIG_INVALID', 'store: write it as { use: "postgres", options } to move a project.')
  }
  const side = () => import('../plugins/store-postgres/copy-side.ts')
  return (await loadOptional('store-postgres', 'postgres', side, ['pg'])).postgresStore(store.options, end)
}

function inMemory(): EngineError {
  return new EngineError(
    'CONFIG_INVALID',
    'The store must be a file of SQLite or PostgreSQL: a project in another ends with the program.',
  )
}

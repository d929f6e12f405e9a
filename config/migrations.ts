import { EngineError } from '../core/errors.ts'
import type { Plugin } from '../core/plugin/types.ts'
import { systemClock } from '../core/ports/clock.ts'
import { silentLog } from '../core/ports/log.ts'
import type { SchemaState } from '../core/ports/store/schema-state.ts'
import { OpenPlugins } from '../core/start/open-plugins.ts'
import { loadConfig } from './load.ts'
import { requireDatabase } from './require-database.ts'

/** The configured database, and how its schema is. */
export interface FoundSchema {
  /** `store-sqlite at ./data/mailwright.db`. */
  readonly store: string
  readonly schema: SchemaState
}

/** The result of bringing a database up to this version. */
export interface BroughtUp {
  readonly store: string
  /** The migrations that were run, in their order. */
  readonly ran: readonly string[]
}

/**
 * Looks which migrations the configured database has, also while a server uses it. Nothing is changed. Throws EngineError
 * `CONFIG_INVALID` when there is no database, or its store does not tell.
 */
export async function findSchema(path: string | undefined): Promise<FoundSchema> {
  const { engine } = await loadConfig({ path })
  await requireDatabase(engine)
  return { store: placeOf(engine.store), schema: await schemaOf(engine.store) }
}

/**
 * Brings the configured database to this version, as the start of a server does, and makes it where there is none. Throws
 * EngineError, with nothing changed: `STORE_LOCKED` while a server has a file of SQLite open, `STORE_NEWER` when a newer
 * version has written it.
 */
export async function bringUp(path: string | undefined): Promise<BroughtUp> {
  const { engine } = await loadConfig({ path })
  const store = placeOf(engine.store)
  // a file that is not there has nothing to look at
  const isThere = await requireDatabase(engine).then(
    () => true,
    () => false,
  )
  const before = isThere ? (await schemaOf(engine.store)).applied : []
  const plugins = new OpenPlugins({ log: silentLog, clock: systemClock })
  try {
    await plugins.open('store', engine.store)
  } finally {
    await plugins.close()
  }
  const known = new Set(before.map(({ name }) => name))
  const { applied } = await schemaOf(engine.store)
  return { store, ran: applied.map(({ name }) => name).filter((name) => !known.has(name)) }
}

function placeOf({ name, description }: Plugin<'store'>): string {
  return description === undefined ? name : `${name} at ${description}`
}

async function schemaOf(plugin: Plugin<'store'>): Promise<SchemaState> {
  if (plugin.schemaState) return plugin.schemaState()
  throw new EngineError('CONFIG_INVALID', `The store ${plugin.name} does not report which migrations it has.`)
}

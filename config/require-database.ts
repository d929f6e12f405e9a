import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { EngineError } from '../core/errors.ts'
import type { EngineSettings } from '../core/start/check-settings.ts'

/** The configured file of SQLite; undefined when the store is another one, or in memory. */
export function databaseFile({ store: { name, description } }: Pick<EngineSettings, 'store'>): string | undefined {
  return name === 'store-sqlite' && description !== ':memory:' ? description : undefined
}

/**
 * For commands that only read: in a wrong folder they would make an empty database and answer for that. Throws EngineError
 * `CONFIG_INVALID` when the store is a file of SQLite that is not there.
 */
export async function requireDatabase(settings: Pick<EngineSettings, 'store'>): Promise<void> {
  const file = databaseFile(settings)
  if (file === undefined || (await stat(file).catch(() => undefined))?.isFile()) return
  const message = `There is no database at ${resolve(file)}: run this where the server runs, or name its configuration with --config.`
  throw new EngineError('CONFIG_INVALID', message)
}

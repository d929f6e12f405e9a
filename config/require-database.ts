import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { EngineError } from '../core/errors.ts'
import type { EngineSettings } from '../core/start/engine-settings.ts'

/**
 * For commands that only read: in a wrong folder they would make an empty database and answer for that. Throws EngineError
 * `CONFIG_INVALID` when the store is a file of SQLite that is not there.
 */
export async function requireDatabase({ store }: Pick<EngineSettings, 'store'>): Promise<void> {
  const { name, description: file } = store
  if (name !== 'store-sqlite' || file === undefined || file === ':memory:') return
  if ((await stat(file).catch(() => undefined))?.isFile()) return
  const message = `There is no database at ${resolve(file)}: run this where the server runs, or name its configuration with --config.`
  throw new EngineError('CONFIG_INVALID', message)
}

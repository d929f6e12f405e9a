import { resolve } from 'node:path'
import { EngineError } from '../../core/errors.ts'
import type { SchemaState } from '../../core/ports/store/schema-state.ts'
import { MIGRATIONS } from '../kit/sql/engine/migrate.ts'
import { schemaState } from '../kit/sql/engine/schema-state.ts'
import { migrations } from './migrations/all.ts'
import { MEMORY, unusable } from './open-file.ts'
import { openReadOnly } from './sqlite-driver.ts'

/**
 * Which migrations the file has, read without changing it, also while a server has it open. Throws EngineError
 * `CONFIG_INVALID` when it cannot be read, or is not there.
 */
export async function sqliteSchemaState(file: string): Promise<SchemaState> {
  if (file === MEMORY) throw new EngineError('CONFIG_INVALID', 'What is in memory has no schema before the start.')
  const path = resolve(file)
  let client: ReturnType<typeof openReadOnly> | undefined
  try {
    client = openReadOnly(path, BUSY_MS)
    const tables = client.prepare('select 1 from sqlite_master where "name" = ?').all([MIGRATIONS])
    if (tables.length === 0) return schemaState([], migrations)
    const rows = client.prepare(`select "name", "executed_at" from "${MIGRATIONS}" order by "id"`).all([])
    const applied = rows.map(({ name, executed_at }) => ({ name: String(name), at: new Date(Number(executed_at)) }))
    return schemaState(applied, migrations)
  } catch (error) {
    throw EngineError.is(error) ? error : unusable(path, error)
  } finally {
    client?.close()
  }
}

/** How long it waits for a lock, in milliseconds. */
const BUSY_MS = 5_000

import { stat } from 'node:fs/promises'
import { EngineError } from '../../core/errors.ts'
import { type CopySide, copyInto, copySource, copyTarget } from '../kit/sql/copy/copy-side.ts'
import { migrations } from './migrations/all.ts'
import { openDatabase } from './open-database.ts'
import { holdFile, unusable } from './open-file.ts'

/**
 * Opens a file to copy from, which must exist and is not changed, to copy `to`, or to add projects `into`. No engine
 * may be using it (`STORE_LOCKED`).
 */
export async function sqliteSide(file: string, end: 'from' | 'to' | 'into'): Promise<CopySide> {
  if (end === 'from') await refuseMissing(file)
  const held = await holdFile(file)
  try {
    const side = await openSide(held, end)
    return { ...side, close: () => side.close().finally(() => held.release()) }
  } catch (error) {
    await held.release()
    throw EngineError.is(error) ? error : unusable(held.path, error)
  }
}

async function openSide(held: Awaited<ReturnType<typeof holdFile>>, end: 'from' | 'to' | 'into'): Promise<CopySide> {
  const open = await openDatabase(held)
  try {
    if (end === 'from') {
      open.client.pragma('query_only = on')
      return await copySource(open, migrations)
    }
    const side = await (end === 'into' ? copyInto(open) : copyTarget(open, migrations))
    open.tune('FULL')
    return side
  } catch (error) {
    await open.close()
    throw error
  }
}

async function refuseMissing(file: string): Promise<void> {
  const found = await stat(file).catch(() => undefined)
  if (found?.isFile()) return
  throw new EngineError('CONFIG_INVALID', `${file} ${found ? 'is not a file' : 'does not exist'}`)
}

import * as v from 'valibot'
import { EngineError } from '../../core/errors.ts'
import { silentLog } from '../../core/ports/log.ts'
import { type CopySide, copyInto, copySource, copyTarget } from '../kit/sql/copy/copy-side.ts'
import { alone, type FoundDatabase, placeOf } from './connect.ts'
import { migrations } from './migrations/all.ts'
import { openDatabase } from './open-database.ts'
import { PostgresOptions } from './options.ts'

/**
 * Opens a database to copy from, in sessions that cannot write, or to copy into. The caller makes
 * sure that no engine uses it.
 */
export async function postgresSide(url: string, end: 'from' | 'to'): Promise<CopySide> {
  // whole tables are counted, which may take as long as it needs
  const parsed = v.safeParse(PostgresOptions, { url, maxConnections: CONNECTIONS, statementTimeoutSeconds: 0 })
  if (!parsed.success) throw new EngineError('CONFIG_INVALID', parsed.issues[0].message)
  const place = placeOf(parsed.output, 'mailwright copy')
  const opened = async (found: FoundDatabase) => {
    const open = await openDatabase(place.config, parsed.output, found, silentLog, end === 'from' ? 'read' : 'write')
    try {
      return await (end === 'from' ? copySource(open, migrations) : copyTarget(open, migrations))
    } catch (error) {
      await open.close()
      throw error
    }
  }
  return alone(place, silentLog, opened, end === 'from' ? 'read' : 'write')
}

/**
 * Opens the database of a store with these options to add projects to it, or to read one from it in sessions that cannot
 * write. Engines may use it meanwhile.
 */
export async function postgresStore(options: unknown, end: 'into' | 'from'): Promise<CopySide> {
  const parsed = v.safeParse(PostgresOptions, options)
  if (!parsed.success) throw new EngineError('CONFIG_INVALID', `store.options: ${parsed.issues[0].message}`)
  const read = { ...parsed.output, maxConnections: CONNECTIONS, statementTimeoutSeconds: 0 }
  const place = placeOf(read, end === 'into' ? 'mailwright add' : 'mailwright export')
  const access = end === 'into' ? 'write' : 'read'
  const opened = async (found: FoundDatabase) => {
    const open = await openDatabase(place.config, read, found, silentLog, access)
    try {
      return await (end === 'into' ? copyInto(open) : copySource(open, migrations))
    } catch (error) {
      await open.close()
      throw error
    }
  }
  return alone(place, silentLog, opened, access)
}

const CONNECTIONS = 3

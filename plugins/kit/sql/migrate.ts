import type { MigrationObject } from '@mikro-orm/core'
import type { MikroORM } from '@mikro-orm/sql'
import { EngineError } from '../../../core/errors.ts'

/**
 * The settings of the ORM's migrator: its own table, in this schema where there are several, the list in code, no files
 * read or written.
 */
export function migrationSettings(migrationsList: readonly MigrationObject[], schema?: string) {
  const tableName = schema === undefined ? TABLE : `${schema}.${TABLE}`
  return { tableName, migrationsList: [...migrationsList], snapshot: false, silent: true, disableForeignKeys: false }
}

const TABLE = 'mailwright_migrations'

/**
 * Brings the schema up to this program's, in one transaction. Throws EngineError `STORE_NEWER`, with nothing changed,
 * when the database has migrations this program does not know, and `SERVICE_UNAVAILABLE`, with nothing changed, when one
 * of them fails. The caller keeps other processes out meanwhile.
 */
export async function migrate(orm: MikroORM, known: readonly MigrationObject[]): Promise<void> {
  const names = new Set(known.map(({ name }) => name))
  const executed = await orm.migrator.getExecuted()
  const unknown = executed.filter(({ name }) => !names.has(name))
  const [first] = unknown
  if (first) {
    throw new EngineError(
      'STORE_NEWER',
      `The database was written by a newer version of Mailwright: it has the migration ${first.name}, which this version does not know. Nothing was changed.`,
      { suggestion: 'Start the newer version again, or use another database.' },
    )
  }
  if (executed.length < known.length) await bringUp(orm)
}

async function bringUp(orm: MikroORM): Promise<void> {
  let current = ''
  orm.migrator.on('migrating', ({ name }) => {
    current = name
  })
  try {
    await orm.migrator.up()
  } catch (cause) {
    throw new EngineError(
      'SERVICE_UNAVAILABLE',
      `The database could not be brought up to date: the migration ${current} failed: ${reasonOf(cause)}. Nothing was changed.`,
      { cause, suggestion: 'Mend what it says and start again, or go on with the older version.' },
    )
  }
}

/** What the database itself said, in one line: the ORM puts the statement before it. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const said = error.cause ?? ('previous' in error ? error.previous : undefined)
  return said instanceof Error ? reasonOf(said) : error.message.replace(/\s+/g, ' ')
}

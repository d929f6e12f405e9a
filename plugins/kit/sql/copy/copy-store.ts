import { setImmediate as turn } from 'node:timers/promises'
import { EngineError } from '../../../../core/errors.ts'
import { copyMark } from '../engine/copy-mark.ts'
import { MIGRATIONS } from '../engine/migrate.ts'
import type { Table } from '../engine/table.ts'
import { batches, countOf, lastOf, type Survey, survey } from './copy-rows.ts'
import type { CopySide } from './copy-side.ts'

/** How far a copy is, in rows. `copied` includes the rows of earlier runs. */
export interface CopyProgress {
  readonly table: string
  readonly copied: number
  readonly total: number
}

export interface CopyOptions {
  /** Ends the copy after the batch that is being written. */
  readonly signal: AbortSignal
  /** Called after every batch. */
  onProgress(progress: CopyProgress): void
}

/** How many rows of a table each side has. */
export interface TableCount {
  readonly table: string
  readonly source: number
  readonly target: number
}

export type CopyReport =
  | { readonly outcome: 'interrupted' }
  /** `requeued` mails were in the middle of being sent, and wait again. */
  | { readonly outcome: 'copied'; readonly tables: readonly TableCount[]; readonly requeued: number }
  | { readonly outcome: 'different'; readonly tables: readonly TableCount[] }

/**
 * Copies all rows. Rows are copied in the order of their keys, so the last one of a table tells where an earlier run
 * stopped. Throws EngineError `CONFLICT` when the target holds the beginning of another copy, or when the source was
 * written meanwhile.
 */
export async function copyStore(from: CopySide, to: CopySide, options: CopyOptions): Promise<CopyReport> {
  const found = await survey(from.database, from.tables)
  await markTarget(to, copyMark(found.print))
  if (!(await copyTables(from, to, found, options))) return { outcome: 'interrupted' }
  const requeued = await to.emails.expireLeases(AFTER_ALL_LEASES)
  if (!from.database.exclusive) await refuseChanged(from, found)
  const tables: TableCount[] = []
  for (const table of to.tables) {
    const target = await countOf(to.database, table)
    tables.push({ table: plainName(table), source: found.rows.get(table.name) ?? 0, target })
  }
  if (tables.some(({ source, target }) => source !== target)) return { outcome: 'different', tables }
  await to.database.write((session) =>
    session.run(`delete from "${MIGRATIONS}" where "name" = ?`, [copyMark(found.print)]),
  )
  return { outcome: 'copied', tables, requeued }
}

/** Every lease ends before it, and no process holds the mails of a copy. */
const AFTER_ALL_LEASES = new Date('9999-12-31T00:00:00Z')

async function markTarget({ database, mark }: CopySide, wanted: string): Promise<void> {
  if (mark === wanted) return
  if (mark !== undefined) {
    throw new EngineError(
      'CONFLICT',
      'The target holds an unfinished copy of another source, or of this one before it was changed: name an empty database. Nothing was changed.',
    )
  }
  await database.write((session) => session.run(`insert into "${MIGRATIONS}" ("name") values (?)`, [wanted]))
}

/** Answers false when it was interrupted. */
async function copyTables(from: CopySide, to: CopySide, found: Survey, options: CopyOptions): Promise<boolean> {
  const total = [...found.rows.values()].reduce((sum, rows) => sum + rows, 0)
  let copied = 0
  for (const table of to.tables) if (to.mark !== undefined) copied += await countOf(to.database, table)
  for (const [i, table] of to.tables.entries()) {
    const source = from.tables[i]
    if (source === undefined) break
    const name = plainName(table)
    try {
      for await (const records of batches(from.database, source, await lastOf(to.database, table))) {
        if (options.signal.aborted) return false
        await to.database.write((session) => table.insert(session, records, 'on conflict do nothing'))
        copied += records.length
        options.onProgress({ table: name, copied, total })
        // a database within the process would never let a signal in
        await turn()
      }
    } catch (error) {
      throw stopped(to, name, error)
    }
  }
  return !options.signal.aborted
}

async function refuseChanged(from: CopySide, before: Survey): Promise<void> {
  const { print } = await survey(from.database, from.tables)
  if (print === before.print) return
  throw new EngineError(
    'CONFLICT',
    'The source was written while it was copied: stop every process that uses it and copy into an empty database.',
  )
}

function stopped({ database }: CopySide, table: string, cause: unknown): EngineError {
  const reason = cause instanceof Error ? cause.message.replace(/\s+/g, ' ') : String(cause)
  const away = EngineError.is(cause) ? cause.code === 'SERVICE_UNAVAILABLE' : database.dialect.isUnavailable(cause)
  const message = `The copy stopped in ${table}: ${reason}. What was copied stays; running it again continues.`
  return new EngineError(away ? 'SERVICE_UNAVAILABLE' : 'INTERNAL_SERVER_ERROR', message, { cause })
}

function plainName({ name }: Table<object>): string {
  return name.replaceAll('"', '')
}

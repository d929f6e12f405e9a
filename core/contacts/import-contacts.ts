import * as v from 'valibot'
import { EngineError } from '../errors.ts'
import type { Kit } from '../kit.ts'
import type { Contact } from '../ports/store/contacts.ts'
import type { EventRecord } from '../ports/store/events.ts'
import type { Repositories } from '../ports/store/store.ts'
import { parse } from '../values/parse.ts'
import type { ProjectId } from '../values/project-id.ts'
import { yieldToLoop } from '../values/yield-to-loop.ts'
import { Conflict } from '../work/conflict.ts'
import { type CsvColumns, type CsvRow, columnsOf, readRow } from './csv-columns.ts'
import { BrokenCsv, type CsvForm, recordsOf } from './csv-file.ts'
import type { JobRun } from './job-run.ts'
import { type UpsertedContact, upsertContact } from './upsert-contact.ts'

/** How many rows are one transaction; fewer in a file with many columns, since each cell has its cost. */
const BATCH = 1000
const CELLS = 20_000
/** How many refused rows are listed one by one. */
const MAX_ERRORS_LISTED = 100

/** The result of an import so far. Rows are numbered as in the file: the header is row 1, blank rows count. */
type ImportResult = {
  readonly totalRows: number
  readonly successCount: number
  readonly createdCount: number
  readonly updatedCount: number
  readonly failureCount: number
  /** The first 100 refused rows. */
  readonly errors: readonly ImportError[]
}
type ImportError = { readonly row: number; readonly email: string; readonly error: string }

const NONE: ImportResult = {
  totalRows: 0,
  successCount: 0,
  createdCount: 0,
  updatedCount: 0,
  failureCount: 0,
  errors: [],
}

/** The progress of an import: rows of the file done, the header included. */
const Position = v.object({ row: v.optional(v.number(), 0), totalRows: v.optional(v.number()) })

/** A row of a batch to be written or reported. */
type NumberedRow = { readonly row: number } & Exclude<CsvRow, { kind: 'blank' }>

/**
 * Imports a file, batch by batch, after the rows already done. Before the first batch the whole file is read once: a
 * broken one fails with the row named and nothing imported. Answers when the job has ended, or at the end of a batch
 * when the signal is aborted.
 */
export async function importContacts(
  run: JobRun,
  file: { readonly bytes: Uint8Array; readonly form: CsvForm },
  kit: Kit,
  signal: AbortSignal,
): Promise<void> {
  const { job } = run
  const { row: done, ...position } = parse(Position, job.position)
  let { totalRows } = position
  if (totalRows === undefined) {
    const counted = await countRows(file.bytes, file.form, signal)
    if (counted === undefined) return
    if (counted instanceof BrokenCsv) return run.fail(reasonOf(counted), { result: brokenResult(counted) })
    totalRows = counted
    const total = counted
    await run.step(async () => ({ position: { row: done, totalRows: total }, result: { ...NONE, totalRows: total } }))
  }
  let columns: CsvColumns | undefined
  let row = 0
  let batch: NumberedRow[] = []
  let written: Promise<unknown> = Promise.resolve()
  // the next rows are read while the database writes these
  const write = async (isLast: boolean) => {
    await written
    if (signal.aborted) return
    const position = { row, totalRows: totalRows ?? 0 }
    const rows = batch
    batch = []
    written = run.step(async (tx, now) => {
      const before = { ...NONE, ...run.job.result } as ImportResult
      const result = await writeRows(tx, { projectId: job.projectId, rows, before, kit, now })
      const handled = result.successCount + result.failureCount
      const progress = isLast ? 100 : Math.min(99, Math.floor((100 * handled) / Math.max(1, position.totalRows)))
      return { position, result, progress, state: isLast ? 'completed' : 'active' }
    })
    // thrown where it is waited for
    written.catch(() => {})
    await yieldToLoop()
  }
  try {
    for await (const cells of recordsOf(file.bytes, file.form)) {
      row++
      columns ??= columnsOf(cells)
      // blank and finished rows fill no batch, and there may be millions of them
      if (row % BATCH === 0) await yieldToLoop()
      if (row === 1 || row <= done) continue
      const read = readRow(columns, cells)
      if (read.kind !== 'blank') batch.push({ ...read, row })
      if (batch.length < BATCH && batch.length * columns.count < CELLS) continue
      await write(false)
      if (signal.aborted) return
    }
    await write(true)
  } finally {
    // nothing of it may still be under way when the job is given back
    await written
  }
}

/** Counts the rows that are not blank; undefined when the signal was aborted meanwhile. */
async function countRows(
  bytes: Uint8Array,
  form: CsvForm,
  signal: AbortSignal,
): Promise<number | BrokenCsv | undefined> {
  let row = 0
  let count = 0
  try {
    for await (const cells of recordsOf(bytes, form)) {
      // on acceptance only the beginning of the file was checked
      if (++row === 1) columnsOf(cells)
      else if (cells.some((cell) => cell !== '')) count++
      if (row % BATCH === 0) await yieldToLoop()
      if (signal.aborted) return undefined
    }
    return count
  } catch (error) {
    if (error instanceof BrokenCsv) return error
    if (EngineError.is(error) && error.kind === 'invalid')
      return new BrokenCsv(1, error.fields[0]?.message ?? error.message)
    throw error
  }
}

function reasonOf({ row, problem }: BrokenCsv): string {
  return `The file cannot be read; nothing was imported. Row ${row}: ${problem}.`
}

/** None of the rows up to the broken one was imported; how many follow is unknown. */
function brokenResult({ row, problem }: BrokenCsv): ImportResult {
  const rows = Math.max(1, row - 1)
  return { ...NONE, totalRows: rows, failureCount: rows, errors: [{ row, email: '', error: problem }] }
}

interface Rows {
  readonly projectId: ProjectId
  readonly rows: readonly NumberedRow[]
  readonly before: ImportResult
  readonly kit: Kit
  readonly now: Date
}

/** Writes a batch inside its transaction, and answers the import's result including it. */
async function writeRows(tx: Repositories, { projectId, rows, before, kit, now }: Rows): Promise<ImportResult> {
  const wanted = rows.filter((row) => row.kind === 'contact')
  const addresses = [...new Set(wanted.map(({ email }) => email))]
  const contacts = new Map<string, Contact>()
  for (const contact of addresses.length > 0 ? await tx.contacts.lockByAddress(projectId, addresses) : []) {
    contacts.set(contact.email, contact)
  }
  const changed = new Map<string, Contact>()
  const events: EventRecord[] = []
  const refused: ImportError[] = []
  for (const row of rows) if (row.kind === 'refused') refused.push({ row: row.row, email: row.email, error: row.error })
  // read for each batch: it may change during a long import
  const trackingWhenNew = (await tx.projects.find(projectId))?.trackingConsent ?? 'none'
  let createdCount = 0
  for (const { row, email, subscribed, tracking, change } of wanted) {
    const asked = { projectId, email, change, subscribed, subscribedWhenNew: true, tracking, trackingWhenNew }
    const upsert = { ...asked, reason: 'import' } as const
    const upserted = upsertedOrRefused(contacts.get(email), upsert, kit.newId, now)
    if (typeof upserted === 'string') {
      refused.push({ row, email, error: upserted })
      continue
    }
    contacts.set(email, upserted.contact)
    if (upserted.changed) changed.set(upserted.contact.id, upserted.contact)
    if (upserted.isNew) createdCount++
    events.push(...upserted.events)
  }
  if (changed.size > 0 && (await tx.contacts.save([...changed.values()])) === 'met-another') throw new Conflict()
  if (events.length > 0) await tx.events.record(events)
  const listed = refused.toSorted((a, b) => a.row - b.row).slice(0, MAX_ERRORS_LISTED - before.errors.length)
  const successCount = rows.length - refused.length
  return {
    totalRows: before.totalRows,
    successCount: before.successCount + successCount,
    createdCount: before.createdCount + createdCount,
    updatedCount: before.updatedCount + successCount - createdCount,
    failureCount: before.failureCount + refused.length,
    errors: [...before.errors, ...listed],
  }
}

/** The contact of a row, or why the row is refused: its contact would have too much data. */
function upsertedOrRefused(...args: Parameters<typeof upsertContact>): UpsertedContact | string {
  try {
    return upsertContact(...args)
  } catch (error) {
    if (EngineError.is(error) && error.kind === 'invalid') return error.message
    throw error
  }
}

import * as v from 'valibot'
import { EngineError } from '../errors.ts'
import type { Kit } from '../kit.ts'
import type { ContactJob } from '../ports/store/contact-jobs.ts'
import type { Contact } from '../ports/store/contacts.ts'
import type { EventRecord } from '../ports/store/events.ts'
import type { Repositories } from '../ports/store/store.ts'
import { parse } from '../values/parse.ts'
import { yieldToLoop } from '../values/yield-to-loop.ts'
import { stricter } from './contact.ts'
import { ColumnCensus, type ColumnReport } from './csv-census.ts'
import { type CsvColumns, columnsOf, typed } from './csv-columns.ts'
import { BrokenCsv, type CsvForm, recordsOf } from './csv-file.ts'
import { COLUMN_FORMS, type ColumnForm } from './csv-formats.ts'
import { type CsvRow, readRow } from './csv-rows.ts'
import type { Encoding, FileBytes } from './csv-text.ts'
import type { FileTopics } from './csv-topics.ts'
import type { GivenColumns } from './given-columns.ts'
import { ImportedChoices } from './imported-choices.ts'
import type { JobRun } from './job-run.ts'
import { hasLeft } from './left-contacts.ts'
import { type KeptForm, MAX_REFUSED_KEPT, refusedCsv } from './refused-rows.ts'
import { saveContacts } from './save-contacts.ts'
import { type UpsertedContact, upsertContact } from './upsert-contact.ts'

/** How many rows are one transaction; fewer in a file with many columns, since each cell has its cost. */
const BATCH = 1000
const CELLS = 20_000
/** After how many rows others have their turn, above all the answers of the database. */
const PACE = 200
/** How many refused rows are listed one by one. */
export const MAX_ERRORS_LISTED = 100

/** The result of an import so far. Rows are numbered as in the file: the header is row 1, blank rows count. */
type ImportResult = {
  /** The encoding the file was read in. */
  readonly encoding?: Encoding
  /** How each column was read. */
  readonly columns?: readonly ColumnReport[]
  /** Further notes about the file. */
  readonly notes?: readonly string[]
  readonly totalRows: number
  readonly successCount: number
  readonly createdCount: number
  readonly updatedCount: number
  readonly failureCount: number
  /** Contacts that left and that the file has as subscribed, or as readers of a topic they left: they stay away. */
  readonly keptUnsubscribed: number
  /** Such contacts that the file brought back, since the import says so. */
  readonly resubscribed: number
  /** How many of the refused rows are kept. */
  readonly keptCount: number
  /** The first 100 refused rows. */
  readonly errors: readonly ImportError[]
}
export type ImportError = { readonly row: number; readonly email: string; readonly error: string }

const NONE: ImportResult = {
  totalRows: 0,
  successCount: 0,
  createdCount: 0,
  updatedCount: 0,
  failureCount: 0,
  keptUnsubscribed: 0,
  resubscribed: 0,
  keptCount: 0,
  errors: [],
}

/** A file to import, and what its owner says about the columns. */
export interface ImportFile {
  readonly bytes: FileBytes
  readonly form: CsvForm
  readonly given?: GivenColumns
  /** The topics of the project, and the one that every contact of the file gets. */
  readonly topics?: FileTopics
  /** Whether who left here comes back by the file. */
  readonly resubscribe?: boolean | undefined
}

/** The progress of an import: rows of the file done, the header included. */
const Position = v.object({
  row: v.optional(v.number(), 0),
  totalRows: v.optional(v.number()),
  /** The type and format of each data column, by its place; found when all of the file had been read. */
  types: v.optional(v.record(v.string(), v.picklist(COLUMN_FORMS))),
})

/** A row of a batch to be written or reported. */
type NumberedRow = { readonly row: number; readonly cells: readonly string[] } & Exclude<CsvRow, { kind: 'blank' }>

/**
 * Imports a file, batch by batch, after the rows already done. Before the first batch the whole file is read once, so
 * that each column has one type, and a broken file fails with the row named and nothing imported. Answers when the job has ended, or at the end of a batch
 * when the signal is aborted.
 */
export async function importContacts(run: JobRun, file: ImportFile, kit: Kit, signal: AbortSignal): Promise<void> {
  const { job } = run
  const { row: done, ...position } = parse(Position, job.position)
  let { totalRows, types } = position
  if (totalRows === undefined || types === undefined) {
    const survey = await surveyOf(file, signal)
    if (survey === undefined) return
    if (survey instanceof BrokenCsv) return run.fail(reasonOf(survey), { result: brokenResult(survey) })
    const { result, ...found } = survey
    types = found.types
    totalRows = found.totalRows
    await run.step(async () => ({
      position: { row: done, ...found },
      result: { ...NONE, ...run.job.result, ...result },
    }))
  }
  const settled = { totalRows, types }
  let columns: CsvColumns | undefined
  let header: readonly string[] = []
  let row = 0
  let batch: NumberedRow[] = []
  let written: Promise<unknown> = Promise.resolve()
  // the next rows are read while the database writes these
  const write = async (isLast: boolean) => {
    await written
    if (signal.aborted) return
    const position = { row, ...settled }
    const rows = batch
    batch = []
    written = run.step(async (tx, now) => {
      const before = { ...NONE, ...run.job.result } as ImportResult
      const form = { header, delimiter: file.form.delimiter }
      const { topics = { known: [] }, resubscribe = false } = file
      const result = await writeRows(tx, { job, rows, before, form, kit, now, topics, resubscribe })
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
      if (columns === undefined) {
        columns = typed(columnsOf(cells, file.given, file.topics?.known), settled.types)
        header = cells
      }
      // blank and finished rows fill no batch, and there may be millions of them
      if (row % PACE === 0) await yieldToLoop()
      if (row === 1 || row <= done) continue
      const read = readRow(columns, cells)
      if (read.kind !== 'blank') batch.push({ ...read, row, cells })
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

/** The facts about a file when all of it has been read. */
export interface Survey {
  /** Without blank rows. */
  readonly totalRows: number
  readonly types: Readonly<Record<string, ColumnForm>>
  readonly result: {
    readonly totalRows: number
    readonly encoding: Encoding
    readonly columns: readonly ColumnReport[]
    readonly notes: readonly string[]
  }
}

/** Reads all of the file; undefined when the signal was aborted meanwhile. */
export async function surveyOf(file: ImportFile): Promise<Survey | BrokenCsv>
export async function surveyOf(file: ImportFile, signal: AbortSignal): Promise<Survey | BrokenCsv | undefined>
export async function surveyOf(file: ImportFile, signal?: AbortSignal): Promise<Survey | BrokenCsv | undefined> {
  let row = 0
  let totalRows = 0
  let census: ColumnCensus | undefined
  try {
    for await (const cells of recordsOf(file.bytes, file.form)) {
      row++
      // on acceptance only the beginning of the file was checked
      if (census === undefined) census = new ColumnCensus(columnsOf(cells, file.given, file.topics?.known))
      else if (cells.some((cell) => cell !== '')) {
        totalRows++
        census.see(cells, row)
      }
      if (row % PACE === 0) await yieldToLoop()
      if (signal?.aborted) return undefined
    }
  } catch (error) {
    if (error instanceof BrokenCsv) return error
    if (EngineError.is(error) && error.kind === 'invalid')
      return new BrokenCsv(1, error.fields[0]?.message ?? error.message)
    throw error
  }
  const { encoding } = file.form
  const found = { totalRows, encoding, columns: census?.reports() ?? [], notes: census?.notes() ?? [] }
  return { totalRows, types: Object.fromEntries(census?.types() ?? []), result: found }
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
  readonly job: ContactJob
  readonly rows: readonly NumberedRow[]
  readonly before: ImportResult
  readonly form: KeptForm
  readonly kit: Kit
  readonly now: Date
  readonly topics: FileTopics
  readonly resubscribe: boolean
}

/** Writes a batch inside its transaction, and answers the import's result including it. */
async function writeRows(
  tx: Repositories,
  { job, rows, before, form, kit, now, topics, resubscribe }: Rows,
): Promise<ImportResult> {
  const { projectId } = job
  const wanted = rows.filter((row) => row.kind === 'contact')
  const addresses = [...new Set(wanted.map(({ email }) => email))]
  const contacts = new Map(addresses.length > 0 ? await tx.contacts.lockByAddress(projectId, addresses) : [])
  const unsubscribed = wanted.flatMap(({ subscribed, email }) => {
    const known = contacts.get(email)
    return subscribed && known?.subscribed === false ? [email, known.email] : []
  })
  const suppressed = unsubscribed.length > 0 ? await tx.suppressions.among(projectId, unsubscribed, now) : NOTHING
  const changed = new Map<string, Contact>()
  const events: EventRecord[] = []
  const refused: ImportError[] = []
  for (const row of rows) if (row.kind === 'refused') refused.push({ row: row.row, email: row.email, error: row.error })
  // read for each batch: it may change during a long import
  const trackingWhenNew = (await tx.projects.find(projectId))?.trackingConsent ?? 'none'
  let createdCount = 0
  const chosen = new ImportedChoices(topics, resubscribe)
  for (const { row, email, subscribed: asked, subscribedWhenNew, leftBy, fields, topics: said, change } of wanted) {
    const found = contacts.get(email)
    // another address may stand for the same contact
    const known = found && (changed.get(found.id) ?? found)
    const returns = asked === true && known !== undefined && hasLeft(known, suppressed, email)
    const subscribed = returns && !resubscribe ? undefined : asked
    // a file does not undo what the contact has chosen on its page
    const less = stricter(known ?? {}, fields)
    const wish = {
      ...fields,
      ...less,
      projectId,
      email,
      change,
      subscribed,
      subscribedWhenNew,
      leftBy,
      trackingWhenNew,
    }
    const upserted = upsertedOrRefused(known, { ...wish, reason: 'import', source: 'import' }, kit.newId, now)
    if (typeof upserted === 'string') {
      refused.push({ row, email, error: upserted })
      continue
    }
    contacts.set(email, upserted.contact)
    if (upserted.changed) changed.set(upserted.contact.id, upserted.contact)
    if (upserted.isNew) createdCount++
    events.push(...upserted.events)
    if (returns) chosen.returning.add(upserted.contact.id)
    chosen.add(upserted.contact, said, subscribed !== false && upserted.contact.leftBy === undefined)
  }
  await saveContacts(tx, [...changed.values()])
  events.push(...(await chosen.store(tx, kit, now)))
  if (events.length > 0) await tx.events.record(events)
  refused.sort((a, b) => a.row - b.row)
  const listed = refused.slice(0, MAX_ERRORS_LISTED - before.errors.length)
  const kept = refused.slice(0, MAX_REFUSED_KEPT - before.keptCount)
  if (kept[0] !== undefined) {
    const cellsOf = new Map(rows.map(({ row, cells }) => [row, cells]))
    const lines = kept.map(({ row, error }) => ({ cells: cellsOf.get(row) ?? [], error }))
    const text = refusedCsv(lines, form, before.keptCount === 0)
    await tx.contactJobs.keepRefused(job.id, kept[0].row, new TextEncoder().encode(text))
  }
  const successCount = rows.length - refused.length
  const returning = chosen.returning.size
  return {
    ...before,
    successCount: before.successCount + successCount,
    createdCount: before.createdCount + createdCount,
    updatedCount: before.updatedCount + successCount - createdCount,
    failureCount: before.failureCount + refused.length,
    keptUnsubscribed: before.keptUnsubscribed + (resubscribe ? 0 : returning),
    resubscribed: before.resubscribed + (resubscribe ? returning : 0),
    keptCount: before.keptCount + kept.length,
    errors: [...before.errors, ...listed],
  }
}

const NOTHING: ReadonlySet<string> = new Set()

/** The contact of a row, or why the row is refused: its contact would have too much data. */
function upsertedOrRefused(...args: Parameters<typeof upsertContact>): UpsertedContact | string {
  try {
    return upsertContact(...args)
  } catch (error) {
    if (EngineError.is(error) && error.kind === 'invalid') return error.message
    throw error
  }
}

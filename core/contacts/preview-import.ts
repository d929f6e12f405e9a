import { EngineError, invalidField } from '../errors.ts'
import type { Contact } from '../ports/store/contacts.ts'
import type { TopicChoice } from '../ports/store/topics.ts'
import type { Json } from '../values/json.ts'
import { yieldToLoop } from '../values/yield-to-loop.ts'
import { changedData } from './contact.ts'
import type { ColumnReport } from './csv-census.ts'
import { type CsvColumns, columnsOf, typed } from './csv-columns.ts'
import { BrokenCsv, type CsvForm, recordsOf } from './csv-file.ts'
import { type CsvRow, readRow } from './csv-rows.ts'
import type { Encoding } from './csv-text.ts'
import { type ImportError, type ImportFile, MAX_ERRORS_LISTED, surveyOf } from './import-contacts.ts'
import { hasLeft } from './left-contacts.ts'

/** How many contacts are shown. */
const MAX_ROWS_SHOWN = 10
/** How many addresses are looked up at once. */
const BATCH = 1000

/** A contact as a row of the file makes or changes it. */
interface PreviewedRow {
  readonly row: number
  readonly email: string
  readonly isNew: boolean
  /** Null for a known contact whose subscription stays unchanged. */
  readonly subscribed: boolean | null
  readonly data: Readonly<Record<string, Json>>
}

/** The effect that an import of a file would have. */
export interface ImportPreview {
  readonly encoding: Encoding
  /** The sign between its cells. */
  readonly delimiter: CsvForm['delimiter']
  readonly columns: readonly ColumnReport[]
  readonly notes: readonly string[]
  /** Without blank rows. */
  readonly totalRows: number
  readonly createdCount: number
  readonly updatedCount: number
  readonly failureCount: number
  /** How many contacts are subscribed by the file, each counted once: the last of its rows decides. */
  readonly subscribedCount: number
  /** How many contacts lose their subscription by the file, or begin without one. */
  readonly unsubscribedCount: number
  /** Contacts that left and that the file has as subscribed, or as readers of a topic they left: they stay away. */
  readonly keptUnsubscribed: number
  /** Such contacts that the file would bring back, since the import says so. */
  readonly resubscribed: number
  /** Topics that rows list and the project has not, the most frequent first; such rows would be refused. */
  readonly missingTopics: readonly { readonly name: string; readonly rows: number }[]
  readonly rows: readonly PreviewedRow[]
  /** The first 100 rows that would be refused. */
  readonly errors: readonly ImportError[]
}

/** The contacts of some addresses as they are known. */
interface Known {
  /** By the addresses that stand for them. */
  readonly contacts: ReadonlyMap<string, Omit<Contact, 'data'>>
  /** Addresses of unsubscribed ones on the suppression list. */
  readonly suppressed: ReadonlySet<string>
  readonly choices: readonly TopicChoice[]
}
type KnownAmong = (emails: readonly string[]) => Promise<Known>
/** The state of a contact after the rows so far. */
interface Standing {
  readonly hasLeft: boolean
  readonly leftTopics: ReadonlySet<string>
  /** Undefined while no row says anything of it. */
  readonly subscribed?: boolean | undefined
}
type ContactRow = Extract<CsvRow, { kind: 'contact' }> & { readonly row: number }

/**
 * Reads a whole file as an import does, and writes nothing. What depends on the data that a known contact has already
 * shows in the import alone. Throws EngineError `VALIDATION_ERROR` on `file` for one that is broken somewhere.
 */
export async function previewImport(file: ImportFile, knownAmong: KnownAmong): Promise<ImportPreview> {
  const survey = await surveyOf(file)
  if (survey instanceof BrokenCsv) {
    throw invalidField('file', 'custom', `cannot be read: row ${survey.row} ${survey.problem}`)
  }
  const { result, types } = survey
  const count = { created: 0, updated: 0, failed: 0 }
  const rows: PreviewedRow[] = []
  const errors: ImportError[] = []
  /** By the ids of known contacts, and by the addresses of new ones. */
  const standings = new Map<string, Standing>()
  /** The keys of the standings, by the addresses seen so far. */
  const ids = new Map<string, string>()
  const returning = new Set<string>()
  const missing = new Map<string, number>()
  const refuse = (error: ImportError) => {
    count.failed++
    if (errors.length < MAX_ERRORS_LISTED) errors.push(error)
  }
  const look = async (batch: readonly ContactRow[]) => {
    const unseen = new Set(batch.map(({ email }) => email).filter((email) => !ids.has(email)))
    if (unseen.size > 0) note(standings, ids, await knownAmong([...unseen]))
    for (const { row, email, subscribed: asked, subscribedWhenNew, leftBy, topics, change } of batch) {
      const id = ids.get(email) ?? email
      ids.set(email, id)
      const before = standings.get(id)
      const isNew = before === undefined
      const { hasLeft = false, leftTopics = NOTHING } = before ?? {}
      if (isNew) count.created++
      else count.updated++
      const returns = asked === true && hasLeft
      if (returns || [...topics.said].some(([topicId, wish]) => wish && leftTopics.has(topicId))) returning.add(id)
      const subscribed = returns && !file.resubscribe ? null : (asked ?? (isNew ? subscribedWhenNew : null))
      const left = subscribed === null ? hasLeft : !subscribed && (leftBy !== undefined || !isNew)
      standings.set(id, { hasLeft: left, leftTopics, subscribed: subscribed ?? before?.subscribed })
      if (rows.length < MAX_ROWS_SHOWN) {
        rows.push({ row, email, isNew, subscribed, data: Object.fromEntries(change.set) })
      }
    }
  }
  let columns: CsvColumns | undefined
  let batch: ContactRow[] = []
  let row = 0
  for await (const cells of recordsOf(file.bytes, file.form)) {
    row++
    if (row % BATCH === 0) await yieldToLoop()
    if (columns === undefined) {
      columns = typed(columnsOf(cells, file.given, file.topics?.known), types)
      continue
    }
    const read = readRow(columns, cells)
    if (read.kind === 'blank') continue
    const error = read.kind === 'refused' ? read.error : tooMuchIn(read)
    if (read.kind === 'refused') for (const name of read.missing ?? []) countIn(missing, name)
    if (error !== undefined) refuse({ row, email: read.email, error })
    else if (read.kind === 'contact') batch.push({ ...read, row })
    if (batch.length < BATCH) continue
    await look(batch)
    batch = []
  }
  await look(batch)
  const { created, updated, failed } = count
  const said = (is: boolean) => [...standings.values()].filter(({ subscribed }) => subscribed === is).length
  const rowsOf = { createdCount: created, updatedCount: updated, failureCount: failed }
  const counts = { ...rowsOf, subscribedCount: said(true), unsubscribedCount: said(false) }
  const [keptUnsubscribed, resubscribed] = file.resubscribe ? [0, returning.size] : [returning.size, 0]
  return {
    ...result,
    delimiter: file.form.delimiter,
    ...counts,
    keptUnsubscribed,
    resubscribed,
    missingTopics: named(missing),
    rows,
    errors,
  }
}

/** As many topics that are missing are named. */
const MAX_MISSING = 100

function countIn(missing: Map<string, number>, name: string): void {
  if (missing.has(name) || missing.size < MAX_MISSING) missing.set(name, (missing.get(name) ?? 0) + 1)
}

function named(missing: ReadonlyMap<string, number>): ImportPreview['missingTopics'] {
  return [...missing].map(([name, rows]) => ({ name, rows })).sort((a, b) => b.rows - a.rows)
}

const NOTHING: ReadonlySet<string> = new Set()

/** Takes in what is known of the contacts before the first of their rows. */
function note(standings: Map<string, Standing>, ids: Map<string, string>, known: Known): void {
  const left = Map.groupBy(known.choices, ({ contactId, subscribed }) => (subscribed ? '' : contactId))
  for (const [email, contact] of known.contacts) {
    ids.set(email, contact.id)
    // an earlier row may have named it by another address
    if (standings.has(contact.id)) continue
    const leftTopics = new Set(left.get(contact.id)?.map(({ topicId }) => topicId))
    standings.set(contact.id, { hasLeft: hasLeft(contact, known.suppressed, email), leftTopics })
  }
}

/** Why no contact can hold the data of this row. */
function tooMuchIn({ email, change }: Extract<CsvRow, { kind: 'contact' }>): string | undefined {
  try {
    changedData(email, {}, change)
    return undefined
  } catch (error) {
    if (EngineError.is(error) && error.kind === 'invalid') return error.message
    throw error
  }
}

import * as v from 'valibot'
import { unguarded } from '../contacts/csv-cells.ts'
import { BrokenCsv, recogniseCsv, recordsOf } from '../contacts/csv-file.ts'
import { EngineError, invalidField } from '../errors.ts'
import { SUPPRESSION_REASONS, type SuppressionReason } from '../ports/store/suppressions.ts'
import { parse } from '../values/parse.ts'
import { yieldToLoop } from '../values/yield-to-loop.ts'
import { AddSuppression } from './suppression.ts'

/** How many refused rows are listed one by one. */
const MAX_ERRORS_LISTED = 100
/** How many rows are read before other work runs. */
const PIECE = 1000

const COLUMNS = ['email', 'reason', 'detail', 'expiresAt'] as const
type Column = (typeof COLUMNS)[number]

const Row = v.object({
  ...AddSuppression.entries,
  reason: v.optional(
    v.pipe(v.string(), v.toUpperCase(), v.picklist(SUPPRESSION_REASONS, `must be ${SUPPRESSION_REASONS.join(', ')}`)),
    'MANUAL',
  ),
})

/** An entry in a file. */
interface WantedSuppression {
  readonly email: string
  readonly reason: SuppressionReason
  readonly detail?: string
  readonly expiresAt?: Date
}

/** A parsed file of suppressed addresses. Rows are numbered as in the file: the header is row 1. */
export interface SuppressionFile {
  /** Without blank rows. */
  readonly totalRows: number
  readonly successCount: number
  readonly failureCount: number
  /** The first 100 refused rows. */
  readonly errors: readonly { readonly row: number; readonly email: string; readonly error: string }[]
  /** Each address once, from its last row. */
  readonly entries: readonly WantedSuppression[]
}

/**
 * Reads a CSV file with a column `email` and optionally `reason` (BOUNCE, COMPLAINT, MANUAL), `detail` and `expiresAt`,
 * in any case and order; other columns are ignored, an empty cell means nothing. Throws EngineError `VALIDATION_ERROR`
 * on `file` for an invalid one.
 */
export async function readSuppressions(bytes: Uint8Array): Promise<SuppressionFile> {
  const entries = new Map<string, WantedSuppression>()
  const errors: { row: number; email: string; error: string }[] = []
  let columns: ReadonlyMap<Column, number> | undefined
  let [row, successCount, failureCount] = [0, 0, 0]
  try {
    for await (const cells of recordsOf(bytes, recogniseCsv(bytes))) {
      if (++row % PIECE === 0) await yieldToLoop()
      if (columns === undefined) {
        columns = columnsIn(cells)
        continue
      }
      if (cells.every((cell) => cell === '')) continue
      const read = readRow(columns, cells)
      if ('entry' in read) {
        successCount++
        entries.set(read.entry.email, read.entry)
        continue
      }
      failureCount++
      if (errors.length < MAX_ERRORS_LISTED) errors.push({ row, ...read })
    }
  } catch (error) {
    if (!(error instanceof BrokenCsv)) throw error
    throw invalidField('file', 'custom', `is not valid CSV; nothing was imported. Row ${error.row}: ${error.problem}`)
  }
  return { totalRows: successCount + failureCount, successCount, failureCount, errors, entries: [...entries.values()] }
}

function columnsIn(header: readonly string[]): ReadonlyMap<Column, number> {
  const columns = new Map<Column, number>()
  for (const [index, cell] of header.entries()) {
    const name = cell.trim().toLowerCase()
    const column = COLUMNS.find((each) => each.toLowerCase() === name)
    if (column !== undefined) columns.set(column, index)
  }
  return columns
}

type ReadRow = { readonly entry: WantedSuppression } | { readonly email: string; readonly error: string }

function readRow(columns: ReadonlyMap<Column, number>, cells: readonly string[]): ReadRow {
  const given = new Map<Column, string>()
  for (const [column, index] of columns) {
    const cell = cells[index] ?? ''
    if (cell !== '') given.set(column, unguarded(cell) ?? cell)
  }
  const email = (given.get('email') ?? '').replaceAll('\u0000', '\ufffd').slice(0, 320).toWellFormed()
  try {
    const { email: address, reason, detail, expiresAt } = parse(Row, Object.fromEntries(given))
    return { entry: { email: address, reason, ...(detail ? { detail } : {}), ...(expiresAt ? { expiresAt } : {}) } }
  } catch (error) {
    if (!EngineError.is(error)) throw error
    return { email, error: error.message }
  }
}

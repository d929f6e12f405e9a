import { stringify } from 'csv-stringify/sync'
import type { ContactJobRepository } from '../ports/store/contact-jobs.ts'
import { guardedAgain, REASON_COLUMN } from './csv-cells.ts'
import { MAX_CELL } from './csv-columns.ts'

/** How many refused rows of an import are kept. */
export const MAX_REFUSED_KEPT = 50_000

/** A row as it is in the file, and why it was refused. */
export interface KeptRow {
  readonly cells: readonly string[]
  readonly error: string
}

/** The file they are from: its header, and what separates its cells. */
export interface KeptForm {
  readonly header: readonly string[]
  readonly delimiter: string
}

/**
 * Refused rows as CSV, with the reason behind the columns of the file, instead of one that was there. Cells without a
 * column stay where they are not overlooked: behind the reason. Of a cell that is too long the beginning is kept.
 */
export function refusedCsv(rows: readonly KeptRow[], { header, delimiter }: KeptForm, withHeader: boolean): string {
  const isOwn = header.map((name) => name !== REASON_COLUMN)
  const lines = rows.map(({ cells, error }) => [
    ...header.map((_, i) => cells[i] ?? '').filter((_, i) => isOwn[i]),
    error,
    ...cells.slice(header.length),
  ])
  const names = [...header.filter((_, i) => isOwn[i]), REASON_COLUMN]
  return stringify(
    [...(withHeader ? [names] : []), ...lines].map((line) =>
      line.map((cell) => guardedAgain(cell.slice(0, MAX_CELL + 1))),
    ),
    // without quotes, blanks around a text would be lost
    { delimiter, record_delimiter: '\r\n', quote_record_delimiter: true, quoted_match: [/^\s|\s$/] },
  )
}

/** The refused rows of an import that are kept, batch by batch. */
export async function* keptRows(jobs: Pick<ContactJobRepository, 'refused'>, id: string): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let kept = await jobs.refused(id, 0)
  while (kept !== undefined) {
    yield decoder.decode(kept.bytes)
    kept = await jobs.refused(id, kept.row)
  }
}

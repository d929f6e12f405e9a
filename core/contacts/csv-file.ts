import { pipeline, Readable } from 'node:stream'
import { CsvError, type Options, parse } from 'csv-parse'
import { parse as parseSync } from 'csv-parse/sync'
import { invalidField } from '../errors.ts'
import { columnsOf, isEmailColumn } from './csv-columns.ts'
import { type Encoding, encodingOf, headOf, textOf } from './csv-text.ts'

/** The characters that may stand between cells. */
export const DELIMITERS = [',', ';', '\t', '|'] as const
export type Delimiter = (typeof DELIMITERS)[number]

/** How a CSV file is written. */
export interface CsvForm {
  readonly encoding: Encoding
  readonly delimiter: Delimiter
}

/** RFC 4180, with any line ending; blanks around cells that are not quoted do not count. */
function options(delimiter: Delimiter): Options {
  return { delimiter, record_delimiter: ['\r\n', '\n', '\r'], relax_column_count: true, trim: true }
}

/**
 * Recognises a file of contacts by its first row: the delimiter is the one by which it has an e-mail column. Throws
 * EngineError `VALIDATION_ERROR` on `file` for an empty file, one that is not CSV, and a header that cannot be used.
 */
export function recogniseCsv(bytes: Uint8Array): CsvForm {
  if (bytes.length === 0) throw invalidField('file', 'too_small', 'is empty')
  const encoding = encodingOf(bytes)
  const head = headOf(bytes, encoding)
  if (head.trim() === '') throw invalidField('file', 'too_small', 'is empty')
  if (head.includes('\u0000'))
    throw invalidField('file', 'custom', 'is not a CSV file: it holds bytes that are no text')
  const headers = DELIMITERS.map((delimiter) => ({ delimiter, header: firstRecord(head, delimiter) }))
  const named = headers.filter(({ header }) => header?.some(isEmailColumn))
  const [best] = named.sort((a, b) => (b.header?.length ?? 0) - (a.header?.length ?? 0))
  if (!best?.header) {
    const message =
      'has no column named "email" in its first row; it must be CSV, with commas, semicolons, tabs or | between'
    throw invalidField('file', 'custom', message)
  }
  columnsOf(best.header)
  return { encoding, delimiter: best.delimiter }
}

/** Every record of the file in order, the header first, each as its cells. Throws BrokenCsv where it cannot be read on. */
export async function* recordsOf(bytes: Uint8Array, { encoding, delimiter }: CsvForm): AsyncGenerator<string[]> {
  const parser = parse(options(delimiter))
  try {
    pipeline(Readable.from(textOf(bytes, encoding)), parser, () => {})
    for await (const record of parser) yield record as string[]
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    throw new BrokenCsv(parser.info.records + 1, PROBLEMS[error.code] ?? 'it is not valid CSV')
  }
}

/** A file that is no CSV from some row on. */
export class BrokenCsv extends Error {
  override readonly name = 'BrokenCsv'
  /** The header is row 1; a row may span several lines. */
  readonly row: number
  readonly problem: string

  constructor(row: number, problem: string) {
    super(`Row ${row}: ${problem}`)
    this.row = row
    this.problem = problem
  }
}

const PROBLEMS: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'a quote is opened and never closed',
  CSV_INVALID_CLOSING_QUOTE: 'a closing quote is followed by more text; quotes inside a quoted cell must be doubled',
  INVALID_OPENING_QUOTE:
    'a quote stands inside a cell that is not quoted; such a cell must be quoted, its quotes doubled',
}

function firstRecord(head: string, delimiter: Delimiter): string[] | undefined {
  try {
    const [record] = parseSync(head, { ...options(delimiter), to: 1 })
    return record
  } catch {
    return undefined
  }
}

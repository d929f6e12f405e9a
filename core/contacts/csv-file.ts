import { pipeline, Readable } from 'node:stream'
import { CsvError, type InfoRecord, type Options, parse } from 'csv-parse'
import { parse as parseSync } from 'csv-parse/sync'
import { invalidField } from '../errors.ts'
import { yieldToLoop } from '../values/yield-to-loop.ts'
import { columnsOf, isEmailColumn, isTooWide, MAX_COLUMNS, tooManyColumns } from './csv-columns.ts'
import { type Encoding, encodingOf, HEAD_BYTES, headOf, textOf } from './csv-text.ts'

/** The characters that may separate cells. */
export const DELIMITERS = [',', ';', '\t', '|'] as const
type Delimiter = (typeof DELIMITERS)[number]

/** The format of a CSV file. */
export interface CsvForm {
  readonly encoding: Encoding
  readonly delimiter: Delimiter
}

/**
 * RFC 4180, with any line ending; blanks around unquoted cells do not count. After the last allowed column the rest of
 * a row is one cell, so that a row of a million cells costs little.
 */
function options(delimiter: Delimiter): Options {
  return {
    delimiter,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    trim: true,
    ignore_last_delimiters: MAX_COLUMNS + 1,
  }
}

/**
 * Detects the format of a file of contacts by its first row: the delimiter is the one that yields an e-mail column.
 * Throws EngineError `VALIDATION_ERROR` on `file` for an empty file, one that is not CSV, and an unusable header.
 */
export function recogniseCsv(bytes: Uint8Array): CsvForm {
  if (bytes.length === 0) throw invalidField('file', 'too_small', 'is empty')
  const encoding = encodingOf(bytes)
  const head = headOf(bytes, encoding)
  if (head.trim() === '') throw invalidField('file', 'too_small', 'is empty')
  if (head.includes('\u0000'))
    throw invalidField('file', 'custom', 'is not a CSV file: it holds bytes that are no text')
  const isWhole = bytes.length <= HEAD_BYTES
  const firsts = DELIMITERS.map((delimiter) => ({ delimiter, ...firstRecord(head, delimiter, isWhole) }))
  const named = firsts.filter(({ cells }) => cells.some(isEmailColumn))
  const [best] = named.sort((a, b) => b.cells.length - a.cells.length)
  if (best ? best.isCut : firsts.some(({ isCut }) => isCut)) {
    const message = `has a first row, the header, of more than ${HEAD_BYTES / 1024} KB, or a quote in it that is never closed`
    throw invalidField('file', 'too_big', message)
  }
  if (!best && firsts.some(({ isWide }) => isWide)) throw tooManyColumns()
  if (!best) {
    const message =
      'has no column named "email" in its first row; it must be CSV, with commas, semicolons, tabs or | between'
    throw invalidField('file', 'custom', message)
  }
  columnsOf(best.cells)
  return { encoding, delimiter: best.delimiter }
}

/** Every record of the file in order, the header first, as its cells. Throws BrokenCsv where it cannot be parsed. */
export async function* recordsOf(bytes: Uint8Array, { encoding, delimiter }: CsvForm): AsyncGenerator<string[]> {
  const parser = parse(options(delimiter))
  try {
    pipeline(Readable.from(paced(textOf(bytes, encoding))), parser, () => {})
    for await (const record of parser) yield withoutEmptyRest(record as string[], delimiter)
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    if (isBehindColumns(error)) throw new BrokenCsv(parser.info.records + 1, `it has more than ${MAX_COLUMNS} cells`)
    throw new BrokenCsv(parser.info.records + 1, PROBLEMS[error.code] ?? 'it is not valid CSV')
  }
}

/** The file is no valid CSV from this row on. */
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

interface FirstRecord {
  readonly cells: readonly string[]
  /** Whether the text goes on after the part that was read. */
  readonly isCut: boolean
  readonly isWide: boolean
}

function firstRecord(head: string, delimiter: Delimiter, isWhole: boolean): FirstRecord {
  try {
    let end = 0
    const noted = (record: string[], { bytes }: InfoRecord) => {
      end = bytes
      return record
    }
    const [first] = parseSync(head, { ...options(delimiter), to: 1, on_record: noted })
    const cells = withoutEmptyRest(first ?? [], delimiter)
    const isWide = isTooWide(cells)
    return { cells, isWide, isCut: !isWhole && end >= Buffer.byteLength(head) }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    return { cells: [], isWide: isBehindColumns(error), isCut: !isWhole && error.code === 'CSV_QUOTE_NOT_CLOSED' }
  }
}

/** Yields to the event loop between the pieces of a long text, even where one row goes through all of them. */
async function* paced(pieces: Iterable<string>): AsyncGenerator<string> {
  for (const piece of pieces) {
    yield piece
    await yieldToLoop()
  }
}

/** Delimiters with nothing between them do not count as a cell. */
function withoutEmptyRest(record: string[], delimiter: Delimiter): string[] {
  const rest = record[MAX_COLUMNS]
  if (rest !== undefined && rest.replaceAll(delimiter, '').trim() === '') record[MAX_COLUMNS] = ''
  return record
}

/** Quotes in the rest of a row with too many cells mean nothing. */
function isBehindColumns({ column }: CsvError): boolean {
  return typeof column === 'number' && column >= MAX_COLUMNS
}

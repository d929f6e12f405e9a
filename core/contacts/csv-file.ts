import { pipeline, Readable } from 'node:stream'
import { CsvError, type InfoRecord, type Options, type Parser, parse } from 'csv-parse'
import { parse as parseSync } from 'csv-parse/sync'
import { invalidField } from '../errors.ts'
import { yieldToLoop } from '../values/yield-to-loop.ts'
import { columnsOf, isTooWide, MAX_COLUMNS, noAddress, tooManyColumns } from './csv-columns.ts'
import { addressRank } from './csv-names.ts'
import { type Encoding, encodingOf, type FileBytes, HEAD_BYTES, headOf, isOfOtherLetters, textOf } from './csv-text.ts'
import type { GivenColumns } from './given-columns.ts'

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

/** The surest sign that a row is the header: how surely one of its names is that of the address. */
type Rank = (name: string) => number | undefined

/**
 * Detects the format of a file of contacts by its first row; see `formOf`. Throws EngineError `VALIDATION_ERROR` on
 * `file` for an empty file, one that is not CSV, and an unusable header, and on `columns` for names that are not in it.
 * `named` is the encoding that the caller knows.
 */
export function recogniseCsv(bytes: Uint8Array, given: GivenColumns = {}, named?: Encoding): CsvForm {
  const address = Object.entries(given)
    .find(([, { key }]) => key === 'email')?.[0]
    .trim()
    .toLowerCase()
  const { form, header } = formOf(bytes, (name) => (name.toLowerCase() === address ? 0 : addressRank(name)), named)
  columnsOf(header, given)
  requireLetters(bytes, form.encoding, named)
  return form
}

/**
 * Throws EngineError `VALIDATION_ERROR` on `file` when its encoding was detected, and its letters are of no encoding that is
 * detected, so that they would be stored wrong.
 */
export function requireLetters(bytes: Uint8Array, encoding: Encoding, named: Encoding | undefined): void {
  if (named === undefined && encoding === 'windows-1252' && isOfOtherLetters(bytes))
    throw invalidField('file', 'custom', OTHER_LETTERS)
}

const OTHER_LETTERS =
  'is in an encoding that is neither UTF-8 nor Windows-1252, so that its letters would be stored wrong: save it as UTF-8 (in Excel "CSV UTF-8"), and take that file, or name its encoding (`encoding`, on the command line `--encoding`)'

/**
 * The format of a file, and its header: the delimiter is the one that yields a column with the address, or that of
 * Excel's line `sep=;`. Throws EngineError `VALIDATION_ERROR` on `file`.
 */
export function formOf(
  bytes: Uint8Array,
  rank: Rank,
  named?: Encoding,
): { readonly form: CsvForm; readonly header: readonly string[] } {
  if (bytes.length === 0) throw invalidField('file', 'too_small', 'is empty')
  const other = otherFormatOf(bytes)
  if (other !== undefined) throw invalidField('file', 'custom', other)
  const encoding = encodingOf(bytes, named)
  const whole = headOf(bytes, encoding)
  const head = withoutSepLine(whole)
  if (head.trim() === '') throw invalidField('file', 'too_small', 'is empty')
  if (head.includes('\u0000'))
    throw invalidField('file', 'custom', 'is not a CSV file: it holds bytes that are no text')
  const isWhole = bytes.length <= HEAD_BYTES
  const separator = SEP_LINE.exec(whole)?.[1]
  const firsts = DELIMITERS.map((delimiter) => ({ delimiter, ...firstRecord(head, delimiter, isWhole) }))
  const ranked = firsts.flatMap((first) => {
    const ranks = first.cells.map((cell) => rank(cell)).filter((each) => each !== undefined)
    return ranks.length === 0 ? [] : [{ ...first, rank: first.delimiter === separator ? -1 : Math.min(...ranks) }]
  })
  const [best] = ranked.sort((a, b) => a.rank - b.rank || b.cells.length - a.cells.length)
  if (best ? best.isCut : firsts.some(({ isCut }) => isCut)) {
    const message = `has a first row, the header, of more than ${HEAD_BYTES / 1024} KB, or a quote in it that is never closed`
    throw invalidField('file', 'too_big', message)
  }
  if (!best && firsts.some(({ isWide }) => isWide)) throw tooManyColumns()
  if (!best) {
    const [likely] = firsts.sort((a, b) => b.cells.length - a.cells.length)
    throw noAddress(likely?.cells ?? [])
  }
  return { form: { encoding, delimiter: best.delimiter }, header: best.cells }
}

/** Names by which the archive of a workbook begins, of Excel, Numbers and LibreOffice. */
const WORKBOOK_PARTS = ['[Content_Types].xml', '_rels/', 'xl/', 'Index/', 'opendocument.spreadsheet']

/** The way out for a file of the kinds that people take for tables: a workbook, or an export in a ZIP archive. */
function otherFormatOf(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.subarray(0, 4096)).toString('latin1')
  const isArchive = head.startsWith('PK\x03\x04')
  const isWorkbook = isArchive && WORKBOOK_PARTS.some((part) => head.includes(part))
  if (isWorkbook || head.startsWith('\xd0\xcf\x11\xe0')) {
    return 'is a workbook, not a CSV file: open it in your spreadsheet program, save it as CSV (in Excel "CSV UTF-8"), and take that file'
  }
  if (isArchive) return 'is a ZIP archive, not a CSV file: unpack it, and take the CSV file in it'
  return undefined
}

/** Excel's first line, which names the delimiter and is no row. */
const SEP_LINE = /^"?sep=([^"\r\n]*)"?(?:\r\n|\n|\r|$)/i

function withoutSepLine(text: string): string {
  return text.replace(SEP_LINE, '')
}

/** Every record of the file in order, the header first, as its cells; Excel's line before it is none. Throws BrokenCsv where it cannot be parsed. */
export async function* recordsOf(file: FileBytes, { encoding, delimiter }: CsvForm): AsyncGenerator<string[]> {
  const parser = parse(options(delimiter))
  anyLength(parser)
  try {
    pipeline(Readable.from(rowsOf(textOf(file, encoding))), parser, () => {})
    for await (const record of parser) yield withoutEmptyRest(record as string[], delimiter)
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    if (isBehindColumns(error)) throw new BrokenCsv(parser.info.records + 1, `it has more than ${MAX_COLUMNS} cells`)
    throw new BrokenCsv(parser.info.records + 1, PROBLEMS[error.code] ?? 'it is not valid CSV')
  }
}

/**
 * Rows may have any number of cells. The parser makes an error of each that is not as long as the first all the same,
 * with its stack, which it then throws away: with 65,000 short rows that took two seconds.
 */
function anyLength(parser: Parser): void {
  const { api } = parser as Parser & { readonly api: ParserApi }
  const onRecord = api.__onRecord.bind(api)
  api.__onRecord = (push) => {
    api.state.expectedRecordLength = api.state.record.length
    return onRecord(push)
  }
}

/** The parts that the types of the parser leave out. */
interface ParserApi {
  readonly state: { readonly record: readonly string[]; expectedRecordLength: number }
  __onRecord(push: unknown): unknown
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

const AFTER_QUOTE = 'a closing quote is followed by more text; quotes inside a quoted cell must be doubled'

const PROBLEMS: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'a quote is opened and never closed',
  CSV_INVALID_CLOSING_QUOTE: AFTER_QUOTE,
  CSV_NON_TRIMABLE_CHAR_AFTER_CLOSING_QUOTE: AFTER_QUOTE,
  INVALID_OPENING_QUOTE:
    'a quote stands inside a cell that is not quoted; such a cell must be quoted, its quotes doubled',
}

interface FirstRecord {
  readonly cells: readonly string[]
  /** Whether the text continues after the part that was read. */
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

/**
 * The text without Excel's first line. Yields to the event loop between the pieces of a long text, even where one row goes
 * through all of them.
 */
async function* rowsOf(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let isFirst = true
  for await (const piece of pieces) {
    yield isFirst ? withoutSepLine(piece) : piece
    isFirst = false
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

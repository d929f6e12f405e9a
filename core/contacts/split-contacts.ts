import { yieldToLoop } from '../values/yield-to-loop.ts'
import { ColumnCensus, type ColumnReport } from './csv-census.ts'
import { columnsOf } from './csv-columns.ts'
import { type CsvForm, recogniseCsv, recordsOf } from './csv-file.ts'
import { partsOfForm } from './csv-formats.ts'
import type { Encoding } from './csv-text.ts'
import type { GivenColumns } from './given-columns.ts'

/** How many rows are read before other work runs. */
const PIECE = 1000

/** A part of a file, with the header. */
export interface CsvPart {
  readonly text: string
  /** The row of the whole file that is row 2 of this part. */
  readonly firstRow: number
}

/** A file of contacts that is cut into parts. */
export interface CutCsv {
  /** Without blank rows. */
  readonly totalRows: number
  readonly encoding: CsvForm['encoding']
  /** The columns to give with each part, so that all parts are read like the whole. */
  readonly given: GivenColumns
  readonly columns: readonly ColumnReport[]
  readonly notes: readonly string[]
  /** The parts in order, each of at most so many bytes, unless a single row has more. */
  parts(bytes: number): AsyncGenerator<CsvPart>
}

/**
 * Reads all of a file of contacts that is too large for one import, to cut it. Throws EngineError `VALIDATION_ERROR`
 * on `file` and `columns` as the import does, and BrokenCsv.
 */
export async function cutCsv(bytes: Uint8Array, given: GivenColumns, encoding?: Encoding): Promise<CutCsv> {
  const form = recogniseCsv(bytes, given, encoding)
  let census: ColumnCensus | undefined
  let header: readonly string[] = []
  let [row, totalRows] = [0, 0]
  for await (const cells of recordsOf(bytes, form)) {
    if (++row % PIECE === 0) await yieldToLoop()
    if (census === undefined) {
      header = cells
      census = new ColumnCensus(columnsOf(cells, given))
    } else if (cells.some((cell) => cell !== '')) {
      totalRows++
      census.see(cells, row)
    }
  }
  return {
    totalRows,
    encoding: form.encoding,
    given: withTypes(columnsOf(header, given).named, given, census?.types() ?? new Map()),
    columns: census?.reports() ?? [],
    notes: census?.notes() ?? [],
    parts: (most) => partsOf(bytes, form, most),
  }
}

function withTypes(
  named: ReturnType<typeof columnsOf>['named'],
  given: GivenColumns,
  types: ReturnType<ColumnCensus['types']>,
): GivenColumns {
  const typed = named.flatMap(({ index, header }) => {
    const form = types.get(index)
    return form === undefined ? [] : [[header, partsOfForm(form)] as const]
  })
  const all: Record<string, GivenColumns[string]> = Object.assign(Object.create(null), given)
  for (const [header, parts] of typed) {
    const name = Object.keys(given).find((each) => each.trim().toLowerCase() === header.toLowerCase()) ?? header
    all[name] = { ...given[name], ...parts }
  }
  return all
}

async function* partsOf(bytes: Uint8Array, form: CsvForm, most: number): AsyncGenerator<CsvPart> {
  let header = ''
  let lines: string[] = []
  let [row, firstRow, size] = [0, 2, 0]
  for await (const cells of recordsOf(bytes, form)) {
    row++
    // a blank row stays one, since rows are counted
    const line = cells.every((cell) => cell === '') ? '\n' : `${cells.map(written).join(',')}\n`
    if (row === 1) {
      header = line
      continue
    }
    const length = Buffer.byteLength(line)
    if (lines.length > 0 && Buffer.byteLength(header) + size + length > most) {
      yield { text: header + lines.join(''), firstRow }
      lines = []
      size = 0
      firstRow = row
    }
    lines.push(line)
    size += length
  }
  yield { text: header + lines.join(''), firstRow }
}

function written(cell: string): string {
  return /[",\r\n;\t|]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
}

import { type ColumnType, isBoolean, isNumber, MAX_DIGITS } from './csv-cells.ts'
import { type CsvColumns, isLong } from './csv-columns.ts'
import { standingOf } from './csv-status.ts'

/** A column as imported, for the result of the job. */
export type ColumnReport = {
  readonly header: string
  readonly key: string | null
  readonly type: ColumnType | 'mixed' | null
  readonly note?: string
}

/** The values seen in a column. */
interface Seen {
  numbers: number
  booleans: number
  texts: number
  /** The first cell that is neither. */
  odd?: { readonly row: number; readonly cell: string }
}

/** How many different words, and how many rows, are listed in a note. */
const MAX_LISTED = 10

/** Looks through a whole file before anything is imported, so that each column gets one type. */
export class ColumnCensus {
  readonly #columns: CsvColumns
  readonly #seen: ReadonlyMap<number, Seen>
  /** Words of status columns that are not known, with the number of their rows. */
  readonly #words = new Map<number, Map<string, number>>()
  readonly #damaged: string[] = []
  #damagedCount = 0

  constructor(columns: CsvColumns) {
    this.#columns = columns
    this.#seen = new Map(columns.data.map(({ index }) => [index, { numbers: 0, booleans: 0, texts: 0 }]))
  }

  see(cells: readonly string[], row: number): void {
    for (const [index, seen] of this.#seen) {
      const cell = cells[index] ?? ''
      // a row with a cell too long is refused
      if (cell === '' || isLong(cell)) continue
      if (isNumber(cell)) seen.numbers++
      else if (isBoolean(cell)) seen.booleans++
      else {
        seen.texts++
        seen.odd ??= { row, cell }
      }
    }
    for (const { index, kind } of this.#columns.statuses) {
      const cell = cells[index] ?? ''
      if (!isLong(cell) && standingOf(kind, cell) === 'unknown') this.#noteWord(index, cell)
    }
    if (cells.some((cell) => cell.includes('\ufffd'))) this.#noteDamage(cells, row)
  }

  /** The type of each data column; none in an export, where each cell says its own. */
  types(): ReadonlyMap<number, ColumnType> {
    if (this.#columns.isExport) return new Map()
    return new Map(this.#columns.data.map(({ index, type }) => [index, type ?? typeOf(this.#seen.get(index))] as const))
  }

  reports(): readonly ColumnReport[] {
    const types = this.types()
    return this.#columns.named.map(({ index, header, key, note }) => {
      const seen = this.#seen.get(index)
      const type = types.get(index) ?? (seen === undefined ? (key === null ? null : ofSpecial(key)) : ofExport(seen))
      const said = [note, this.#whyText(index, types.get(index), seen), this.#unknownWords(index)]
      const notes = said.filter((each) => each !== undefined)
      return { header, key, type, ...(notes.length === 0 ? {} : { note: notes.join('; ') }) }
    })
  }

  /** The notes about the file. */
  notes(): readonly string[] {
    if (this.#damagedCount === 0) return []
    const more = this.#damagedCount - this.#damaged.length
    const rows = this.#damaged.join(', ') + (more > 0 ? ` and ${more} more rows` : '')
    return [`Some bytes are no text in this encoding and are stored as \ufffd: ${rows}.`]
  }

  #whyText(index: number, type: ColumnType | undefined, seen: Seen | undefined): string | undefined {
    if (type !== 'string' || seen === undefined || seen.numbers + seen.booleans === 0) return undefined
    if (this.#columns.data.some((column) => column.index === index && column.type !== undefined)) return undefined
    if (seen.odd === undefined) return 'texts, because it holds numbers as well as true and false'
    const { row, cell } = seen.odd
    return `texts, because of ${JSON.stringify(cell.slice(0, 40))} in row ${row}, which ${whyNone(cell)}`
  }

  #unknownWords(index: number): string | undefined {
    const words = this.#words.get(index)
    if (words === undefined) return undefined
    const listed = [...words].slice(0, MAX_LISTED).map(([word, rows]) => `${JSON.stringify(word)} (${rows})`)
    return `new contacts of these rows are not subscribed, since the meaning of these words is not known: ${listed.join(', ')}; if the column is not about subscriptions, give it a key with columns`
  }

  #noteWord(index: number, cell: string): void {
    const words = this.#words.get(index) ?? new Map<string, number>()
    this.#words.set(index, words)
    const word = cell.slice(0, 40)
    if (words.has(word) || words.size < MAX_LISTED) words.set(word, (words.get(word) ?? 0) + 1)
  }

  #noteDamage(cells: readonly string[], row: number): void {
    this.#damagedCount++
    if (this.#damaged.length >= MAX_LISTED) return
    const index = cells.findIndex((cell) => cell.includes('\ufffd'))
    const header = this.#columns.named.find((column) => column.index === index)?.header
    this.#damaged.push(`row ${row}${header === undefined ? '' : ` (${header})`}`)
  }
}

function typeOf(seen: Seen | undefined): ColumnType {
  if (seen === undefined || seen.texts > 0) return 'string'
  if (seen.numbers > 0) return seen.booleans > 0 ? 'string' : 'number'
  return seen.booleans > 0 ? 'boolean' : 'string'
}

function ofSpecial(key: string): ColumnType {
  return key === 'subscribed' ? 'boolean' : 'string'
}

function ofExport({ numbers, booleans, texts }: Seen): ColumnType | 'mixed' {
  const kinds = [numbers, booleans, texts].filter((count) => count > 0).length
  if (kinds > 1) return 'mixed'
  return numbers > 0 ? 'number' : booleans > 0 ? 'boolean' : 'string'
}

/** Why a cell is no number, of the cells that look like one. */
function whyNone(cell: string): string {
  if (/^[+-]?0\d/.test(cell)) return 'has a leading zero'
  if (/^\+/.test(cell)) return 'has a plus sign'
  if (/^-?\d{1,3}(?:[,' \u00a0\u202f]\d{3})+(?:\.\d+)?$/.test(cell)) return 'has thousands separators'
  if (/^-?\d{1,3}(?:\.\d{3})*,\d+$/.test(cell)) return 'has a decimal comma'
  if (/^-?\d+(?:\.\d+)?$/.test(cell)) return `has more than ${MAX_DIGITS} digits`
  return 'is no number'
}

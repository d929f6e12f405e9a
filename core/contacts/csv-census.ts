import { type ColumnType, isBoolean, isNumber, MAX_DIGITS } from './csv-cells.ts'
import { type CsvColumns, isLong } from './csv-columns.ts'
import {
  type ColumnForm,
  type ColumnFormat,
  FormatCensus,
  type FormatQuestion,
  partsOfForm,
  typedValue,
} from './csv-formats.ts'
import { isLeaving, standingOf } from './csv-status.ts'
import { isLanguageTag } from './field-meanings.ts'

/** A column as imported, for the result of the job. */
export type ColumnReport = {
  readonly header: string
  readonly key: string | null
  readonly type: ColumnType | 'mixed' | null
  /** How its numbers or dates are written, where that is not plain. */
  readonly format?: ColumnFormat
  /** The question to be answered before it can be more than text. */
  readonly asks?: FormatQuestion
  /** Whether the column says who is subscribed, so that the import goes by it. */
  readonly isConsent?: boolean
  /** The key by which mails usually print such values, where the column has another one. */
  readonly suggestedKey?: string
  readonly note?: string
}

/** The values seen in a column. */
interface Seen {
  numbers: number
  booleans: number
  texts: number
  /** Texts that name no language by its tag. */
  untagged: number
  readonly formats: FormatCensus
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
  /** The first words that mean leaving in columns whose names do not say so. */
  readonly #leaving = new Map<number, { readonly row: number; readonly cell: string }>()
  readonly #damaged: string[] = []
  #damagedCount = 0

  constructor(columns: CsvColumns) {
    this.#columns = columns
    this.#seen = new Map(
      columns.data.map(({ index }) => [
        index,
        { numbers: 0, booleans: 0, texts: 0, untagged: 0, formats: new FormatCensus() },
      ]),
    )
  }

  see(cells: readonly string[], row: number): void {
    for (const [index, seen] of this.#seen) {
      const cell = cells[index] ?? ''
      // a row with a cell too long is refused
      if (cell === '' || isLong(cell)) continue
      if (isNumber(cell)) {
        seen.numbers++
        seen.formats.seeNumber(cell)
      } else if (isBoolean(cell)) seen.booleans++
      else {
        seen.texts++
        if (!isLanguageTag(cell)) seen.untagged++
        seen.formats.see(cell, row)
        seen.odd ??= { row, cell }
      }
    }
    for (const { index, kind } of this.#columns.statuses) {
      const cell = cells[index] ?? ''
      if (!isLong(cell) && standingOf(kind, cell) === 'unknown') this.#noteWord(index, cell)
    }
    for (const index of this.#columns.elsewhere) {
      const cell = cells[index] ?? ''
      if (isLeaving(cell) && !this.#leaving.has(index)) this.#leaving.set(index, { row, cell: cell.trim() })
    }
    if (cells.some((cell) => cell.includes('\ufffd'))) this.#noteDamage(cells, row)
  }

  /** The type and format of each data column; none in an export, where each cell says its own. */
  types(): ReadonlyMap<number, ColumnForm> {
    if (this.#columns.isExport) return new Map()
    return new Map(
      this.#columns.data.map(({ index, form }) => [index, foundForm(this.#seen.get(index), form)] as const),
    )
  }

  reports(): readonly ColumnReport[] {
    const types = this.types()
    return this.#columns.named.map(({ index, header, key, usual, note }) => {
      const seen = this.#seen.get(index)
      const suggestedKey = usual === 'locale' && !hasTags(seen) ? undefined : usual
      const form = types.get(index)
      const { type, format } =
        form === undefined
          ? { type: seen === undefined ? (key === null ? null : ofSpecial(key)) : ofExport(seen) }
          : partsOfForm(form)
      const asks = this.#question(index, form, seen)
      const said = [
        note,
        asks ? howToSay(header, asks) : this.#whyText(index, form, seen),
        storedAs(form, seen),
        this.#unknownWords(index),
        this.#whoLeft(index),
        suggestedKey && howToRename(header, suggestedKey),
      ]
      const notes = said.filter((each) => each !== undefined)
      const isConsent = this.#leaving.has(index) || this.#columns.statuses.some((status) => status.index === index)
      return {
        header,
        key,
        type,
        ...(format && { format }),
        ...(asks && { asks }),
        ...(isConsent && { isConsent }),
        ...(suggestedKey && { suggestedKey }),
        ...(notes.length === 0 ? {} : { note: notes.join('; ') }),
      }
    })
  }

  /** The notes about the file. */
  notes(): readonly string[] {
    if (this.#damagedCount === 0) return []
    const more = this.#damagedCount - this.#damaged.length
    const rows = this.#damaged.join(', ') + (more > 0 ? ` and ${more} more rows` : '')
    return [`Some bytes are no text in this encoding and are stored as \ufffd: ${rows}.`]
  }

  /** The question about a column that was found to be text, or whose type was given without the format it needs. */
  #question(index: number, form: ColumnForm | undefined, seen: Seen | undefined): FormatQuestion | undefined {
    if (form === undefined || seen === undefined || seen.booleans > 0) return undefined
    const given = this.#columns.data.find((column) => column.index === index)?.form
    if (given !== undefined && (given === 'string' || seen.formats.formFor(isOf(given)) !== undefined)) return undefined
    const asks = form === 'string' || form === given ? seen.formats.question() : undefined
    return given === undefined || asks?.type === given ? asks : undefined
  }

  #whyText(index: number, type: ColumnForm | undefined, seen: Seen | undefined): string | undefined {
    if (type !== 'string' || seen === undefined) return undefined
    if (this.#columns.data.some((column) => column.index === index && column.form !== undefined)) return undefined
    if (seen.numbers + seen.booleans === 0) {
      const { spoiler } = seen.formats
      return spoiler && `${becauseOf(spoiler)}, which is no ${spoiler.type}`
    }
    if (seen.odd === undefined) return 'texts, because it holds numbers as well as true and false'
    return `${becauseOf(seen.odd)}, which ${whyNone(seen.odd.cell)}`
  }

  #unknownWords(index: number): string | undefined {
    const words = this.#words.get(index)
    if (words === undefined) return undefined
    const listed = [...words].slice(0, MAX_LISTED).map(([word, rows]) => `${JSON.stringify(word)} (${rows})`)
    return `new contacts of these rows are not subscribed, since the meaning of these words is not known: ${listed.join(', ')}; if the column is not about subscriptions, give it a key with columns`
  }

  #whoLeft(index: number): string | undefined {
    const found = this.#leaving.get(index)
    return (
      found &&
      `contacts of rows with a word such as ${JSON.stringify(found.cell)} (row ${found.row}) are not subscribed`
    )
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

/** The form of a column, by the type that was given or by its cells. */
function foundForm(seen: Seen | undefined, given: ColumnForm | undefined): ColumnForm {
  if (given === 'number' || given === 'date') return seen?.formats.formFor(given) ?? given
  if (given !== undefined) return given
  if (seen === undefined) return 'string'
  if (seen.texts > 0) return (seen.booleans > 0 ? undefined : seen.formats.sureForm()) ?? 'string'
  if (seen.numbers > 0) return seen.booleans > 0 ? 'string' : 'number'
  return seen.booleans > 0 ? 'boolean' : 'string'
}

function becauseOf({ row, cell }: { readonly row: number; readonly cell: string }): string {
  return `texts, because of ${JSON.stringify(cell.slice(0, 40))} in row ${row}`
}

function isOf(form: ColumnForm): 'number' | 'date' {
  return partsOfForm(form).type === 'date' ? 'date' : 'number'
}

/** Whether all that is seen are tags of languages. */
function hasTags(seen: Seen | undefined): boolean {
  return seen !== undefined && seen.texts > 0 && seen.numbers + seen.booleans + seen.untagged === 0
}

/** How the caller gives a column the key that mails usually print. */
function howToRename(header: string, key: string): string {
  return `mails usually print this as {{ ${key} }}: columns=${JSON.stringify({ [header]: key })} stores it so`
}

/** How the caller answers a question. */
function howToSay(header: string, { type, formats, examples: [first] }: FormatQuestion): string {
  const say = formats.map((format) => JSON.stringify({ [header]: { type, format } })).join(' or ')
  const found = first === undefined ? '' : ` ${JSON.stringify(first.cell)} in row ${first.row}`
  const many = formats.length > 1 ? ' can be read in two ways' : ` may be a ${type}`
  return `texts, since${found}${many}; columns=${say} makes ${type}s of them`
}

/** How values are stored that are written in another way than they are kept. */
function storedAs(form: ColumnForm | undefined, seen: Seen | undefined): string | undefined {
  const { example } = seen?.formats ?? {}
  if (form === undefined || example === undefined || form === 'string' || form === 'boolean') return undefined
  const stored = typedValue(example, form, false)
  return stored === undefined || String(stored) === example
    ? undefined
    : `${JSON.stringify(example)} is stored as ${stored}`
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

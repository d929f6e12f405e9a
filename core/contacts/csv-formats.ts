import { instantOf } from '../values/iso-date.ts'
import { APOSTROPHE, COLUMN_TYPES, type ColumnType, isBoolean, isNumber, MAX_DIGITS, valueInCell } from './csv-cells.ts'

/** How numbers and dates are written in a column: which sign begins the decimals, or which part of the date comes first. */
export const COLUMN_FORMATS = ['point', 'comma', 'dmy', 'mdy', 'ymd'] as const
export type ColumnFormat = (typeof COLUMN_FORMATS)[number]

/** The formats of a type; the first is taken where a cell reads the same in all of them. */
export const FORMATS_OF = {
  number: ['point', 'comma'],
  date: ['ymd', 'dmy', 'mdy'],
} as const satisfies Partial<Record<ColumnType, readonly ColumnFormat[]>>

/** A type with its format, such as `number:comma`, as it is stored with an import under way. */
export const COLUMN_FORMS = [
  ...COLUMN_TYPES,
  'number:point',
  'number:comma',
  'date:ymd',
  'date:dmy',
  'date:mdy',
] as const
export type ColumnForm = (typeof COLUMN_FORMS)[number]

/** The form of a type and a format that belongs to it. */
export function formOf(type: ColumnType, format?: ColumnFormat): ColumnForm {
  return COLUMN_FORMS.find((form) => form === `${type}:${format}`) ?? type
}

/** The type of a form, and its format if it has one. */
export function partsOfForm(form: ColumnForm): { readonly type: ColumnType; readonly format?: ColumnFormat } {
  const [name, code] = form.split(':')
  const format = COLUMN_FORMATS.find((each) => each === code)
  return { type: COLUMN_TYPES.find((each) => each === name) ?? 'string', ...(format && { format }) }
}

/** Spaces of every width, the apostrophe, and the sign that is not the decimal one part the thousands. */
const GROUPED = {
  comma: /^-?(?:0|[1-9]\d*|[1-9]\d{0,2}(?:[. \u00a0\u202f'’]\d{3})+)(?:,\d+)?$/,
  point: /^-?(?:0|[1-9]\d*|[1-9]\d{0,2}(?:[, \u00a0\u202f'’]\d{3})+)(?:\.\d+)?$/,
}

/** The number in a cell of this format; undefined when there is none that can be stored without loss. */
function numberIn(cell: string, format: 'point' | 'comma'): number | undefined {
  if (!GROUPED[format].test(cell)) return undefined
  const digits = cell.replace(format === 'comma' ? /[. \u00a0\u202f'’]/g : /[, \u00a0\u202f'’]/g, '').replace(',', '.')
  return digits !== '-0' && digits.replace(/^-?0?\.?0*|[.]/g, '').length <= MAX_DIGITS ? Number(digits) : undefined
}

const DATE =
  /^(?<a>\d{1,4})(?<sign>[./-])(?<b>\d{1,2})\k<sign>(?<c>\d{1,4})(?:[T ,]{1,2}(?<hour>\d{1,2}):(?<minute>\d\d)(?::(?<second>\d\d))?(?: ?(?<half>[ap])\.?m\.?)?)?$/i
const OF_CHINA_AND_JAPAN = /^(\d{4})年(\d{1,2})月(\d{1,2})日$/

/**
 * The date in a cell as ISO 8601, such as `2021-12-04` of `04.12.2021`; undefined when there is none. ISO 8601 stays as
 * it is, and a time keeps having no offset. A year has four digits, since two may mean either century.
 */
function dateIn(cell: string, order: 'ymd' | 'dmy' | 'mdy'): string | undefined {
  if (instantOf(cell) !== undefined) return cell
  const found = DATE.exec(cell.replace(/\. /g, '.').replace(OF_CHINA_AND_JAPAN, '$1-$2-$3'))?.groups
  if (found === undefined) return undefined
  const { a = '', sign, b = '', c = '', hour, minute, second = '00', half } = found
  // with dots the day always comes first
  const isDayFirst = order === 'dmy' || (sign === '.' && order === 'ymd')
  if (a.length !== 4 && order === 'ymd' && !isDayFirst) return undefined
  const [year, month, day] = a.length === 4 ? [a, b, c] : isDayFirst ? [c, b, a] : [c, a, b]
  if (year.length !== 4 || day.length > 2 || month.length > 2) return undefined
  const date = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  if (hour === undefined) return instantOf(date) && date
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (half.toLowerCase() === 'p' ? 12 : 0)
  if (half !== undefined && (Number(hour) < 1 || Number(hour) > 12)) return undefined
  const moment = `${date}T${String(hours).padStart(2, '0')}:${minute}:${second}`
  return instantOf(moment) && moment
}

/** A cell that is shown when a person has to say how it is meant. */
export type CellOfRow = { readonly row: number; readonly cell: string }

/** A question about a column that has to be answered before it can be read: its formats that are possible, and cells to decide by. */
export type FormatQuestion = {
  readonly type: 'number' | 'date'
  readonly formats: ColumnFormat[]
  readonly examples: CellOfRow[]
}

/** How many cells are shown with a question. */
const MAX_EXAMPLES = 3
/** No number or date is longer. */
const LONGEST = 40

/** The formats of a column, by those of its cells that are no plain numbers. */
export class FormatCensus {
  /** The formats in which every cell so far can be read. */
  readonly #possible = new Set<ColumnFormat>(COLUMN_FORMATS)
  readonly #examples: CellOfRow[] = []
  /** Cells that mean different things in two formats. */
  readonly #unclear: Record<'number' | 'date', CellOfRow[]> = { number: [], date: [] }
  #hasComma = false
  #isMoney = true
  #hasNumbers = false
  /** Cells that are a number or a date in some format, and those that are neither. */
  readonly #read = { number: 0, date: 0, none: 0 }
  #odd: CellOfRow | undefined

  /** A number in digits and a point alone. */
  seeNumber(cell: string): void {
    this.#hasNumbers = true
    if (numberIn(cell, 'comma') === undefined) this.#possible.delete('comma')
  }

  see(cell: string, row: number): void {
    if (this.#possible.size === 0 && !this.#isMostlyRead) return
    if (cell.length > LONGEST) {
      this.#possible.clear()
      this.#noteOdd(cell, row)
      return
    }
    if (this.#examples.length < MAX_EXAMPLES) this.#examples.push({ row, cell })
    this.#hasComma ||= cell.includes(',')
    this.#isMoney &&= !cell.includes(',') || /,\d\d$/.test(cell)
    let isRead = false
    for (const type of ['number', 'date'] as const) {
      const read = FORMATS_OF[type].map((format) => [format, valueIn(cell, format)] as const)
      if (read.some(([, value]) => value !== undefined)) {
        this.#read[type]++
        isRead = true
      }
      for (const [format, value] of read) if (value === undefined) this.#possible.delete(format)
      const values = new Set(read.map(([, value]) => value).filter((value) => value !== undefined))
      // a date of dots or in ISO 8601 is clear
      const isClear = values.size < 2 || (type === 'date' && read[0]?.[1] !== undefined)
      if (!isClear && this.#unclear[type].length < MAX_EXAMPLES) this.#unclear[type].push({ row, cell })
    }
    if (!isRead) this.#noteOdd(cell, row)
  }

  #noteOdd(cell: string, row: number): void {
    this.#read.none++
    this.#odd ??= { row, cell }
  }

  get #isMostlyRead(): boolean {
    return Math.max(this.#read.number, this.#read.date) > this.#read.none
  }

  /** The first cell that keeps a column of dates or numbers from being one, and the type it would have; undefined for texts. */
  get spoiler(): (CellOfRow & { readonly type: 'number' | 'date' }) | undefined {
    if (this.#odd === undefined || !this.#isMostlyRead) return undefined
    return { ...this.#odd, type: this.#read.date > this.#read.none ? 'date' : 'number' }
  }

  /** How all cells of a column are read whose type the caller has given; undefined when that cannot be told. */
  formFor(type: 'number' | 'date'): ColumnForm | undefined {
    if (this.#examples.length === 0) return this.#possible.size === 0 ? undefined : type
    const [first, ...others] = this.#formats(type)
    if (first === undefined) return undefined
    if (type === 'date' && first === 'ymd') return 'date'
    return others.length === 0 || this.#unclear[type].length === 0 ? formOf(type, first) : undefined
  }

  /**
   * How they are read when nothing was given. A list such as `1,2` looks like a number, so only amounts of money are taken for
   * sure; and thousands stay text, since postal codes and versions look like them.
   */
  sureForm(): ColumnForm | undefined {
    if (this.#examples.length === 0) return undefined
    const isComma = this.#formats('number').join() === 'comma'
    if (isComma) return this.#hasComma && this.#isMoney ? 'number:comma' : undefined
    return this.#hasNumbers ? undefined : this.formFor('date')
  }

  /** The question to be answered before the column can be more than text. */
  question(): FormatQuestion | undefined {
    if (this.#examples.length === 0) return undefined
    for (const type of ['number', 'date'] as const) {
      const formats = this.#formats(type)
      if (formats.length === 0 || (type === 'number' ? !this.#hasComma : this.#hasNumbers)) continue
      const unclear = this.#unclear[type]
      return { type, formats, examples: unclear.length > 0 ? unclear : this.#examples }
    }
    return undefined
  }

  /** The first cell that is not stored as it stands. */
  get example(): string | undefined {
    return this.#examples.find(({ cell }) => dateIn(cell, 'ymd') !== cell)?.cell
  }

  #formats(type: 'number' | 'date'): ColumnFormat[] {
    return FORMATS_OF[type].filter((format) => this.#possible.has(format))
  }
}

/** The value of a cell in a format, be it a number or a date. */
function valueIn(cell: string, format: ColumnFormat): number | string | undefined {
  return format === 'point' || format === 'comma' ? numberIn(cell, format) : dateIn(cell, format)
}

/** The value of a cell in a column of this form; undefined when it is none. */
export function typedValue(cell: string, form: ColumnForm, isExport: boolean): string | number | boolean | undefined {
  const { type, format } = partsOfForm(form)
  if (type === 'number' && (format === undefined || isNumber(cell)) && format !== 'comma')
    return isNumber(cell) ? Number(cell) : undefined
  if (type === 'boolean') return isBoolean(cell) ? cell.toLowerCase() === 'true' : undefined
  if (type === 'string') return String(cell.charCodeAt(0) === APOSTROPHE ? valueInCell(cell, isExport) : cell)
  return valueIn(cell, format ?? 'ymd')
}

/** Why a cell is no value of its column. */
export function whyNoValue(cell: string, form: ColumnForm): string {
  const { type, format } = partsOfForm(form)
  if (type === 'boolean') return 'must be true or false'
  const ways = type === 'number' ? FORMATS_OF.number : FORMATS_OF.date
  const meant = format === undefined ? ways.filter((way) => valueIn(cell, way) !== undefined) : []
  const must = type === 'number' ? 'must be a number' : 'must be a date such as 2021-12-04'
  if (meant.length === 0) return must
  return `${must}, or the column needs a format: ${meant.join(' or ')}`
}

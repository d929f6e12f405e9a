import { instantOf } from '../values/iso-date.ts'
import { unreadable } from './unreadable-report.ts'

/** Cells by which receivers say that they have no figure. */
const NONE = new Set(['', '-', '–', 'n/a', 'na', 'null', 'none', 'no data', 'keine daten', 'unknown'])

/** Whether a cell says that there is no figure. */
export function isNone(cell: string): boolean {
  return NONE.has(cell.trim().toLowerCase())
}

/** A number in a cell. */
export interface CellNumber {
  readonly value: number
  /** It ends with a percent sign. */
  readonly isPercent: boolean
  /** It says only that the number is below this one. */
  readonly isBelow: boolean
}

/** The number in a cell such as `0.12%`, `< 0.1%` or `0,12 %`; undefined for anything else. */
export function numberIn(cell: string): CellNumber | undefined {
  const [, below, digits = '', sign] = /^(<?)\s?(\d{1,12}(?:[.,]\d{1,12})?)\s?(%?)$/.exec(cell.trim()) ?? []
  if (sign === undefined) return undefined
  return { value: Number(digits.replace(',', '.')), isPercent: sign === '%', isBelow: below === '<' }
}

/** The whole number in a cell such as `1420`, `1,420` or `1.420`, where a sign stands before each three digits. */
export function countIn(cell: string): CellNumber | undefined {
  const [, below, digits] = /^(<?)\s?(\d{1,12}|[1-9]\d{0,2}(?:[.,]\d{3}){1,3})$/.exec(cell.trim()) ?? []
  if (digits === undefined) return undefined
  return { value: Number(digits.replace(/[.,]/g, '')), isPercent: false, isBelow: below === '<' }
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const NAMED = /^(?:([A-Za-z]{3})[a-z]{0,6}\.? (\d{1,2}),? |(\d{1,2})\.? ([A-Za-z]{3})[a-z]{0,6}\.? )(\d{4})$/
const SLASHED = /^(\d{1,2})\/(\d{1,2})\/(\d{4})(?: \d{1,2}:\d\d(?::\d\d)? ?(?:[AP]M)?)?$/
const DOTTED = /^(\d{1,2})\.(\d{1,2})\.(\d{4})$/

/** In which order dates with slashes are written in a column: the month first, unless a day must be meant. */
export function isDayFirst(cells: readonly string[]): boolean {
  return cells.some((cell) => Number(SLASHED.exec(cell.trim())?.[1] ?? 0) > 12)
}

/**
 * The day in a cell as `YYYY-MM-DD`: ISO 8601 also without its hyphens, `9/29/2020 8:07 AM`, `29.9.2020`,
 * `Sep 29, 2020`. Throws EngineError `VALIDATION_ERROR` on `file` for anything else.
 */
export function dayIn(cell: string, row: number, dayFirst = false): string {
  const text = cell.trim()
  const [, compactYear, compactMonth, compactDay] = /^(\d{4})(\d\d)(\d\d)$/.exec(text) ?? []
  const [, first = '', second = '', slashedYear] = SLASHED.exec(text) ?? []
  const [, dottedDay, dottedMonth, dottedYear] = DOTTED.exec(text) ?? []
  const [, nameA, dayA, dayB, nameB, namedYear] = NAMED.exec(text) ?? []
  const parts = compactYear
    ? [compactYear, compactMonth, compactDay]
    : slashedYear
      ? [slashedYear, ...(dayFirst ? [second, first] : [first, second])]
      : dottedYear
        ? [dottedYear, dottedMonth, dottedDay]
        : namedYear
          ? [namedYear, String(MONTHS.indexOf((nameA ?? nameB ?? '').toLowerCase()) + 1), dayA ?? dayB]
          : /^(\d{4})-(\d\d)-(\d\d)(?:[T ]|$)/.exec(text)?.slice(1)
  const day = parts?.map((part = '') => part.padStart(2, '0')).join('-')
  if (day === undefined || instantOf(day) === undefined) {
    throw unreadable(`has no day in row ${row}: "${text.slice(0, 40)}"`)
  }
  return day
}

import { invalidField } from '../errors.ts'
import { dayIn, isDayFirst, isNone, numberIn } from './figure-cells.ts'
import type { CsvLine, FigureNumbers, ReadFigure, ReadFigures } from './report.ts'
import { unreadable } from './unreadable-report.ts'

/** A column of a file, and the figure in it; `subject` where the name of the column says what it is about. */
interface Column {
  readonly at: number
  readonly name: string
  readonly figure: ReadFigure['figure']
  readonly subject?: string
}

/** How a person, or the name of a column, says what its numbers are. */
interface Reading {
  readonly numbers: FigureNumbers | undefined
  readonly today: string
}

const DAY = /^(?:date|day|datum|tag)\b/
/** Columns that say what a row is about. */
const SUBJECT =
  /\b(?:identifier|campaign|id|error (?:type|reason|class)|reason|ip (?:address|addresses|ranges?)|kennung|grund|fehlertyp)\b/
/** Errors of delivery, by the names that Postmaster Tools shows; as names of columns they must not be taken for others. */
const ERRORS =
  /\b(?:rate limit|suspected spam|spammy|attachment|low reputation|rbl|ptr record|policy of the sender|stamp|mismatch)/
/** Levels of reputation as columns: how much of the mail, or how many addresses, have each. */
const LEVELS: ReadonlyMap<string, string> = new Map([
  ...['high', 'hoch', 'gut'].map((name) => [name, 'HIGH'] as const),
  ...['medium', 'fair', 'mittel', 'mittelmäßig'].map((name) => [name, 'MEDIUM'] as const),
  ...['low', 'niedrig'].map((name) => [name, 'LOW'] as const),
  ...['bad', 'schlecht'].map((name) => [name, 'BAD'] as const),
])
/** The figures by the names of their columns; the first that fits counts. */
const FIGURES: readonly (readonly [name: RegExp, figure: ReadFigure['figure']])[] = [
  [/feedback|\bfbl\b/, 'feedbackLoop'],
  [/spam/, 'spamRate'],
  [/\bip\b.*reputation/, 'ipReputation'],
  [/reputation/, 'domainReputation'],
  [/dkim/, 'dkim'],
  [/dmarc/, 'dmarc'],
  [/\bspf\b/, 'spf'],
  [/outbound|outgoing|ausgehend/, 'tlsOut'],
  [/\btls\b|encrypt|verschlüssel|inbound|incoming|eingehend/, 'tlsIn'],
  [/error|fehler/, 'deliveryErrors'],
  [/^(?:status|compliance status|compliance)$/, 'compliance'],
]
/** Columns of further numbers to a figure, which say nothing alone. */
const BESIDES = /(?:lower|upper) bound|interval|confidence|count|volume|number of|anzahl/
const MAX_WORD = 200

/**
 * The figures in a file of Google Postmaster Tools, by the names of its columns: it gives one for each of its charts, and
 * other programs write several into one. undefined: it is another file. Throws EngineError `VALIDATION_ERROR` on `file`
 * when a cell cannot be read, and on `numbers` when numbers may be percentages or fractions.
 */
export function readGoogle(lines: readonly CsvLine[], reading: Reading): ReadFigures | undefined {
  const [header, ...rows] = lines
  if (header === undefined) return undefined
  const names = header.cells.map(plain)
  const day = names.findIndex((name) => DAY.test(name))
  const requirement = names.findIndex((name) => /^(?:requirement|anforderung)/.test(name))
  const subject = names.findIndex((name, at) => at !== day && (at === requirement || SUBJECT.test(name)))
  const columns = names.flatMap((name, at) => (at === day || at === subject ? [] : columnOf(name, at, header.cells)))
  const isKnown = columns.length > 0 && (day >= 0 || subject >= 0)
  if (!isKnown || (requirement < 0 && columns.some(({ figure }) => figure === 'compliance'))) return undefined
  const dayFirst = isDayFirst(rows.map(({ cells }) => cells[day] ?? ''))
  const figures = columns.flatMap((column) => {
    const factor = factorOf(column, rows, reading)
    return rows.flatMap(({ row, cells }): ReadFigure[] => {
      const cell = cells[column.at] ?? ''
      if (isNone(cell)) return []
      const about = {
        figure: column.figure,
        day: day < 0 ? reading.today : dayIn(cells[day] ?? '', row, dayFirst),
        subject: column.subject ?? (subject < 0 ? '' : (cells[subject] ?? '').slice(0, MAX_WORD)),
      }
      if (factor === undefined) return [{ ...about, word: wordOf(cell, column, row) }]
      const read = numberIn(cell)
      if (read === undefined || (!read.isPercent && cell.includes('%'))) throw noNumber(cell, column, row)
      const value = rounded(read.isPercent ? read.value : read.value * factor)
      if (value > 100 && column.figure !== 'ipReputation')
        throw unreadable(`has more than 100 % in row ${row}, column "${column.name}"`)
      return [{ ...about, value, ...(read.isBelow ? { word: cell.trim() } : {}) }]
    })
  })
  const used = new Set([day, subject, ...columns.map(({ at }) => at)])
  return {
    receiver: 'google',
    figures,
    ignored: header.cells
      .filter((_, at) => !used.has(at))
      .map(short)
      .slice(0, 20),
  }
}

/** The words of a name of a column in lower case, also of one such as `userReportedSpamRatio`. */
function plain(name: string): string {
  const apart = name.replace(/([a-z])([A-Z])/g, '$1 $2').replace(/[_\-()/:.]/g, ' ')
  return apart.replace(/ {2,}/g, ' ').trim().toLowerCase()
}

function columnOf(name: string, at: number, header: readonly string[]): readonly Column[] {
  const column = { at, name: short(header[at] ?? '') }
  if (ERRORS.test(name)) return [{ ...column, figure: 'deliveryErrors', subject: column.name }]
  const level = LEVELS.get(name)
  if (level !== undefined) return [{ ...column, figure: 'ipReputation', subject: level }]
  const [, figure] = BESIDES.test(name) ? [] : (FIGURES.find(([of]) => of.test(name)) ?? [])
  return figure === undefined ? [] : [{ ...column, figure }]
}

/**
 * By what the plain numbers of a column become percentages; undefined: it has words. A fraction is never above 1, so such
 * a number says that they are percentages; where all are below, only the name of the column or a person can say it.
 */
function factorOf(column: Column, rows: readonly CsvLine[], { numbers }: Reading): number | undefined {
  const { at, figure, subject } = column
  if (figure === 'compliance' || figure === 'domainReputation') return undefined
  // words; or of each level a share or a number of addresses
  if (figure === 'ipReputation') return subject === undefined ? undefined : 1
  const cells = rows.map(({ cells }) => cells[at] ?? '').filter((cell) => !isNone(cell))
  const read = cells.flatMap((cell) => numberIn(cell) ?? [])
  const bare = read.filter(({ isPercent }) => !isPercent)
  if (bare.every(({ value }) => value === 0)) return 1
  if (/%|percent|prozent/i.test(column.name)) return 1
  if (/ratio|fraction/i.test(column.name)) return 100
  if (numbers !== undefined) return numbers === 'percent' ? 1 : 100
  if (bare.some(({ value }) => value > 1)) return 1
  const why = `must be "percent" or "fraction": the numbers of the column "${column.name}" have no % sign, and all are at most 1`
  throw invalidField('numbers', 'required', why)
}

function wordOf(cell: string, { figure, name }: Column, row: number): string {
  if (figure === 'compliance') return cell.trim().slice(0, MAX_WORD)
  const level = LEVELS.get(cell.trim().toLowerCase())
  if (level !== undefined) return level
  throw unreadable(`has "${short(cell)}" in row ${row}, column "${name}", which is no level of reputation`)
}

function noNumber(cell: string, { name }: Column, row: number) {
  return unreadable(`has "${short(cell)}" in row ${row}, column "${name}", which is no number`)
}

function short(text: string): string {
  return text.slice(0, 60)
}

/** Without the dust that fractions leave when they are multiplied. */
function rounded(value: number): number {
  return Math.round(value * 1e6) / 1e6
}

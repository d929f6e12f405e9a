import { isIPv4, isIPv6 } from '../values/ip-address.ts'
import { countIn, dayIn, isNone, numberIn } from './figure-cells.ts'
import type { CsvLine, ReadFigure, ReadFigures } from './report.ts'
import { unreadable } from './unreadable-report.ts'

/** The columns of SNDS in their order, which it writes without a header. */
const COLUMNS = [
  ...['address', 'start', 'end', 'commands', 'messages', 'recipients', 'filterResult', 'complaintRate'],
  ...['trapStart', 'trapEnd', 'trapHits', 'helo', 'sender', 'comments'],
] as const
type Column = (typeof COLUMNS)[number]

/** The same by the names that a header gives them, for files that have one. */
const NAMES: ReadonlyMap<Column, RegExp> = new Map([
  ['address', /^ip( address)?$/],
  ['start', /^activity (period )?start/],
  ['end', /^activity (period )?end/],
  ['messages', /^data commands?/],
  ['recipients', /^message recipients?/],
  ['filterResult', /^filter results?/],
  ['complaintRate', /^complaint rate/],
  ['trapHits', /^trap hits?/],
])
/** Those of them without which a file with a header is another one. */
const NEEDED = ['address', 'end', 'filterResult'] as const
const RESULTS = new Set(['GREEN', 'YELLOW', 'RED'])
const MAX_WORD = 200

/**
 * The figures in a file of Microsoft SNDS: its data of a day, or its list of blocked addresses. undefined: it is another
 * file. Throws EngineError `VALIDATION_ERROR` on `file` when a row of it cannot be read.
 */
export function readSnds(lines: readonly CsvLine[], today: string): ReadFigures | undefined {
  const [{ cells: first } = { cells: [] }] = lines
  if (!isAddress(first[0])) {
    const places = placesIn(first)
    return (
      places && { receiver: 'microsoft', figures: lines.slice(1).flatMap((line) => dataOf(line, places)), ignored: [] }
    )
  }
  if (isAddress(first[1]))
    return { receiver: 'microsoft', figures: lines.map((line) => blockOf(line, today)), ignored: [] }
  const places = new Map(COLUMNS.map((column, at) => [column, at]))
  return { receiver: 'microsoft', figures: lines.flatMap((line) => dataOf(line, places)), ignored: [] }
}

function placesIn(header: readonly string[]): ReadonlyMap<Column, number> | undefined {
  const names = header.map((name) => name.toLowerCase().replaceAll('_', ' '))
  const found = [...NAMES].map(([column, name]) => [column, names.findIndex((each) => name.test(each))] as const)
  const places = new Map(found.filter(([, at]) => at >= 0))
  return NEEDED.every((column) => places.has(column)) ? places : undefined
}

function dataOf({ row, cells }: CsvLine, places: ReadonlyMap<Column, number>): readonly ReadFigure[] {
  const cell = (column: Column) => cells[places.get(column) ?? -1] ?? ''
  const subject = cell('address')
  if (!isAddress(subject)) throw unreadable(`has no IP address at the start of row ${row}`)
  const about = { day: dayIn(cell('end'), row), subject }
  const result = cell('filterResult').toUpperCase()
  if (!isNone(result) && !RESULTS.has(result))
    throw unreadable(`has no filter result in row ${row}: "${result.slice(0, 40)}" is not GREEN, YELLOW or RED`)
  const numbers = (['complaintRate', 'trapHits', 'recipients', 'messages'] as const).flatMap((figure): ReadFigure[] => {
    const text = cell(figure)
    if (isNone(text)) return []
    const read = figure === 'complaintRate' ? numberIn(text) : countIn(text)
    if (read === undefined || read.isPercent !== (figure === 'complaintRate'))
      throw unreadable(`has no number in row ${row} where SNDS has one: "${text.slice(0, 40)}"`)
    return [{ ...about, figure, value: read.value, ...(read.isBelow ? { word: text } : {}) }]
  })
  return isNone(result) ? numbers : [{ ...about, figure: 'filterResult', word: result }, ...numbers]
}

/** A range of addresses that Outlook.com blocks, and its reason. */
function blockOf({ row, cells }: CsvLine, today: string): ReadFigure {
  const [first = '', last = '', isBlocked = '', reason = ''] = cells
  if (!isAddress(first) || !isAddress(last)) throw unreadable(`has no two IP addresses at the start of row ${row}`)
  const subject = first === last ? first : `${first}–${last}`
  const word = [isBlocked, reason].filter(Boolean).join(': ').slice(0, MAX_WORD)
  return { figure: 'blocked', day: today, subject, word }
}

function isAddress(cell = ''): boolean {
  return isIPv4(cell) || isIPv6(cell)
}

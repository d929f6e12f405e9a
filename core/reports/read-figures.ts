import { BrokenCsv, recordsOf } from '../contacts/csv-file.ts'
import { encodingOf, headOf } from '../contacts/csv-text.ts'
import { readGoogle } from './google-csv.ts'
import type { CsvLine, FiguresQuestion, ReadFigures } from './report.ts'
import { readSnds } from './snds-csv.ts'
import { unreadable } from './unreadable-report.ts'

/** How many rows a file may have: SNDS writes one for each address and day. */
const MAX_ROWS = 5_000
/** How many figures may come of it. */
const MAX_FIGURES = 20_000
const DELIMITERS = [',', ';', '\t'] as const

/**
 * Reads a file that Google Postmaster Tools or Microsoft SNDS gives to download, told by what stands in it. Throws
 * EngineError `VALIDATION_ERROR` on `file`, or on `numbers` when only a person can say what its numbers mean.
 */
export async function readFigures({ bytes, numbers, today }: FiguresQuestion): Promise<ReadFigures> {
  const lines = await linesOf(bytes)
  const [header] = lines
  if (header === undefined) throw unreadable('is empty')
  const read = readSnds(lines, today) ?? readGoogle(lines, { numbers, today })
  if (read === undefined) {
    const seen = header.cells.map((name) => name.slice(0, 40)).slice(0, 8)
    throw unreadable(
      `is no file of Google Postmaster Tools or Microsoft SNDS that is known here: its first row is ${seen.join(', ')}`,
    )
  }
  if (read.figures.length === 0) throw unreadable('has no figures')
  if (read.figures.length > MAX_FIGURES)
    throw unreadable(`has more than ${MAX_FIGURES} figures; upload fewer days at once`)
  const coming = read.figures.find(({ day }) => day > dayAfter(today))
  if (coming) throw unreadable(`has figures of ${coming.day}, a day in the future`)
  return read
}

async function linesOf(bytes: Uint8Array): Promise<readonly CsvLine[]> {
  const encoding = encodingOf(bytes)
  const head = headOf(bytes, encoding)
  if (head.includes('\0')) throw unreadable('is not a CSV file: it holds bytes that are no text')
  const first = head.split(/[\r\n]/).find((line) => line.trim() !== '') ?? ''
  const [delimiter = ','] = DELIMITERS.toSorted((a, b) => first.split(b).length - first.split(a).length)
  const lines: CsvLine[] = []
  let row = 0
  try {
    for await (const cells of recordsOf(bytes, { encoding, delimiter })) {
      row++
      if (cells.every((cell) => cell === '')) continue
      lines.push({ row, cells })
      if (lines.length > MAX_ROWS) throw unreadable(`has more than ${MAX_ROWS} rows; upload fewer days at once`)
    }
  } catch (error) {
    if (!(error instanceof BrokenCsv)) throw error
    throw unreadable(`is not valid CSV. Row ${error.row}: ${error.problem}`)
  }
  return lines
}

/** Days begin at different times around the world. */
function dayAfter(day: string): string {
  return new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10)
}

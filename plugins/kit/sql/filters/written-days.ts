import type { Span } from '../../../../core/ports/store/audiences.ts'

/**
 * The first and the last day that a date-time within the span may be written with, which an offset from UTC moves by one
 * at most. Undefined when the span is open, or a year has not four digits.
 */
export function writtenDays({ from, before }: Span): readonly [first: string, last: string] | undefined {
  if (from === undefined || before === undefined) return undefined
  const [first, last] = [from.getTime() - DAY_MS, before.getTime() + DAY_MS]
  return first < FIRST || last > LAST ? undefined : [dayOf(first), dayOf(last)]
}

const DAY_MS = 86_400_000
const FIRST = Date.parse('0001-01-01T00:00:00Z')
const LAST = Date.parse('9999-12-31T00:00:00Z')

function dayOf(moment: number): string {
  return new Date(moment).toISOString().slice(0, 10)
}

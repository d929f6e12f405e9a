import { EngineError } from '../../../core/errors.ts'

/** As many rows are read at once. */
const AT_ONCE = 100
/** The pages that are looked through. */
const MOST_PAGES = 1000

/** A page of a list of ours. */
interface Page<T> {
  readonly data: readonly T[]
  readonly cursor: string | null
  /** How many the list has in all. */
  readonly total: number
}

interface Wanted<T> {
  /** As many rows are enough. */
  readonly most: number
  counts(row: T): boolean
  /** Whether no row after this one counts. */
  isPast?(row: T): boolean
}

/**
 * The first rows of a list that count, and how many there are in all. Throws EngineError `VALIDATION_ERROR` when they are
 * not among the first 100,000.
 */
export async function rowsOf<T>(
  read: (query: { readonly limit: string; readonly cursor?: string }) => Promise<Page<T>>,
  { most, counts, isPast = () => false }: Wanted<T>,
): Promise<{ readonly rows: readonly T[]; readonly total: number }> {
  const rows: T[] = []
  let cursor: string | null = null
  let total: number | undefined
  for (let pages = 0; pages < MOST_PAGES; pages++) {
    const page: Page<T> = await read({ limit: String(AT_ONCE), ...(cursor === null ? {} : { cursor }) })
    rows.push(...page.data.filter((row) => counts(row)))
    total ??= page.total
    cursor = page.cursor
    const last = page.data.at(-1)
    if (cursor === null || rows.length >= most || (last !== undefined && isPast(last))) {
      return { rows: rows.slice(0, most), total }
    }
  }
  throw new EngineError('VALIDATION_ERROR', 'More than 100,000 entries would have to be looked through.', {
    suggestion: 'Narrow the search.',
  })
}

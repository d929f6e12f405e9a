import * as v from 'valibot'
import { EngineError } from '../errors.ts'
import { describedBy } from './described.ts'
import { isId } from './id.ts'
import type { InputOf } from './input.ts'
import { isStorableText } from './json.ts'
import { parse, say } from './parse.ts'
import { yieldToLoop } from './yield-to-loop.ts'

/** One page of a list. `cursor` is undefined on the last page; `total` is counted only when no cursor was given. */
export interface Page<T> {
  /** The records of this page. */
  readonly items: readonly T[]
  /** Pass it to get the next page; undefined on the last one. */
  readonly cursor: string | undefined
  /** How many records there are in all; 0 on every page but the first. */
  readonly total: number
}

/** Where a cursor page starts: after the row with this sort value and id. */
export interface Position {
  readonly value: string
  readonly id: string
}

/** A repository's page request: at most `limit` rows after `after`. */
export interface PageRequest {
  readonly limit: number
  readonly after?: Position
}

/** A whole number in a query string, within bounds. */
export function wholeNumber(min: number, max: number) {
  return describedBy(
    v.pipe(
      v.union(
        [v.pipe(v.string(), v.regex(/^-?\d{1,9}$/), v.transform(Number)), v.pipe(v.number(), v.integer())],
        say('invalid_type', 'must be a whole number'),
      ),
      v.minValue(min),
      v.maxValue(max),
    ),
    v.pipe(v.number(), v.integer(), v.minValue(min), v.maxValue(max)),
  )
}

/** A cursor in a request; one with characters that cannot be stored is invalid like any other damaged one. */
const CursorParameter = v.pipe(
  v.string(),
  v.transform((text) => (isStorableText(text) ? text : '')),
)

/** The query of a cursor list: `limit` 1..100 (20), `cursor`. */
export const CursorQuery = v.object({
  /** How many at most: 1 to 100, by default 20. */
  limit: v.optional(wholeNumber(1, 100), 20),
  /** The `cursor` of the previous page, or the id of the record before; without it the list starts at its beginning. */
  cursor: v.optional(CursorParameter),
})

/** The query of a page list: `page` from 1, `pageSize` or `limit` 1..100 (20), or a `cursor`. */
export const PageQuery = v.object({
  /** The page, from 1. */
  page: v.optional(wholeNumber(1, 1_000_000), 1),
  /** Rows per page: 1 to 100, by default 20. */
  pageSize: v.optional(wholeNumber(1, 100)),
  /** Another name of `pageSize`. */
  limit: v.optional(wholeNumber(1, 100)),
  /** The `cursor` of the previous page or the id of its last record, instead of `page`: stable while rows are added. */
  cursor: v.optional(CursorParameter),
})

/** The part of a cursor list to answer. */
export interface CursorInput extends InputOf<typeof CursorQuery> {}

/** The part of a numbered list to answer. */
export interface PageInput extends InputOf<typeof PageQuery> {}

/** A repository's page request: the rows of a numbered page, or those after a cursor. */
export type NumberedRequest = PageRequest & { readonly offset?: number }

/** A numbered page; `cursor` leads to the next one, also while rows are added, and is undefined on the last. */
export interface NumberedPage<T> {
  /** The records of this page. */
  readonly items: readonly T[]
  /** How many records there are in all. */
  readonly total: number
  /** The number of this page, from 1. */
  readonly page: number
  /** How many records a page has at most. */
  readonly pageSize: number
  /** How many pages there are. */
  readonly totalPages: number
  /** Pass it to get the next page; undefined on the last one. */
  readonly cursor: string | undefined
}

/** The list a cursor belongs to, with its order and its project. */
export interface CursorList {
  readonly projectId: string
  readonly name: string
  /** True: it is ordered by another value than the id, so that an id alone is no position in it. */
  readonly isByValue?: boolean
}

/**
 * Makes a numbered page of a list ordered by id. `read` answers up to `limit + 1` rows, `count` the total. Throws
 * EngineError `BAD_REQUEST` for a cursor of another list.
 */
export async function numberedPage<T extends { readonly id: string }>(
  list: CursorList,
  query: v.InferOutput<typeof PageQuery>,
  read: (request: NumberedRequest) => Promise<readonly T[]>,
  count: () => Promise<number>,
): Promise<NumberedPage<T>> {
  const { page } = query
  const limit = query.pageSize ?? query.limit ?? 20
  const asked = pageRequest(list, { limit, cursor: query.cursor })
  const rows = await inParts(asked.after ? asked : { ...asked, offset: (page - 1) * limit }, read)
  const total = await count()
  const { items, cursor } = pageOf(list, rows, limit, total, ({ id }) => ({ value: '', id }))
  return { items, total, page, pageSize: limit, totalPages: Math.ceil(total / limit), cursor }
}

/** How many rows are read at once: one may have a megabyte. */
const PART = 20

/** The rows of a page, read in parts; other work on the event loop runs between them. */
async function inParts<T extends { readonly id: string }>(
  { limit, ...from }: NumberedRequest,
  read: (request: NumberedRequest) => Promise<readonly T[]>,
): Promise<readonly T[]> {
  const rows: T[] = []
  for (let place: Omit<NumberedRequest, 'limit'> = from; ; ) {
    const part = Math.min(PART, limit - rows.length)
    const found = await read({ limit: part, ...place })
    const last = found[part - 1]
    if (found.length <= part || last === undefined || rows.length + part === limit) return [...rows, ...found]
    rows.push(...found.slice(0, part))
    place = { after: { value: '', id: last.id } }
    await yieldToLoop()
  }
}

/** The opaque text of a position. It includes the list, so that a cursor of another list or project is refused. */
export function encodeCursor({ projectId, name }: CursorList, position: Position): string {
  return Buffer.from(JSON.stringify([projectId, name, position.value, position.id])).toString('base64url')
}

/**
 * Reads a cursor; the id of a record stands for the place after it. Throws EngineError `BAD_REQUEST` for one that is
 * damaged, or of another list or project.
 */
function decodeCursor(list: CursorList, cursor: string): Position {
  if (isId(cursor) && !list.isByValue) return { value: '', id: cursor }
  try {
    const [, , value, id] = parse(CursorText, JSON.parse(Buffer.from(cursor, 'base64url').toString()))
    const position = { value, id }
    // base64url decoding ignores junk, and the list may differ: a position of this list has only one valid text
    if (isId(id) && encodeCursor(list, position) === cursor) return position
  } catch {
    // thrown below
  }
  throw new EngineError('BAD_REQUEST', 'cursor: is damaged or belongs to another list', {
    suggestion: 'Pass the cursor of the previous page of the same list, or leave it out to start again.',
  })
}

const CursorText = v.strictTuple([v.string(), v.string(), v.string(), v.string()])

/** The request for one page: decodes the cursor of this list. */
export function pageRequest(list: CursorList, query: { limit: number; cursor?: string | undefined }): PageRequest {
  const { limit, cursor } = query
  return cursor === undefined ? { limit } : { limit, after: decodeCursor(list, cursor) }
}

/** Makes a page from `limit + 1` rows: the extra row only shows that there is more. */
export function pageOf<T>(
  list: CursorList,
  rows: readonly T[],
  limit: number,
  total: number,
  position: (row: T) => Position,
): Page<T> {
  const items = rows.slice(0, limit)
  const last = items.at(-1)
  const cursor = rows.length > limit && last !== undefined ? encodeCursor(list, position(last)) : undefined
  return { items, cursor, total }
}

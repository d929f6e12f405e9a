import * as v from 'valibot'
import { EngineError, invalidField } from '../../../core/errors.ts'
import type { ForeignAnswer } from '../../../core/ports/foreign-api.ts'
import { wholeNumber } from '../../../core/values/page.ts'
import { parse } from '../../../core/values/parse.ts'

/* Lists as Resend answers them: `limit`, and the id of the record `after` or `before` which the page stands. */

/** The pages that are looked through for a record, of 100 each. */
const MOST_PAGES = 10

const Query = v.object({
  limit: v.optional(wholeNumber(1, 100), 20),
  after: v.optional(v.string()),
  before: v.optional(v.string()),
})

interface Row {
  readonly id: string
}

/** A page of a list of ours. */
interface Page<T> {
  readonly data: readonly T[]
  readonly hasMore: boolean
}

/** A list of ours that is read by pages. */
export interface Paged<T> {
  /** Reads a page by our own query. */
  read(query: Readonly<Record<string, string>>): Promise<Page<T>>
  /** The rows that belong to the list; absent: all. */
  keeps?(row: T): boolean
}

/** The answer with a page of a list. */
export async function pageOf<T extends Row>(
  query: URLSearchParams,
  { read, keeps }: Paged<T>,
  write: (row: T) => unknown,
): Promise<ForeignAnswer> {
  const { limit, after, before } = readQuery(query)
  const rows: T[] = []
  let cursor = after
  for (let pages = 0; pages < MOST_PAGES; pages++) {
    const page = await read({
      limit: String(before || keeps ? 100 : limit),
      ...(cursor === undefined ? {} : { cursor }),
    })
    const at = page.data.findIndex(({ id }) => id === before)
    rows.push(...(at < 0 ? page.data : page.data.slice(0, at)).filter((row) => keeps?.(row) ?? true))
    cursor = page.data.at(-1)?.id
    if (at >= 0) return listOf(rows.slice(-limit).map(write), rows.length > limit)
    const hasMore = page.hasMore && cursor !== undefined
    if (before === undefined && (rows.length >= limit || !hasMore)) {
      return listOf(rows.slice(0, limit).map(write), hasMore || rows.length > limit)
    }
    if (!hasMore) break
  }
  if (before === undefined) return listOf(rows.map(write), true)
  return missing(before)
}

/** The answer with a page of a list that is read as a whole. */
export async function wholeList<T extends Row>(
  query: URLSearchParams,
  all: readonly T[],
  write: (row: T) => unknown,
): Promise<ForeignAnswer> {
  const read = async ({ limit, cursor }: Readonly<Record<string, string>>) => {
    const from = cursor === undefined ? 0 : all.findIndex(({ id }) => id === cursor) + 1
    if (cursor !== undefined && from === 0) throw new EngineError('RESOURCE_NOT_FOUND', `There is no record ${cursor}.`)
    const data = all.slice(from, from + Number(limit))
    return { data, hasMore: from + data.length < all.length }
  }
  return pageOf(query, { read }, write)
}

/**
 * Reads a list in whose order an id is no place: pages are read from the beginning until the record is found after which
 * the page stands. Throws EngineError `RESOURCE_NOT_FOUND` when it is not among the first of them.
 */
export function byPlace<T extends Row>(
  read: (query: Readonly<Record<string, string>>) => Promise<Page<T> & { readonly cursor: string | null }>,
): Paged<T>['read'] {
  const places = new Map<string, string>()
  return async ({ limit = '20', cursor: after }) => {
    const place = after === undefined ? undefined : places.get(after)
    const isKnown = after === undefined || place !== undefined
    let cursor = place
    for (let pages = 0; pages < MOST_PAGES; pages++) {
      const page = await read({ limit: isKnown ? limit : '100', ...(cursor === undefined ? {} : { cursor }) })
      const last = page.data.at(-1)
      if (last !== undefined && page.cursor !== null) places.set(last.id, page.cursor)
      if (isKnown) return page
      const at = page.data.findIndex(({ id }) => id === after)
      const rest = at < 0 ? [] : page.data.slice(at + 1)
      if (rest.length > 0) {
        const data = rest.slice(0, Number(limit))
        return { data, hasMore: page.cursor !== null || rest.length > data.length }
      }
      if (page.cursor === null) return at < 0 ? missing(after ?? '') : { data: [], hasMore: false }
      cursor = page.cursor
      // the record was the last of this page: the next one is asked for
      if (at >= 0) return read({ limit, cursor })
    }
    return missing(after ?? '')
  }
}

function missing(id: string): never {
  throw new EngineError('RESOURCE_NOT_FOUND', `There is no record ${id} among the newest of this list.`)
}

/** A list with all that it has. */
export function listOf(data: readonly unknown[], hasMore = false): ForeignAnswer {
  return { status: 200, body: { object: 'list', has_more: hasMore, data } }
}

function readQuery(query: URLSearchParams): v.InferOutput<typeof Query> {
  const asked = parse(Query, Object.fromEntries(query))
  if (asked.after === undefined || asked.before === undefined) return asked
  throw invalidField('before', 'custom', 'cannot be used together with `after`')
}

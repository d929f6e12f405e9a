import * as v from 'valibot'
import type { NumberedPage, Page } from '../../core/values/page.ts'
import { Count, many } from './parts.ts'

/** Where a list goes on. */
export const CURSOR = { cursor: v.nullable(v.string()), hasMore: v.boolean() }

/** A cursor list; `total` is 0 on all pages but the first. */
export function cursorList<Item extends v.GenericSchema>(item: Item) {
  return v.object({ data: many(item), ...CURSOR, total: Count })
}

/** A page of one. */
export function listed<T>({ items, cursor, total }: Page<T>, of: (item: T) => object) {
  return { data: items.map(of), cursor: cursor ?? null, hasMore: cursor !== undefined, total }
}

/** A numbered list. Its items are under their own name and, for clients that read all lists alike, under `data`. */
export function numberedList<Item extends v.GenericSchema>(name: string, item: Item) {
  const pages = { total: Count, page: Count, pageSize: Count, totalPages: Count }
  return v.object({ [name]: many(item), data: many(item), ...pages, ...CURSOR })
}

/** A page of one. */
export function numbered<T>(name: string, { items, cursor, ...page }: NumberedPage<T>, of: (item: T) => object) {
  const data = items.map(of)
  return { [name]: data, data, ...page, cursor: cursor ?? null, hasMore: cursor !== undefined }
}

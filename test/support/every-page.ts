/** A page of a cursor list in the API's form; lists of events name their rows `events`. */
interface PageBody {
  // biome-ignore lint/suspicious/noExplicitAny: rows of every shape
  readonly data?: readonly any[]
  // biome-ignore lint/suspicious/noExplicitAny: rows of every shape
  readonly events?: readonly any[]
  readonly cursor: string | null
  readonly hasMore: boolean
}

/**
 * Reads a cursor list from its first page to its last; `get` answers the parsed body of a path. Throws when a row comes
 * twice or the list never ends.
 */
// biome-ignore lint/suspicious/noExplicitAny: rows of every shape
export async function everyPage(get: (path: string) => Promise<PageBody>, path: string): Promise<any[]> {
  // biome-ignore lint/suspicious/noExplicitAny: rows of every shape
  const rows: any[] = []
  const join = path.includes('?') ? '&' : '?'
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const next = cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`
    const body = await get(`${path}${join}limit=100${next}`)
    rows.push(...(body.data ?? body.events ?? []))
    if (rows.length > 100_000 || body.hasMore !== (body.cursor !== null)) throw new Error(`${path} does not end`)
    cursor = body.cursor
  }
  if (new Set(rows.map(({ id }) => id)).size !== rows.length) throw new Error(`${path} has a row twice`)
  return rows
}

import type { FeedState } from '../../ports/store/series.ts'
import type { WebhookSender } from '../../ports/webhook-sender.ts'
import { type Feed, NoFeed, readFeed } from './read-feed.ts'

/** How large a feed may be, and how long it may take, in milliseconds. */
const MAX_BYTES = 2 * 1024 * 1024
const PATIENCE_MS = 15_000

/** The result of a request for a feed. */
export type FetchedFeed =
  | { readonly outcome: 'read'; readonly feed: Feed; readonly etag?: string; readonly lastModified?: string }
  /** It is as it was at the last reading. */
  | { readonly outcome: 'unchanged' }
  /** It could not be read, for this reason. */
  | { readonly outcome: 'broken'; readonly reason: string }

/** Asks for a feed, through the guard of our own network, unless it is as it was. Expected problems are answered. */
export async function fetchFeed(
  sender: WebhookSender,
  url: string,
  known: Pick<FeedState, 'etag' | 'lastModified'>,
  signal: AbortSignal,
): Promise<FetchedFeed> {
  const headers = {
    accept: 'application/rss+xml, application/atom+xml, application/xml;q=0.9, text/xml;q=0.9, */*;q=0.1',
    ...(known.etag === undefined ? {} : { 'if-none-match': known.etag }),
    ...(known.lastModified === undefined ? {} : { 'if-modified-since': known.lastModified }),
  }
  const whole = { redirect: 'fetch', document: { maxBytes: MAX_BYTES } } as const
  const request = { url, method: 'GET', headers, timeout: PATIENCE_MS, ...whole } as const
  const answer = await sender.send(request, signal)
  if (answer.outcome !== 'answered') return { outcome: 'broken', reason: answer.reason }
  const { status, headers: given, body } = answer
  if (status === 304) return { outcome: 'unchanged' }
  if (status !== 200) return { outcome: 'broken', reason: `its server answers with status ${status}` }
  try {
    const { etag, 'last-modified': lastModified } = given
    return {
      outcome: 'read',
      feed: await readFeed(body, url),
      ...(isKept(etag) ? { etag } : {}),
      ...(isKept(lastModified) ? { lastModified } : {}),
    }
  } catch (error) {
    if (error instanceof NoFeed) return { outcome: 'broken', reason: `it ${error.message}` }
    throw error
  }
}

function isKept(header: string | undefined): header is string {
  return header !== undefined && header.length <= 500
}

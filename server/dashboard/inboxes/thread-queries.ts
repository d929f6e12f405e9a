import { useAskNow } from '../api/ask.ts'
import type { Api } from '../api/client.ts'

/** How many messages are shown at first. */
export const FIRST = 20

/** A conversation: the key of its query, and how it is asked for. */
export const threadQuery = (id: string) =>
  [
    ['threads', id],
    (api: Api, signal: AbortSignal) => api.GET('/threads/{id}', { params: { path: { id } }, signal }),
  ] as const

/** The newest messages of a conversation that has so many. */
export const messagesQuery = (id: string, limit: number, messageCount: number) =>
  [
    ['threads', id, 'messages', limit, messageCount],
    (api: Api, signal: AbortSignal) =>
      api.GET('/threads/{id}/messages', { params: { path: { id }, query: { limit } }, signal }),
  ] as const

/** Asks for a conversation and its messages at once, when it is about to be opened: its page alone would ask for one after the other. */
export function useOpening() {
  const ask = useAskNow()
  return ({ id, messageCount }: { readonly id: string; readonly messageCount: number }) => {
    // the page itself shows what goes wrong
    for (const begun of [ask(...threadQuery(id)), ask(...messagesQuery(id, FIRST, messageCount))]) begun.catch(() => {})
  }
}

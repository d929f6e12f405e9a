import * as v from 'valibot'
import type { FollowedInbox, InboxEventList } from '../../core/inboxes/inbox-events.ts'
import type { InboxEvent } from '../../core/ports/store/inbox-events.ts'
import { answer } from './answer.ts'
import { Count, Fields, many, Time } from './parts.ts'

/** How long a client waits before it comes back, in milliseconds. */
const RETRY_MS = 1_000

/** An event of an inbox, in the form that webhooks have. */
const InboxEventAnswer = answer(
  'InboxEvent',
  { number: Count, type: v.string(), timestamp: Time, data: Fields },
  ({ number, name: type, at: timestamp, data }: InboxEvent) => ({ number, type, timestamp, data }),
)

export const InboxEventsAnswer = answer(
  'InboxEvents',
  { data: many(InboxEventAnswer.schema), last: Count, hasMore: v.boolean(), lost: v.boolean() },
  ({ items, ...list }: InboxEventList) => ({ ...list, data: items.map(InboxEventAnswer.of) }),
)

/** The header fields of a stream of events; proxies must not gather it. */
export const STREAM_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
}

/** The events as Server-Sent Events (HTML standard, section 9.2). */
export function eventStream(followed: FollowedInbox): AsyncIterableIterator<string> {
  const { from, lost, batches } = followed
  // a block without data is no event, but its id is what the client comes back with
  let beginning = `retry: ${RETRY_MS}\nid: ${from}\n\n`
  if (lost) beginning += `event: inbox.events.lost\ndata: ${JSON.stringify({ after: from })}\n\n`
  return {
    async next() {
      if (beginning !== '') {
        const value = beginning
        beginning = ''
        return { done: false, value }
      }
      const { done, value } = await batches.next()
      if (done) return { done, value: undefined }
      return { done: false, value: value.length === 0 ? ': still here\n\n' : value.map(blockOf).join('') }
    },
    async return() {
      await batches.return?.()
      return { done: true, value: undefined }
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}

function blockOf(event: InboxEvent): string {
  const { number, name } = event
  // JSON has no line breaks of its own
  return `id: ${number}\nevent: ${name}\ndata: ${JSON.stringify(InboxEventAnswer.of(event))}\n\n`
}

import { invalidField } from '../../core/errors.ts'
import { ListInboxEvents } from '../../core/inboxes/inbox-events.ts'
import { inboxVisitorOf } from '../../core/projects/caller.ts'
import { untrusted } from '../../core/values/input.ts'
import { eventStream, InboxEventsAnswer, STREAM_HEADERS } from '../answers/inbox-events.ts'
import { type KeyRoute, ok } from '../http/route.ts'

/** How long a client may leave what is sent to it unread, in milliseconds. */
const PATIENCE_MS = 30_000

/** The events of inboxes, as they happen. */
export const inboxEventRoutes: readonly KeyRoute[] = [
  {
    method: 'GET',
    path: '/inboxes/:id/events',
    operation: 'listInboxEvents',
    summary: 'Follow what happens in an inbox',
    description:
      'With `Accept: text/event-stream` as Server-Sent Events, after the event in `Last-Event-ID`, else from now on; otherwise a list of those after `after`. In the order in which they happened. They are kept for 30 days.',
    access: 'secret',
    area: 'inboxes',
    takes: { query: ListInboxEvents },
    gives: { 200: [InboxEventsAnswer.schema, 'text/event-stream'] },
    async handle(engine, request) {
      const { caller, query } = request
      const [id, by] = [request.param('id'), inboxVisitorOf(caller)]
      const { events } = engine.inboxes
      if (!/\btext\/event-stream\b/i.test(request.header('accept') ?? '')) {
        return ok(InboxEventsAnswer.of(await events.list(caller.project, id, query, by)))
      }
      const known = request.header('last-event-id')?.trim() || undefined
      if (known !== undefined && !/^\d{1,9}$/.test(known)) {
        throw invalidField('Last-Event-ID', 'invalid_string', 'must be the id of an event of this inbox')
      }
      const followed = await events.follow(
        caller.project,
        id,
        known === undefined ? query : untrusted({ after: known }),
        by,
      )
      return { status: 200, stream: eventStream(followed), patienceMs: PATIENCE_MS, headers: STREAM_HEADERS }
    },
  },
]

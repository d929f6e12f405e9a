import { ListEmails } from '../../core/mails/list-emails.ts'
import { Redate, Resend } from '../../core/mails/mails.ts'
import { EmailAnswer, EmailDetailAnswer, EmailHeaders, EmailRoute, ListedEmailAnswer } from '../answers/emails.ts'
import { cursorList, listed } from '../answers/lists.ts'
import { created, type KeyRoute, ok, replayedHeader } from '../http/route.ts'

/** The ledger: every mail and its status. */
export const emailRoutes: readonly KeyRoute[] = [
  {
    method: 'GET',
    path: '/emails',
    operation: 'listEmails',
    summary: 'List mails',
    description: 'Newest first, with their subjects. All filters may be combined; `search` finds words.',
    access: 'secret',
    takes: { query: ListEmails },
    gives: { 200: cursorList(ListedEmailAnswer.schema) },
    examples: [
      { query: { status: 'QUEUED', limit: 10 } },
      { summary: 'Search', query: { search: 'to:ada@example.org subject:"your order" after:2026-01-31' } },
      { summary: 'Mails opened on one day', query: { opened: true, day: '2026-01-31', timezone: 'Europe/Berlin' } },
    ],
    async handle(engine, { caller, query }) {
      return ok(listed(await engine.mails.list(caller.project, query), ListedEmailAnswer.of))
    },
  },
  {
    method: 'GET',
    path: '/emails/:id',
    operation: 'getEmail',
    summary: 'Get a mail with its text and its events',
    description: "Shows what was sent, the last tries with the servers' replies, and what happened to the mail since.",
    access: 'secret',
    gives: { 200: EmailDetailAnswer.schema },
    async handle(engine, request) {
      return ok(EmailDetailAnswer.of(await engine.mails.get(request.caller.project, request.param('id'))))
    },
  },
  {
    method: 'GET',
    path: '/emails/:id/raw',
    operation: 'downloadEmail',
    summary: 'Download a mail as a file',
    description:
      'The message (RFC 5322) as it is handed over, composed again and signed with the current keys. 404 if its text was erased.',
    access: 'secret',
    gives: { 200: 'message/rfc822' },
    async handle(engine, request) {
      const id = request.param('id')
      const raw = await engine.mails.raw(request.caller.project, id)
      const headers = {
        'content-type': 'message/rfc822',
        'content-disposition': `attachment; filename="${id}.eml"`,
        'content-security-policy': "sandbox; default-src 'none'",
        'x-content-type-options': 'nosniff',
        'cache-control': 'private, no-store',
      }
      return { status: 200, raw, headers }
    },
  },
  {
    method: 'GET',
    path: '/emails/:id/headers',
    operation: 'getEmailHeaders',
    summary: 'Get the header fields of a mail',
    description:
      'From, To, List-Unsubscribe and all others, in the order of the raw message and decoded. 404 if its text was erased.',
    access: 'secret',
    gives: { 200: EmailHeaders },
    async handle(engine, request) {
      const headers = await engine.mails.headers(request.caller.project, request.param('id'))
      return ok({ headers: headers.map(([name, value]) => ({ name, value })) })
    },
  },
  {
    method: 'GET',
    path: '/emails/:id/route',
    operation: 'getEmailRoute',
    summary: 'Get the way of a mail',
    description:
      'Where it would go now, and the transports that it has tried. The person who runs the server also learns which rule of routing decides, and why no other fits. 404 for a received mail.',
    access: 'secret',
    gives: { 200: EmailRoute },
    async handle(engine, request) {
      const { caller } = request
      const isOperator = await engine.accounts.members.isOperatorCalling(caller)
      return ok(await engine.installation.routes.explain(caller.project, request.param('id'), { isOperator }))
    },
  },
  {
    method: 'PATCH',
    path: '/emails/:id',
    operation: 'rescheduleEmail',
    audit: 'people',
    summary: 'Reschedule a waiting mail',
    description: 'Only while it is QUEUED, otherwise 409. A time up to a minute ago means now.',
    access: 'secret',
    area: 'send',
    body: 'json',
    takes: { body: Redate },
    gives: { 200: EmailAnswer.schema },
    examples: [{ body: { scheduledFor: '2026-06-15T09:00:00Z' } }],
    async handle(engine, request) {
      return ok(EmailAnswer.of(await engine.mails.redate(request.caller.project, request.param('id'), request.body)))
    },
  },
  {
    method: 'POST',
    path: '/emails/:id/cancel',
    operation: 'cancelEmail',
    audit: 'people',
    summary: 'Cancel a waiting mail',
    description: 'It becomes SKIPPED and is never sent. 409 unless it is QUEUED.',
    access: 'secret',
    area: 'send',
    gives: { 200: EmailAnswer.schema },
    async handle(engine, request) {
      return ok(EmailAnswer.of(await engine.mails.cancel(request.caller.project, request.param('id'))))
    },
  },
  {
    method: 'POST',
    path: '/emails/:id/resend',
    operation: 'resendEmail',
    audit: 'people',
    summary: 'Send a mail again, as a new one',
    description:
      'The same text to the same or another address, with a new id. 409 says why a mail cannot be sent again.',
    access: 'secret',
    area: 'send',
    body: 'json-or-nothing',
    takes: { body: Resend },
    gives: { 201: EmailAnswer.schema },
    idempotent: 'room',
    examples: [{ body: { to: 'grace@example.org' } }],
    async handle(engine, request) {
      const { caller, body, idempotencyKey } = request
      const { answer, replayed } = await engine.mails.resend(caller.project, request.param('id'), body, {
        idempotencyKey,
      })
      return { ...created(EmailAnswer.of(answer)), ...replayedHeader(replayed) }
    },
  },
]

import { BULK_OPERATIONS } from '../../core/ports/store/contact-jobs.ts'
import type { Once } from '../../core/projects/idempotency.ts'
import { MEGABYTE } from '../body.ts'
import { accepted, type KeyRoute, noContent, ok, type Reply } from '../route.ts'
import { contactJobOnWire, contactOnWire, listOnWire } from '../wire.ts'

/** Bulk changes of contacts. */
const bulkRoutes = BULK_OPERATIONS.map(
  (operation): KeyRoute => ({
    method: 'POST',
    path: `/contacts/bulk-${operation}`,
    summary: `${{ subscribe: 'Subscribe', unsubscribe: 'Unsubscribe', delete: 'Delete' }[operation]} many contacts`,
    access: 'secret',
    body: 'json',
    answers: [202],
    async handle(engine, { caller, body, idempotencyKey }) {
      return acceptedOnce(await engine.contactJobs.bulk(caller.project, operation, body, { idempotencyKey }))
    },
  }),
)

/** A project's contacts. */
export const contactRoutes: readonly KeyRoute[] = [
  {
    method: 'GET',
    path: '/contacts',
    summary: 'List contacts',
    access: 'secret',
    answers: [200],
    async handle(engine, { caller, query }) {
      return ok(listOnWire(await engine.contacts.list(caller.project, query), contactOnWire))
    },
  },
  {
    method: 'POST',
    path: '/contacts',
    summary: 'Make a contact, or change the one of that address',
    access: 'secret',
    body: 'json',
    answers: [201, 200],
    async handle(engine, { caller, body }) {
      const { contact, isNew } = await engine.contacts.upsert(caller.project, body)
      const _meta = { isNew, isUpdate: !isNew }
      return { status: isNew ? 201 : 200, body: { ...contactOnWire(contact), _meta } }
    },
  },
  {
    method: 'POST',
    path: '/contacts/lookup',
    summary: 'Tell which addresses are contacts',
    access: 'secret',
    body: 'json',
    answers: [200],
    async handle(engine, { caller, body }) {
      return ok(await engine.contacts.lookup(caller.project, body))
    },
  },
  {
    method: 'GET',
    path: '/contacts/export',
    summary: 'Export contacts as CSV',
    access: 'secret',
    answers: [200],
    async handle(engine, { caller, query }) {
      const stream = await engine.contacts.export(caller.project, query)
      const name = `contacts-${engine.now().toISOString().slice(0, 10)}.csv`
      const headers = {
        'content-type': 'text/csv; charset=utf-8; header=present',
        'content-disposition': `attachment; filename="${name}"`,
        'cache-control': 'no-store',
      }
      return { status: 200, stream, headers }
    },
  },
  {
    method: 'POST',
    path: '/contacts/import',
    summary: 'Import contacts from a CSV file',
    access: 'secret',
    body: 'multipart',
    // 5 MB for the file; the rest is for the form around it
    bodyLimit: 6 * MEGABYTE,
    answers: [202],
    async handle(engine, { caller, body, idempotencyKey }) {
      return acceptedOnce(await engine.contactJobs.import(caller.project, body, { idempotencyKey }))
    },
  },
  {
    method: 'GET',
    path: '/contacts/import/:jobId',
    summary: 'See how far an import is',
    access: 'secret',
    answers: [200],
    async handle(engine, request) {
      return ok(
        contactJobOnWire(await engine.contactJobs.get(request.caller.project, 'import', request.param('jobId'))),
      )
    },
  },
  ...bulkRoutes,
  {
    method: 'GET',
    path: '/contacts/bulk/:jobId',
    summary: 'See how far a change of many contacts is',
    access: 'secret',
    answers: [200],
    async handle(engine, request) {
      return ok(contactJobOnWire(await engine.contactJobs.get(request.caller.project, 'bulk', request.param('jobId'))))
    },
  },
  {
    method: 'GET',
    path: '/contacts/:id',
    summary: 'Get a contact',
    access: 'secret',
    answers: [200],
    async handle(engine, request) {
      return ok(contactOnWire(await engine.contacts.get(request.caller.project, request.param('id'))))
    },
  },
  {
    method: 'PATCH',
    path: '/contacts/:id',
    summary: 'Change a contact',
    access: 'secret',
    body: 'json',
    answers: [200],
    async handle(engine, request) {
      return ok(contactOnWire(await engine.contacts.change(request.caller.project, request.param('id'), request.body)))
    },
  },
  {
    method: 'DELETE',
    path: '/contacts/:id',
    summary: 'Delete a contact for good',
    access: 'secret',
    answers: [204],
    async handle(engine, request) {
      await engine.contacts.remove(request.caller.project, request.param('id'))
      return noContent
    },
  },
]

function acceptedOnce({ answer, replayed }: Once<object>): Reply {
  const reply = accepted(answer)
  return replayed ? { ...reply, headers: { 'idempotent-replayed': 'true' } } : reply
}

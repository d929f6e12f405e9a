import { BulkContacts } from '../../core/contacts/bulk-contacts.ts'
import { ChangeContact, CreateContact } from '../../core/contacts/contact.ts'
import { ImportBody } from '../../core/contacts/contact-jobs.ts'
import { ListContacts, LookUp, NarrowContacts } from '../../core/contacts/contacts.ts'
import { BULK_OPERATIONS } from '../../core/ports/store/contact-jobs.ts'
import type { Once } from '../../core/projects/idempotency.ts'
import { MEGABYTE } from '../body.ts'
import { EXAMPLE_IDS } from '../openapi/example-ids.ts'
import { accepted, type KeyRoute, noContent, ok, type Reply } from '../route.ts'
import {
  AcceptedJob,
  BulkJob,
  ContactRecord,
  ImportJob,
  LookedUpContacts,
  UpsertedContact,
} from '../schemas/contacts.ts'
import { cursorList } from '../schemas/parts.ts'
import { contactJobOnWire, contactOnWire, listOnWire } from '../wire.ts'

/** Bulk changes of contacts. */
const bulkRoutes = BULK_OPERATIONS.map(
  (operation): KeyRoute => ({
    method: 'POST',
    path: `/contacts/bulk-${operation}`,
    operation: `${operation}Contacts`,
    summary: `${{ subscribe: 'Subscribe', unsubscribe: 'Unsubscribe', delete: 'Delete' }[operation]} many contacts`,
    access: 'secret',
    body: 'json',
    takes: { body: BulkContacts },
    gives: { 202: AcceptedJob },
    idempotent: true,
    examples: [
      { summary: 'By id', body: { contactIds: [EXAMPLE_IDS.contact] } },
      {
        summary: 'All that a filter finds',
        body: {
          mode: 'query',
          filter: { operator: 'AND', conditions: [{ field: 'data.plan', operator: 'equals', value: 'none' }] },
        },
      },
    ],
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
    operation: 'listContacts',
    summary: 'List contacts',
    access: 'secret',
    takes: { query: ListContacts },
    gives: { 200: cursorList(ContactRecord) },
    examples: [{ query: { search: 'ada', subscribed: true, sort: 'email', limit: 50 } }],
    async handle(engine, { caller, query }) {
      return ok(listOnWire(await engine.contacts.list(caller.project, query), contactOnWire))
    },
  },
  {
    method: 'POST',
    path: '/contacts',
    operation: 'upsertContact',
    audit: 'people',
    summary: 'Make a contact, or change the one of that address',
    access: 'secret',
    body: 'json',
    takes: { body: CreateContact },
    gives: { 201: UpsertedContact, 200: UpsertedContact },
    examples: [{ body: { email: 'ada@example.org', data: { name: 'Ada', plan: 'pro' } } }],
    async handle(engine, { caller, body }) {
      const { contact, isNew } = await engine.contacts.upsert(caller.project, body)
      const _meta = { isNew, isUpdate: !isNew }
      return { status: isNew ? 201 : 200, body: { ...contactOnWire(contact), _meta } }
    },
  },
  {
    method: 'POST',
    path: '/contacts/lookup',
    operation: 'lookUpContacts',
    audit: 'never',
    summary: 'Tell which addresses are contacts',
    access: 'secret',
    body: 'json',
    takes: { body: LookUp },
    gives: { 200: LookedUpContacts },
    examples: [{ body: { emails: ['ada@example.org', 'nobody@example.org'] } }],
    async handle(engine, { caller, body }) {
      return ok(await engine.contacts.lookup(caller.project, body))
    },
  },
  {
    method: 'GET',
    path: '/contacts/export',
    operation: 'exportContacts',
    audit: 'always',
    summary: 'Export contacts as CSV',
    access: 'secret',
    takes: { query: NarrowContacts },
    gives: { 200: 'text/csv' },
    examples: [{ query: { subscribed: true } }],
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
    operation: 'importContacts',
    summary: 'Import contacts from a CSV file',
    access: 'secret',
    body: 'multipart',
    // 5 MB for the file; the rest is for the form around it
    bodyLimit: 6 * MEGABYTE,
    takes: { body: ImportBody },
    gives: { 202: AcceptedJob },
    idempotent: true,
    examples: [{ body: { file: 'email,plan\nada@example.org,pro\n' } }],
    async handle(engine, { caller, body, idempotencyKey }) {
      return acceptedOnce(await engine.contactJobs.import(caller.project, body, { idempotencyKey }))
    },
  },
  {
    method: 'GET',
    path: '/contacts/import/:jobId',
    operation: 'getImport',
    summary: 'See how far an import is',
    access: 'secret',
    gives: { 200: ImportJob },
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
    operation: 'getBulkChange',
    summary: 'See how far a change of many contacts is',
    access: 'secret',
    gives: { 200: BulkJob },
    async handle(engine, request) {
      return ok(contactJobOnWire(await engine.contactJobs.get(request.caller.project, 'bulk', request.param('jobId'))))
    },
  },
  {
    method: 'GET',
    path: '/contacts/:id',
    operation: 'getContact',
    summary: 'Get a contact',
    access: 'secret',
    gives: { 200: ContactRecord },
    async handle(engine, request) {
      return ok(contactOnWire(await engine.contacts.get(request.caller.project, request.param('id'))))
    },
  },
  {
    method: 'PATCH',
    path: '/contacts/:id',
    operation: 'changeContact',
    audit: 'people',
    summary: 'Change a contact',
    access: 'secret',
    body: 'json',
    takes: { body: ChangeContact },
    gives: { 200: ContactRecord },
    examples: [{ body: { subscribed: false, data: { plan: 'free', oldKey: null } } }],
    async handle(engine, request) {
      return ok(contactOnWire(await engine.contacts.change(request.caller.project, request.param('id'), request.body)))
    },
  },
  {
    method: 'DELETE',
    path: '/contacts/:id',
    operation: 'deleteContact',
    summary: 'Delete a contact for good',
    access: 'secret',
    gives: { 204: null },
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

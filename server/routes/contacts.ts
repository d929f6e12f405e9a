import { BulkContacts } from '../../core/contacts/bulk-contacts.ts'
import { ChangeContact, CreateContact } from '../../core/contacts/contact.ts'
import { ImportBody, ImportQuery } from '../../core/contacts/contact-jobs.ts'
import { ListContacts, LookUp, NarrowContacts } from '../../core/contacts/contacts.ts'
import { MergeContacts } from '../../core/contacts/merge-contacts.ts'
import { BULK_OPERATIONS } from '../../core/ports/store/contact-jobs.ts'
import type { Once } from '../../core/projects/idempotency.ts'
import { MAX_EVALUATED } from '../../core/segments/segments-of-contact.ts'
import { CursorQuery } from '../../core/values/page.ts'
import { parse } from '../../core/values/parse.ts'
import { ListContactExecutions } from '../../core/workflows/executions.ts'
import { AcceptedJob, BulkJob, ImportJob, ImportPreview, shownJob } from '../answers/contact-jobs.ts'
import {
  ConfirmationAnswer,
  ContactAnswer,
  ContactCount,
  LookedUpContacts,
  UpsertedContact,
} from '../answers/contacts.ts'
import { cursorList, listed } from '../answers/lists.ts'
import { SegmentsOfContact } from '../answers/segments.ts'
import { ContactExecutionAnswer } from '../answers/workflows.ts'
import { MEGABYTE } from '../http/body.ts'
import { csvHeaders } from '../http/csv-file.ts'
import type { ApiRequest } from '../http/requests.ts'
import { accepted, type KeyRoute, noContent, ok, type Reply } from '../http/route.ts'
import { EXAMPLE_IDS } from '../openapi/example-ids.ts'

/** Bulk changes of contacts. */
const bulkRoutes = BULK_OPERATIONS.map(
  (operation): KeyRoute => ({
    method: 'POST',
    path: `/contacts/bulk-${operation}`,
    operation: `${operation}Contacts`,
    summary: `${{ subscribe: 'Subscribe', unsubscribe: 'Unsubscribe', delete: 'Delete' }[operation]} many contacts`,
    description:
      'By id, or all that match a filter. The work is done in the background; `GET /contacts/bulk/{jobId}` shows the progress.',
    access: 'secret',
    body: 'json',
    takes: { body: BulkContacts },
    gives: { 202: AcceptedJob },
    idempotent: 'room',
    examples: [
      { summary: 'By id', body: { contactIds: [EXAMPLE_IDS.contact] } },
      {
        summary: 'All that match a filter',
        body: {
          mode: 'query',
          filter: { operator: 'AND', conditions: [{ field: 'data.plan', operator: 'equals', value: 'none' }] },
        },
      },
    ],
    async handle(engine, { caller, body, idempotencyKey }) {
      return acceptedOnce(await engine.contacts.jobs.bulk(caller.project, operation, body, { idempotencyKey }))
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
    description:
      'Newest first unless `sort` says otherwise. `search`, `subscribed` and `filter` narrow the list and may be combined.',
    access: 'secret',
    takes: { query: ListContacts },
    gives: { 200: cursorList(ContactAnswer.schema) },
    examples: [{ query: { search: 'ada', subscribed: true, sort: 'email', limit: 50 } }],
    async handle(engine, { caller, query }) {
      return ok(listed(await engine.contacts.list(caller.project, query), ContactAnswer.of))
    },
  },
  {
    method: 'POST',
    path: '/contacts',
    operation: 'upsertContact',
    audit: 'people',
    summary: 'Create a contact, or change the one with that address',
    description: 'Returns 201 for a new contact and 200 for a known one. Fields of `data` are merged key by key.',
    access: 'secret',
    body: 'json',
    takes: { body: CreateContact },
    gives: { 201: UpsertedContact.schema, 200: UpsertedContact.schema },
    examples: [{ body: { email: 'ada@example.org', data: { name: 'Ada', plan: 'pro' } } }],
    async handle(engine, { caller, body }) {
      const { contact, isNew } = await engine.contacts.upsert(caller.project, body)
      const _meta = { isNew, isUpdate: !isNew }
      return { status: isNew ? 201 : 200, body: UpsertedContact.of({ ...contact, _meta }) }
    },
  },
  {
    method: 'GET',
    path: '/contacts/count',
    operation: 'countContacts',
    summary: 'Count contacts',
    description:
      '`search`, `subscribed` and `filter` narrow the count as they do the list. `total=false` returns the list without counting.',
    access: 'secret',
    takes: { query: NarrowContacts },
    gives: { 200: ContactCount },
    examples: [{ query: { subscribed: true } }],
    async handle(engine, { caller, query }) {
      return ok({ count: await engine.contacts.count(caller.project, query) })
    },
  },
  {
    method: 'POST',
    path: '/contacts/lookup',
    operation: 'lookUpContacts',
    audit: 'never',
    idempotent: 'ignored',
    summary: 'Find out which addresses are contacts',
    description: 'Takes up to 500 addresses and changes nothing.',
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
    description:
      'Streams all contacts, or those that match `search`, `subscribed` and `filter`. Importing the file makes the same contacts.',
    access: 'secret',
    takes: { query: NarrowContacts },
    gives: { 200: 'text/csv' },
    examples: [{ query: { subscribed: true } }],
    async handle(engine, { caller, query }) {
      const stream = await engine.contacts.export(caller.project, query)
      return { status: 200, stream, headers: csvHeaders(`contacts-${engine.now().toISOString().slice(0, 10)}.csv`) }
    },
  },
  {
    method: 'POST',
    path: '/contacts/import',
    operation: 'importContacts',
    summary: 'Import contacts from a CSV file',
    description:
      'The file is stored and read in the background. `GET /contacts/import/{jobId}` shows the progress, and its `/refused` returns each refused row.',
    access: 'secret',
    body: 'multipart',
    // 5 MB for the file; the rest is for the form around it
    bodyLimit: 6 * MEGABYTE,
    takes: { body: ImportBody, query: ImportQuery },
    gives: { 202: AcceptedJob },
    idempotent: 'room',
    examples: [{ body: { file: 'email,plan\nada@example.org,pro\n' } }],
    async handle(engine, request) {
      const { caller, idempotencyKey } = request
      return acceptedOnce(await engine.contacts.jobs.import(caller.project, importInput(request), { idempotencyKey }))
    },
  },
  {
    method: 'POST',
    path: '/contacts/import/preview',
    operation: 'previewImport',
    audit: 'never',
    summary: 'Preview an import',
    description:
      'Reads the file as an import would, without writing anything. Shows what each column becomes, the first contacts, how many are new, and which rows would be refused.',
    access: 'secret',
    body: 'multipart',
    bodyLimit: 6 * MEGABYTE,
    takes: { body: ImportBody, query: ImportQuery },
    gives: { 200: ImportPreview },
    idempotent: 'ignored',
    examples: [{ body: { file: 'email,plan\nada@example.org,pro\n' } }],
    async handle(engine, request) {
      return ok(await engine.contacts.jobs.preview(request.caller.project, importInput(request)))
    },
  },
  {
    method: 'GET',
    path: '/contacts/import',
    operation: 'listImports',
    summary: 'List imports',
    description: 'Newest first, with progress and result; they are kept for 30 days.',
    access: 'secret',
    takes: { query: CursorQuery },
    gives: { 200: cursorList(ImportJob) },
    async handle(engine, { caller, query }) {
      return ok(listed(await engine.contacts.jobs.imports(caller.project, query), shownJob))
    },
  },
  {
    method: 'GET',
    path: '/contacts/import/:jobId',
    operation: 'getImport',
    summary: 'Get the progress of an import',
    description: 'Shows how the file was read: its encoding and columns, and which rows were refused and why.',
    access: 'secret',
    gives: { 200: ImportJob },
    async handle(engine, request) {
      return ok(shownJob(await engine.contacts.jobs.get(request.caller.project, 'import', request.param('jobId'))))
    },
  },
  {
    method: 'GET',
    path: '/contacts/import/:jobId/refused',
    operation: 'exportRefusedRows',
    audit: 'always',
    summary: 'Export the refused rows of an import as CSV',
    description:
      'The first 50,000 as they were in the file, with the reason in the column `import_error`, which an import ignores, so you can correct the file and import it again. Empty if no row was refused.',
    access: 'secret',
    gives: { 200: 'text/csv' },
    async handle(engine, request) {
      const stream = await engine.contacts.jobs.refused(request.caller.project, request.param('jobId'))
      return { status: 200, stream, headers: csvHeaders('refused-rows.csv') }
    },
  },
  ...bulkRoutes,
  {
    method: 'GET',
    path: '/contacts/bulk/:jobId',
    operation: 'getBulkChange',
    summary: 'Get the progress of a bulk change',
    description: 'Shows how many contacts were changed, and the first 100 that could not be.',
    access: 'secret',
    gives: { 200: BulkJob },
    async handle(engine, request) {
      return ok(shownJob(await engine.contacts.jobs.get(request.caller.project, 'bulk', request.param('jobId'))))
    },
  },
  {
    method: 'GET',
    path: '/contacts/:id',
    operation: 'getContact',
    summary: 'Get a contact',
    description: 'Shows the address, the subscription and all fields.',
    access: 'secret',
    gives: { 200: ContactAnswer.schema },
    async handle(engine, request) {
      return ok(ContactAnswer.of(await engine.contacts.get(request.caller.project, request.param('id'))))
    },
  },
  {
    method: 'GET',
    path: '/contacts/:id/segments',
    operation: 'listSegmentsOfContact',
    summary: 'List the segments a contact is in',
    description: `For static and tracked segments, the stored members are used, with \`since\`. For any other segment, the filter is evaluated for this contact: up to ${MAX_EVALUATED} of them in two seconds; the rest is listed in \`unchecked\`.`,
    access: 'secret',
    gives: { 200: SegmentsOfContact.schema },
    async handle(engine, request) {
      return ok(SegmentsOfContact.of(await engine.segments.ofContact(request.caller.project, request.param('id'))))
    },
  },
  {
    method: 'GET',
    path: '/contacts/:id/workflows',
    operation: 'listExecutionsOfContact',
    summary: "List a contact's workflow executions",
    description: 'Newest first, each with its workflow and current step. `status` narrows the list.',
    access: 'secret',
    takes: { query: ListContactExecutions },
    gives: { 200: cursorList(ContactExecutionAnswer.schema) },
    examples: [{ query: { status: 'WAITING' } }],
    async handle(engine, request) {
      const { project } = request.caller
      const found = await engine.workflows.executions.ofContact(project, request.param('id'), request.query)
      return ok(listed(found, ContactExecutionAnswer.of))
    },
  },
  {
    method: 'PATCH',
    path: '/contacts/:id',
    operation: 'changeContact',
    audit: 'people',
    summary: 'Change a contact',
    description: 'Only the fields in the request change. Fields of `data` are merged key by key; null deletes a key.',
    access: 'secret',
    body: 'json',
    takes: { body: ChangeContact },
    gives: { 200: ContactAnswer.schema },
    examples: [{ body: { subscribed: false, data: { plan: 'free', oldKey: null } } }],
    async handle(engine, request) {
      return ok(
        ContactAnswer.of(await engine.contacts.change(request.caller.project, request.param('id'), request.body)),
      )
    },
  },
  {
    method: 'POST',
    path: '/contacts/:id/merge',
    operation: 'mergeContacts',
    summary: 'Merge another contact into this one',
    description:
      'This contact keeps its address and its own data, gets the rest, the mails and the history of the other, and the stricter consent of both. The other contact is gone; the links in its mails lead to this one, and its address stands for it.',
    access: 'secret',
    body: 'json',
    takes: { body: MergeContacts },
    gives: { 200: ContactAnswer.schema },
    examples: [{ body: { from: EXAMPLE_IDS.otherContact } }],
    async handle(engine, request) {
      return ok(
        ContactAnswer.of(await engine.contacts.merge(request.caller.project, request.param('id'), request.body)),
      )
    },
  },
  {
    method: 'DELETE',
    path: '/contacts/:id',
    operation: 'deleteContact',
    summary: 'Delete a contact permanently',
    description:
      'Its data, its events and the text of its mails are erased. The records of its mails stay, without the address.',
    access: 'secret',
    gives: { 204: null },
    async handle(engine, request) {
      await engine.contacts.remove(request.caller.project, request.param('id'))
      return noContent
    },
  },
  {
    method: 'GET',
    path: '/contacts/:id/confirmation',
    operation: 'getConfirmation',
    summary: 'Get the confirmation that is awaited of a contact',
    description:
      'Of a contact who signed up by a form, or asked for mail on a page, and has not confirmed: since when, and which mails asked. Without one, `since` is null.',
    access: 'secret',
    gives: { 200: ConfirmationAnswer.schema },
    async handle(engine, request) {
      const { unconfirmed } = engine.subscriptions
      return ok(ConfirmationAnswer.of(await unconfirmed.of(request.caller.project, request.param('id'))))
    },
  },
  {
    method: 'POST',
    path: '/contacts/:id/confirmation',
    operation: 'askConfirmationAgain',
    summary: 'Send the confirmation mail again',
    description:
      'Only to a contact who signed up and has not confirmed; the contact subscribes when the person confirms, by any of the mails. At most once a day to a mailbox (429), and three times in all (409), within the limits of `strangers`.',
    access: 'secret',
    gives: { 202: ConfirmationAnswer.schema },
    fails: [409],
    async handle(engine, request) {
      const { unconfirmed } = engine.subscriptions
      return accepted(ConfirmationAnswer.of(await unconfirmed.askAgain(request.caller.project, request.param('id'))))
    },
  },
]

/** The import's input: columns may stand in the query; the form wins. */
function importInput({ body, query }: ApiRequest) {
  return { ...parse(ImportQuery, query), ...body }
}

function acceptedOnce({ answer, replayed }: Once<object>): Reply {
  const reply = accepted(answer)
  return replayed ? { ...reply, headers: { 'idempotent-replayed': 'true' } } : reply
}

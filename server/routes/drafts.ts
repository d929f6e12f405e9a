import { ApproveDraft, ChangeDraft, CreateDraft, RefuseDraft, SendDraft } from '../../core/inboxes/draft-request.ts'
import { AttachmentBody } from '../../core/mails/attached-file.ts'
import { inboxVisitorOf } from '../../core/projects/caller.ts'
import { CursorQuery } from '../../core/values/page.ts'
import { InboxDraftAnswer } from '../answers/inboxes.ts'
import { cursorList, listed } from '../answers/lists.ts'
import { MEGABYTE } from '../http/body.ts'
import { fileAnswer } from '../http/file-answer.ts'
import { created, type KeyRoute, noContent, ok, versioned } from '../http/route.ts'
import { EXAMPLE_IDS } from '../openapi/example-ids.ts'

/** Mails that are being written in inboxes. */
export const draftRoutes: readonly KeyRoute[] = [
  {
    method: 'GET',
    path: '/inboxes/:id/drafts',
    operation: 'listDrafts',
    summary: 'List the drafts of an inbox',
    description: 'Those that are not sent, newest first.',
    access: 'secret',
    area: 'inboxes',
    takes: { query: CursorQuery },
    gives: { 200: cursorList(InboxDraftAnswer.schema) },
    async handle(engine, request) {
      const { caller, query } = request
      const page = await engine.inboxes.drafts.list(caller.project, request.param('id'), query, inboxVisitorOf(caller))
      return ok(listed(page, InboxDraftAnswer.of))
    },
  },
  {
    method: 'POST',
    path: '/inboxes/:id/drafts',
    operation: 'createDraft',
    summary: 'Begin a mail, an answer or a forward',
    description:
      'An answer that names no recipients goes to whom it answers; `reply-all` also to all others. Nothing is sent before `POST /drafts/{id}/send`.',
    access: 'secret',
    area: 'drafts',
    audit: 'people',
    body: 'json',
    takes: { body: CreateDraft },
    gives: { 201: InboxDraftAnswer.schema },
    examples: [
      {
        summary: 'An answer',
        body: { kind: 'reply', messageId: EXAMPLE_IDS.message, body: '<p>Yes, on Friday at ten.</p>' },
      },
      {
        summary: 'A new mail',
        body: { to: ['Ada Lovelace <ada@example.org>'], subject: 'Your visit', body: '<p>See you on Friday.</p>' },
      },
    ],
    async handle(engine, request) {
      const { caller, body } = request
      const draft = await engine.inboxes.drafts.create(
        caller.project,
        request.param('id'),
        body,
        inboxVisitorOf(caller),
      )
      return created(InboxDraftAnswer.of(draft))
    },
  },
  {
    method: 'GET',
    path: '/drafts/:id',
    operation: 'getDraft',
    summary: 'Get a draft',
    description: 'Also once it is sent: `emailId` is then its mail.',
    access: 'secret',
    area: 'inboxes',
    gives: { 200: InboxDraftAnswer.schema },
    async handle(engine, request) {
      const { caller } = request
      return versioned(
        InboxDraftAnswer.of(
          await engine.inboxes.drafts.get(caller.project, request.param('id'), inboxVisitorOf(caller)),
        ),
      )
    },
  },
  {
    method: 'PATCH',
    path: '/drafts/:id',
    operation: 'changeDraft',
    summary: 'Change a draft',
    description: 'Refused with 409 once it is sent, and when `version` is not the current one.',
    access: 'secret',
    audit: 'people',
    body: 'json',
    takes: { body: ChangeDraft },
    gives: { 200: InboxDraftAnswer.schema },
    examples: [{ body: { body: '<p>Yes, on Friday at eleven.</p>', version: 1 } }],
    async handle(engine, request) {
      const { caller, body } = request
      const draft = await engine.inboxes.drafts.change(
        caller.project,
        request.param('id'),
        body,
        inboxVisitorOf(caller),
      )
      return versioned(InboxDraftAnswer.of(draft))
    },
  },
  {
    method: 'DELETE',
    path: '/drafts/:id',
    operation: 'deleteDraft',
    summary: 'Throw a draft away',
    description: 'Refused with 409 once it is sent.',
    access: 'secret',
    audit: 'people',
    gives: { 204: null },
    async handle(engine, request) {
      const { caller } = request
      await engine.inboxes.drafts.remove(caller.project, request.param('id'), inboxVisitorOf(caller))
      return noContent
    },
  },
  {
    method: 'POST',
    path: '/drafts/:id/attachments',
    operation: 'attachToDraft',
    summary: 'Attach a file to a draft',
    description: '10 files at most, of 10 MB together. Answers the draft. Refused with 409 once it is sent.',
    access: 'secret',
    audit: 'people',
    body: 'json',
    bodyLimit: 15 * MEGABYTE,
    takes: { body: AttachmentBody },
    gives: { 201: InboxDraftAnswer.schema },
    examples: [{ body: { filename: 'menu.pdf', contentType: 'application/pdf', content: 'JVBERi0xLjQK' } }],
    async handle(engine, request) {
      const { caller, body } = request
      const draft = await engine.inboxes.drafts.attach(
        caller.project,
        request.param('id'),
        body,
        inboxVisitorOf(caller),
      )
      return created(InboxDraftAnswer.of(draft))
    },
  },
  {
    method: 'GET',
    path: '/drafts/:id/attachments/:fileId',
    operation: 'downloadDraftAttachment',
    summary: 'Download a file of a draft',
    description: 'Also once the draft is sent, as long as the text of its mail is kept.',
    access: 'secret',
    area: 'inboxes',
    gives: { 200: '*/*' },
    async handle(engine, request) {
      const [id, fileId] = [request.param('id'), request.param('fileId')]
      const { caller } = request
      return fileAnswer(await engine.inboxes.drafts.file(caller.project, id, fileId, inboxVisitorOf(caller)))
    },
  },
  {
    method: 'DELETE',
    path: '/drafts/:id/attachments/:fileId',
    operation: 'detachFromDraft',
    summary: 'Remove a file from a draft',
    description: 'Answers the draft. Refused with 409 once it is sent.',
    access: 'secret',
    audit: 'people',
    gives: { 200: InboxDraftAnswer.schema },
    async handle(engine, request) {
      const [id, fileId] = [request.param('id'), request.param('fileId')]
      const { caller } = request
      return versioned(
        InboxDraftAnswer.of(await engine.inboxes.drafts.detach(caller.project, id, fileId, inboxVisitorOf(caller))),
      )
    },
  },
  {
    method: 'POST',
    path: '/drafts/:id/send',
    operation: 'sendDraft',
    summary: 'Send a draft',
    description:
      'Once, whoever calls and however often: a second call answers 409. The mail has the signature of the inbox and the quoted message below, and is a record like any other. That of a key may have to wait for a person: then the draft is `waiting`.',
    access: 'secret',
    audit: 'people',
    body: 'json-or-nothing',
    takes: { body: SendDraft },
    gives: { 200: InboxDraftAnswer.schema },
    examples: [{ body: { undoSeconds: 10 } }],
    async handle(engine, request) {
      const { caller, body } = request
      const draft = await engine.inboxes.drafts.send(
        caller.project,
        request.param('id'),
        body ?? {},
        inboxVisitorOf(caller),
      )
      return versioned(InboxDraftAnswer.of(draft))
    },
  },
  {
    method: 'POST',
    path: '/drafts/:id/undo',
    operation: 'undoDraft',
    summary: 'Take a sent draft back',
    description: 'While its mail waits: the mail is cancelled, and the draft is open again. 409 once it has gone out.',
    access: 'secret',
    audit: 'people',
    gives: { 200: InboxDraftAnswer.schema },
    async handle(engine, request) {
      const { caller } = request
      return versioned(
        InboxDraftAnswer.of(
          await engine.inboxes.drafts.undo(caller.project, request.param('id'), inboxVisitorOf(caller)),
        ),
      )
    },
  },
  {
    method: 'GET',
    path: '/approvals',
    operation: 'listApprovals',
    summary: 'List the drafts that wait for approval',
    description:
      'Those of all inboxes that the caller sees, newest first, with who wrote them and why. `total` is not counted.',
    access: 'secret',
    area: 'inboxes',
    takes: { query: CursorQuery },
    gives: { 200: cursorList(InboxDraftAnswer.schema) },
    async handle(engine, { caller, query }) {
      return ok(
        listed(await engine.inboxes.drafts.waiting(caller.project, query, inboxVisitorOf(caller)), InboxDraftAnswer.of),
      )
    },
  },
  {
    method: 'POST',
    path: '/drafts/:id/approve',
    operation: 'approveDraft',
    summary: 'Approve a draft, which sends it',
    description:
      'For members alone: a key can never approve. 409 when it was changed since the `version` that the member saw.',
    access: 'secret',
    area: 'approvals',
    body: 'json',
    takes: { body: ApproveDraft },
    gives: { 200: InboxDraftAnswer.schema },
    examples: [{ body: { version: 1 } }],
    async handle(engine, request) {
      const { caller, body } = request
      const draft = await engine.inboxes.drafts.approve(
        caller.project,
        request.param('id'),
        body,
        inboxVisitorOf(caller),
      )
      return versioned(InboxDraftAnswer.of(draft))
    },
  },
  {
    method: 'POST',
    path: '/drafts/:id/refuse',
    operation: 'refuseDraft',
    summary: 'Refuse a draft',
    description: 'For members alone. Its author reads the words in `refusal`, and may change it and send it again.',
    access: 'secret',
    area: 'approvals',
    body: 'json',
    takes: { body: RefuseDraft },
    gives: { 200: InboxDraftAnswer.schema },
    examples: [{ body: { refusal: 'We do not promise days. Offer to call her.' } }],
    async handle(engine, request) {
      const { caller, body } = request
      const draft = await engine.inboxes.drafts.refuse(
        caller.project,
        request.param('id'),
        body,
        inboxVisitorOf(caller),
      )
      return versioned(InboxDraftAnswer.of(draft))
    },
  },
]

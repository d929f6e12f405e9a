import * as v from 'valibot'
import { named } from '../../values/described.ts'
import { headerText } from '../../values/header-text.ts'
import { byDefault, count, found, id, json, moment, oneOf, optional, orNull, text, words } from '../../values/kind.ts'
import type { PageRequest } from '../../values/page.ts'
import type { ProjectId } from '../../values/project-id.ts'
import { given, owned, type RecordOf, record, TIMES, VERSIONED } from '../../values/record.ts'
import { DraftAttachment } from './draft-attachments.ts'
import { Correspondent } from './threads.ts'

/** How a draft belongs to a message. */
export const DRAFT_KINDS = ['new', 'reply', 'reply-all', 'forward'] as const
/** How far a draft is: being written, waiting for a person's approval, refused by one, or sent. */
export const DRAFT_STATUSES = ['open', 'waiting', 'refused', 'sent'] as const

const people = json<readonly Correspondent[]>(v.array(Correspondent))

/** A draft as it was when a person was asked about it. */
const AskedDraft = named(
  'AskedDraft',
  v.object({
    version: v.pipe(v.number(), v.integer(), v.minValue(0)),
    to: v.array(Correspondent),
    cc: v.array(Correspondent),
    bcc: v.array(Correspondent),
    subject: v.string(),
    body: v.string(),
    files: v.array(v.object({ id: v.string(), filename: v.string() })),
  }),
)
export interface AskedDraft extends v.InferOutput<typeof AskedDraft> {}

/** A mail that is being written in an inbox. */
export const InboxDraft = record('InboxDraft', 'A mail that is being written in an inbox.', {
  ...owned('draft'),
  inboxId: [id, 'The inbox that it is sent from.'],
  threadId: [orNull(id), 'The thread that it belongs to; null for a new one, until it is sent.'],
  kind: [byDefault(oneOf(DRAFT_KINDS), 'new'), 'Whether it is a new mail, an answer, or a forward.', given('create')],
  messageId: [orNull(id), 'The message that it answers or forwards: the id of an e-mail record.', given('create')],
  to: [
    found(people),
    'Whom it goes to, at most 50. Without recipients, an answer goes to whom it answers.',
    given('create', 'change'),
  ],
  cc: [found(people), 'Who gets a copy that the header names, at most 50.', given('create', 'change')],
  bcc: [found(people), 'Who gets a copy that the header does not name, at most 50.', given('create', 'change')],
  subject: [
    found({ ...text(0, 998), read: headerText(0, 998) }),
    'The subject. Without it, an answer has that of the message, with `Re:` before it.',
    given('create', 'change'),
  ],
  body: [
    byDefault(text(0, 500_000), ''),
    'What is written, as HTML, at most 500,000 characters. It is sent as it stands, with the signature of the inbox and the quoted message below.',
    given('create', 'change'),
  ],
  reason: [
    orNull(text(0, 2_000)),
    'Why it is written, for the person who approves it, at most 2,000 characters.',
    given('create', 'change'),
  ],
  attachments: [
    optional(json<readonly DraftAttachment[]>(v.array(DraftAttachment))),
    'The files that go with it, without their bytes: at most 10, of 10 MB together; absent without any. A forward begins with those of the message.',
  ],
  omittedFiles: [
    optional(count),
    'Of a forward: how many files of the message do not go along, since a mail has at most 10 files of 10 MB together.',
  ],
  status: [
    oneOf(DRAFT_STATUSES),
    'Whether it is being written (`open`), waits for a person (`waiting`), was refused (`refused`) or `sent`.',
  ],
  changedFrom: [
    optional(json<AskedDraft>(AskedDraft)),
    'The draft as it was when it began to wait, or when it was refused, if a program has changed it since; absent otherwise, and once a person has changed it or it is sent.',
  ],
  refusal: [orNull(words), 'The words with which a person refused it, for its author; null when it was not.'],
  decidedBy: [orNull(words), 'Who approved or refused it: the name of the user.'],
  emailId: [orNull(id), 'The e-mail record that it became, once it is sent.'],
  sendAt: [orNull(moment), 'When the mail goes out; null while it is written.'],
  authorId: [orNull(words), 'The id of the user or the key that began it.'],
  authorName: [words, 'Who began it: the name of the user or of the key.'],
  ...VERSIONED,
  ...TIMES,
})
export interface InboxDraft extends RecordOf<typeof InboxDraft> {}

/** The drafts of inboxes. */
export interface InboxDraftRepository {
  find(projectId: ProjectId, id: string): Promise<InboxDraft | undefined>
  /** As `find`, inside a transaction, which locks the draft until it ends. */
  lock(projectId: ProjectId, id: string): Promise<InboxDraft | undefined>
  /** Up to `limit + 1` drafts of an inbox that are not sent, newest first (by id). */
  page(projectId: ProjectId, inboxId: string, page: PageRequest): Promise<readonly InboxDraft[]>
  count(projectId: ProjectId, inboxId: string): Promise<number>
  /** Up to `limit + 1` drafts of a project that wait for approval, newest first (by id). */
  waiting(projectId: ProjectId, page: PageRequest): Promise<readonly InboxDraft[]>
  /**
   * Up to `limit` drafts of these authors whose mail goes out after this time, the soonest first; without those that a person
   * has approved.
   */
  later(projectId: ProjectId, authorIds: readonly string[], after: Date, limit: number): Promise<readonly InboxDraft[]>
  /** Up to `limit` drafts of all projects that wait for approval and were changed since then, the oldest first. */
  waitingSince(since: Date, limit: number): Promise<readonly InboxDraft[]>
  /** The drafts of a thread that are not sent, the oldest first, at most 20. */
  ofThread(projectId: ProjectId, threadId: string): Promise<readonly InboxDraft[]>
  insert(draft: InboxDraft): Promise<void>
  /** Writes every field; answers whether it is there. */
  update(draft: InboxDraft): Promise<boolean>
  remove(projectId: ProjectId, id: string): Promise<boolean>
  /** Removes up to `limit` drafts of an inbox that are not sent, with their files; answers how many. */
  removeOf(projectId: ProjectId, inboxId: string, limit: number): Promise<number>
}

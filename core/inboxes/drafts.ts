import type * as v from 'valibot'
import { EngineError, invalidField } from '../errors.ts'
import type { Kit } from '../kit.ts'
import { messageIdOf } from '../mail/email.ts'
import type { AttachmentInput } from '../mails/attachment-input.ts'
import type { MailMessage, Mails } from '../mails/mails.ts'
import type { SendInput } from '../mails/send-request.ts'
import type { Sending } from '../mails/sending.ts'
import { InboxDraft } from '../ports/store/drafts.ts'
import type { Email } from '../ports/store/emails.ts'
import type { Inbox } from '../ports/store/inboxes.ts'
import type { Project } from '../ports/store/projects.ts'
import type { Store } from '../ports/store/store.ts'
import type { Author } from '../ports/store/template-versions.ts'
import type { ThreadMail } from '../ports/store/threads.ts'
import { requireEnabled } from '../projects/project.ts'
import { ENGINE } from '../templates/versions.ts'
import { retryConflicts } from '../values/conflict.ts'
import { domainOf } from '../values/email-address.ts'
import { isId } from '../values/id.ts'
import type { UntrustedInput } from '../values/input.ts'
import { type Page, pageOf, pageRequest } from '../values/page.ts'
import { parse } from '../values/parse.ts'
import { changed, made } from '../values/record.ts'
import { nextVersion, versionConflict } from '../values/record-version.ts'
import {
  ChangeDraft,
  type ChangeDraftInput,
  CreateDraft,
  type CreateDraftInput,
  ListDrafts,
  type ListDraftsInput,
  SendDraft,
  type SendDraftInput,
} from './draft-request.ts'
import { fileSent } from './file-mails.ts'
import { isSeenBy, namedInbox } from './inbox.ts'
import { quoteOf } from './quote.ts'
import { recipientsOf } from './recipients.ts'
import { recounted } from './recounted.ts'
import { markedSubject } from './subjects.ts'

/** How often accepting a mail is tried while other processes write about the same contacts. */
const TRIES = 5
/** How long the list of the messages before is, in characters: a header field has at most 998 on a line. */
const LONGEST_REFERENCES = 900

/** A message that a draft answers or forwards, and when it came or was sent. */
interface Answered {
  readonly message: MailMessage
  readonly mail: ThreadMail
}

/** Mails that are being written in inboxes. `by` is who asks: see `Inboxes`. */
export class InboxDrafts {
  constructor(
    private readonly store: Store,
    private readonly mails: Mails,
    private readonly sending: Sending,
    private readonly kit: Kit,
  ) {}

  /** One page of the open drafts of an inbox, newest first. Throws EngineError `INBOX_NOT_FOUND`. */
  async list(
    project: Project,
    inboxId: string,
    query: ListDraftsInput | UntrustedInput = {},
    by: Author = ENGINE,
  ): Promise<Page<InboxDraft>> {
    const asked = parse(ListDrafts, query)
    const { id } = await namedInbox(this.store, project.id, inboxId, by)
    const list = { projectId: project.id, name: `drafts of ${id}` }
    const rows = await this.store.inboxDrafts.page(project.id, id, pageRequest(list, asked))
    const total = asked.cursor === undefined ? await this.store.inboxDrafts.count(project.id, id) : 0
    return pageOf(list, rows, asked.limit, total, (draft) => ({ value: '', id: draft.id }))
  }

  /** The draft. Throws EngineError `DRAFT_NOT_FOUND`. */
  async get(project: Project, id: string, by: Author = ENGINE): Promise<InboxDraft> {
    return (await this.#find(project, id, by)).draft
  }

  /**
   * Begins a mail. An answer that names no recipients and no subject has those that follow from the message. Throws EngineError
   * `VALIDATION_ERROR`, `INBOX_NOT_FOUND`, `PROJECT_DISABLED`.
   */
  async create(
    project: Project,
    inboxId: string,
    input: CreateDraftInput | UntrustedInput = {},
    by: Author = ENGINE,
  ): Promise<InboxDraft> {
    requireEnabled(project)
    const wanted = parse(CreateDraft, input)
    const inbox = await namedInbox(this.store, project.id, inboxId, by)
    const { kind, messageId } = wanted
    if ((kind === 'new') !== (messageId == null)) {
      throw invalidField(
        'messageId',
        kind === 'new' ? 'custom' : 'required',
        kind === 'new' ? 'is for an answer or a forward: give its kind, too' : `is required for the kind ${kind}`,
      )
    }
    const answered = messageId == null ? undefined : await this.#message(project, inbox, messageId)
    const now = this.kit.now()
    const draft: InboxDraft = {
      id: this.kit.newId(),
      projectId: project.id,
      inboxId: inbox.id,
      ...(answered === undefined || kind === 'forward' ? undefined : { threadId: answered.mail.threadId }),
      ...made(InboxDraft, wanted),
      ...this.#filled(inbox, wanted, answered),
      status: 'open',
      authorName: by.authorName,
      version: 1,
      createdAt: now,
      updatedAt: now,
    }
    await this.store.inboxDrafts.insert(draft)
    return draft
  }

  /**
   * Changes the given fields of an open draft. Throws EngineError `VALIDATION_ERROR`, `DRAFT_NOT_FOUND`, `CONFLICT` when it
   * was sent, `VERSION_CONFLICT`, `PROJECT_DISABLED`.
   */
  async change(
    project: Project,
    id: string,
    input: ChangeDraftInput | UntrustedInput,
    by: Author = ENGINE,
  ): Promise<InboxDraft> {
    requireEnabled(project)
    const { version: seen, ...wanted } = parse(ChangeDraft, input)
    await this.#find(project, id, by)
    return this.store.transaction(async (tx) => {
      const before = requireOpen((await tx.inboxDrafts.lock(project.id, id)) ?? missingDraft(id))
      const version = nextVersion('draft', before, seen)
      const after = { ...changed(InboxDraft, before, wanted), version, updatedAt: this.kit.now() }
      await tx.inboxDrafts.update(after)
      return after
    })
  }

  /** Throws it away. Throws EngineError `DRAFT_NOT_FOUND`, `CONFLICT` when it was sent, `PROJECT_DISABLED`. */
  async remove(project: Project, id: string, by: Author = ENGINE): Promise<void> {
    requireEnabled(project)
    await this.#find(project, id, by)
    await this.store.transaction(async (tx) => {
      requireOpen((await tx.inboxDrafts.lock(project.id, id)) ?? missingDraft(id))
      await tx.inboxDrafts.remove(project.id, id)
    })
  }

  /**
   * Sends it, once: the mail is accepted and the draft marked in one commit, so that neither a second call nor a crash sends
   * another. Throws EngineError `VALIDATION_ERROR`, `DRAFT_NOT_FOUND`, `CONFLICT` when it was sent already,
   * `VERSION_CONFLICT`, `DOMAIN_NOT_VERIFIED`, `QUOTA_EXCEEDED`, `PROJECT_DISABLED`; then nothing is sent.
   */
  async send(
    project: Project,
    id: string,
    input: SendDraftInput | UntrustedInput = {},
    by: Author = ENGINE,
  ): Promise<InboxDraft> {
    requireEnabled(project)
    const { version: seen, undoSeconds, sendAt } = parse(SendDraft, input)
    const { draft, inbox } = await this.#find(project, id, by)
    requireOpen(draft)
    if (seen != null && seen !== draft.version) throw versionConflict('draft', draft.version)
    const answered = draft.messageId === undefined ? undefined : await this.#message(project, inbox, draft.messageId)
    const now = this.kit.now()
    const later = sendAt ?? (undoSeconds > 0 ? new Date(now.getTime() + undoSeconds * 1000) : undefined)
    const mail = mailOf(project, inbox, draft, answered)
    const attachments = draft.kind === 'forward' && answered ? await this.#filesOf(answered.message.email) : []
    const request: SendInput = { ...mail, attachments, ...(later ? { scheduledFor: later.toISOString() } : undefined) }
    return this.sending.acceptWithin(project, request, (take) =>
      retryConflicts(TRIES, () =>
        this.store.transaction(async (tx) => {
          const locked = requireOpen((await tx.inboxDrafts.lock(project.id, id)) ?? missingDraft(id))
          // it was made for what was read
          if (locked.version !== draft.version) throw versionConflict('draft', locked.version)
          const [accepted] = (await take(tx)).emails
          if (accepted === undefined) throw new Error('a mail was accepted without a record')
          await tx.inboxes.lock(project.id, inbox.id)
          const thread = await fileSent(
            tx,
            {
              inbox,
              thread: locked.threadId === undefined ? undefined : await tx.threads.find(project.id, locked.threadId),
              emailId: accepted.email,
              messageId: messageIdOf(accepted.email, mail.from.email),
              at: now,
              subject: draft.subject,
              text: draft.body.replace(/<[^<>]{0,2000}>/g, ' '),
              to: [...draft.to, ...draft.cc],
            },
            this.kit,
          )
          const sent: InboxDraft = {
            ...locked,
            status: 'sent',
            threadId: thread.id,
            emailId: accepted.email,
            sendAt: later ?? now,
            updatedAt: now,
          }
          await tx.inboxDrafts.update(sent)
          return sent
        }),
      ),
    )
  }

  /**
   * Takes a mail back that still waits, and opens its draft again. Throws EngineError `DRAFT_NOT_FOUND`, `CONFLICT` when it
   * was not sent, or has gone out already, `PROJECT_DISABLED`.
   */
  async undo(project: Project, id: string, by: Author = ENGINE): Promise<InboxDraft> {
    requireEnabled(project)
    await this.#find(project, id, by)
    const now = this.kit.now()
    return this.store.transaction(async (tx) => {
      const draft = (await tx.inboxDrafts.lock(project.id, id)) ?? missingDraft(id)
      const { emailId, threadId, sendAt: _, ...rest } = draft
      if (emailId === undefined || threadId === undefined) {
        throw new EngineError('CONFLICT', 'The draft has not been sent: there is nothing to undo.')
      }
      if (!(await tx.mails.cancel(project.id, emailId, now))) {
        throw new EngineError('CONFLICT', 'The mail has gone out already, or is going out at this moment.', {
          suggestion: 'Send with undoSeconds, or a later sendAt, to have time to change your mind.',
        })
      }
      await tx.inboxes.lock(project.id, draft.inboxId)
      const thread = await tx.threads.lock(project.id, threadId)
      await tx.threadMails.remove(project.id, threadId, emailId)
      const left = thread === undefined ? 0 : (await recounted(tx, thread, now)).messageCount
      if (left === 0) await tx.threads.remove(project.id, threadId)
      const open: InboxDraft = {
        ...rest,
        ...(left === 0 ? undefined : { threadId }),
        status: 'open',
        version: draft.version + 1,
        updatedAt: now,
      }
      await tx.inboxDrafts.update(open)
      return open
    })
  }

  /** The fields that a request leaves out and the message gives. */
  #filled(
    inbox: Inbox,
    { kind, to, cc, bcc, subject }: v.InferOutput<typeof CreateDraft>,
    answered: Answered | undefined,
  ): Pick<InboxDraft, 'to' | 'cc' | 'bcc' | 'subject'> {
    const message = answered?.message
    const own = new Set([inbox.address, ...(message?.received?.recipients ?? [])])
    const found = recipientsOf(kind, message, own)
    const isAsked = (to?.length ?? 0) + (cc?.length ?? 0) > 0
    return {
      bcc: bcc ?? [],
      to: isAsked ? (to ?? []) : found.to,
      cc: isAsked ? (cc ?? []) : found.cc,
      subject: subject || (message ? markedSubject(kind === 'forward' ? 'Fwd' : 'Re', message.subject ?? '') : ''),
    }
  }

  async #find(
    project: Project,
    id: string,
    by: Author,
  ): Promise<{ readonly draft: InboxDraft; readonly inbox: Inbox }> {
    const draft = isId(id) ? await this.store.inboxDrafts.find(project.id, id) : undefined
    const inbox = draft && (await this.store.inboxes.find(project.id, draft.inboxId))
    return inbox && isSeenBy(inbox, by) ? { draft, inbox } : missingDraft(id)
  }

  /** The files of a message that is forwarded. */
  async #filesOf({ contentId }: Pick<Email, 'contentId'>): Promise<readonly AttachmentInput[]> {
    const [content] = await this.store.emails.contents([contentId])
    // the one file of a submitted message is the message itself
    const files = content === undefined || content.submitted ? [] : content.attachments
    return files.map(({ bytes, contentId: cid, ...file }) => ({
      ...file,
      content: Buffer.from(bytes).toString('base64'),
      ...(cid === undefined ? undefined : { contentId: cid }),
    }))
  }

  async #message(project: Project, inbox: Inbox, id: string): Promise<Answered> {
    const mail = (await this.store.threadMails.of(project.id, id)).find(({ inboxId }) => inboxId === inbox.id)
    const [message] = mail === undefined ? [] : await this.mails.messages(project, [id])
    if (mail && message) return { message, mail }
    throw invalidField('messageId', 'custom', 'is no message in a thread of this inbox')
  }
}

/** The mail that a draft becomes, without its files. */
function mailOf(project: Project, inbox: Inbox, draft: InboxDraft, answered: Answered | undefined) {
  const { to, cc, bcc, subject, body, kind } = draft
  const isForward = kind === 'forward'
  const quote = answered ? quoteOf(project, answered.message, answered.mail.at, isForward) : ''
  const { senderName } = inbox
  const parent = isForward ? undefined : answered?.message
  return {
    to,
    cc,
    bcc,
    subject,
    body: [body, inbox.signature ?? '', quote].filter((part) => part !== '').join('\n') || '<p></p>',
    from: {
      email: senderOf(inbox, answered?.message),
      ...(senderName === undefined ? undefined : { name: senderName }),
    },
    together: true,
    placeholders: false,
    tracking: false,
    ...(parent && parent.messageId !== '' ? { headers: referencesTo(parent) } : undefined),
  }
}

/** The address that a mail comes from: of an inbox for many addresses the one that the message was sent to. */
function senderOf({ address }: Inbox, message: MailMessage | undefined): string {
  if (!address.startsWith('*@')) return address
  const domain = domainOf(address)
  const named = message?.received?.recipients ?? (message ? [message.from.email] : [])
  const own = named.find((each) => domainOf(each) === domain)
  if (own !== undefined) return own
  throw invalidField(
    'inboxId',
    'custom',
    `is an inbox for all addresses at ${domain}: only answers can be sent from it`,
  )
}

/** `In-Reply-To` and `References` of an answer (RFC 5322, section 3.6.4). */
function referencesTo({ messageId, received }: MailMessage): Readonly<Record<string, string>> {
  const before = [received?.headers.references ?? []].flat().join(' ')
  const all = [...before.matchAll(/<[^<>\s]{1,900}>/g)].map(([id]) => id).filter((id) => id !== messageId)
  const kept: string[] = [messageId]
  let length = messageId.length
  // the first of a conversation and the nearest ones
  for (const id of [...all.slice(0, 1), ...all.slice(1).toReversed()]) {
    if (length + id.length + 1 > LONGEST_REFERENCES) break
    kept.push(id)
    length += id.length + 1
  }
  const ordered = all.filter((id) => kept.includes(id))
  return { 'In-Reply-To': messageId, References: [...new Set(ordered), messageId].join(' ') }
}

function requireOpen(draft: InboxDraft): InboxDraft {
  if (draft.status === 'open') return draft
  throw new EngineError('CONFLICT', 'The draft was sent already.', {
    suggestion: 'Its mail is the record that emailId names. POST /drafts/{id}/undo takes it back while it waits.',
  })
}

function missingDraft(id: string): never {
  throw new EngineError('DRAFT_NOT_FOUND', `There is no draft ${id}.`)
}

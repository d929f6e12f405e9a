import { type DataChange, readData } from '../contacts/contact.ts'
import { ContactsSoFar } from '../contacts/contacts-so-far.ts'
import { saveContacts } from '../contacts/save-contacts.ts'
import { upsertContact } from '../contacts/upsert-contact.ts'
import { EngineError, invalidField } from '../errors.ts'
import { variablesFor } from '../mail/compile-mail.ts'
import type { Validate } from '../mail/compiled-mails.ts'
import { contentId, contentIdInTurns, contentMarks, literalSender } from '../mail/content.ts'
import { newEmail } from '../mail/email.ts'
import { withPreheader } from '../mail/render/written-body.ts'
import type { Contact } from '../ports/store/contacts.ts'
import type { ContentSender, MailContent } from '../ports/store/contents.ts'
import type { Email } from '../ports/store/emails.ts'
import type { EventRecord } from '../ports/store/events.ts'
import type { Project } from '../ports/store/projects.ts'
import type { Repositories } from '../ports/store/store.ts'
import type { Template } from '../ports/store/templates.ts'
import type { KnownContacts, WriteBatchWrites } from '../ports/store/write-batch.ts'
import { requireVerifiedDomain } from '../projects/project.ts'
import type { NewId } from '../values/id.ts'
import { refused } from '../values/parse.ts'
import { yieldToLoop } from '../values/yield-to-loop.ts'
import type { SendRequest, TogetherRequest } from './send-request.ts'

/** The answer of `POST /v1/send`; `emails` are in the order of `to`. */
export type SendAnswer = {
  readonly emails: readonly {
    readonly contact: { readonly id: string; readonly email: string }
    readonly email: string
  }[]
  readonly timestamp: string
}

/** The ids of the accepted mails. */
export function idsOf({ emails }: SendAnswer): readonly string[] {
  return emails.map(({ email }) => email)
}

/** The sources of a request's mail beside the request itself. */
export interface TemplateAndBody {
  readonly template: Template | undefined
  /** The request's body or the template's, with its snippets and its layout. */
  readonly body: string
}

/**
 * The content of a request's mail; the template, then the project's sender fill in what the request leaves out. Throws
 * EngineError `VALIDATION_ERROR` (no sender, a template without text), `DOMAIN_NOT_VERIFIED`.
 */
export function contentOf(project: Project, request: TogetherRequest, source: TemplateAndBody, now: Date): MailContent {
  const written = writtenOf(project, request, source)
  return { id: contentId(written), ...written, createdAt: now }
}

/** As `contentOf`, but yields to other work between the steps when there are megabytes of text. */
export async function contentInTurns(
  project: Project,
  request: TogetherRequest,
  source: TemplateAndBody,
  now: Date,
): Promise<MailContent> {
  if (source.body.length + (request.text ?? '').length <= LARGE) return contentOf(project, request, source, now)
  await yieldToLoop()
  const written = writtenOf(project, request, source)
  await yieldToLoop()
  const id = await contentIdInTurns(written)
  await yieldToLoop()
  return { id, ...written, createdAt: now }
}

/** With this many characters each step takes some tens of milliseconds. */
const LARGE = 1_000_000

function writtenOf(project: Project, request: TogetherRequest, { template, body }: TemplateAndBody) {
  if (template?.body.trim() === '' && request.body == null && !request.text) {
    throw invalidField('template', 'custom', 'has no text yet: write the body of the template first')
  }
  const address = request.from?.email ?? template?.from ?? project.from?.email
  if (!address) {
    const message = 'is required, since neither the template nor the project has a sender'
    throw refused([{ field: 'from', code: 'required', message }])
  }
  requireVerifiedDomain(project, address)
  // the project's own sender replaces a missing one
  const isBare = request.from ? request.from.isPlain : !template?.from
  const deprecated = isBare ? request.name : undefined
  const name = request.from?.name || deprecated || template?.fromName
  // another body has other first words to say
  const preheader = request.body == null ? template?.preheader : undefined
  const replyTo = request.reply ?? template?.replyTo
  return {
    projectId: project.id,
    subject: request.subject ?? template?.subject ?? '',
    html: withPreheader(body, preheader),
    ...(request.text ? { text: request.text } : {}),
    from: senderOf(project, address, name),
    ...(replyTo ? { replyTo } : {}),
    cc: request.cc ?? [],
    bcc: request.bcc ?? [],
    headers: request.headers ?? [],
    attachments: (request.attachments ?? []).map(({ content, contentId: cid, ...attachment }) => ({
      ...attachment,
      ...(cid ? { contentId: cid } : {}),
      bytes: Buffer.from(content, 'base64'),
    })),
    ...contentMarks(project, template?.type === 'MARKETING', request.tracking, template?.topicId),
    ...(request.transport == null ? {} : { transport: request.transport }),
  }
}

/** The sender with the name that was written for this mail; else with the default sender's, if it is that address, or the project's. */
export function senderOf({ from, name }: Project, email: string, written: string | undefined): ContentSender {
  return written
    ? { email, name: written }
    : literalSender({ email, name: (from?.email === email && from.name) || name })
}

/** One accepted request. */
export interface Acceptance {
  readonly project: Project
  readonly request: Pick<SendRequest, 'to' | 'data' | 'subscribed' | 'scheduledFor' | 'tags'>
  readonly content: MailContent
  readonly validate: Validate
  readonly templateId: string | undefined
  /** When the mails expire; absent when only the usual lifetime applies. */
  readonly expiresAt: Date | undefined
  readonly now: Date
  /** The id of its first mail, where that is known already. */
  readonly firstId?: string
}

/**
 * Decides what a request writes: per recipient its contact, and one queued e-mail. Pure. Throws EngineError
 * `BAD_REQUEST` when a marketing mail would go to a recipient who is not subscribed, `VALIDATION_ERROR` when the
 * content breaks a limit with a recipient's data.
 */
export function acceptance(
  known: Pick<KnownContacts, 'byAddress'>,
  accepted: Acceptance,
  newId: NewId,
): WriteBatchWrites<SendAnswer> {
  const { project, request, content, now } = accepted
  const change = readData(request.data ?? undefined)
  const contacts = new ContactsSoFar(known)
  // of a test key: as its mails see them, while what is stored of known contacts stays
  const addressees = new Map<string, Contact>()
  const events: EventRecord[] = []
  const emails: Email[] = []
  for (const { email } of request.to) {
    const wanted = {
      projectId: project.id,
      email,
      change,
      subscribed: request.subscribed ?? undefined,
      subscribedWhenNew: false,
      trackingWhenNew: project.trackingConsent,
      reason: 'api',
      source: 'send',
    } as const
    const upsert = upsertContact(contacts.byAddress(email), wanted, newId, now)
    if (content.marketing && !upsert.contact.subscribed) throw notSubscribed(email)
    if (project.isForTests) {
      addressees.set(email, upsert.contact)
      if (upsert.isNew) contacts.put(unknownToAll(upsert.contact))
      continue
    }
    if (upsert.changed) contacts.put(upsert.contact)
    events.push(...upsert.events)
  }
  for (const mailbox of request.to) {
    const contact = addressees.get(mailbox.email) ?? contacts.byAddress(mailbox.email)
    if (contact) {
      const id = (emails.length === 0 ? accepted.firstId : undefined) ?? newId()
      emails.push(queuedEmail(accepted, contact, mailbox, change, id))
    }
  }
  accepted.validate(emails.map(({ variables }) => variables))
  return {
    contacts: contacts.changed,
    contents: [content],
    emails,
    events,
    answer: {
      emails: emails.map(({ id, to, contactId }) => ({ contact: { id: contactId ?? '', email: to }, email: id })),
      timestamp: now.toISOString(),
    },
  }
}

/**
 * Decides and writes it within a transaction of the caller. Throws as `acceptance` does, and Conflict when another process took
 * an address meanwhile: run the transaction again.
 */
export async function acceptIn(tx: Repositories, accepted: Acceptance, newId: NewId): Promise<SendAnswer> {
  const addresses = [...new Set(accepted.request.to.map(({ email }) => email))].sort()
  const known = await tx.contacts.lockByAddress(accepted.project.id, addresses)
  const writes = acceptance({ byAddress: (email) => known.get(email) }, accepted, newId)
  await saveContacts(tx, writes.contacts)
  await tx.emails.add(writes.emails, writes.contents)
  await tx.events.record(writes.events)
  return writes.answer
}

/** The cost of a request in a commit, counted in keys of data. */
export function weightOf({ request, content }: Omit<Acceptance, 'validate'>): number {
  const { html, text = '', attachments } = content
  const bytes = attachments.reduce((sum, { bytes }) => sum + bytes.length, html.length + text.length)
  return request.to.length * Object.keys(request.data ?? {}).length + bytes / BYTES_AS_A_KEY
}

/** How many bytes take about as long to store as one key of a contact's data. */
const BYTES_AS_A_KEY = 4_000

function queuedEmail(
  { project, request, content, templateId, expiresAt, now }: Acceptance,
  contact: Contact,
  { email: to, name }: SendRequest['to'][number],
  change: DataChange,
  id: string,
): Email {
  return newEmail(now, {
    id,
    projectId: project.id,
    contactId: contact.id,
    contentId: content.id,
    to,
    ...(name ? { toName: name } : {}),
    sourceType: 'TRANSACTIONAL',
    lane: 'transactional',
    ...(project.isForTests ? { toFolder: true } : {}),
    ...(templateId === undefined ? {} : { templateId }),
    // with the subscription at this moment, so that what is shown later is what was sent
    variables: variablesFor(contact, change.variables),
    tags: request.tags ?? {},
    dueAt: request.scheduledFor ?? now,
    ...(expiresAt ? { expiresAt } : {}),
  })
}

/**
 * A contact that is there for the mails of a test key alone: no campaign goes to it, and no event tells a workflow of it.
 */
export function unknownToAll(contact: Contact): Contact {
  return { ...contact, subscribed: false, data: {} }
}

function notSubscribed(email: string): EngineError {
  return new EngineError(
    'BAD_REQUEST',
    `${email} is not subscribed; a marketing template goes to subscribed contacts only.`,
    {
      fields: [{ field: 'to', code: 'custom', message: `${email} is not subscribed` }],
      suggestion: 'Use a TRANSACTIONAL template, or send with "subscribed": true when this person has agreed.',
    },
  )
}

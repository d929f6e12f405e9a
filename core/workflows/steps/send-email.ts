import * as v from 'valibot'
import { readData } from '../../contacts/contact.ts'
import { type UpsertedContact, upsertContact } from '../../contacts/upsert-contact.ts'
import { EngineError } from '../../errors.ts'
import { nameSources } from '../../mail/compile-mail.ts'
import type { Validate } from '../../mail/compiled-mails.ts'
import { newEmail } from '../../mail/email.ts'
import { withLinkQuery } from '../../mail/html/link-query.ts'
import { namesRendered } from '../../mail/render/render-tag.ts'
import { writtenBody } from '../../mail/render/written-body.ts'
import { contentOf } from '../../mails/accept.ts'
import { roomUnderCaps } from '../../mails/frequency-cap.ts'
import { Headers } from '../../mails/header-input.ts'
import type { SendRequest } from '../../mails/send-request.ts'
import type { MailContent } from '../../ports/store/contents.ts'
import { TransportName } from '../../projects/nameable-transports.ts'
import { requireOwnDomain, requireVerifiedDomain } from '../../projects/project.ts'
import { wholeBody } from '../../templates/whole-body.ts'
import { describedBy } from '../../values/described.ts'
import { EmailAddress } from '../../values/email-address.ts'
import { EVENTS } from '../../values/event-names.ts'
import { headerText } from '../../values/header-text.ts'
import { isId } from '../../values/id.ts'
import { takes } from '../../values/input.ts'
import { isJsonObject } from '../../values/json.ts'
import { Mailbox, type MailboxInput, MailboxText } from '../../values/mailbox.ts'
import { StoredReplyTo } from '../../values/mailbox-list.ts'
import { refused, say } from '../../values/parse.ts'
import { utmQuery } from '../../values/utm.ts'
import type { HeldContacts } from './held-contacts.ts'
import { recipientVariables } from './interpolation.ts'
import { type Batch, defineStep, type StepContext, type StepResult, textsIn, unreadable } from './step-definition.ts'

const MUST_BE_ADDRESS = 'must be an e-mail address such as ada@example.com, or a placeholder for one'

const Recipient = v.pipe(
  v.object({
    /** The contact itself, or another address. */
    type: v.optional(v.picklist(['CONTACT', 'CUSTOM']), 'CONTACT'),
    /** The other address, with placeholders. */
    customEmail: v.nullish(headerText(1, 1000)),
  }),
  v.forward(
    v.check(({ type, customEmail }) => type !== 'CUSTOM' || customEmail != null, say('required', 'is required')),
    ['customEmail'],
  ),
  v.forward(
    v.check(
      ({ customEmail }) => customEmail == null || mayBeAddress(customEmail),
      say('invalid_string', MUST_BE_ADDRESS),
    ),
    ['customEmail'],
  ),
)

/** The bare address, or an object when there is a name, even if written as `Ada <ada@example.com>`. */
const StepSender = v.lazy((given) =>
  isJsonObject(given)
    ? v.object({ email: EmailAddress, name: v.nullish(headerText(0, 255)) })
    : v.pipe(
        MailboxText,
        v.transform((sender) => (sender.name === undefined ? sender.email : { ...sender })),
      ),
)

/** How many hours `unlessMailedWithin` looks back at most: a year. */
const MAX_HOURS = 8760
const HOUR_MS = 3_600_000

/** How many mails to one person within an hour a step may send at most, and how many an answer to received mail may. */
const MAX_PER_HOUR = 1000
const ANSWERS_PER_HOUR = 3
/** Events that a mail from outside makes: two machines that answer each other would never end. */
const OF_RECEIVED_MAIL: ReadonlySet<string | undefined> = new Set([EVENTS.received, EVENTS.replied])

/** As `/v1/send` takes them; kept as an object. */
const StepHeaders = describedBy(
  v.pipe(
    Headers,
    v.transform((fields): Readonly<Record<string, string>> => Object.fromEntries(fields)),
  ),
  v.record(v.string(), v.pipe(v.string(), v.maxLength(998))),
)

const Config = v.object({
  /** The id or the slug of a template, which fills in what is left out here. */
  templateId: v.nullish(v.string()),
  /** The subject, with placeholders. */
  subject: v.nullish(headerText(1, 998)),
  /** The HTML, with placeholders. */
  body: v.nullish(v.pipe(v.string(), v.minLength(1))),
  /** The sender: an address, `Ada <ada@example.com>`, or `{ name?, email }`. */
  from: v.nullish(describedBy(takes<MailboxInput>()(StepSender), Mailbox)),
  /** The sender's name, when `from` is a bare address. */
  fromName: v.nullish(headerText(0, 255)),
  /** Where replies go: an address, or up to 20 between commas or as a list. */
  replyTo: v.nullish(StoredReplyTo),
  /** The recipient; by default the contact. */
  recipient: v.nullish(Recipient),
  /** Not to those whom a campaign or a workflow has mailed within so many hours. */
  unlessMailedWithin: v.nullish(
    v.pipe(
      v.number(),
      v.integer(say('invalid_type', 'must be a whole number of hours')),
      v.minValue(1),
      v.maxValue(MAX_HOURS),
    ),
  ),
  /** Further header fields: names and texts, up to 100. */
  headers: v.nullish(takes<Readonly<Record<string, string>>>()(StepHeaders)),
  /** The mail server that it goes by, and no other: the name of one that the project may name. */
  transport: v.nullish(TransportName),
  /** At most so many mails to one recipient within an hour; in a workflow that answers received mail, 3 by default. */
  mostPerHour: v.nullish(
    v.pipe(
      v.number(),
      v.integer(say('invalid_type', 'must be a whole number')),
      v.minValue(1),
      v.maxValue(MAX_PER_HOUR),
    ),
  ),
})
type Config = v.InferOutput<typeof Config>
type Context = StepContext<Config>

/** SEND_EMAIL: adds one mail to the ledger. */
export const sendEmail = defineStep({
  type: 'SEND_EMAIL',
  name: 'Send e-mail',
  Config,
  branches: 'one',
  decides: true,
  takesTemplate: true,
  *texts({ subject, body, recipient, from, fromName, replyTo }) {
    yield* textsIn(recipient?.customEmail, 'config.recipient.customEmail')
    if (subject != null) yield { kind: 'subject', source: subject, field: 'config.subject' }
    if (body != null) yield { kind: 'html', source: body, field: 'config.body' }
    const name = (typeof from === 'object' ? from?.name : undefined) ?? fromName
    yield* nameSources({ fromName: name, replyTo }, 'config.')
  },
  uses: ({ templateId, body }) => [
    ...(templateId == null ? [] : [{ kind: 'template', id: templateId } as const]),
    ...namesRendered(writtenBody(body ?? '')).map((name) => ({ kind: 'snippet', name }) as const),
  ],
  // its domain may wait for its records: it is asked again when the workflow is turned on, and when it sends
  check: async ({ from, transport }, { project, nameable, reads }) => {
    nameable.require(project.id, transport, 'config.transport')
    if (from != null) await requireOwnDomain(reads, project, addressOf(from))
  },
  problems: ({ templateId, subject, body, from }, { project, templates }) => {
    const template = templateId == null ? undefined : templates.get(templateId)
    if (templateId != null && template === undefined) {
      return [{ place: 'templateId', message: 'names a template that is not there' }]
    }
    if (template === undefined && (subject == null || body == null)) {
      return [{ place: 'templateId', message: 'needs a template, or a subject and a body' }]
    }
    const sender = from == null ? (template?.from ?? project.from?.email) : addressOf(from)
    if (sender === undefined) {
      return [{ place: 'config.from', message: 'needs a sender: neither its template nor the project has one' }]
    }
    try {
      requireVerifiedDomain(project, sender)
      return []
    } catch (error) {
      if (!EngineError.is(error)) throw error
      return [{ place: 'config.from', message: `cannot send from ${sender}: ${error.message}` }]
    }
  },
  prepare: async (contexts, batch) => {
    const [first] = contexts
    if (first === undefined) return () => ({ outcome: 'done' })
    const mail = await mailOf(first, batch)
    const addresses = contexts.flatMap((context) => addressIfValid(context) ?? [])
    await batch.contacts.holdAddresses(batch.tx, first.project.id, addresses)
    const mailed = await mailedLately(contexts, batch)
    const answers = await answersLeft(contexts, batch)
    const without = await withoutTopic(contexts, mail.content, batch)
    const room = await roomOf(contexts, mail.content, batch)
    return (context) => {
      const result = send(context, mail, batch.contacts, { mailed, answers, without, room })
      const { contactId } = result.writes?.mail?.email ?? {}
      if (contactId !== undefined) mailed?.add(contactId)
      if (contactId !== undefined) answers?.set(contactId, (answers.get(contactId) ?? 0) - 1)
      if (contactId !== undefined) room?.set(contactId, (room.get(contactId) ?? most(first)) - 1)
      return result
    }
  },
})

interface Mail {
  readonly content: MailContent
  readonly templateId: string | undefined
  readonly validate: Validate
}

/** The mail of a step, which is the same for all its contacts. */
async function mailOf({ config, project, graph, now }: Context, { tx, mails }: Batch): Promise<Mail> {
  const { templateId: id, subject, body } = config
  const template = id != null && isId(id) ? await tx.templates.find(project.id, id) : undefined
  if (template === undefined && (subject == null || body == null)) throw unreadable('SEND_EMAIL')
  const written = { body: body ?? template?.body ?? '', layoutId: template?.layoutId }
  const whole = await wholeBody(tx, project, written)
  const isMarketing = template?.type === 'MARKETING'
  const utm = isMarketing ? utmQuery(project.utm, graph.workflow.name) : []
  const source = { template, body: await withLinkQuery(whole, utm) }
  const content = contentOf(project, requestOf(config), source, now)
  mails.requireSendable(content)
  return { content, templateId: template?.id, validate: mails.briefValidatorOf(content) }
}

/**
 * The recipients whom a campaign or a workflow has mailed lately, also in this batch; undefined when the step does not
 * ask. They are locked, so that no other workflow mails them meanwhile.
 */
async function mailedLately(contexts: readonly Context[], { tx, now, contacts, emails }: Batch) {
  const [first] = contexts
  const hours = first?.config.unlessMailedWithin
  if (first === undefined || hours == null) return undefined
  const projectId = first.project.id
  const recipients = recipientsOf(contexts, contacts)
  const since = new Date(now.getTime() - hours * HOUR_MS)
  const before = await tx.mails.mailedSince(projectId, [...new Set(recipients)], since)
  return new Set([...before.keys(), ...emails.flatMap(({ contactId }) => contactId ?? [])])
}

/**
 * How many more mails each recipient may get within this hour from steps that keep count; undefined when this one does
 * not. The recipients are locked, so that no other workflow mails them meanwhile.
 */
async function answersLeft(contexts: readonly Context[], { tx, now, contacts, emails }: Batch) {
  const [first] = contexts
  if (first === undefined) return undefined
  const { eventName } = first.graph.workflow
  const most = first.config.mostPerHour ?? (OF_RECEIVED_MAIL.has(eventName) ? ANSWERS_PER_HOUR : undefined)
  if (most === undefined) return undefined
  const recipients = [...new Set(recipientsOf(contexts, contacts))]
  const before = await tx.mails.mailedSince(first.project.id, recipients, new Date(now.getTime() - HOUR_MS))
  const left = new Map(recipients.map((id) => [id, most - (before.get(id) ?? 0)]))
  for (const { contactId } of emails)
    if (contactId !== undefined) left.set(contactId, (left.get(contactId) ?? most) - 1)
  return left
}

/**
 * How many more marketing mails each recipient may get by the project's cap and by what the contact set, without those
 * of this batch; undefined when nothing limits any of them, or this is no marketing mail.
 */
async function roomOf(contexts: readonly Context[], { marketing }: MailContent, { tx, now, contacts, emails }: Batch) {
  const [first] = contexts
  const cap = first?.project.frequencyCap
  if (first === undefined || !marketing) return undefined
  const recipients = recipientsOf(contexts, contacts).flatMap((id) => contacts.get(id) ?? [])
  if (cap === undefined && recipients.every(({ everyDays }) => everyDays === undefined)) return undefined
  const room = await roomUnderCaps(tx, first.project.id, cap, recipients, now)
  for (const { contactId } of emails)
    if (contactId !== undefined) room.set(contactId, (room.get(contactId) ?? most(first)) - 1)
  return room
}

/** How many marketing mails a contact without a limit that it set may get. */
function most({ project }: Context): number {
  return project.frequencyCap?.mails ?? Number.POSITIVE_INFINITY
}

/** The recipients who do not get the topic of the mail. */
async function withoutTopic(
  contexts: readonly Context[],
  { projectId, topicId }: MailContent,
  { tx, contacts }: Batch,
): Promise<ReadonlySet<string>> {
  if (topicId === undefined) return new Set()
  return tx.topics.without(projectId, topicId, recipientsOf(contexts, contacts))
}

/** The ids of the recipients who are contacts already. */
function recipientsOf(contexts: readonly Context[], contacts: HeldContacts): readonly string[] {
  return contexts.flatMap((context) => {
    const address = addressIfValid(context)
    return (address === undefined ? context.contact.id : contacts.byAddress(context.project.id, address)?.id) ?? []
  })
}

/** The contacts who are left out. */
interface LeftOut {
  /** Mailed lately; undefined when the step does not ask. */
  readonly mailed: ReadonlySet<string> | undefined
  /** How many more mails each may get within this hour; undefined when the step keeps no count. */
  readonly answers: ReadonlyMap<string, number> | undefined
  /** They do not get the topic. */
  readonly without: ReadonlySet<string>
  /** How many more marketing mails each may get; undefined when nothing limits any of them. */
  readonly room: ReadonlyMap<string, number> | undefined
}

function send(
  context: Context,
  { content, templateId, validate }: Mail,
  contacts: HeldContacts,
  { mailed, answers, without, room }: LeftOut,
): StepResult {
  const { contact, execution, now, newId } = context
  const recipient = recipientOf(context, contacts)
  const to = addressFor(context)
  const contactId = recipient.contact.id
  const isOther = contactId !== contact.id
  // another person's address is not stored with this contact, where it would outlive that person's data
  const output = isOther ? {} : { to }
  if (content.marketing && !recipient.contact.subscribed) {
    return { outcome: 'done', skipped: true, output: { reason: 'unsubscribed', ...output } }
  }
  const { pausedUntil } = recipient.contact
  if (content.marketing && pausedUntil && pausedUntil > now) {
    return { outcome: 'done', skipped: true, output: { reason: 'paused', ...output } }
  }
  if (without.has(contactId)) return { outcome: 'done', skipped: true, output: { reason: 'topic', ...output } }
  if (mailed?.has(contactId)) {
    return { outcome: 'done', skipped: true, output: { reason: 'mailed-recently', ...output } }
  }
  if ((answers?.get(contactId) ?? 1) <= 0) {
    return { outcome: 'done', skipped: true, output: { reason: 'too-many-answers', ...output } }
  }
  if ((room?.get(contactId) ?? 1) <= 0) {
    return { outcome: 'done', skipped: true, output: { reason: 'capped', ...output } }
  }
  const email = newEmail(now, {
    id: newId(),
    projectId: recipient.contact.projectId,
    contactId,
    contentId: content.id,
    to,
    sourceType: 'WORKFLOW',
    lane: 'workflow',
    ...(templateId === undefined ? {} : { templateId }),
    // the mail is about the workflow's contact, even when it goes to another person
    variables: {
      ...recipientVariables(contact, execution),
      ...(isOther ? { id: contact.id, email: contact.email } : {}),
    },
  })
  validate([email.variables])
  const [created] = recipient.events
  return {
    outcome: 'done',
    output: { emailId: email.id, ...output },
    writes: { mail: { email, content }, ...(created ? { contact: recipient.contact, event: created } : {}) },
  }
}

/** The recipient's address, in its stored form. Throws EngineError when the placeholders come to something else. */
function addressFor({ config: { recipient }, contact, fill }: Context): string {
  if (recipient?.type !== 'CUSTOM') return contact.email
  const read = v.safeParse(EmailAddress, fill().text(recipient.customEmail ?? '', 'recipient.customEmail'))
  if (read.success) return read.output
  throw refused([{ field: 'recipient.customEmail', code: 'invalid_string', message: 'must come to an e-mail address' }])
}

/** The address of another person; that of a step which will fail for this contact counts for nothing. */
function addressIfValid(context: Context): string | undefined {
  try {
    const address = addressFor(context)
    return address === context.contact.email ? undefined : address
  } catch (error) {
    if (EngineError.is(error)) return undefined
    throw error
  }
}

function recipientOf(context: Context, contacts: HeldContacts): Pick<UpsertedContact, 'contact' | 'events'> {
  const { contact, project, newId, now } = context
  const email = addressFor(context)
  if (email === contact.email) return { contact, events: [] }
  const { id: projectId, trackingConsent: trackingWhenNew } = project
  const subscription = { subscribed: undefined, subscribedWhenNew: false, trackingWhenNew }
  const wanted = { projectId, email, change: readData(undefined), ...subscription }
  return upsertContact(
    contacts.byAddress(projectId, email),
    { ...wanted, reason: 'workflow', source: 'workflow' },
    newId,
    now,
  )
}

/** The config as a send request: it overrides the template. */
function requestOf({ subject, body, from, fromName, replyTo, headers, transport }: Config): SendRequest {
  const name = (typeof from === 'object' ? from?.name : undefined) ?? fromName ?? undefined
  return {
    to: [],
    subject,
    body,
    reply: replyTo,
    transport,
    headers: markedAutomatic(Object.entries(headers ?? {})),
    ...(from == null ? {} : { from: { email: addressOf(from), isPlain: true, ...(name ? { name } : {}) } }),
  }
}

/**
 * No person writes these mails one by one, so machines need not answer them (RFC 3834, section 5). A field of its own
 * wins.
 */
function markedAutomatic(headers: readonly [string, string][]): [string, string][] {
  const isMarked = headers.some(([name]) => name.toLowerCase() === 'auto-submitted')
  return [...headers, ...(isMarked ? [] : [['Auto-Submitted', 'auto-generated'] as [string, string]])]
}

function addressOf(from: NonNullable<Config['from']>): string {
  return typeof from === 'string' ? from : from.email
}

function mayBeAddress(text: string): boolean {
  return text.includes('{{') || v.is(EmailAddress, text)
}

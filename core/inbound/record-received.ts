import { createHash } from 'node:crypto'
import * as v from 'valibot'
import { saveContacts } from '../contacts/save-contacts.ts'
import { type ContactUpsert, type UpsertedContact, upsertContact } from '../contacts/upsert-contact.ts'
import { type FiledMessage, fileReceived } from '../inboxes/file-mails.ts'
import type { Kit } from '../kit.ts'
import { newEmail } from '../mail/email.ts'
import type { Links } from '../mail/links/links.ts'
import type { Contact } from '../ports/store/contacts.ts'
import type { MailContent } from '../ports/store/contents.ts'
import type { Email } from '../ports/store/emails.ts'
import type { EventRecord } from '../ports/store/events.ts'
import type { Claim, WaitingMessage } from '../ports/store/inbound.ts'
import type { Repositories } from '../ports/store/store.ts'
import { EmailAddress } from '../values/email-address.ts'
import { EVENTS } from '../values/event-names.ts'
import { stamp, timelessId } from '../values/id.ts'
import type { Authentication } from './authenticate.ts'
import type { ParsedMessage } from './parsed-message.ts'
import { receivedEventData } from './received-event.ts'
import { repliedEventData, repliesIn } from './replies.ts'

/** A parsed message, and the lease it was parsed under. */
export interface ReadMessage extends Claim {
  readonly message: WaitingMessage
  readonly parsed: ParsedMessage
  readonly authentication: Authentication
}

/**
 * Creates e-mail records, contacts and events of parsed messages, inside the caller's transaction. A message that is
 * under another lease by now is skipped, and one that was fetched again keeps the record it has. Answers how many mails are
 * to be sent on by inboxes that forward.
 */
export async function recordReceived(
  tx: Repositories,
  given: readonly ReadMessage[],
  links: Links,
  kit: Kit,
): Promise<number> {
  const { newId } = kit
  const at = kit.now()
  const removed = await tx.inbound.remove(given)
  const known = new Set((await tx.feedback.mails([...removed])).map(({ id }) => id))
  const other = given.filter(({ id }) => removed.has(id) && !known.has(id))
  const fresh = await withoutFetchedBefore(tx, other, at)
  if (fresh.length === 0) return 0
  // mails before contacts, in which order reports on mails lock them, too
  const replies = await repliesIn(tx, fresh)
  const contacts = await contactsOf(tx, fresh, newId, at)
  const contactOf = ({ message: { projectId }, parsed }: ReadMessage) => contacts.get(`${projectId} ${parsed.from}`)
  await tx.emails.add(
    fresh.map((each) => receivedEmail(each, contactOf(each), replies.get(each.id), at)),
    fresh.map((each) => contentOf(each, at)),
  )
  const filed = fresh.map((each) => ({ ...messageOf(each), contactId: contactOf(each)?.id }))
  const forwarded = await fileReceived(tx, filed, kit)
  const events = fresh.map((each): EventRecord => {
    const { id, message, parsed, authentication } = each
    const { projectId } = message
    const urlOf = (place: number) => links.ofAttachment({ projectId, emailId: id }, place)
    const inReplyTo = replies.get(id)?.id ?? null
    const data = { ...receivedEventData(id, message, parsed, authentication, urlOf), inReplyTo }
    const about = { projectId, name: EVENTS.received, ...whose(contactOf(each)?.id), emailId: id }
    return { ...stamp(newId), ...about, data }
  })
  const replied = await recordReplies(tx, fresh, replies, (each) => contactOf(each)?.id, newId)
  await tx.events.record([...events, ...replied])
  return forwarded
}

function messageOf({ id, message, parsed, authentication }: ReadMessage): FiledMessage {
  const { projectId, recipients, receivedAt } = message
  return {
    ...parsed,
    ...authentication,
    beginning: parsed.beginning ?? parsed.text,
    id,
    projectId,
    recipients,
    receivedAt,
  }
}

/** A machine that is no contact, and a mail without an author, have none: they make an event, but no contact. */
function whose(contactId: string | undefined): Pick<EventRecord, 'contactId'> {
  return contactId === undefined ? {} : { contactId }
}

/**
 * Leaves out what was fetched before: the same key and the same octets. A mailbox may name another time for them, which
 * makes another id. A key that means another message by now is no reason to lose that one.
 */
async function withoutFetchedBefore(
  tx: Repositories,
  messages: readonly ReadMessage[],
  at: Date,
): Promise<readonly ReadMessage[]> {
  const keys = messages.map(({ id, message: { raw } }) => {
    const emailId = timelessId(id)
    if (emailId === undefined) return undefined
    return { emailId, key: `fetched ${createHash('sha256').update(raw).digest('base64url')}`, at }
  })
  const first = new Set(await tx.feedback.firstTime(keys.filter((key) => key !== undefined)))
  return messages.filter((_, i) => {
    const key = keys[i]
    return key === undefined || first.has(key)
  })
}

/** Notes at each answered mail that it was; answers an event for each reply, of the contact that the mail was sent to. */
async function recordReplies(
  tx: Repositories,
  fresh: readonly ReadMessage[],
  replies: ReadonlyMap<string, Email>,
  senderOf: (each: ReadMessage) => string | undefined,
  newId: Kit['newId'],
): Promise<readonly EventRecord[]> {
  const events: EventRecord[] = []
  for (const each of fresh) {
    const mail = replies.get(each.id)
    if (mail === undefined) continue
    const { id: emailId, projectId } = mail
    await tx.feedback.replied(projectId, emailId, each.message.receivedAt)
    // a mail of a removed contact may be answered still
    const known = mail.contactId && (await tx.contacts.find(projectId, mail.contactId))
    const about = { projectId, name: EVENTS.replied, ...whose(known ? known.id : senderOf(each)), emailId }
    events.push({ ...stamp(newId), ...about, data: repliedEventData(mail, each) })
  }
  return events
}

/**
 * The senders as contacts, by project and author. Created when a person wrote; not for an unknown machine, nor without
 * an address.
 */
async function contactsOf(
  tx: Repositories,
  messages: readonly ReadMessage[],
  newId: Kit['newId'],
  now: Date,
): Promise<ReadonlyMap<string, Contact>> {
  const contacts = new Map<string, Contact>()
  const made: UpsertedContact[] = []
  const inOrder = messages.toSorted((a, b) => (a.message.projectId < b.message.projectId ? -1 : 1))
  for (const [projectId, own] of Map.groupBy(inOrder, ({ message }) => message.projectId)) {
    const senders = own.flatMap(({ parsed: { from, isAutomatic } }) => {
      const address = v.safeParse(EmailAddress, from)
      return address.success ? [{ from, isAutomatic, email: address.output }] : []
    })
    const { trackingConsent = 'none' } = (await tx.projects.find(projectId)) ?? {}
    const addresses = [...new Set(senders.map(({ email }) => email))].sort()
    const byAddress = new Map(await tx.contacts.lockByAddress(projectId, addresses))
    for (const { from, isAutomatic, email } of senders) {
      const known = byAddress.get(email)
      if (known === undefined && isAutomatic) continue
      const upsert = known ? undefined : newContact({ projectId, email, trackingWhenNew: trackingConsent }, newId, now)
      const contact = known ?? upsert?.contact
      if (contact === undefined) continue
      if (upsert) made.push(upsert)
      byAddress.set(email, contact)
      contacts.set(`${projectId} ${from}`, contact)
    }
  }
  await saveContacts(
    tx,
    made.map(({ contact }) => contact),
  )
  await tx.events.record(made.flatMap(({ events }) => events))
  return contacts
}

function newContact(
  whom: Pick<ContactUpsert, 'projectId' | 'email' | 'trackingWhenNew'>,
  newId: Kit['newId'],
  now: Date,
): UpsertedContact {
  const wanted = {
    ...whom,
    change: { set: new Map(), unset: new Set<string>(), variables: {} },
    subscribed: undefined,
    subscribedWhenNew: false,
    reason: 'api' as const,
    source: 'inbound' as const,
  }
  return upsertContact(undefined, wanted, newId, now)
}

function receivedEmail(
  { message, parsed, authentication: { spf, dkim, dmarc } }: ReadMessage,
  contact: Contact | undefined,
  answered: Email | undefined,
  now: Date,
): Email {
  const { id, projectId, recipients, receivedAt } = message
  const { messageId } = parsed
  const mail = newEmail(now, {
    id,
    projectId,
    contentId: id,
    ...(contact ? { contactId: contact.id } : {}),
    to: recipients[0] ?? '',
    status: 'RECEIVED',
    sourceType: 'INBOUND',
    lane: 'transactional',
    // further facts about the message, deleted together with its content
    variables: { messageId, spf, dkim, dmarc, to: recipients },
    createdAt: receivedAt,
    dueAt: receivedAt,
  })
  return answered === undefined ? mail : { ...mail, inReplyTo: answered.id }
}

function contentOf({ message: { id, projectId }, parsed }: ReadMessage, now: Date): MailContent {
  const { subject, html, text, from, fromName, headers, attachments } = parsed
  return {
    id,
    projectId,
    subject,
    html,
    text,
    from: { email: from, name: fromName },
    cc: [],
    bcc: [],
    headers,
    attachments,
    marketing: false,
    received: true,
    createdAt: now,
  }
}

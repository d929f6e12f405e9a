import type { Kit } from '../kit.ts'
import { isConfidential } from '../mail/email.ts'
import type { Email } from '../ports/store/emails.ts'
import type { EventRecord } from '../ports/store/events.ts'
import { type Inbox, MAX_LABELS } from '../ports/store/inboxes.ts'
import type { Repositories } from '../ports/store/store.ts'
import {
  type Correspondent,
  type Folder,
  MAX_PARTICIPANTS,
  type Thread,
  type ThreadMail,
} from '../ports/store/threads.ts'
import { domainOf } from '../values/email-address.ts'
import { isId, stamp } from '../values/id.ts'
import type { ProjectId } from '../values/project-id.ts'
import { shortened } from '../values/shortened.ts'
import { type ForwardedMessage, forward, isForwarded } from './forward-mail.ts'
import { type Happening, noteEvents, received } from './note-events.ts'
import { type Ruling, ruling } from './rules.ts'
import { isMarked, subjectKey } from './subjects.ts'

/** How long an answer without a reference is taken to belong to the last thread with its subject, in milliseconds. */
const ALIKE_MS = 14 * 86_400_000
/** How many Message-IDs of one message are looked up. */
const MOST_NAMES = 20
/** How long the beginning of a message is that lists show, and a subject, in characters. */
const SNIPPET = 160
const LONGEST_SUBJECT = 500

/** A message that came in, and has its record. */
export interface FiledMessage extends ForwardedMessage {
  readonly projectId: ProjectId
  readonly receivedAt: Date
  /** The text that it begins with in lists. */
  readonly beginning: string
  /** Its author, where that is a contact. */
  readonly contactId?: string | undefined
}

/**
 * Puts received messages into the threads of the inboxes that they were sent to, within the transaction that stores them. A
 * message joins the thread that has a mail it names (RFC 5322, section 3.6.4), else, for two weeks, the one with its subject in
 * which its author takes part; else it begins one. Mails of ours that it names come with it, so that an answer to a campaign
 * stands below what it answers. Each is noted as an event of its inbox, and goes on where that forwards. Answers how many do.
 */
export async function fileReceived(tx: Repositories, messages: readonly FiledMessage[], kit: Kit): Promise<number> {
  const happened: Happening[] = []
  let forwarded = 0
  const groups = [...Map.groupBy(messages, ({ projectId }) => projectId)].sort(([a], [b]) => (a < b ? -1 : 1))
  for (const [projectId, own] of groups) {
    const addresses = [...new Set(own.flatMap(({ recipients }) => recipients.flatMap(addressesFor)))]
    const inboxes = new Map((await tx.inboxes.lockAt(projectId, addresses)).map((inbox) => [inbox.address, inbox]))
    if (inboxes.size === 0) continue
    for (const message of own) {
      const found = message.recipients.flatMap((recipient) => {
        const address = addressesFor(recipient).find((each) => inboxes.has(each))
        return (address !== undefined && inboxes.get(address)) || []
      })
      for (const inbox of new Set(found)) {
        const filed = await fileOne(tx, inbox, message, kit)
        if (filed === undefined) continue
        const { thread, rules } = filed
        if (isForwarded(inbox, thread, rules, message) && (await forward(tx, { inbox, thread, message }, kit)))
          forwarded++
        const { id: emailId, contactId, isAutomatic: automatic } = message
        happened.push(received(inbox, thread, { emailId, contactId, automatic }))
      }
    }
  }
  await noteEvents(tx, happened, kit)
  return forwarded
}

/** The addresses by which inboxes take mail to this one, the nearest first: without what follows a plus, and `*@`. */
function addressesFor(recipient: string): readonly string[] {
  const address = recipient.toLowerCase()
  const bare = address.replace(/^([^+@]{1,64})\+[^@]{0,64}@/, '$1@')
  return [...new Set([address, bare, `*@${domainOf(address)}`])]
}

/** Answers the thread and what the rules say; undefined where the inbox has the message already. */
async function fileOne(
  tx: Repositories,
  inbox: Inbox,
  message: FiledMessage,
  kit: Kit,
): Promise<{ readonly thread: Thread; readonly rules: Ruling } | undefined> {
  const { id, projectId, receivedAt, from, fromName, isAutomatic } = message
  const names = namesIn(message.headers)
  const known = await threadOf(tx, inbox, message, names)
  const ours = await mailsOfOurs(tx, projectId, names)
  const rules = ruling(inbox, message)
  const subject = shortened(message.subject, LONGEST_SUBJECT)
  const now = kit.now()
  const thread: Thread = known ?? {
    id: kit.newId(),
    projectId,
    inboxId: inbox.id,
    subject,
    subjectKey: subjectKey(subject),
    participants: [],
    folder: rules.isBlocked || rules.isSpam ? 'spam' : 'inbox',
    labels: [],
    snippet: '',
    messageCount: 0,
    lastMessageId: id,
    lastMessageAt: receivedAt,
    createdAt: now,
    updatedAt: now,
  }
  const mail = { threadId: thread.id, inboxId: inbox.id, projectId }
  const own: ThreadMail = { ...mail, emailId: id, messageId: message.messageId, incoming: true, at: receivedAt }
  const answered = ours.map(({ email, messageId }): ThreadMail => {
    return { ...mail, emailId: email.id, messageId, incoming: false, at: email.sentAt ?? email.createdAt }
  })
  const added = await tx.threadMails.add([...answered, own])
  if (!added.has(id)) return undefined
  const isLast = receivedAt >= thread.lastMessageAt
  const joined = { ...(fromName === '' ? {} : { name: shortened(fromName, 100) }), email: from }
  const filed: Thread = {
    ...thread,
    participants: from === '' ? thread.participants : withParticipants(thread.participants, [joined], inbox),
    ...ruled(thread, rules, isAutomatic),
    messageCount: thread.messageCount + added.size,
    ...(isLast ? { snippet: snippetOf(message.beginning), lastMessageId: id, lastMessageAt: receivedAt } : {}),
    updatedAt: now,
  }
  if (known) await tx.threads.update(filed)
  else await tx.threads.insert(filed)
  if (rules.events.length > 0) await tx.events.record(eventsOf(rules.events, filed, message, kit))
  return { thread: filed, rules }
}

/** A mail that was sent from an inbox, and the thread that it belongs to. */
export interface SentMessage {
  readonly inbox: Inbox
  /** Absent: it begins one. */
  readonly thread: Thread | undefined
  readonly emailId: string
  readonly messageId: string
  readonly at: Date
  readonly subject: string
  readonly text: string
  readonly to: readonly Correspondent[]
}

/** Puts a mail into its thread, within the transaction that accepts it. Answers the thread. */
export async function fileSent(tx: Repositories, sent: SentMessage, { newId }: Kit): Promise<Thread> {
  const { inbox, emailId, messageId, at } = sent
  const subject = shortened(sent.subject, LONGEST_SUBJECT)
  const known = sent.thread && (await tx.threads.lock(inbox.projectId, sent.thread.id))
  const thread: Thread = known ?? {
    id: newId(),
    projectId: inbox.projectId,
    inboxId: inbox.id,
    subject,
    subjectKey: subjectKey(subject),
    participants: [],
    folder: 'sent',
    labels: [],
    snippet: '',
    messageCount: 0,
    lastMessageId: emailId,
    lastMessageAt: at,
    createdAt: at,
    updatedAt: at,
  }
  const filed: Thread = {
    ...thread,
    participants: withParticipants(thread.participants, sent.to, inbox),
    messageCount: thread.messageCount + 1,
    snippet: snippetOf(sent.text),
    lastMessageId: emailId,
    lastMessageAt: at > thread.lastMessageAt ? at : thread.lastMessageAt,
    updatedAt: at,
  }
  const mail = { threadId: thread.id, inboxId: inbox.id, projectId: inbox.projectId }
  await tx.threadMails.add([{ ...mail, emailId, messageId, incoming: false, at }])
  if (known) await tx.threads.update(filed)
  else await tx.threads.insert(filed)
  return filed
}

/** The folder, labels and user of a thread after a message about which the inbox has decided. */
function ruled(
  { folder: before, labels, assigneeId }: Thread,
  { isBlocked, folder, labels: more, assigneeId: user }: Ruling,
  isAutomatic: boolean,
): Pick<Thread, 'folder' | 'labels' | 'assigneeId'> {
  const taker = assigneeId ?? user
  return {
    folder: isBlocked ? before : (folder ?? (isAutomatic ? before : folderAfter(before))),
    labels: [...new Set([...labels, ...more])].slice(0, MAX_LABELS),
    ...(taker === undefined ? undefined : { assigneeId: taker }),
  }
}

/** The events with which rules start workflows of the contact that wrote. */
function eventsOf(events: readonly string[], thread: Thread, message: FiledMessage, kit: Kit): readonly EventRecord[] {
  const { id: emailId, projectId, contactId } = message
  if (contactId === undefined) return []
  const data = { inboxId: thread.inboxId, threadId: thread.id, emailId }
  return events.map((name) => ({ ...stamp(kit.newId), projectId, name, contactId, emailId, data }))
}

/** A message brings its thread back, unless that is spam. */
function folderAfter(folder: Folder): Folder {
  return folder === 'spam' ? 'spam' : 'inbox'
}

async function threadOf(
  tx: Repositories,
  { id: inboxId, projectId }: Inbox,
  { subject, from, receivedAt }: FiledMessage,
  names: Names,
): Promise<Thread | undefined> {
  if (names.messageIds.length > 0) {
    const [found] = await tx.threads.withMail(projectId, inboxId, names)
    if (found) return lockedAgain(tx, found)
  }
  const key = subjectKey(subject)
  if (key === '' || !isMarked(subject)) return undefined
  const since = new Date(receivedAt.getTime() - ALIKE_MS)
  const alike = await tx.threads.withSubject(projectId, inboxId, key, since)
  const found = alike.find(({ participants }) => participants.some(({ email }) => email === from))
  return found && lockedAgain(tx, found)
}

/** The thread as it is once nothing else can change it; it may have been merged into another meanwhile. */
function lockedAgain(tx: Repositories, { projectId, id }: Thread): Promise<Thread | undefined> {
  return tx.threads.lock(projectId, id)
}

/** The mails that a message names. */
interface Names {
  readonly messageIds: readonly string[]
  readonly emailIds: readonly string[]
}

/** The Message-IDs in `In-Reply-To` and `References`, the nearest first, and those that are ids of ours. */
export function namesIn(headers: FiledMessage['headers']): Names {
  const fields = new Map(headers.map(([name, value]) => [name.toLowerCase(), value]))
  const listed = (name: string) =>
    [...(fields.get(name) ?? '').matchAll(/<[^<>\s]{1,900}>/g)].map(([id]) => id).toReversed()
  const messageIds = [...new Set([...listed('in-reply-to'), ...listed('references')])].slice(0, MOST_NAMES)
  const emailIds = messageIds.map(idIn).filter((id) => id !== undefined)
  return { messageIds, emailIds }
}

function idIn(messageId: string): string | undefined {
  const local = messageId.slice(1, messageId.lastIndexOf('@')).toLowerCase()
  return isId(local) ? local : undefined
}

/** The sent mails of the project among those that a message names. */
async function mailsOfOurs(
  tx: Repositories,
  projectId: ProjectId,
  { messageIds, emailIds }: Names,
): Promise<readonly { readonly email: Email; readonly messageId: string }[]> {
  if (emailIds.length === 0) return []
  const emails = await tx.emails.some(projectId, emailIds)
  const byId = new Map(messageIds.map((messageId) => [idIn(messageId), messageId]))
  return emails
    .filter((email) => email.sourceType !== 'INBOUND' && !isConfidential(email))
    .map((email) => ({ email, messageId: byId.get(email.id) ?? '' }))
}

/** The participants with these, who are not the inbox, and with the names of those who had none. */
function withParticipants(
  before: readonly Correspondent[],
  more: readonly Correspondent[],
  { address }: Pick<Inbox, 'address'>,
): readonly Correspondent[] {
  const all = [...before]
  for (const one of more) {
    if (one.email === address) continue
    const at = all.findIndex(({ email }) => email === one.email)
    if (at >= 0) all[at] = { ...one, ...all[at] }
    else if (all.length < MAX_PARTICIPANTS) all.push(one)
  }
  return all
}

/** The beginning of a message, without quotes and empty lines. */
function snippetOf(text: string): string {
  const lines = text.slice(0, 4_000).split(/\r?\n/)
  const own = lines.filter((line) => !line.startsWith('>') && line.trim() !== '')
  return shortened(own.join(' ').replace(/\s+/g, ' ').trim(), SNIPPET)
}

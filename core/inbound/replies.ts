import type { RepliedData } from '../events/engine-events.ts'
import { isConfidential } from '../mail/email.ts'
import type { Email } from '../ports/store/emails.ts'
import type { WaitingMessage } from '../ports/store/inbound.ts'
import type { Repositories } from '../ports/store/store.ts'
import { isId } from '../values/id.ts'
import type { JsonObject } from '../values/json.ts'
import type { ParsedMessage } from './parsed-message.ts'

/** How many Message-IDs of one message are looked up: threads grow, and their last ones are the nearest. */
const MOST = 20
/** How many earlier replies to a mail are compared with a new one. */
const COMPARED = 200
/** How many characters of a subject its event has. */
const LONGEST_SUBJECT = 500

/** A parsed message that may answer a mail. */
interface Answer {
  readonly id: string
  readonly message: Pick<WaitingMessage, 'projectId' | 'receivedAt'>
  readonly parsed: ParsedMessage
}

/**
 * The mails of ours that these messages answer, by the id of the message, inside the caller's transaction, which locks
 * the mails until it ends. Answers of machines, and a message that came in a second time for the same project, answer
 * nothing.
 */
export async function repliesIn(tx: Repositories, messages: readonly Answer[]): Promise<ReadonlyMap<string, Email>> {
  const named = messages
    .filter(({ parsed }) => !parsed.isAutomatic)
    .map((each) => ({ each, names: namesIn(each.parsed.headers) }))
    .filter(({ names }) => names.length > 0)
  const all = named.flatMap(({ names }) => names)
  if (all.length === 0) return new Map()
  const byProvider = await tx.feedback.mailsOfProvider(all.flatMap(({ providerId }) => providerId ?? []))
  const ofProvider = new Map(byProvider.map(({ id, providerId }) => [providerId, id]))
  const idOf = ({ id, providerId }: Name) => id ?? ofProvider.get(providerId)
  const mails = new Map((await tx.feedback.lock(all.flatMap((name) => idOf(name) ?? []))).map((one) => [one.id, one]))
  const answered = new Map<string, Email>()
  const seen = new Set<string>()
  for (const { each, names } of named) {
    const { projectId } = each.message
    const own = names.flatMap((name) => mails.get(idOf(name) ?? '') ?? [])
    const mail = own.find((one) => one.projectId === projectId && one.sourceType !== 'INBOUND' && !isConfidential(one))
    if (mail === undefined || (await isKnown(tx, mail, each, seen))) continue
    answered.set(each.id, mail)
  }
  return answered
}

/** Whether the message answers the mail already: sent to two addresses of the project, it may come in twice. */
async function isKnown(
  tx: Repositories,
  { id, projectId }: Email,
  { parsed: { messageId } }: Answer,
  seen: Set<string>,
): Promise<boolean> {
  if (messageId === '') return false
  const key = `${id} ${messageId}`
  if (seen.has(key)) return true
  seen.add(key)
  const earlier = await tx.feedback.repliesTo(projectId, id, COMPARED)
  return earlier.some(({ variables }) => variables.messageId === messageId)
}

/** A Message-ID in a header: the id of a mail of ours, or what may be the id that a provider gave one. */
interface Name {
  readonly id?: string
  readonly providerId?: string
}

/** The mails that a message answers according to its header (RFC 5322, section 3.6.4), the nearest first. */
export function namesIn(headers: ParsedMessage['headers']): readonly Name[] {
  const fields = new Map(headers.map(([name, value]) => [name.toLowerCase(), value]))
  const listed = (name: string) =>
    [...(fields.get(name) ?? '').matchAll(/<([^<>@\s]{1,200})@([^<>@\s]{1,255})>/g)].toReversed()
  const names = [...listed('in-reply-to'), ...listed('references')].flatMap(([, local = '', domain = '']): Name[] => {
    if (isId(local.toLowerCase())) return [{ id: local.toLowerCase() }]
    // Amazon writes its own id into each message
    return domain.toLowerCase().endsWith('amazonses.com') ? [{ providerId: local }] : []
  })
  return names.slice(0, MOST)
}

/** The data of `email.replied`: the mail that was answered, and who answered it with which subject. */
export function repliedEventData(
  { id, campaignId, templateId, sourceType }: Email,
  { id: replyId, message: { receivedAt }, parsed }: Answer,
): JsonObject {
  const { subject, from, fromName, messageId } = parsed
  return {
    emailId: id,
    campaignId: campaignId ?? null,
    templateId: templateId ?? null,
    sourceType,
    replyId,
    subject: subject.slice(0, LONGEST_SUBJECT).toWellFormed(),
    from,
    fromName,
    messageId,
    repliedAt: receivedAt.toISOString(),
  } satisfies RepliedData
}

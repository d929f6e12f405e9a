import type { Inbox } from '../ports/store/inboxes.ts'
import type { Folder } from '../ports/store/threads.ts'
import { domainOf } from '../values/email-address.ts'

/** A message that came in, as far as rules look at it. */
export interface RuledMessage {
  readonly from: string
  /** The addresses of the project that it was sent to. */
  readonly recipients: readonly string[]
  readonly subject: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly spf: string
  readonly dkim: string
  readonly dmarc: string
  /** True: the domain of its author asks to reject it, since it is forged. */
  readonly isForged?: boolean
}

/** The decisions of an inbox about a message. */
export interface Ruling {
  /** Whether the inbox has blocked its sender. */
  readonly isBlocked: boolean
  /** Whether a filter in front, or its domain, calls it unwanted. */
  readonly isSpam: boolean
  /** The folder of the first rule that names one. */
  readonly folder?: Folder
  /** The labels of all rules that hold, as far as the inbox has them. */
  readonly labels: readonly string[]
  /** The user of the first rule that names one. */
  readonly assigneeId?: string
  /** Whether the first rule that names it has it forwarded. */
  readonly forward?: boolean
  /** The events that start workflows. */
  readonly events: readonly string[]
}

type Rule = NonNullable<Inbox['rules']>[number]

/**
 * The decisions about a message: by its blocked senders, its rules, and what filters and the domain of the author say. It
 * compares texts, so that its time grows with the message and the rules alone.
 */
export function ruling(inbox: Inbox, message: RuledMessage): Ruling {
  const fields = message.headers.map(([name, value]) => [name.toLowerCase(), value.toLowerCase()] as const)
  const lowered: Lowered = {
    ...message,
    from: message.from.toLowerCase(),
    subject: message.subject.toLowerCase(),
    fields,
  }
  const holding = (inbox.rules ?? []).filter((rule) => holds(rule, lowered))
  const known = new Set(inbox.labels.map(({ name }) => name))
  const labels = holding.flatMap((rule) => rule.labels ?? []).filter((name) => known.has(name))
  const folder = holding.find((rule) => rule.folder !== undefined)?.folder
  const forward = holding.find((rule) => rule.forward !== undefined)?.forward
  const assigneeId = holding.find((rule) => rule.assigneeId !== undefined)?.assigneeId
  return {
    isBlocked: (inbox.blocked ?? []).some((pattern) => isFrom(lowered.from, pattern)),
    isSpam: inbox.filterSpam !== false && (message.isForged === true || isMarkedSpam(fields)),
    labels: [...new Set(labels)],
    ...(folder === undefined ? undefined : { folder }),
    ...(assigneeId === undefined ? undefined : { assigneeId }),
    ...(forward === undefined ? undefined : { forward }),
    events: [...new Set(holding.flatMap(({ event }) => event ?? []))],
  }
}

interface Lowered extends RuledMessage {
  /** The header fields in lower case. */
  readonly fields: readonly (readonly [name: string, value: string])[]
}

/** Whether all conditions of a rule hold. */
function holds(rule: Rule, message: Lowered): boolean {
  const { from, to, subject, header, authentication, list } = rule
  if (from !== undefined && !isFrom(message.from, from)) return false
  if (to !== undefined && !message.recipients.some((recipient) => isFrom(recipient.toLowerCase(), to))) return false
  if (subject !== undefined && !message.subject.includes(subject.toLowerCase())) return false
  if (header !== undefined) {
    const [name, part] = [header.name.toLowerCase(), header.contains?.toLowerCase() ?? '']
    if (!message.fields.some(([field, value]) => field === name && value.includes(part))) return false
  }
  if (authentication !== undefined && message[authentication.method] !== authentication.result) return false
  return list === undefined || list === isOfList(message.fields)
}

/** Whether an address is this one or, of a pattern such as `@example.com`, one at exactly this domain. */
function isFrom(address: string, pattern: string): boolean {
  return pattern.startsWith('@') ? address !== '' && `@${domainOf(address)}` === pattern : address === pattern
}

/** Whether a mailing list sent it (RFC 2919). */
function isOfList(fields: Lowered['fields']): boolean {
  return fields.some(
    ([name, value]) => name === 'list-id' || (name === 'precedence' && /^\s*(?:list|bulk)\b/.test(value)),
  )
}

/** Whether a filter in front of us has called the message spam. */
function isMarkedSpam(fields: Lowered['fields']): boolean {
  return fields.some(
    ([name, value]) => (name === 'x-spam-flag' || name === 'x-spam-status') && /^yes\b/.test(value.trim()),
  )
}

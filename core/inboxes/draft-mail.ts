import { invalidField } from '../errors.ts'
import type { MailMessage } from '../mails/mails.ts'
import type { InboxDraft } from '../ports/store/drafts.ts'
import type { Inbox } from '../ports/store/inboxes.ts'
import type { Project } from '../ports/store/projects.ts'
import type { ThreadMail } from '../ports/store/threads.ts'
import { domainOf } from '../values/email-address.ts'
import { quoteOf } from './quote.ts'

/** How long the list of the messages before is, in characters: a header field has at most 998 on a line. */
const LONGEST_REFERENCES = 900

/** A message that a draft answers or forwards, and when it came or was sent. */
export interface Answered {
  readonly message: MailMessage
  readonly mail: ThreadMail
}

/** The mail that a draft becomes, without its files. */
export function mailOf(project: Project, inbox: Inbox, draft: InboxDraft, answered: Answered | undefined) {
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

/**
 * Throws EngineError `VALIDATION_ERROR` for a mail in which nothing is written and that has no files: mostly its text was
 * given under another name. A forward has the message.
 */
export function requireWritten({ kind, body, attachments = [] }: InboxDraft): void {
  if (kind === 'forward' || attachments.length > 0 || SHOWN.test(body)) return
  if (/\S/.test(body.replace(/<[^<>]{0,2000}>|&nbsp;/g, ''))) return
  throw invalidField(
    'body',
    'required',
    'is empty: write the text of the mail there, as HTML. To send it without a text, send it with allowEmpty: true',
  )
}

/** Elements that show something without a text. */
const SHOWN = /<(?:img|picture|svg|video)\b/i

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

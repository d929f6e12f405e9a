import type { Kit } from '../kit.ts'
import { contentId, literalSender } from '../mail/content.ts'
import { newEmail } from '../mail/email.ts'
import { literalText } from '../mail/render/literal-text.ts'
import type { ContentAttachment } from '../ports/store/contents.ts'
import type { Inbox } from '../ports/store/inboxes.ts'
import type { Repositories } from '../ports/store/store.ts'
import type { Thread } from '../ports/store/threads.ts'
import { domainOf } from '../values/email-address.ts'
import { mailboxesIn } from '../values/mailbox.ts'
import { shortened } from '../values/shortened.ts'
import { takeInHour } from './hourly.ts'
import type { RuledMessage, Ruling } from './rules.ts'

/** How many messages are forwarded in an hour: of one thread, so that two programs that answer each other stop, and of one inbox. */
const MOST = { ofThread: 20, ofInbox: 500 }
/** The field of a mail that was forwarded from here, by which it is known if it comes back. */
const MARK = 'X-Mailwright-Forwarded'

/** A message that came in, as far as it is forwarded. */
export interface ForwardedMessage extends RuledMessage {
  readonly id: string
  readonly fromName: string
  readonly html: string
  readonly text: string
  readonly attachments: readonly ContentAttachment[]
  readonly messageId: string
  readonly isAutomatic: boolean
}

/**
 * Whether a message that was filed goes on to the confirmed address of its inbox: where rules forward, what they name; else all.
 * Never what is unwanted or thrown away, what a machine sent, and what was forwarded before.
 */
export function isForwarded(inbox: Inbox, { folder }: Thread, ruled: Ruling, message: ForwardedMessage): boolean {
  if (inbox.forwardTo === undefined || inbox.forwardConfirmedAt === undefined) return false
  if (folder === 'spam' || folder === 'trash' || ruled.isBlocked || ruled.isSpam || message.isAutomatic) return false
  if (message.from === inbox.forwardTo || message.from === '') return false
  if (message.headers.some(([name]) => name.toLowerCase() === MARK.toLowerCase())) return false
  return ruled.forward ?? !(inbox.rules ?? []).some(({ forward }) => forward)
}

/**
 * Sends a message on, within the transaction that files it: from the inbox's own address, so that SPF, DKIM and DMARC hold, with
 * replies to its author. It is a mail to the contact of the mailbox, which was made when that was asked: its bounce never concerns
 * its author, and nothing is forwarded to a contact that was removed. Answers whether it is.
 */
export async function forward(
  tx: Repositories,
  { inbox, thread, message }: { readonly inbox: Inbox; readonly thread: Thread; readonly message: ForwardedMessage },
  { now, newId, log }: Kit,
): Promise<boolean> {
  const { projectId, forwardTo: to = '' } = inbox
  const at = now()
  const contact = (await tx.contacts.findByAddress(projectId, [to])).get(to)
  if (contact === undefined) return false
  if (!(await isWithin(tx, { inbox, thread }, at))) {
    log.warn('a message is not forwarded: too many were within an hour', { inbox: inbox.id, email: message.id })
    return false
  }
  const { subject, html, text, attachments, from, fromName, messageId } = message
  const written = {
    projectId,
    subject: literalText(subject),
    html: literalText(html),
    text: literalText(text),
    from: literalSender({ email: senderOf(inbox, message), name: `${fromName || from} (${inbox.name})` }),
    replyTo: literalText(repliesOf(message)),
    cc: [],
    bcc: [],
    headers: [
      [MARK, inbox.id],
      // a machine passes it on: programs that answer by themselves leave it alone (RFC 3834)
      ['Auto-Submitted', 'auto-generated'],
      ...(messageId === '' ? [] : [['References', shortened(messageId, 900)] as const]),
    ] as const,
    attachments,
    marketing: false,
    tracking: false,
  }
  const content = { id: contentId(written), ...written, createdAt: at }
  const email = newEmail(at, {
    id: newId(),
    projectId,
    contactId: contact.id,
    contentId: content.id,
    to,
    sourceType: 'TRANSACTIONAL',
    lane: 'transactional',
    variables: {},
    tags: { mailwright: 'forward' },
  })
  await tx.emails.add([email], [content])
  return true
}

async function isWithin(
  tx: Pick<Repositories, 'attempts'>,
  { inbox, thread }: { readonly inbox: Inbox; readonly thread: Thread },
  at: Date,
): Promise<boolean> {
  const takes = async (id: string, most: number) => (await takeInHour(tx, `inbox forward ${id}`, at, most)).isWithin
  return (await takes(thread.id, MOST.ofThread)) && takes(inbox.id, MOST.ofInbox)
}

/** The address that it is sent from: of an inbox for many addresses the one that the message came to. */
function senderOf({ address }: Inbox, { recipients }: ForwardedMessage): string {
  if (!address.startsWith('*@')) return address
  const domain = domainOf(address)
  return recipients.find((each) => domainOf(each) === domain) ?? `postmaster@${domain}`
}

/** Where the author wants answers. */
function repliesOf({ headers, from }: ForwardedMessage): string {
  const field = headers.find(([name]) => name.toLowerCase() === 'reply-to')?.[1] ?? ''
  return mailboxesIn(field, 1)[0]?.email ?? from
}

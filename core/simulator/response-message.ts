import { createHash } from 'node:crypto'
import { addressField, dateField, messageIdField, textField } from '../mail/mime/header-fields.ts'
import type { Mailbox, OutgoingMail } from '../ports/mail-transport.ts'
import { asciiAddress, domainOf } from '../values/email-address.ts'
import type { Response } from './behaviours.ts'

/** How much of a mail's header a report returns, in bytes. */
const MAX_HEADER_BYTES = 16 * 1024
/** How much of a mail's subject an answer repeats, in characters. */
const MAX_SUBJECT = 200

/** The mail that something comes back for. */
export interface Received {
  readonly mail: Pick<OutgoingMail, 'id' | 'messageId' | 'subject'>
  /** Who got it, and answers. */
  readonly recipient: Mailbox
  /** The composed message. */
  readonly raw: Uint8Array
  /** Where bounces and complaints go. */
  readonly returnPath: string
  /** Where answers go. */
  readonly replyTo: Mailbox
  readonly receivedAt: Date
}

/** The message that comes back (RFC 5322), as a mail server, a provider or a person would write it. */
export function responseMessage(response: Response, received: Received, boundary: string): Buffer {
  if (response.kind === 'complaint') return complaint(response, received, boundary)
  if (response.kind === 'away' || response.kind === 'reply') return answer(response, received)
  return statusReport(response, received, boundary)
}

/** Whether a person or their machine answers, and no server reports. */
export function isAnswer({ kind }: Response): boolean {
  return kind === 'away' || kind === 'reply'
}

/** A report of delivery (RFC 3464), in its envelope of parts (RFC 6522). */
function statusReport(response: Failed | Other, given: Received, boundary: string): Buffer {
  const whom = asciiAddress(given.recipient.email)
  const { subject, words, action } = response.kind === 'failed' ? FAILED : OTHER[response.kind]
  const { status, reply } = response.kind === 'failed' ? response : OTHER[response.kind]
  return report({
    given,
    response,
    boundary,
    type: 'delivery-status',
    subject,
    words: [`${words}:`, '', `<${whom}>: ${reply}`],
    part: {
      type: 'message/delivery-status',
      lines: [
        `Reporting-MTA: dns; ${hostOf(given)}`,
        `Arrival-Date: ${dateOf(given.receivedAt)}`,
        '',
        `Final-Recipient: rfc822; ${whom}`,
        `Original-Recipient: rfc822; ${whom}`,
        `Action: ${action}`,
        `Status: ${status}`,
        `Diagnostic-Code: smtp; ${reply}`,
      ],
    },
  })
}

type Failed = Extract<Response, { readonly kind: 'failed' }>
type Other = Response & { readonly kind: 'delivered' | 'delayed' }

const FAILED = {
  action: 'failed',
  subject: 'Undelivered Mail Returned to Sender',
  words: 'This is the simulator. Your message could not be delivered to',
}

const OTHER = {
  delivered: {
    action: 'delivered',
    subject: 'Successful Mail Delivery Report',
    words: 'This is the simulator. Your message was delivered to',
    status: '2.0.0',
    reply: '250 2.0.0 Simulator: delivered',
  },
  delayed: {
    action: 'delayed',
    subject: 'Delayed Mail (still being retried)',
    words: 'This is the simulator. Your message could not be delivered yet, and is still being tried, to',
    status: '4.4.1',
    reply: '451 4.4.1 Simulator: no answer from the host, will retry',
  },
}

/** An abuse report (RFC 5965). */
function complaint(response: Response, given: Received, boundary: string): Buffer {
  const whom = asciiAddress(given.recipient.email)
  return report({
    given,
    response,
    boundary,
    type: 'feedback-report',
    subject: `Abuse report: ${given.mail.subject.slice(0, MAX_SUBJECT)}`,
    words: [`This is the simulator. ${whom} has marked this message as spam.`],
    part: {
      type: 'message/feedback-report',
      lines: [
        'Feedback-Type: abuse',
        'User-Agent: Mailwright-Simulator/1.0',
        'Version: 1',
        `Original-Mail-From: <${asciiAddress(given.returnPath)}>`,
        `Original-Rcpt-To: <${whom}>`,
        `Arrival-Date: ${dateOf(given.receivedAt)}`,
        `Reporting-MTA: dns; ${hostOf(given)}`,
      ],
    },
  })
}

interface Report {
  readonly given: Received
  readonly response: Response
  readonly boundary: string
  readonly type: string
  readonly subject: string
  readonly words: readonly string[]
  readonly part: { readonly type: string; readonly lines: readonly string[] }
}

function report({ given, response, boundary, type, subject, words, part }: Report): Buffer {
  const daemon = { name: 'Mail Delivery System', email: `mailer-daemon@${hostOf(given)}` }
  const header = [
    ...headerOf(given, response, daemon, { email: given.returnPath }, subject),
    'Auto-Submitted: auto-replied\r\n',
    `MIME-Version: 1.0\r\nContent-Type: multipart/report; report-type=${type};\r\n boundary="${boundary}"\r\n`,
  ]
  const parts = [
    { type: 'text/plain; charset=us-ascii', text: lines(words) },
    { type: part.type, text: lines(part.lines) },
    { type: 'text/rfc822-headers', text: returnedHeader(given.raw) },
  ].map((each) => `--${boundary}\r\nContent-Type: ${each.type}\r\n\r\n${each.text}\r\n`)
  return Buffer.from(`${header.join('')}\r\n${parts.join('')}--${boundary}--\r\n`, 'latin1')
}

/** An answer: of a machine (RFC 3834) or a person. */
function answer(response: Response, given: Received): Buffer {
  const { mail, recipient, replyTo } = given
  const isAway = response.kind === 'away'
  const subject = `${isAway ? 'Automatic reply' : 'Re'}: ${mail.subject.slice(0, MAX_SUBJECT)}`
  const words = isAway
    ? ['Hello,', '', 'I am out of the office, and will answer when I am back.', '', 'The simulator']
    : ['Hello,', '', 'thank you for your message. This is my answer to it.', '', 'The simulator']
  const header = [
    ...headerOf(given, response, recipient, replyTo, subject),
    messageIdField('In-Reply-To', mail.messageId),
    messageIdField('References', mail.messageId),
    ...(isAway ? ['Auto-Submitted: auto-replied\r\n'] : []),
    'MIME-Version: 1.0\r\nContent-Type: text/plain; charset=us-ascii\r\n',
  ]
  return Buffer.from(`${header.join('')}\r\n${lines(words)}`, 'latin1')
}

function headerOf(given: Received, { kind, afterMs }: Response, from: Mailbox, to: Mailbox, subject: string): string[] {
  // the same however often the mail is handed over, so that a repeat is recognised
  const whose = createHash('sha256').update(given.recipient.email).digest('hex').slice(0, 16)
  return [
    addressField('From', [from], 'from'),
    addressField('To', [to], 'to'),
    textField('Subject', subject, 'subject'),
    dateField(new Date(given.receivedAt.getTime() + afterMs)),
    messageIdField('Message-ID', `<${kind}.${whose}.${given.mail.id}@${hostOf(given)}>`),
  ]
}

function hostOf({ recipient }: Received): string {
  return domainOf(asciiAddress(recipient.email))
}

function lines(given: readonly string[]): string {
  return given.map((line) => `${line}\r\n`).join('')
}

function dateOf(date: Date): string {
  return dateField(date).slice('Date: '.length).trim()
}

/** The header of the mail, as far as it fits. */
function returnedHeader(raw: Uint8Array): string {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, Math.min(raw.byteLength, MAX_HEADER_BYTES))
  const text = bytes.toString('latin1')
  const end = text.indexOf('\r\n\r\n')
  return text.slice(0, end < 0 ? text.lastIndexOf('\r\n') + 2 : end + 2)
}

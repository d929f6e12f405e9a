import { expect } from 'vitest'
import type { Mailbox, OutgoingMail, SendResult } from '../../core/ports/mail-transport.ts'
import { asciiAddress } from '../../core/values/email-address.ts'
import type { MailToSend } from './outgoing-mail.ts'

/** One mail as the next hop has it: the whole message, or the fields it was given. */
export interface ReceivedMail {
  /** The envelope's sender, where the next hop is told it. */
  readonly from?: string
  /** Everybody it goes to. */
  readonly to: readonly string[]
  /** The provider's own id of the mail, where it answers one: the transport must pass it on. */
  readonly id?: string
  /** The message without dot-stuffing, of a transport that speaks `message`. */
  readonly raw?: Uint8Array
  /** The fields that a transport which speaks `fields` has sent. */
  readonly fields?: ReceivedFields
}

/** A mail as a provider is given it that makes the message. What a mail lacks may be left out. */
export interface ReceivedFields {
  readonly from: Mailbox
  readonly to: readonly Mailbox[]
  readonly cc?: readonly Mailbox[]
  readonly bcc?: readonly Mailbox[]
  readonly replyTo?: readonly Mailbox[]
  readonly subject: string
  readonly text: string
  readonly html?: string | undefined
  readonly headers?: readonly (readonly [name: string, value: string])[]
  readonly attachments?: readonly {
    readonly filename: string
    readonly contentType: string
    readonly contentId?: string | undefined
    readonly content: Uint8Array
  }[]
}

export const HEADERS = [
  ['X-Campaign', 'spring'],
  ['List-Unsubscribe', '<https://sender.test/leave/1>'],
  ['List-Unsubscribe-Post', 'List-Unsubscribe=One-Click'],
] as const
export const ATTACHMENTS: OutgoingMail['attachments'] = [
  { filename: 'Grüße.txt', contentType: 'text/plain', disposition: 'attachment', content: Buffer.from('hello') },
  {
    filename: 'dot.png',
    contentType: 'image/png',
    disposition: 'inline',
    contentId: 'dot@sender.test',
    content: Uint8Array.from({ length: 256 }, (_, i) => i),
  },
]
export const WITH_COPIES: MailToSend = {
  to: [{ email: 'ada@example.com', name: 'Ada "the first" Lovelace' }],
  cc: [{ email: 'bob@example.com', name: 'Bob, Ltd.' }, { email: 'cy@example.org' }],
  bcc: [{ email: 'blind@example.com' }],
  replyTo: [{ email: 'answers@sender.test', name: 'Answers' }, { email: 'more@sender.test' }],
}

/** A mail of these lines, as text and as a message that has them as they are. */
export function lines(...all: readonly string[]): MailToSend {
  const text = `${all.join('\r\n')}\r\n`
  return { text, html: undefined, message: Buffer.from(`Subject: lines\r\n\r\n${text}`) }
}

export const sorted = (addresses: readonly string[]) => [...addresses].sort()

/** The mail arrived whole, in the way its transport speaks. */
export async function expectWhole({ raw, fields }: ReceivedMail, mail: OutgoingMail, speaks: 'fields' | 'message') {
  if (speaks === 'message') {
    expect(raw && Buffer.from(raw).equals(Buffer.from(await mail.raw())), 'raw is what raw() answered').toBe(true)
    return
  }
  expect(fields, 'fields: what the provider was given').toBeDefined()
  expect(comparable(fields!)).toEqual(comparable(mail))
  // others than ours may be added
  const arrived = (fields!.headers ?? []).map(lowerName)
  for (const field of mail.headers) expect(arrived).toContainEqual(lowerName(field))
}

/** Names of header fields differ by no capitals. */
const lowerName = ([name, value]: readonly [string, string]) => [name.toLowerCase(), value]

function comparable({
  from,
  to,
  cc = [],
  bcc = [],
  replyTo = [],
  subject,
  text,
  html,
  attachments = [],
}: ReceivedFields) {
  const files = attachments.map(({ filename, contentType, contentId, content }) => ({
    ...{ filename, contentType, contentId },
    content: Buffer.from(content).toString('base64'),
  }))
  const box = ({ email, name }: Mailbox) => ({ email: asciiAddress(email), name: name ?? '' })
  return {
    ...{ from: box(from), to: to.map(box), cc: cc.map(box), bcc: bcc.map(box), replyTo: replyTo.map(box) },
    ...{ subject, text, html, attachments: files },
  }
}

/** None of these addresses can be seen by another recipient. */
export function expectUnseen({ to, raw, fields }: ReceivedMail, blind: readonly string[]): void {
  const seen = [...(fields?.to ?? []), ...(fields?.cc ?? [])].map(({ email }) => email)
  const headers = (fields?.headers ?? []).map((field) => field.join(': '))
  const text = [raw ? Buffer.from(raw).toString() : '', ...headers].join('\n')
  const named = blind.filter((address) => text.includes(address) || (to.length > 1 && seen.includes(address)))
  expect(named, 'blind recipients that others can see').toEqual([])
}

/** Reports of the provider lead to the mail by the id that it answered, where it answers one. */
export function expectFindable(result: SendResult, { id: known }: ReceivedMail): void {
  const { id, messageId } = result.outcome === 'accepted' ? result : {}
  if (known !== undefined) expect([id, messageId?.replace(/^<(.*)>$/, '$1')]).toContain(known)
}

export function expectReason(result: SendResult): void {
  expect(result.outcome === 'refused' && result.reason.trim()).toMatch(/\S/)
}

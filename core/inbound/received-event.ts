import type { ReceivedData } from '../events/engine-events.ts'
import { headersByName, listedAttachments } from '../mail/received-mail.ts'
import type { WaitingMessage } from '../ports/store/inbound.ts'
import type { JsonObject } from '../values/json.ts'
import type { Authentication } from './authenticate.ts'
import type { ParsedMessage } from './parsed-message.ts'

/** How many bytes of JSON each field may have, so that all together fit into an event. */
const ROOM = { subject: 2_000, text: 8_000, html: 9_000, headers: 5_000, attachments: 4_000, to: 2_000 } as const

/** The data of `email.received` (`docs/inbound.md`). What is too long for an event is cut, and `truncated` says so. */
export function receivedEventData(
  emailId: string,
  message: Pick<WaitingMessage, 'recipients' | 'receivedAt'>,
  parsed: ParsedMessage,
  { spf, dkim, dmarc }: Authentication,
  urlOf: (place: number) => string,
): JsonObject {
  const subject = fitting(parsed.subject, ROOM.subject)
  const text = fitting(parsed.text, ROOM.text)
  const html = fitting(parsed.html, ROOM.html)
  const headers = listed(parsed.headers, ROOM.headers)
  const to = listed(message.recipients, ROOM.to)
  const attachments = listed(listedAttachments(parsed.attachments, urlOf), ROOM.attachments)
  const truncated =
    parsed.isCut === true ||
    [subject, text, html].some(({ isCut }) => isCut) ||
    [headers, to, attachments].some(({ isCut }) => isCut)
  return {
    emailId,
    messageId: parsed.messageId,
    from: parsed.from,
    fromName: parsed.fromName,
    to: to.items,
    subject: subject.text,
    text: text.text,
    html: html.text,
    headers: headersByName(headers.items),
    attachments: attachments.items,
    spf,
    dkim,
    dmarc,
    autoReply: parsed.isAutomatic,
    truncated,
    receivedAt: message.receivedAt.toISOString(),
    sourceType: 'INBOUND',
  } satisfies Omit<ReceivedData, 'inReplyTo'>
}

function fitting(text: string, bytes: number): { readonly text: string; readonly isCut: boolean } {
  // a character of JSON has at least one byte
  let cut = text.slice(0, bytes)
  while (jsonBytes(cut) > bytes) cut = cut.slice(0, Math.floor((cut.length * bytes) / jsonBytes(cut)) - 1)
  const whole = cut.toWellFormed().replace(/\ufffd$/, '')
  return cut.length === text.length ? { text, isCut: false } : { text: whole, isCut: true }
}

function listed<T>(items: readonly T[], bytes: number): { readonly items: T[]; readonly isCut: boolean } {
  const kept: T[] = []
  let sum = 2
  for (const item of items) {
    sum += jsonBytes(item) + 1
    if (sum > bytes) return { items: kept, isCut: true }
    kept.push(item)
  }
  return { items: kept, isCut: false }
}

function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value))
}

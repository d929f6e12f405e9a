import type { WaitingMessage } from '../ports/store/inbound.ts'
import type { ParsedAttachment, ParsedMessage } from './parsed-message.ts'

const HEAD = 64 * 1024

/** A record for a message that could not be parsed: author and subject by a simple search, and all of it attached. */
export function unreadable({ raw, sender }: Pick<WaitingMessage, 'raw' | 'sender'>): ParsedMessage {
  const head = Buffer.from(raw.buffer, raw.byteOffset, Math.min(raw.length, HEAD)).toString('latin1')
  const field = (name: string) =>
    new RegExp(`^${name}:[ \\t]*([^\\r\\n]{0,900})`, 'im').exec(head)?.[1]?.replaceAll('\0', '').trim() ?? ''
  const from = /<([^<>\s]{1,320})>\s*$/.exec(field('from'))?.[1] ?? field('from')
  return {
    messageId: field('message-id'),
    from: from.toLowerCase().slice(0, 320),
    fromName: '',
    subject: field('subject'),
    text: '',
    html: '',
    headers: [],
    isAutomatic: sender === '' || field('auto-submitted') !== '',
    attachments: [wholeMessage(raw)],
  }
}

/** All of the message as it came. */
export function wholeMessage(raw: Uint8Array): ParsedAttachment {
  const bytes = new Uint8Array(raw)
  return { filename: 'message.eml', contentType: 'message/rfc822', disposition: 'attachment', bytes }
}

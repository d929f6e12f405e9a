import { type AddressObject, type Attachment, MailParser, simpleParser } from 'mailparser'
import { newlyWritten } from '../mail/reply/newly-written.ts'
import { endingOf } from '../values/file-ending.ts'
import { answerQuestions, type Handed } from '../work/answer-questions.ts'
import { isAutomatic } from './automatic.ts'
import type { ParsedAttachment, ParsedMessage, ParseQuestion } from './parsed-message.ts'
import { readableMime } from './readable-mime.ts'
import { unreadable, wholeMessage } from './unreadable.ts'

/** The worker thread that parses received mail, so that a message that takes long holds up nothing else. */

/** HTML of a longer message is not converted to text; its own text part is kept in any case. */
const HTML_TO_TEXT = 256 * 1024
const MAX_HEADERS = 500
const MAX_HEADER_LENGTH = 8_000
const LONGEST_NAME = 255
/** How much of the new text is handed on for lists, in characters. */
const BEGINNING = 1_000

/** Cuts what is too long for a record, and remembers that it did. */
class Room {
  isCut = false

  text(given: string, most: number): string {
    if (given.length <= most) return given
    this.isCut = true
    return given.slice(0, most).toWellFormed()
  }

  first<T>(given: readonly T[], most: number): readonly T[] {
    if (given.length > most) this.isCut = true
    return given.slice(0, most)
  }
}

answerQuestions(async ({ raw, sender }: ParseQuestion): Promise<Handed> => {
  const answer = await read(Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength), sender)
  return { answer, transfer: [...new Set(answer.attachments.map(({ bytes }) => bytes.buffer as ArrayBuffer))] }
})

/** A failure of the library repeats: HTML nested too deep to convert is left without text, the rest is kept. */
async function read(raw: Buffer, sender: string): Promise<ParsedMessage> {
  const isShort = raw.length <= HTML_TO_TEXT
  try {
    return await parsed(raw, sender, isShort).catch((error) => {
      if (!isShort) throw error
      return parsed(raw, sender, false)
    })
  } catch (error) {
    return { ...unreadable({ raw, sender }), problem: error instanceof Error ? error.message : String(error) }
  }
}

async function parsed(raw: Buffer, sender: string, htmlToText: boolean): Promise<ParsedMessage> {
  // old programs end a line by CR alone
  const isOfCr = !raw.includes(0x0a) && raw.includes(0x0d)
  const lines = isOfCr ? Buffer.from(raw.toString('latin1').replaceAll('\r', '\r\n'), 'latin1') : raw
  const { bytes, isUnsure } = readableMime(lines, knowsCharset)
  const mail = await simpleParser(bytes, {
    skipTextToHtml: true,
    skipTextLinks: true,
    skipImageLinks: true,
    keepCidLinks: true,
    skipHtmlToText: !htmlToText,
    // reports are kept whole: what reads them reads their bytes
    keepDeliveryStatus: true,
  })
  const room = new Room()
  const headers = room.first(mail.headerLines, MAX_HEADERS).map(({ key, line }) => headerOf(key, line, room))
  const author = firstAddress(mail.from)
  const attachments = mail.attachments.map((each, i) => attachmentOf(each, i, room))
  const isEmptied = attachments.length === 0 && !mail.text?.trim() && !mail.html && hasBody(raw)
  const facts = {
    messageId: room.text(clean(mail.messageId ?? ''), 1000),
    // without a usable author, the envelope's sender is it
    from: room.text(clean(usable(author?.address) ?? sender).toLowerCase(), 320),
    fromName: room.text(clean(author?.name ?? ''), LONGEST_NAME),
    subject: room.text(clean(mail.subject ?? '').replace(/[\r\n]+/g, ' '), 2000),
  }
  const [text, html] = [clean(mail.text ?? ''), clean(mail.html || '')]
  const beginning = newlyWritten({ text, html }).text.slice(0, BEGINNING).toWellFormed()
  const isWhole = !isUnsure && !isEmptied && !room.isCut
  return {
    ...facts,
    text,
    html,
    ...(beginning === '' ? {} : { beginning }),
    headers,
    // accepted mail is never lost, however it is written
    attachments: isWhole ? attachments : [...attachments, wholeMessage(raw)],
    ...(room.isCut ? { isCut: true } : {}),
    isAutomatic: isAutomatic(sender, headers),
  }
}

/** The parser reads text in a charset that its decoder refuses as UTF-8. */
function knowsCharset(label: string): boolean {
  try {
    Reflect.get(new MailParser(), 'decoder').decodeStream(label)
    return true
  } catch {
    return false
  }
}

/** Whether there is anything but blanks after the header. */
function hasBody(raw: Buffer): boolean {
  const end = /\r?\n\r?\n/.exec(raw.toString('latin1'))
  return end !== null && raw.subarray(end.index).some((octet) => octet > 0x20)
}

function firstAddress(from: AddressObject | undefined) {
  return from?.value.flatMap((each) => each.group ?? each).find(({ address }) => address)
}

/** The address if mail could be sent there. */
function usable(address: string | undefined): string | undefined {
  return address !== undefined && /^[^@\s]+@[^@\s]+$/.test(address) ? address : undefined
}

/** The parser answers one character for each octet. */
function headerOf(key: string, given: string, room: Room): readonly [string, string] {
  const line = Buffer.from(given, 'latin1').toString()
  const colon = line.indexOf(':')
  const value = clean(line.slice(colon + 1))
    .replace(/\r?\n\s*/g, ' ')
    .trim()
  return [room.text(clean(key), 200), room.text(value, MAX_HEADER_LENGTH)]
}

function attachmentOf(given: Attachment, i: number, room: Room): ParsedAttachment {
  const { filename, contentType, contentDisposition, cid, content } = given
  const name =
    clean(filename ?? '')
      .split(/[/\\]/)
      .at(-1)
      ?.trim() ?? ''
  return {
    filename:
      room.text(/^\.*$/.test(name) ? '' : name, LONGEST_NAME) ||
      `attachment-${i + 1}.${endingOf(contentType, content) ?? 'bin'}`,
    contentType: /^[\w.+-]+\/[\w.+-]+$/.test(contentType) ? contentType.toLowerCase() : 'application/octet-stream',
    disposition: contentDisposition === 'inline' ? 'inline' : 'attachment',
    ...(cid ? { contentId: room.text(clean(cid), 1000) } : {}),
    // small ones share a pool, which cannot be transferred
    bytes: new Uint8Array(content),
  }
}

/** The text without what some stores cannot keep. */
function clean(text: string): string {
  return text.replaceAll('\0', '').toWellFormed()
}

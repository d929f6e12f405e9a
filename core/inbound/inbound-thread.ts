import { type AddressObject, type Attachment, simpleParser } from 'mailparser'
import { answerQuestions, type Handed } from '../work/answer-questions.ts'
import { isAutomatic } from './automatic.ts'
import type { ParsedAttachment, ParsedMessage, ParseQuestion } from './parsed-message.ts'
import { unreadable } from './unreadable.ts'

/** The worker thread that parses received mail, so that a message that takes long holds up nothing else. */

/** HTML of a longer message is not converted to text; its own text part is kept in any case. */
const HTML_TO_TEXT = 256 * 1024
const MAX_HEADERS = 500
const MAX_HEADER_LENGTH = 8_000
const LONGEST_NAME = 255

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
  const mail = await simpleParser(raw, {
    skipTextToHtml: true,
    skipTextLinks: true,
    skipImageLinks: true,
    keepCidLinks: true,
    skipHtmlToText: !htmlToText,
    // reports are kept whole: what reads them reads their bytes
    keepDeliveryStatus: true,
  })
  const headers = mail.headerLines.slice(0, MAX_HEADERS).map(({ key, line }) => headerOf(key, line))
  const author = firstAddress(mail.from)
  return {
    messageId: clean(mail.messageId ?? '').slice(0, 1000),
    from: clean(author?.address ?? '')
      .toLowerCase()
      .slice(0, 320),
    fromName: clean(author?.name ?? '').slice(0, LONGEST_NAME),
    subject: clean(mail.subject ?? '')
      .replace(/[\r\n]+/g, ' ')
      .slice(0, 2000),
    text: clean(mail.text ?? ''),
    html: clean(mail.html || ''),
    headers,
    attachments: mail.attachments.map(attachmentOf),
    isAutomatic: isAutomatic(sender, headers),
  }
}

function firstAddress(from: AddressObject | undefined) {
  return from?.value.flatMap((each) => each.group ?? each).find(({ address }) => address)
}

function headerOf(key: string, line: string): readonly [string, string] {
  const colon = line.indexOf(':')
  return [
    clean(key).slice(0, 200),
    clean(line.slice(colon + 1))
      .replace(/\r?\n\s*/g, ' ')
      .trim()
      .slice(0, MAX_HEADER_LENGTH),
  ]
}

function attachmentOf(given: Attachment, i: number): ParsedAttachment {
  const { filename, contentType, contentDisposition, cid, content } = given
  const extension = contentType === 'message/rfc822' ? 'eml' : 'bin'
  return {
    filename: clean(filename ?? '').slice(0, LONGEST_NAME) || `attachment-${i + 1}.${extension}`,
    contentType: /^[\w.+-]+\/[\w.+-]+$/.test(contentType) ? contentType.toLowerCase() : 'application/octet-stream',
    disposition: contentDisposition === 'inline' ? 'inline' : 'attachment',
    ...(cid ? { contentId: clean(cid).slice(0, 1000) } : {}),
    // small ones share a pool, which cannot be transferred
    bytes: new Uint8Array(content),
  }
}

/** The text without what some stores cannot keep. */
function clean(text: string): string {
  return text.replaceAll('\0', '').toWellFormed()
}

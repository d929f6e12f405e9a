import { invalidField } from '../../errors.ts'
import type { Mailbox, OutgoingAttachment } from '../../ports/mail-transport.ts'
import { attachedMessage } from './attached-message.ts'
import { attachmentFields, isMessage } from './attachment-fields.ts'
import { base64Lines } from './base64-lines.ts'
import type { FilledBody } from './body-skeleton.ts'
import { ByteWriter } from './byte-writer.ts'
import {
  addressField,
  dateField,
  isHeaderName,
  isReservedHeader,
  messageIdField,
  refuseInjection,
  textField,
} from './header-fields.ts'
import { MAX_MESSAGE_BYTES } from './message-size.ts'
import { writeQuotedPrintable } from './quoted-printable.ts'

/** How large a block of messages is. */
const BLOCK = 256 * 1024
/** A block that grew beyond this for a large mail is released. */
const KEPT_CAPACITY = 1024 * 1024

/** A header field. */
export type Header = readonly [name: string, value: string]

/** The parts of a message. Extra header fields are written in order, after `MIME-Version`. */
export interface MailParts {
  readonly from: Mailbox
  readonly to: readonly Mailbox[]
  readonly cc: readonly Mailbox[]
  readonly replyTo?: readonly Mailbox[]
  readonly subject: string
  readonly date: Date
  readonly messageId: string
  readonly text: MailBody
  readonly html?: MailBody
  readonly headers: readonly Header[]
  /** Further fields, which many mails have in the same array. */
  readonly fixedHeaders?: readonly Header[]
  readonly attachments: readonly OutgoingAttachment[]
}

/** A body as text, or as a skeleton with the values for its slots. */
export type MailBody = string | FilledBody

/** Composes messages (RFC 5322 and MIME, RFC 2045 to 2049). */
export class Composing {
  readonly #attached = new WeakMap<Uint8Array, Buffer>()
  readonly #messages = new WeakMap<Uint8Array, Buffer | typeof NO_MESSAGE>()
  readonly #from = new WeakMap<Mailbox, string>()
  readonly #fixed = new WeakMap<readonly Header[], string>()
  #writer = new ByteWriter(BLOCK)

  /**
   * The message as bytes, at most 40 MB: CRLF line ends, 7 bit, no line over 998 octets, no Bcc, no dot-stuffing; the
   * same parts make the same bytes. Attachments are encoded once per `content` array, `from` and `fixedHeaders` are
   * written once per object: they must not change afterwards. Throws EngineError `VALIDATION_ERROR` when a value cannot
   * be in a header field (`header_injection` for CR, LF and NUL), or the message is too large (`too_big`).
   */
  compose(mail: MailParts): Buffer<ArrayBuffer> {
    const writer = this.#writer
    writer.reset()
    writer.ascii(this.#header(mail))
    this.#mixed(mail)
    const { written } = writer
    if (written > MAX_MESSAGE_BYTES) {
      this.#writer = new ByteWriter(BLOCK)
      const most = `at most ${MAX_MESSAGE_BYTES} (40 MB)`
      throw invalidField('body', 'too_big', `makes a message of ${written} bytes as it travels; it must have ${most}`)
    }
    return this.#taken()
  }

  /** Concatenates ready pieces: ASCII text, bytes, and bodies that are filled in and written as quoted-printable. */
  joined(pieces: readonly (string | Uint8Array | FilledBody)[]): Buffer<ArrayBuffer> {
    const writer = this.#writer
    writer.reset()
    for (const piece of pieces) {
      if (typeof piece === 'string') writer.ascii(piece)
      else if (piece instanceof Uint8Array) writer.add(piece)
      else piece.skeleton.write(writer, piece.values)
    }
    return this.#taken()
  }

  #header(mail: MailParts): string {
    let fields = once(this.#from, mail.from, (from) => addressField('From', [from], 'from'))
    fields += mail.to.length > 0 ? addressField('To', mail.to, 'to') : 'To: undisclosed-recipients:;\r\n'
    if (mail.cc.length > 0) fields += addressField('Cc', mail.cc, 'cc')
    if (mail.replyTo?.length) fields += addressField('Reply-To', mail.replyTo, 'replyTo')
    fields += textField('Subject', mail.subject, 'subject')
    fields += dateField(mail.date)
    fields += messageIdField('Message-ID', mail.messageId)
    fields += 'MIME-Version: 1.0\r\n'
    fields += extraFields(mail.headers)
    return mail.fixedHeaders ? fields + once(this.#fixed, mail.fixedHeaders, extraFields) : fields
  }

  /** The whole body; from outside to inside: mixed, alternative, related (RFC 2046, RFC 2387). */
  #mixed(mail: MailParts): void {
    const outside = numbered(mail).filter(({ attachment }) => !isRelated(mail, attachment))
    if (outside.length === 0) {
      this.#alternative(mail)
      return
    }
    const boundary = boundaryOf(mail, 'm')
    this.#writer.ascii(`Content-Type: multipart/mixed;\r\n boundary="${boundary}"\r\n\r\n--${boundary}\r\n`)
    this.#alternative(mail)
    this.#attachments(outside, boundary)
  }

  #taken(): Buffer<ArrayBuffer> {
    const message = this.#writer.take()
    if (this.#writer.capacity > KEPT_CAPACITY) this.#writer = new ByteWriter(BLOCK)
    return message
  }

  #alternative(mail: MailParts): void {
    if (mail.html === undefined) {
      this.#body('plain', mail.text)
      return
    }
    const boundary = boundaryOf(mail, 'a')
    this.#writer.ascii(`Content-Type: multipart/alternative;\r\n boundary="${boundary}"\r\n\r\n--${boundary}\r\n`)
    this.#body('plain', mail.text)
    this.#writer.ascii(`--${boundary}\r\n`)
    this.#related(mail, mail.html)
    this.#writer.ascii(`--${boundary}--\r\n`)
  }

  #related(mail: MailParts, html: MailBody): void {
    const inside = numbered(mail).filter(({ attachment }) => isRelated(mail, attachment))
    if (inside.length === 0) {
      this.#body('html', html)
      return
    }
    const boundary = boundaryOf(mail, 'r')
    this.#writer.ascii(
      `Content-Type: multipart/related; type="text/html";\r\n boundary="${boundary}"\r\n\r\n--${boundary}\r\n`,
    )
    this.#body('html', html)
    this.#attachments(inside, boundary)
  }

  #body(subtype: 'plain' | 'html', body: MailBody): void {
    const writer = this.#writer
    if (typeof body === 'string' && subtype === 'plain' && isClean(body)) {
      writer.ascii('Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 7bit\r\n\r\n')
      writer.ascii(body.replace(/\r?\n/g, '\r\n'))
    } else {
      writer.ascii(
        `Content-Type: text/${subtype}; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n`,
      )
      if (typeof body === 'string') writeQuotedPrintable(writer, body, 0)
      else body.skeleton.write(writer, body.values)
    }
    writer.ascii('\r\n')
  }

  #attachments(attachments: readonly NumberedAttachment[], boundary: string): void {
    for (const { attachment, index } of attachments) {
      const message = this.#message(attachment, boundary)
      const fields = attachmentFields(attachment, index, message ? '7bit' : 'base64')
      this.#writer.ascii(`--${boundary}\r\n${fields}\r\n`)
      this.#writer.add(message ?? once(this.#attached, attachment.content, base64Lines))
    }
    this.#writer.ascii(`--${boundary}--\r\n`)
  }

  /** An attached message as sent within its boundary; undefined for any other attachment. */
  #message(attachment: OutgoingAttachment, boundary: string): Buffer | undefined {
    if (!isMessage(attachment)) return undefined
    const bytes = once(this.#messages, attachment.content, (content) => attachedMessage(content) ?? NO_MESSAGE)
    // what all boundaries of this message end with
    return bytes === NO_MESSAGE || bytes.includes(boundary.slice('=_m'.length)) ? undefined : bytes
  }
}

const NO_MESSAGE = 'no message'

/** The thing that was made of this object before, or is made of it now. */
function once<Given extends WeakKey, Made>(
  made: WeakMap<Given, Made>,
  given: Given,
  make: (given: Given) => Made,
): Made {
  const known = made.get(given)
  if (known !== undefined) return known
  const now = make(given)
  made.set(given, now)
  return now
}

interface NumberedAttachment {
  readonly attachment: OutgoingAttachment
  readonly index: number
}

function numbered({ attachments }: MailParts): readonly NumberedAttachment[] {
  return attachments.map((attachment, index) => ({ attachment, index }))
}

/** Shown within the HTML, so it goes into the same multipart. */
function isRelated(mail: MailParts, { disposition, contentId }: OutgoingAttachment): boolean {
  return mail.html !== undefined && disposition === 'inline' && contentId !== undefined
}

function extraFields(headers: readonly Header[]): string {
  return headers.map(([name, value]) => extraField(name, value)).join('')
}

function extraField(name: string, value: string): string {
  const field = `headers.${name}`
  refuseInjection(name, field)
  if (!isHeaderName(name)) throw invalidField(field, 'invalid_string', 'is not a header field name')
  if (isReservedHeader(name)) throw invalidField(field, 'custom', 'is a header field that only the engine sets')
  return textField(name, value, field)
}

/**
 * A boundary that no part can contain: `=_` never occurs in quoted-printable or base64, nor in text sent unencoded (see
 * `isClean`), and an attached message is searched for it.
 */
function boundaryOf({ messageId }: MailParts, level: 'm' | 'a' | 'r'): string {
  return `=_${level}_${messageId.replace(/[^A-Za-z0-9-]+/g, '').slice(0, 50)}`
}

/** True for text that needs no encoding: short lines of printable ASCII that no mail server tends to change. */
function isClean(text: string): boolean {
  return !/[^\x20-\x7e\r\n]|[^\r\n]{77}| $|\r(?!\n)|=_|^From |^\./m.test(text)
}

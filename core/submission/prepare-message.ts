import { createHash } from 'node:crypto'
import * as v from 'valibot'
import { EngineError, invalidField } from '../errors.ts'
import { addressField, dateField } from '../mail/mime/header-fields.ts'
import { fieldValue, type HeaderField } from '../mail/mime/message-header.ts'
import { contentOf, leavesOf, type MimeEntity, readEntity, TooManyParts, textOf } from '../mail/mime/mime-entity.ts'
import { type Edit, fieldsOf, inCharset, mutableLeaves, sevenBitEdits } from '../mail/mime/seven-bit.ts'
import { sevenBit, writtenFields } from '../mail/mime/written-header.ts'
import { isBase64 } from '../mails/attachment-input.ts'
import { decodeWords } from '../values/decoded-words.ts'
import { domainOf } from '../values/email-address.ts'
import { MailboxText, type NamedAddress } from '../values/mailbox.ts'
import { shortened } from '../values/shortened.ts'
import type { PreparedMessage, PrepareQuestion } from './prepared-message.ts'

/** No real message has a larger header. */
const MAX_HEADER_BYTES = 64 * 1024
/** This many hops are a loop (RFC 5321, section 6.3). */
const MAX_HOPS = 50
const LONGEST_SUBJECT = 2_000
const LONGEST_NAME = 255

/**
 * Fields that are removed: blind recipients, fields that only a receiver or a signer may write, and commands to
 * providers.
 */
const LEFT_OUT =
  /^(?:bcc|resent-bcc|return-path|delivered-to|received-spf|authentication-results|dkim-signature|domainkey-signature|arc-.*|x-ses-.*)$/
const OF_STRUCTURE = /^(?:content-.*|mime-version)$/

/**
 * Prepares a submitted message for sending: what its author wrote stays unchanged, except for fields that must not go
 * out, octets that not every server takes, and a missing date. Throws EngineError `VALIDATION_ERROR` (`too_big` for
 * what is too large) when it cannot be sent.
 */
export function prepareMessage({ raw, now, domains }: PrepareQuestion): PreparedMessage {
  const bytes = typeof raw === 'string' ? decoded(raw) : Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength)
  const isHeadless = bytes[0] === 13
  const blank = bytes.indexOf('\r\n\r\n')
  const headerEnd = blank < 0 ? bytes.length : blank + 2
  const fields = isHeadless ? [] : writtenFields(bytes.subarray(0, headerEnd)).map(withQuotedName)
  const from = authorOf(fields)
  requireFieldsOnce(fields)
  requireDate(fields)
  requireNoLoop(fields)
  const entity = entityBytes(fields, bytes.subarray(Math.min(bytes.length, headerEnd + 2)))
  const { content, html, words } = readable(entity)
  const messageId = messageIdOf(fields)
  const header = headerOf(fields, { domains, now, hasId: messageId !== undefined })
  const { meaning } = words
  meaning.update(JSON.stringify([from, ...SAID.map((name) => fieldValue(fields, name) ?? '')]))
  return {
    from,
    subject: subjectOf(fields),
    html: words.html,
    text: words.text,
    bytes: content,
    submitted: { header, ...(messageId === undefined ? {} : { messageId }), ...(html === undefined ? {} : { html }) },
    meaning: meaning.digest('hex'),
    digest: createHash('sha256').update(header).update(content).digest('hex'),
  }
}

/** The bytes of a message in Base64, with CRLF for each line end. */
function decoded(text: string): Buffer {
  if (!isBase64(text)) throw refusal('invalid_string', 'must be Base64')
  const bytes = Buffer.from(text, 'base64')
  if (bytes.includes(0)) throw refusal('invalid_string', 'must not contain NUL')
  return Buffer.from(bytes.toString('latin1').replace(/\r\n|\r|\n/g, '\r\n'), 'latin1')
}

/** Fields that differ between different messages with one Message-ID. */
const SAID = ['subject', 'to', 'cc', 'reply-to', 'in-reply-to']

/** A name with signs that mean something in a list of addresses, such as a comma, before the one address. */
const UNQUOTED_NAME = /^([^"<>@]*)<([^<>\s,;@]+@[^<>\s,;@]+)>$/

/** `Doe, John <john@…>` has one author: the name is quoted (RFC 5322, section 3.2.4). */
function withQuotedName(field: HeaderField): HeaderField {
  const [, name, email] = (field.name === 'from' && UNQUOTED_NAME.exec(field.value)) || []
  if (name === undefined || email === undefined || !/[,;:[\]]/.test(name)) return field
  const lines = addressField('From', [{ name: decodeWords(name.trim()), email }], 'from')
  return {
    ...field,
    lines,
    value: lines
      .slice(lines.indexOf(':') + 1)
      .replace(/\r\n/g, '')
      .trim(),
  }
}

function authorOf(fields: readonly HeaderField[]): NamedAddress {
  const given = fields.filter(({ name }) => name === 'from')
  const [field] = given
  if (field === undefined || field.value === '') throw refusal('required', 'has no From: who is it from?')
  if (given.length > 1) throw refusal('custom', 'has several From fields: it must have one, with one address')
  // Ada <ada@…>, and the older ada@… (Ada)
  const [, address, comment] = /^([^<>()]*)\(([^()]*)\)$/.exec(field.value) ?? []
  const text = address ?? field.value
  const read = v.safeParse(MailboxText, text.replace(/=\?[^?\s]+\?[bq]\?[^?\s]*\?=/gi, 'x'))
  if (!read.success)
    throw refusal('invalid_string', `has a From that is not one e-mail address: ${field.value.slice(0, 200)}`)
  const words = decodeWords(comment ?? nameBefore(text)).replace(/[\r\n\0]+/g, ' ')
  const name = shortened(words.trim(), LONGEST_NAME)
  const { email } = read.output
  return name === '' ? { email } : { email, name }
}

/** Fields that may occur only once (RFC 5322, section 3.6); receivers refuse mail that repeats one. */
const ONCE = /^(?:date|sender|reply-to|to|cc|message-id|in-reply-to|references|subject)$/

function requireFieldsOnce(fields: readonly HeaderField[]): void {
  const seen = new Set<string>()
  for (const { name, lines } of fields) {
    const given = lines.slice(0, lines.indexOf(':')).trimEnd()
    if (seen.has(name)) throw refusal('custom', `has several ${given} fields: it may have one (RFC 5322, section 3.6)`)
    if (ONCE.test(name)) seen.add(name)
  }
}

/** A date in the form of RFC 5322, section 3.3, or the obsolete one of section 4.3, without comments. */
const DATE =
  /^(?:(?:mon|tue|wed|thu|fri|sat|sun) ?, ?)?(?:0?[1-9]|[12]\d|3[01]) (?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec) (?:\d{2,4}) (?:[01]\d|2[0-3]) ?: ?[0-5]\d(?: ?: ?(?:[0-5]\d|60))? ?(?:[+-]\d{2}[0-5]\d|[a-z]{1,5})$/i

function requireDate(fields: readonly HeaderField[]): void {
  const given = fieldValue(fields, 'date')
  if (given === undefined) return
  const plain = given
    .replace(/\([^()]*\)/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  if (DATE.test(plain)) return
  const said = given.slice(0, 100)
  throw refusal('invalid_string', `has a Date that is not as ${EXAMPLE} (RFC 5322, section 3.3): ${said}`)
}

const EXAMPLE = 'Sun, 22 Nov 2026 18:40:20 +0000'

function nameBefore(text: string): string {
  const name = text.slice(0, Math.max(0, text.lastIndexOf('<'))).trim()
  return /^".*"$/s.test(name) ? name.slice(1, -1).replace(/\\(.)/gs, '$1') : name
}

function requireNoLoop(fields: readonly HeaderField[]): void {
  const hops = fields.filter(({ name }) => name === 'received').length
  if (hops > MAX_HOPS) throw refusal('custom', `has been through ${hops} servers: it goes in a circle`)
}

function messageIdOf(fields: readonly HeaderField[]): string | undefined {
  const id = fieldValue(fields, 'message-id')
  return id !== undefined && /^<[\x21-\x3b\x3d\x3f-\x7e]{1,900}>$/.test(id) ? id : undefined
}

function subjectOf(fields: readonly HeaderField[]): string {
  const text = decodeWords(fieldValue(fields, 'subject') ?? '')
  return shortened(text.replace(/[\r\n\0]+/g, ' ').toWellFormed(), LONGEST_SUBJECT)
}

/** The fields outside the MIME structure, as they are sent. An invalid Message-ID is removed: ours replaces it. */
function headerOf(
  fields: readonly HeaderField[],
  { domains, now, hasId }: { readonly domains: readonly string[]; readonly now: Date; readonly hasId: boolean },
): string {
  const kept = fields.filter((field) => {
    if (LEFT_OUT.test(field.name) || OF_STRUCTURE.test(field.name)) return false
    if (field.name === 'sender') return isOwnSender(field, domains)
    return field.name !== 'message-id' || hasId
  })
  const has = (name: string) => kept.some((field) => field.name === name)
  const header = [
    ...kept.map(sevenBit),
    ...(has('date') ? [] : [dateField(now)]),
    ...(has('to') || has('cc') ? [] : ['To: undisclosed-recipients:;\r\n']),
    'MIME-Version: 1.0\r\n',
  ].join('')
  if (header.length > MAX_HEADER_BYTES) throw refusal('too_big', `has a header of more than ${MAX_HEADER_BYTES} bytes`)
  return header
}

/** `Sender` must be an address of one of the project's domains. */
function isOwnSender({ value }: HeaderField, domains: readonly string[]): boolean {
  const read = v.safeParse(MailboxText, value.replace(/=\?[^?\s]+\?[bq]\?[^?\s]*\?=/gi, 'x'))
  return read.success && domains.includes(domainOf(read.output.email))
}

/** The message as one MIME part: the fields of its structure, and its body without its last line end. */
function entityBytes(fields: readonly HeaderField[], body: Buffer): Buffer {
  const own = fields.filter(({ name }) => name.startsWith('content-')).map(sevenBit)
  const last = body.at(-1) === 10 && body.at(-2) === 13 ? -2 : body.length
  return Buffer.concat([Buffer.from(`${own.join('')}\r\n`, 'latin1'), body.subarray(0, last)])
}

interface Readable {
  readonly content: Buffer<ArrayBuffer>
  readonly html: PreparedMessage['submitted']['html']
  readonly words: { readonly html: string; readonly text: string; readonly meaning: ReturnType<typeof createHash> }
}

/** The part in 7 bit, with its texts and the place of its HTML. */
function readable(bytes: Buffer): Readable {
  const root = entityOf(bytes)
  const meaning = createHash('sha256')
  const open = [...mutableLeaves(root)].filter(({ isAttachment }) => !isAttachment)
  const pages = open.filter(({ type }) => type === 'text/html')
  const [page] = pages
  const text = open.find(({ type }) => type === 'text/plain')
  for (const leaf of leavesOf(root)) {
    meaning.update(`${leaf.type}\n${leaf.filename ?? ''}\n`)
    meaning.update(createHash('sha256').update(contentOf(bytes, leaf)).digest())
  }
  const html = page && textOf(bytes, page)
  const words = { html: html ?? '', text: (text && textOf(bytes, text)) ?? '', meaning }
  const edits = [...sevenBitEdits(bytes, root)]
  // with several HTML parts it is unclear which is the mail; one in an unknown charset stays unchanged
  const target = pages.length === 1 && html !== undefined ? page : undefined
  const { content, place } = edited(bytes, edits, target)
  if (target === undefined || place === undefined) return { content, html: undefined, words }
  const fields = fieldsOf(bytes, target).filter((line) => !/^content-transfer-encoding[ \t]*:/i.test(line))
  const header = `${inCharset(fields, 'text/html', 'utf-8').join('')}Content-Transfer-Encoding: quoted-printable\r\n\r\n`
  return { content, html: { ...place, header }, words }
}

function entityOf(bytes: Buffer): MimeEntity {
  try {
    return readEntity(bytes)
  } catch (error) {
    if (error instanceof TooManyParts) throw refusal('too_big', error.message.replace(/^the message /, ''))
    throw error
  }
}

/** The bytes after the edits, which are ordered by place, and the place of a leaf's edit in them. */
function edited(bytes: Buffer, edits: readonly Edit[], leaf: MimeEntity | undefined) {
  const pieces: Uint8Array[] = []
  let length = 0
  let at = 0
  let place: { readonly from: number; readonly to: number } | undefined
  const add = (piece: Uint8Array) => {
    pieces.push(piece)
    length += piece.length
  }
  for (const edit of withLeaf(bytes, edits, leaf)) {
    add(bytes.subarray(at, edit.from))
    if (edit.from === leaf?.start && edit.to === leaf.end) place = { from: length, to: length + edit.bytes.length }
    add(edit.bytes)
    at = edit.to
  }
  add(bytes.subarray(at))
  add(LINE_END)
  // its own memory, which can be transferred
  const content = Buffer.allocUnsafeSlow(length)
  for (let i = 0, to = 0; i < pieces.length; to += pieces[i++]?.length ?? 0) content.set(pieces[i] ?? EMPTY, to)
  return { content, place }
}

const LINE_END = Buffer.from('\r\n')
const EMPTY = new Uint8Array()

/** An unchanged leaf is copied by an edit, too, so that its place is known. */
function withLeaf(bytes: Buffer, edits: readonly Edit[], leaf: MimeEntity | undefined): readonly Edit[] {
  if (leaf === undefined || edits.some(({ from, to }) => from === leaf.start && to === leaf.end)) return edits
  const asItIs = { from: leaf.start, to: leaf.end, bytes: bytes.subarray(leaf.start, leaf.end) }
  return [...edits, asItIs].toSorted((a, b) => a.from - b.from)
}

function refusal(code: 'required' | 'custom' | 'invalid_string' | 'too_big', message: string): EngineError {
  return invalidField('message', code, message)
}

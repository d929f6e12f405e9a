import { isUtf8 } from 'node:buffer'
import { readFields } from '../bounces/parse/mime.ts'
import { base64Lines } from '../mail/mime/base64-lines.ts'
import { quotedPrintable } from '../mail/mime/seven-bit.ts'
import { encodingIn, isCharsetTwice, mendedLine, typeIn, withWholeQuotes } from './mended-fields.ts'
import { guessedText, isUtf8AfterAll, type KnowsCharset } from './text-charset.ts'

/** Deeper messages are left to the parser as they are. */
const DEEPEST = 20
/** How many boundaries that stand nowhere are searched for to the end of the message. */
const MAX_SEARCHES = 20
/** How far into a part a line is looked for that looks like a boundary, in characters. */
const LOOK_WITHIN = 64 * 1024
/** Longer lines are no boundaries. */
const LONGEST_BOUNDARY = 1_000
/** Names of charsets, types, encodings and boundaries stand within this many characters of a field. */
const LONGEST_FIELD = 2_000

/** RFC 2047, section 2. */
const ENCODED_WORD = /=\?([\w.:-]{1,40})\?([bq])\?([^?\s]{1,500})\?=/gi

/** A message in the form in which the parser understands it. */
export interface ReadableMime {
  readonly bytes: Buffer
  /** Some of its structure was guessed, or some of it belongs to no part: keep the message as it came as well. */
  readonly isUnsure: boolean
}

/** A multipart whose end has not come. */
interface OpenPart {
  /** The boundary that its header declares: the parser looks for this one. */
  readonly boundary: string
  /** The boundary that stands in the message. */
  readonly seen: string
}

/** How a text is written, by the header of its part. */
interface TextForm {
  readonly charset: string
  readonly isHtml: boolean
  /** RFC 3676. */
  readonly isFlowed: boolean
}

interface Delimiter {
  /** The place of its multipart among the open ones. */
  readonly level: number
  readonly isLast: boolean
  /** Where the next line begins. */
  readonly end: number
}

/**
 * Repairs what senders get wrong and the parser takes at its word (RFC 2046, section 5.1): an inner multipart without an
 * end takes what belongs to the outer one, a boundary that its header does not name hides the whole content, and text is
 * read in the wrong charset. A message without such faults is answered unchanged.
 */
export function readableMime(raw: Buffer, knows: KnowsCharset): ReadableMime {
  return new Reader(raw, knows).read()
}

class Reader {
  readonly #raw: Buffer
  readonly #knows: KnowsCharset
  /** One character for each octet. */
  readonly #text: string
  readonly #pieces: Buffer[] = []
  /** Up to where `#pieces` has the message. */
  #copied = 0
  readonly #open: OpenPart[] = []
  /** Boundaries whose last delimiter has come. */
  readonly #closed = new Set<string>()
  #isUnsure = false
  #searches = 0

  constructor(raw: Buffer, knows: KnowsCharset) {
    this.#raw = raw
    this.#knows = knows
    this.#text = raw.toString('latin1')
  }

  read(): ReadableMime {
    let at = this.#part(0)
    while (at < this.#text.length) {
      const line = this.#nextDashes(at)
      if (line < 0) break
      at = this.#boundaryLine(line)
      if (this.#open.length > DEEPEST) return { bytes: this.#raw, isUnsure: false }
    }
    if (this.#pieces.length === 0) return { bytes: this.#raw, isUnsure: this.#isUnsure }
    this.#pieces.push(this.#raw.subarray(this.#copied))
    return { bytes: Buffer.concat(this.#pieces), isUnsure: this.#isUnsure }
  }

  /** Reads the header at this place; answers where the search for the next delimiter continues. */
  #part(at: number, depth = 0): number {
    const { end, body } = this.#header(at)
    const fields = readFields(this.#text.slice(at, end))
    const [field = '', ...further] = fields.all('content-type').map((each) => each.slice(0, LONGEST_FIELD))
    const type = typeIn(field)
    const disposition = /^[\w-]*/.exec(fields.get('content-disposition') ?? '')?.[0].toLowerCase() ?? ''
    this.#isUnsure ||= new Set(fields.all('content-transfer-encoding').map((each) => each.toLowerCase())).size > 1
    const encoding = encodingIn((fields.get('content-transfer-encoding') ?? '').slice(0, LONGEST_FIELD))
    const isText =
      (type === 'text/plain' || type === 'text/html') &&
      (disposition === '' || (disposition === 'inline' && field !== ''))
    const to = isText ? this.#endOf(body) : body
    const named = parameterOf(field, 'charset') ?? ''
    const charset = isText && isUtf8AfterAll(this.#decoded(body, to, encoding), named) ? 'utf-8' : named
    this.#repairHeader(at, end, charset === named && !isCharsetTwice(field) ? '' : charset)
    if (type.startsWith('multipart/')) this.#multipart(field, further, body)
    else if (type === 'message/rfc822') {
      const isOpen = disposition === 'inline' && /^(?:|7bit|8bit|binary)$/.test(encoding)
      if (isOpen && depth < DEEPEST) return this.#part(body, depth + 1)
    } else if (isText) {
      const isFlowed = type === 'text/plain' && parameterOf(field, 'format')?.toLowerCase() === 'flowed'
      this.#repairText(body, to, encoding, { charset, isHtml: type === 'text/html', isFlowed })
    }
    return body
  }

  /** Where the header at this place ends, and where the body begins. */
  #header(at: number): { readonly end: number; readonly body: number } {
    for (let line = at; line < this.#text.length; ) {
      const next = this.#lineAfter(line)
      if (/^\r?\n$/.test(this.#text.slice(line, Math.min(next, line + 3)))) return { end: line, body: next }
      if (this.#delimiter(line) !== undefined) return { end: line, body: line }
      line = next
    }
    return { end: this.#text.length, body: this.#text.length }
  }

  #multipart(field: string, further: readonly string[], body: number): void {
    const declared = parameterOf(field, 'boundary')
    // in pieces (RFC 2231): the parser joins them
    if (declared === undefined && /;\s*boundary\*/i.test(field)) return
    const boundary = declared ?? ''
    if (boundary !== '' && this.#stands(boundary, body)) {
      this.#open.push({ boundary, seen: boundary })
      return
    }
    const named = further.flatMap((each) => parameterOf(each, 'boundary') ?? [])
    const seen = named.find((each) => this.#stands(each, body)) ?? this.#looksLike(body)
    if (seen === undefined || boundary === '') {
      this.#isUnsure ||= this.#text.slice(body, this.#endOf(body)).trim() !== ''
      return
    }
    this.#isUnsure = true
    this.#open.push({ boundary, seen })
  }

  /** Whether a line from here on is this boundary. */
  #stands(boundary: string, from: number): boolean {
    if (this.#searches === MAX_SEARCHES) return false
    const mark = `--${boundary}`
    for (let at = this.#nextDashes(from); at >= 0; at = this.#nextDashes(at + 1)) {
      if (this.#text.startsWith(mark, at) && /^(?:--)?[ \t]*\r?$/.test(this.#lineAt(at).slice(mark.length))) return true
    }
    this.#searches++
    return false
  }

  /** The first line of a body that looks like a boundary: a header follows. */
  #looksLike(body: number): string | undefined {
    const within = this.#text.slice(body, Math.min(this.#endOf(body), body + LOOK_WITHIN))
    return /^--([^\s-][^\r\n]{0,69}?)[ \t]*\r?\n(?=content-[a-z-]+:|\r?\n)/im.exec(within)?.[1]
  }

  /** Reads a line that begins with two dashes; answers where to go on. */
  #boundaryLine(at: number): number {
    const found = this.#delimiter(at)
    if (found === undefined) {
      if (this.#closed.has(this.#lineAt(at).slice(2).trimEnd())) this.#isUnsure = true
      return at + 2
    }
    const { level, isLast, end } = found
    for (const { boundary } of this.#open.splice(level + 1).toReversed()) this.#replace(at, at, `--${boundary}--\r\n`)
    const { boundary, seen } = this.#open[level] as OpenPart
    const line = `--${boundary}${isLast ? '--' : ''}`
    if (this.#lineAt(at).replace(/\r$/, '') !== line) this.#replace(at, end, `${line}\r\n`)
    if (!isLast) return this.#part(end)
    this.#open.pop()
    this.#closed.add(seen)
    return end
  }

  /** Which open multipart the line is a delimiter of: the innermost, or one around it, whose inner ones then have ended. */
  #delimiter(at: number): Delimiter | undefined {
    if (!this.#text.startsWith('--', at)) return undefined
    const line = this.#lineAt(at).slice(2).trimEnd()
    for (let level = this.#open.length - 1; level >= 0; level--) {
      const { seen } = this.#open[level] as OpenPart
      const isLast = line === `${seen}--`
      if (isLast || line === seen) return { level, isLast, end: this.#lineAfter(at) }
    }
    return undefined
  }

  /** Where the content that begins here ends: before the line end of the next delimiter. */
  #endOf(body: number): number {
    for (let at = this.#nextDashes(body); at >= 0; at = this.#nextDashes(at + 1)) {
      if (this.#delimiter(at) === undefined) continue
      const end = this.#text[at - 1] === '\n' ? at - 1 : at
      return Math.max(body, this.#text[end - 1] === '\r' ? end - 1 : end)
    }
    return this.#text.length
  }

  /** Words of fields that are not encoded, or in an unknown charset, and what a part says of its own text. */
  #repairHeader(from: number, to: number, ownCharset: string): void {
    let name = ''
    for (let at = from; at < to; ) {
      const next = this.#fieldEnd(at, to)
      const line = this.#guessed(this.#raw.subarray(at, next), '', false)
      const given = line ?? this.#text.slice(at, next)
      name = /^[a-z-]{1,40}(?=:)/i.exec(given)?.[0].toLowerCase() ?? name
      const isOfText = name === 'content-type' || name === 'content-transfer-encoding'
      const written = isOfText ? mendedLine(given, ownCharset) : given
      const words = joinedWords(written).replace(ENCODED_WORD, (word, charset, encoding, content) => {
        const bytes = bytesOf(content, encoding.toLowerCase())
        const text = this.#guessed(bytes, charset, false)
        return text === undefined ? word : `=?utf-8?B?${Buffer.from(text).toString('base64')}?=`
      })
      if (line !== undefined || words !== given)
        this.#replace(at, next, line === undefined ? Buffer.from(words, 'latin1') : words)
      at = next
    }
  }

  /** Where the field at this place ends: behind its folds, if it has an encoded-word, which may be split between them. */
  #fieldEnd(at: number, to: number): number {
    let next = Math.min(this.#lineAfter(at), to)
    if (!this.#text.slice(at, next).includes('=?')) return next
    while (next < to && next - at < LONGEST_FIELD * 4 && /[ \t]/.test(this.#text[next] ?? '')) {
      next = Math.min(this.#lineAfter(next), to)
    }
    return next
  }

  /** Writes text as UTF-8, as which the parser reads what has no charset that it knows. */
  #repairText(from: number, to: number, encoding: string, form: TextForm): void {
    const written = this.#text.slice(from, to)
    if (encoding === 'base64') {
      const end = endOfBase64(written)
      const isMixed = end < written.length
      const bytes = Buffer.concat([
        Buffer.from(written.slice(0, end), 'base64'),
        Buffer.from(isMixed && end > 0 ? '\r\n' : ''),
        this.#raw.subarray(from + end, isMixed ? to : from + end),
      ])
      const words = this.#mended(bytes, form)
      this.#isUnsure ||= isMixed
      if (words !== undefined) this.#replace(from, to, base64Lines(Buffer.from(words)))
      else if (isMixed) this.#replace(from, to, base64Lines(bytes))
    } else if (encoding === 'quoted-printable') {
      if (!form.isFlowed && !/=[89a-f][0-9a-f]|=1b|[\x80-\xff\x1b]/i.test(written)) return
      const words = this.#mended(unquoted(written), form)
      if (words !== undefined) this.#replace(from, to, quotedPrintable(words))
    } else {
      const words = this.#mended(this.#raw.subarray(from, to), form)
      if (words !== undefined) this.#replace(from, to, words)
    }
  }

  /** The text of these bytes where the parser would read another one. */
  #mended(bytes: Buffer, { charset, isHtml, isFlowed }: TextForm): string | undefined {
    const words = this.#guessed(bytes, charset, isHtml)
    if (!isFlowed || (words === undefined && !isUtf8(bytes))) return words
    const text = words ?? bytes.toString('utf8')
    const whole = withWholeQuotes(text)
    return whole === text ? words : whole
  }

  #decoded(from: number, to: number, encoding: string): Buffer {
    if (encoding === 'base64') return Buffer.from(this.#text.slice(from, to), 'base64')
    return encoding === 'quoted-printable' ? unquoted(this.#text.slice(from, to)) : this.#raw.subarray(from, to)
  }

  #guessed(bytes: Buffer, charset: string, isHtml: boolean): string | undefined {
    return guessedText(bytes, charset, isHtml, this.#knows)
  }

  /** Replaces a stretch; each one lies after those before it. */
  #replace(from: number, to: number, by: string | Buffer): void {
    this.#pieces.push(this.#raw.subarray(this.#copied, from), typeof by === 'string' ? Buffer.from(by) : by)
    this.#copied = to
  }

  /** The next line, from here on, that begins with two dashes; -1 when there is none. */
  #nextDashes(from: number): number {
    if (this.#text.startsWith('--', from) && (from === 0 || this.#text[from - 1] === '\n')) return from
    const found = this.#text.indexOf('\n--', Math.max(0, from - 1))
    return found < 0 ? -1 : found + 1
  }

  #lineAfter(at: number): number {
    const lf = this.#text.indexOf('\n', at)
    return lf < 0 ? this.#text.length : lf + 1
  }

  /** The line at this place without its LF; of a long one its beginning. */
  #lineAt(at: number): string {
    const line = this.#text.slice(at, at + LONGEST_BOUNDARY)
    const lf = line.indexOf('\n')
    return lf < 0 ? line : line.slice(0, lf)
  }
}

/**
 * Joins adjacent encoded-words of the same charset and encoding (RFC 2047, section 6.2): a character that is split
 * between two of them cannot be read from either.
 */
function joinedWords(field: string): string {
  return field.replace(ADJACENT_WORDS, (run: string) => {
    const words = [...run.matchAll(ENCODED_WORD)].map(([, charset = '', encoding = '', content = '']) => {
      return { charset, encoding: encoding.toLowerCase(), content }
    })
    const [first] = words
    const isSplit = words.some(({ content, encoding, charset }) => isCutInside(content, encoding, charset))
    const isOne = words.every(({ charset, encoding }) => {
      return charset.toLowerCase() === first?.charset.toLowerCase() && encoding === first.encoding
    })
    if (!isSplit || !isOne || first === undefined) return run
    const bytes = Buffer.concat(words.map(({ content, encoding }) => bytesOf(content, encoding)))
    return `=?${first.charset}?B?${bytes.toString('base64')}?=`
  })
}

/** Words that stand beside each other, with nothing but white space between them. */
const ADJACENT_WORDS =
  /=\?[\w.:-]{1,40}\?[bq]\?[^?\s]{1,500}\?=(?:\s{1,80}=\?[\w.:-]{1,40}\?[bq]\?[^?\s]{1,500}\?=){1,200}/gi

/**
 * Where base64 ends: lists add lines to a text that is encoded, and some programs declare what they do not write. All of
 * it, unless a line is surely none.
 */
function endOfBase64(text: string): number {
  const odd = /[^A-Za-z0-9+/=\s]|[A-Za-z0-9][ \t]+[A-Za-z0-9]/.exec(text)?.index
  if (odd === undefined) return text.length
  const end = text.lastIndexOf('\n', odd) + 1
  return text.slice(0, end).replace(/[\s=]/g, '').length % 4 === 1 ? 0 : end
}

function bytesOf(content: string, encoding: string): Buffer {
  return encoding === 'b' ? Buffer.from(content, 'base64') : unquoted(content.replaceAll('_', ' '))
}

/** Whether a word begins or ends inside a character. */
function isCutInside(content: string, encoding: string, charset: string): boolean {
  const bytes = bytesOf(content, encoding)
  return /^utf-?8$/i.test(charset) ? !isUtf8(bytes) : !/^(?:us-ascii|iso-8859|windows-125|koi8)/i.test(charset)
}

function parameterOf(field: string, name: string): string | undefined {
  const [, quotedValue, plain] = new RegExp(`;\\s*${name}\\s*=\\s*(?:"([^"]*)"|([^\\s;"]+))`, 'i').exec(field) ?? []
  return quotedValue ?? plain
}

function unquoted(text: string): Buffer {
  const bytes = Buffer.allocUnsafe(text.length)
  let length = 0
  for (let i = 0; i < text.length; i++) {
    ESCAPED.lastIndex = i
    const found = text[i] === '=' ? ESCAPED.exec(text) : null
    if (found === null) bytes[length++] = text.charCodeAt(i)
    else if (found[1]) bytes[length++] = Number.parseInt(found[1], 16)
    if (found) i = ESCAPED.lastIndex - 1
  }
  return bytes.subarray(0, length)
}

/** An octet, or the end of a line that continues (RFC 2045, section 6.7). */
const ESCAPED = /=(?:([0-9a-f]{2})|[ \t]*\r?\n)/iy

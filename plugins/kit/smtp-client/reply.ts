import type { Refusal } from '../../../core/ports/mail-transport.ts'
import type { Hide } from './secrets.ts'

/** One whole reply of a server (RFC 5321, section 4.2). */
export interface Reply {
  readonly code: number
  /** The text after the code, a line for each line of the reply. */
  readonly text: string
}

/** The server said something that is no reply, or never ended it. Its connection cannot be trusted any more. */
export class ReplyError extends Error {
  override readonly name = 'ReplyError'
}

/** The longest reply. RFC 5321 allows 512 octets a line, and real servers stay far below this. */
const MAX_REPLY = 16_384

const DIGIT_0 = 48
const DIGIT_9 = 57
const HYPHEN = 45
const SPACE = 32

/**
 * Cuts a server's bytes into replies, wherever the packets are split. A reply is one or more lines with the same three
 * digits, followed by a hyphen on all but the last. A line ends with CRLF; a bare LF is accepted. The text has gone
 * through `hide`.
 */
export class ReplyReader {
  readonly #hide: Hide
  #text = ''
  #at = 0
  #scanned = 0
  #code = 0
  #lines = ''
  #open = false

  constructor(hide: Hide) {
    this.#hide = hide
  }

  /** Takes bytes from the socket. */
  feed(chunk: Buffer): void {
    const rest = this.#at === this.#text.length ? '' : this.#text.slice(this.#at)
    this.#scanned = Math.max(0, this.#scanned - this.#at)
    this.#text = rest + chunk.toString('latin1')
    this.#at = 0
  }

  /** The next whole reply; undefined when more must come. Throws ReplyError for anything that is not a reply. */
  next(): Reply | undefined {
    for (;;) {
      const end = this.#text.indexOf('\n', Math.max(this.#scanned, this.#at))
      if (end < 0) {
        this.#scanned = this.#text.length
        if (this.#text.length - this.#at + this.#lines.length > MAX_REPLY) throw tooLong()
        return undefined
      }
      const line = this.#text.slice(this.#at, this.#text[end - 1] === '\r' && end > this.#at ? end - 1 : end)
      this.#at = end + 1
      this.#scanned = end + 1
      if (this.#lines.length + line.length > MAX_REPLY) throw tooLong()
      if (this.#isLast(line)) {
        this.#open = false
        return { code: this.#code, text: this.#hide(decoded(this.#lines)) }
      }
    }
  }

  /** The reply whose beginning has come, with what is known of it; undefined when there is no code yet. */
  get begun(): Reply | undefined {
    const rest = this.#text.slice(this.#at)
    if (this.#open) return { code: this.#code, text: this.#hide(decoded(this.#lines)) }
    const code = /^[2-5]\d\d[ -]/.test(rest) ? codeOf(rest) : undefined
    return code === undefined ? undefined : { code, text: this.#hide(decoded(rest.slice(4).trim())) }
  }

  /** True when nothing is left over, not even the beginning of a reply. */
  get empty(): boolean {
    return this.#at === this.#text.length && !this.#open
  }

  #isLast(line: string): boolean {
    const code = codeOf(line)
    const mark = line.length > 3 ? line.charCodeAt(3) : SPACE
    if (code === undefined || (mark !== SPACE && mark !== HYPHEN)) {
      throw new ReplyError(`the server said something that is not an SMTP reply: ${shown(this.#hide(line))}`)
    }
    const text = line.slice(4)
    if (!this.#open) {
      this.#code = code
      this.#lines = text
      this.#open = true
    } else {
      if (code !== this.#code) {
        this.#open = false
        throw new ReplyError(`the server changed its code within a reply: ${shown(this.#hide(line))}`)
      }
      this.#lines += `\n${text}`
    }
    return mark === SPACE
  }
}

/** Whether the reply accepts the command. */
export function isPositive(reply: Reply): boolean {
  return reply.code >= 200 && reply.code < 300
}

/** The reply on one line, for error messages. */
export function sentence(reply: Reply): string {
  return reply.text === '' ? String(reply.code) : `${reply.code} ${reply.text.replaceAll('\n', ' ')}`
}

const ENHANCED = /^([245]\.\d{1,3}\.\d{1,3})(?:[ \t]+|$)/

/** The meaning of a negative reply for the mail. Only a code of 500 or above is permanent (RFC 5321, section 4.2.1). */
export function refusalOf(stage: Refusal['stage'], reply: Reply): Refusal {
  const enhancedCode = ENHANCED.exec(reply.text)?.[1]
  const lines = reply.text.split('\n').map((line) => line.replace(ENHANCED, '').trim())
  return {
    permanent: reply.code >= 500,
    stage,
    code: reply.code,
    ...(enhancedCode === undefined ? {} : { enhancedCode }),
    reason: lines.join(' ').trim() || `The server answered ${reply.code}`,
  }
}

function codeOf(line: string): number | undefined {
  const first = line.charCodeAt(0) - DIGIT_0
  const second = line.charCodeAt(1)
  const third = line.charCodeAt(2)
  if (!(first >= 2 && first <= 5 && isDigit(second) && isDigit(third))) return undefined
  return first * 100 + (second - DIGIT_0) * 10 + (third - DIGIT_0)
}

function isDigit(code: number): boolean {
  return code >= DIGIT_0 && code <= DIGIT_9
}

/** Replies have no charset of their own: UTF-8 where it is valid, and octet by octet otherwise. */
function decoded(octets: string): string {
  if (!/[\x80-\xff]/.test(octets)) return octets
  const text = Buffer.from(octets, 'latin1').toString('utf8')
  return text.includes('\ufffd') ? octets : text
}

function shown(line: string): string {
  return JSON.stringify(line.length > 80 ? `${line.slice(0, 80)}…` : line)
}

function tooLong(): ReplyError {
  return new ReplyError(`the server sent a reply of more than ${MAX_REPLY} octets`)
}

/** Why a message is refused, as an SMTP reply. */
export interface Refusal {
  readonly code: number
  readonly message: string
}

/** Limits of a message, in bytes. */
export interface MessageLimits {
  readonly size: number
  /** RFC 5321, section 4.5.3.1.6, allows 1,000. Our limit is higher, so that slightly longer lines are not refused. */
  readonly line: number
  readonly header: number
  /** Whether NUL octets are taken; by default they are not. */
  readonly nul?: boolean
}

const [CR, LF, DOT] = [0x0d, 0x0a, 0x2e]
/**
 * How many pieces are joined into one. Each line that begins with a dot is a piece, and a million of them weigh more
 * than the message.
 */
const JOIN_AFTER = 1_000
/** No message for people has more lines that begin with a dot. Each costs a turn of the event loop. */
const MAX_DOT_LINES = 50_000

/**
 * Collects a message while nothing is wrong with it. A refused one is not kept, and read to its end only when that is
 * near. Line ends other than CRLF are refused: where servers disagree about them, a message can hide another one (SMTP
 * smuggling).
 */
export class MessageBuffer {
  readonly #limits: MessageLimits
  /** Asks for room for this many more bytes; false when there is none. */
  readonly #reserve: (bytes: number) => boolean
  #pieces: Buffer[] = []
  /** How many of the last pieces are not joined yet. */
  #loose = 0
  #dots = 0
  /** The last octet, also of a message that is not kept. */
  #end = -1
  #size = 0
  #line = 0
  #isHeader = true
  #last = -1
  #refusal: Refusal | undefined

  constructor(limits: MessageLimits, reserve: (bytes: number) => boolean) {
    this.#limits = limits
    this.#reserve = reserve
  }

  get refusal(): Refusal | undefined {
    return this.#refusal
  }

  /** Whether so many lines begin with a dot that reading on costs more than it is worth. */
  get hasTooManyDotLines(): boolean {
    return this.#dots > MAX_DOT_LINES
  }

  /** Whether a refused message is so long that reading it to its end costs more than it is worth. */
  get isEndless(): boolean {
    return this.#size > 2 * this.#limits.size
  }

  add(piece: Buffer): void {
    // a new piece begins where a dot was removed
    if (piece[0] === DOT && this.#end === LF) this.#dots++
    this.#end = piece.at(-1) ?? this.#end
    this.#size += piece.length
    if (this.#refusal) return
    const refusal = this.#problem(piece)
    if (refusal) this.#refuse(refusal)
    else this.#keep(piece)
  }

  /** Call at the message's end. */
  end(): void {
    if (this.#last === CR) this.#refuse(BARE)
  }

  /** The whole message; only for one that was not refused. */
  bytes(): Buffer {
    return Buffer.concat(this.#pieces)
  }

  #keep(piece: Buffer): void {
    this.#pieces.push(piece)
    if (++this.#loose < JOIN_AFTER) return
    this.#pieces.push(Buffer.concat(this.#pieces.splice(-JOIN_AFTER)))
    this.#loose = 0
  }

  #refuse(refusal: Refusal): void {
    this.#refusal ??= refusal
    this.#pieces = []
  }

  #problem(piece: Buffer): Refusal | undefined {
    const { size, header } = this.#limits
    if (this.#size > size) return { code: 552, message: `5.3.4 the message is larger than ${size} bytes` }
    if (!this.#reserve(piece.length)) {
      return { code: 452, message: '4.3.1 too much mail is coming in at present, try again later' }
    }
    if (!this.#limits.nul && piece.includes(0)) {
      return { code: 550, message: '5.6.0 the message has a NUL octet (RFC 5321, section 4.5.2)' }
    }
    const broken = this.#lines(piece)
    if (broken) return broken
    if (this.#isHeader && this.#size > header) {
      return { code: 552, message: `5.3.4 the header is larger than ${header} bytes` }
    }
    return undefined
  }

  #lines(piece: Buffer): Refusal | undefined {
    let start = 0
    let nextCr = piece.indexOf(CR)
    if (this.#last === CR && piece[0] !== LF) return BARE
    for (let lf = piece.indexOf(LF); lf >= 0; lf = piece.indexOf(LF, start)) {
      if ((lf === 0 ? this.#last : piece[lf - 1]) !== CR) return BARE
      if (nextCr >= 0 && nextCr < lf - 1) return BARE
      const length = this.#line + lf - start + 1
      if (length > this.#limits.line) return tooLong(this.#limits.line)
      if (length === 2) this.#isHeader = false
      this.#line = 0
      start = lf + 1
      nextCr = piece.indexOf(CR, start)
    }
    if (nextCr >= 0 && nextCr < piece.length - 1) return BARE
    this.#line += piece.length - start
    this.#last = piece.at(-1) ?? this.#last
    return this.#line > this.#limits.line ? tooLong(this.#limits.line) : undefined
  }
}

const BARE: Refusal = { code: 550, message: '5.6.11 the message has a bare CR or LF (RFC 5321, section 2.3.8)' }

function tooLong(most: number): Refusal {
  return { code: 552, message: `5.6.0 the message has a line of more than ${most} octets` }
}

import type net from 'node:net'

const END = Buffer.from('.\r\n')
const CRLF_END = Buffer.from('\r\n.\r\n')
const LF = 10
const CR = 13

/** Larger messages are written in pieces, so that progress can be seen and an early refusal is noticed. */
const SLICE = 262_144

/** Writes one message after the other as DATA: with dots doubled, ended by a lone dot (RFC 5321, section 4.5.2). */
export class MessageWriter {
  readonly #socket: net.Socket
  #rest: Buffer | undefined
  #ended = false

  constructor(socket: net.Socket) {
    this.#socket = socket
  }

  /** True once the final dot's last octet has left this process. From then on, the server may have the mail. */
  get ended(): boolean {
    return this.#ended
  }

  /** True when everything is written, though some may still wait in the socket. */
  get written(): boolean {
    return this.#rest === undefined
  }

  /** Forgets the last message and starts this one. A small one is written with its end at once. */
  start(message: Buffer): void {
    this.#ended = false
    this.#rest = dotStuffed(message)
    this.resume()
  }

  /** Keeps writing until the socket's buffer is full. Answers false when there was nothing left to write. */
  resume(): boolean {
    let rest = this.#rest
    if (!rest) return false
    while (rest.length > SLICE) {
      const roomLeft = this.#socket.write(rest.subarray(0, SLICE))
      rest = rest.subarray(SLICE)
      this.#rest = rest
      if (!roomLeft) return true
    }
    this.#rest = undefined
    const endsInLineBreak = rest.length === 0 || (rest.at(-1) === LF && rest.at(-2) === CR)
    this.#socket.cork()
    this.#socket.write(rest)
    this.#socket.write(endsInLineBreak ? END : CRLF_END, this.#onWritten)
    this.#socket.uncork()
    return true
  }

  /** Forgets what is left, since the connection is gone. */
  stop(): void {
    this.#rest = undefined
  }

  readonly #onWritten = () => {
    // a destroyed socket also calls back, for data it has discarded
    if (!this.#socket.destroyed) this.#ended = true
  }
}

const DOT = 46
const LINE_DOT = Buffer.from('\r\n.')
const DOTS = Buffer.from('.')

/**
 * The message in its form for DATA: a dot at the start of a line is doubled (RFC 5321, section 4.5.2). Answers the same
 * buffer, uncopied, when there is nothing to double.
 */
export function dotStuffed(message: Buffer): Buffer {
  const leading = message.length > 0 && message[0] === DOT
  let dot = message.indexOf(LINE_DOT)
  if (dot < 0 && !leading) return message
  const parts: Buffer[] = leading ? [DOTS] : []
  let from = 0
  while (dot >= 0) {
    parts.push(message.subarray(from, dot + LINE_DOT.length), DOTS)
    from = dot + LINE_DOT.length
    dot = message.indexOf(LINE_DOT, from)
  }
  parts.push(message.subarray(from))
  return Buffer.concat(parts)
}

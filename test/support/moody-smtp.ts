import { once } from 'node:events'
import net from 'node:net'
import { between, type Chance } from './chance.ts'

/** One whole message, with its final dot, as received for one recipient. */
export interface Copy {
  readonly to: string
  readonly messageId: string
  /** With dot-stuffing. */
  readonly text: string
  /** Whether the client got the answer, or at least its code. Otherwise the connection broke before, and the client cannot know. */
  readonly isAnswered: boolean
}

export interface MoodySmtpOptions {
  readonly chance: Chance
  /** How many connections break somewhere, in every possible way; later ones do not. */
  readonly faults: number
  /** The answer to RCPT TO instead of 250; `tries` counts from 1 how often the address came. */
  readonly recipient?: (address: string, tries: number) => string | undefined
  /** The answer to a whole message instead of 250; `tries` counts in the same way. */
  readonly message?: (address: string, tries: number) => string | undefined
  /** Called for every whole message, whatever the answer. */
  readonly onMessage?: (copy: Omit<Copy, 'isAnswered'>) => void
}

export interface MoodySmtp {
  readonly port: number
  /** The messages taken, answered or not, in the order they came. */
  readonly taken: readonly Copy[]
  /** How many connections broke, by the way they did. */
  readonly wrong: Readonly<Partial<Record<Fate['kind'], number>>>
  close(): Promise<void>
}

/** How a connection ends early. */
type Fate =
  /** Silently. */
  | { readonly kind: 'at once' }
  /** With 421 for a greeting. */
  | { readonly kind: 'busy' }
  /** After this many octets of input, wherever that is. */
  | { readonly kind: 'octets'; readonly left: number }
  /** At this command, which gets no answer. */
  | { readonly kind: 'command'; readonly left: number }
  /** At this whole message: it is taken, but its answer is lost, cut short, or sent as the last. */
  | { readonly kind: 'answer lost' | 'answer cut' | 'answer whole'; readonly left: number }

/**
 * Starts an SMTP server on a free port of 127.0.0.1 whose connections break at random, at any octet and any command,
 * also between a message and its answer. It knows which messages it took, and which of them it could answer.
 */
export async function startMoodySmtp(options: MoodySmtpOptions): Promise<MoodySmtp> {
  const taken: Copy[] = []
  const wrong: Partial<Record<Fate['kind'], number>> = {}
  const tries = new Map<string, number>()
  const sockets = new Set<net.Socket>()
  let faults = 0
  const count = (key: string) => {
    const times = (tries.get(key) ?? 0) + 1
    tries.set(key, times)
    return times
  }
  const server = net.createServer((socket) => {
    sockets.add(socket)
    socket.setNoDelay(true)
    socket.on('error', () => {})
    socket.once('close', () => sockets.delete(socket))
    const fate = faults < options.faults ? FATES[faults++ % FATES.length]?.(options.chance) : undefined
    if (fate) wrong[fate.kind] = (wrong[fate.kind] ?? 0) + 1
    new Conversation(socket, options, fate, count, (copy) => taken.push(copy)).begin()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The server has no port')
  return {
    port: address.port,
    taken,
    wrong,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}

const FATES: readonly ((chance: Chance) => Fate)[] = [
  (chance) => ({ kind: 'answer lost', left: between(chance, 1, 5) }),
  (chance) => ({ kind: 'octets', left: between(chance, 1, 20_000) }),
  () => ({ kind: 'at once' }),
  (chance) => ({ kind: 'answer cut', left: between(chance, 1, 5) }),
  (chance) => ({ kind: 'command', left: between(chance, 1, 25) }),
  (chance) => ({ kind: 'octets', left: between(chance, 1, 3_000) }),
  () => ({ kind: 'busy' }),
  (chance) => ({ kind: 'answer whole', left: between(chance, 1, 5) }),
]

const TAKEN = '250 2.0.0 Ok: queued as M00D\r\n'

/** From here on it is known that the message was taken, whatever becomes of the rest. */
const CODE = '250 '

/** One client from its greeting to its end. */
class Conversation {
  readonly #socket: net.Socket
  readonly #options: MoodySmtpOptions
  readonly #fate: Fate | undefined
  readonly #count: (key: string) => number
  readonly #take: (copy: Copy) => void
  #left: number
  #input = ''
  #to = ''
  #inMessage = false
  #isOver = false

  constructor(
    socket: net.Socket,
    options: MoodySmtpOptions,
    fate: Fate | undefined,
    count: (key: string) => number,
    take: (copy: Copy) => void,
  ) {
    this.#socket = socket
    this.#options = options
    this.#fate = fate
    this.#count = count
    this.#take = take
    this.#left = fate && 'left' in fate ? fate.left : 0
  }

  begin(): void {
    this.#socket.on('data', (chunk) => this.#hear(chunk))
    if (this.#fate?.kind === 'at once') this.#end()
    else if (this.#fate?.kind === 'busy') this.#end('421 4.3.2 come back later\r\n')
    else this.#say('220 moody.test ESMTP\r\n')
  }

  #hear(chunk: Buffer): void {
    if (this.#isOver) return
    let heard = chunk
    let isCut = false
    if (this.#fate?.kind === 'octets') {
      heard = chunk.subarray(0, this.#left)
      this.#left -= heard.length
      // an answer now might not arrive
      isCut = this.#left <= 0
      this.#isOver = isCut
    }
    this.#input += heard.toString('latin1')
    for (let line = this.#next(); line !== undefined; line = this.#next()) {
      if (this.#inMessage) this.#message(line)
      else this.#command(line)
    }
    if (isCut) this.#socket.destroy()
  }

  /** The next command, or the next message without its dot. */
  #next(): string | undefined {
    const mark = this.#inMessage ? '\r\n.\r\n' : '\r\n'
    const end = this.#input.indexOf(mark)
    if (end === -1) return undefined
    const taken = this.#input.slice(0, end)
    this.#input = this.#input.slice(end + mark.length)
    return taken
  }

  #command(line: string): void {
    const verb = /^[A-Z]+/i.exec(line)?.[0].toUpperCase()
    if (this.#fate?.kind === 'command' && --this.#left === 0) this.#end()
    else if (verb === 'QUIT') this.#end('221 2.0.0 bye\r\n')
    else this.#say(this.#answer(verb, line))
  }

  #answer(verb: string | undefined, line: string): string {
    switch (verb) {
      case 'EHLO':
        return `250-moody.test\r\n${this.#options.chance() < 0.5 ? '250-PIPELINING\r\n' : ''}250 SIZE\r\n`
      case 'RCPT': {
        const address = /<(.*)>/.exec(line)?.[1] ?? ''
        const refusal = this.#options.recipient?.(address, this.#count(`rcpt ${address}`))
        this.#to = refusal === undefined ? address : ''
        return refusal ?? '250 2.1.5 Ok\r\n'
      }
      case 'DATA':
        this.#inMessage = this.#to !== ''
        return this.#inMessage ? '354 go on\r\n' : '503 5.5.1 no recipients\r\n'
      default:
        return '250 2.0.0 Ok\r\n'
    }
  }

  #message(text: string): void {
    this.#inMessage = false
    const to = this.#to
    const messageId = /^Message-ID: (.*)$/im.exec(text)?.[1]?.trim() ?? ''
    this.#options.onMessage?.({ to, messageId, text })
    const refusal = this.#options.message?.(to, this.#count(`data ${to}`))
    const { kind } = this.#fate ?? {}
    const mayEnd = kind === 'answer lost' || kind === 'answer cut' || kind === 'answer whole'
    const isLast = refusal === undefined && mayEnd && --this.#left === 0
    const answer = isLast ? this.#lastAnswer() : (refusal ?? TAKEN)
    const isAnswered = !this.#isOver && answer.length >= CODE.length
    if (refusal === undefined) this.#take({ to, messageId, text, isAnswered })
    if (isLast) this.#end(answer)
    else this.#say(answer)
  }

  #lastAnswer(): string {
    const kind = this.#fate?.kind
    if (kind === 'answer cut') return TAKEN.slice(0, between(this.#options.chance, 1, TAKEN.length - 2))
    return kind === 'answer whole' ? TAKEN : ''
  }

  #say(text: string): void {
    if (!this.#isOver) this.#socket.write(text)
  }

  /** Says this last, and listens no more. */
  #end(text = ''): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#input = ''
    this.#socket.end(text)
  }
}

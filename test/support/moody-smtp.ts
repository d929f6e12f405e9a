import { once } from 'node:events'
import net from 'node:net'
import { between, type Chance } from './chance.ts'

/** One whole message, with its final dot, as it came for one recipient. */
export interface Copy {
  readonly to: string
  readonly messageId: string
  /** With dot-stuffing. */
  readonly text: string
  /** Whether the client was told that it is taken; else the connection broke before, and nobody knows. */
  readonly isAnswered: boolean
}

export interface MoodySmtpOptions {
  readonly chance: Chance
  /** So many connections go wrong somewhere, in every way there is; those that come later do not. */
  readonly faults: number
  /** The answer to RCPT TO instead of 250; `tries` counts from 1 how often the address was given. */
  readonly recipient?: (address: string, tries: number) => string | undefined
  /** The answer to a whole message instead of 250; counted alike. */
  readonly message?: (address: string, tries: number) => string | undefined
  /** Hears of every whole message, whatever it is answered. */
  readonly onMessage?: (copy: Omit<Copy, 'isAnswered'>) => void
}

export interface MoodySmtp {
  readonly port: number
  /** What was taken, answered or not, in the order it came. */
  readonly taken: readonly Copy[]
  /** How many connections went wrong, by the way they did. */
  readonly wrong: Readonly<Partial<Record<Fate['kind'], number>>>
  close(): Promise<void>
}

/** How a connection ends before its time. */
type Fate =
  /** Without a word. */
  | { readonly kind: 'at once' }
  /** 421 for a greeting. */
  | { readonly kind: 'busy' }
  /** Behind so many octets of input, in the middle of whatever that is. */
  | { readonly kind: 'octets'; readonly left: number }
  /** At that command, which is left without an answer. */
  | { readonly kind: 'command'; readonly left: number }
  /** At that whole message: it is taken, but the answer is cut off behind so many octets, or is whole. */
  | { readonly kind: 'answer lost' | 'answer cut' | 'answer whole'; readonly left: number }

/**
 * Starts an SMTP server on a free port of 127.0.0.1 whose connections break by chance, at any octet and at any command,
 * also between a message and its answer. It knows what it has taken, and what it was able to say about that.
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
      // what is answered now would not arrive for sure
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
    const isAnswered = !this.#isOver && (!isLast || kind === 'answer whole')
    if (refusal === undefined) this.#take({ to, messageId, text, isAnswered })
    if (!isLast) this.#say(refusal ?? TAKEN)
    else if (kind === 'answer lost') this.#end()
    else if (kind === 'answer whole') this.#end(TAKEN)
    else this.#end(TAKEN.slice(0, between(this.#options.chance, 1, TAKEN.length - 2)))
  }

  #say(text: string): void {
    if (!this.#isOver) this.#socket.write(text)
  }

  /** Says this as the last, and hears nothing any more. */
  #end(text = ''): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#input = ''
    this.#socket.end(text)
  }
}

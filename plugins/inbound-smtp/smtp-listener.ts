import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { hostname } from 'node:os'
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server'
import type { Clock } from '../../core/ports/clock.ts'
import type { Acceptance, InboundDesk, InboundMail } from '../../core/ports/inbound-mail.ts'
import type { Log } from '../../core/ports/log.ts'
import type { InboundSmtpOptions } from './index.ts'
import { MessageBuffer } from './message-buffer.ts'

const LONGEST_LINE = 100_000
const LONGEST_HEADER = 512 * 1024
/** Whoever asks for so many recipients that are refused is guessing, and is let go. */
const MOST_REFUSED = 50

/** Connections that were told of the end may take so long to close, in milliseconds. */
const LINGER_MS = 500

/** What is known of a connection besides its session. */
interface Visit {
  readonly address: string
  refused: number
}

/** An SMTP server that receives (RFC 5321): no relay, no AUTH. */
export class SmtpListener implements InboundMail {
  readonly #options: InboundSmtpOptions
  readonly #log: Log
  readonly #clock: Clock
  readonly #visits = new Map<string, Visit>()
  #certificate: { readonly key: Buffer; readonly cert: Buffer } | undefined
  #server: SMTPServer | undefined
  readonly #receiving = new Set<Promise<void>>()
  #buffered = 0

  constructor(options: InboundSmtpOptions, log: Log, clock: Clock) {
    this.#options = options
    this.#log = log
    this.#clock = clock
  }

  /** Reads the certificate from its files. Throws when there is none. */
  async readCertificate(): Promise<void> {
    const { tls } = this.#options
    if (tls) this.#certificate = { key: await readFile(tls.keyFile), cert: await readFile(tls.certFile) }
  }

  /** The port it listens on; undefined while it does not. */
  get port(): number | undefined {
    const address = this.#server?.server.address()
    return typeof address === 'object' ? (address as AddressInfo | null)?.port : undefined
  }

  async start(desk: InboundDesk): Promise<void> {
    const { host, port } = this.#options
    const server = this.#make(desk)
    server.listen(port, host)
    await once(server.server, 'listening')
    // of one connection: the client's, not ours
    server.on('error', (error) => this.#log.debug('a connection failed', { error }))
    this.#server = server
    this.#log.info('receiving mail', { host, port: this.port, hostname: this.#name })
  }

  async check(): Promise<void> {
    if (!this.#server?.server.listening) throw new Error('it does not listen')
  }

  async stop(graceMs: number): Promise<void> {
    const server = this.#server
    this.#server = undefined
    if (server === undefined) return
    server.options.closeTimeout = graceMs + LINGER_MS
    const closed = new Promise<void>((resolve) => server.close(resolve))
    await waitAtMost(graceMs, Promise.allSettled([...this.#receiving]))
    // those that only wait for the next command have nothing to lose
    for (const connection of server.connections) connection.send(421, '4.3.2 the server is shutting down')
    await waitAtMost(LINGER_MS, closed)
  }

  get #name(): string {
    return this.#options.hostname ?? hostname()
  }

  #make(desk: InboundDesk): SMTPServer {
    const { maxSize, maxConnections, maxRecipients, timeouts } = this.#options
    return new SMTPServer({
      ...{ name: this.#name, banner: 'Mailwright', logger: false, disableReverseLookup: true },
      ...{ size: maxSize, rejectOversized: false, maxClients: maxConnections, maxRecipients },
      ...{ socketTimeout: timeouts.command * 1000, authOptional: true, hideENHANCEDSTATUSCODES: true },
      disabledCommands: this.#certificate ? ['AUTH'] : ['AUTH', 'STARTTLS'],
      ...(this.#certificate ?? {}),
      onConnect: (session, answer) => answer(this.#visit(session)),
      onClose: (session) => void this.#visits.delete(session.id),
      onRcptTo: ({ address }, session, answer) => {
        const { mailFrom } = session.envelope
        const from = mailFrom ? mailFrom.address : ''
        desk
          .accepts(address, { from, remoteAddress: session.remoteAddress })
          .then((acceptance) => answer(this.#refusalOf(acceptance, session)))
          .catch((error) => answer(this.#troubled('could not look up a recipient', error)))
      },
      onData: (stream, session, answer) => {
        const done = this.#receive(desk, stream, session)
          .catch((error) => this.#broken(error))
          .then((refusal) => {
            this.#receiving.delete(done)
            answer(refusal)
          })
        this.#receiving.add(done)
      },
    })
  }

  /** An error that is the reply, when the address has too many connections already. */
  #visit({ id, remoteAddress: address }: SMTPServerSession): Error | null {
    const { maxConnectionsPerAddress } = this.#options
    const same = [...this.#visits.values()].filter((visit) => visit.address === address)
    if (same.length >= maxConnectionsPerAddress) {
      return reply(421, `4.7.0 more than ${maxConnectionsPerAddress} connections from ${address}, try again later`)
    }
    this.#visits.set(id, { address, refused: 0 })
    return null
  }

  #refusalOf(acceptance: Acceptance, { id }: SMTPServerSession): Error | null {
    if (acceptance.outcome === 'accepted') return null
    if (acceptance.outcome === 'later') return reply(451, `4.3.0 ${acceptance.message}`)
    const visit = this.#visits.get(id)
    if (visit && ++visit.refused > MOST_REFUSED) return reply(421, '4.7.0 too many recipients that are none of ours')
    return reply(550, `${acceptance.status} ${acceptance.message}`)
  }

  #troubled(what: string, error: unknown): Error {
    this.#log.warn(what, { error })
    return reply(451, '4.3.0 the message cannot be taken at present, try again later')
  }

  /** What ended a message before it was there or was stored. */
  #broken(error: unknown): Error {
    // nobody is there to be answered
    if (error instanceof Error && 'code' in error && error.code === 'ECONNECTION') return error
    if (error instanceof TooSlow) return reply(421, `4.4.2 ${error.message}`)
    return this.#troubled('could not take a message', error)
  }

  /** Answers null when the message is stored, or an error that is the reply. */
  async #receive(desk: InboundDesk, stream: SMTPServerDataStream, session: SMTPServerSession): Promise<Error | null> {
    let held = 0
    const reserve = (bytes: number) => {
      if (this.#buffered + bytes > this.#options.maxBuffered) return false
      held += bytes
      this.#buffered += bytes
      return true
    }
    try {
      const message = await this.#read(stream, reserve)
      if (message.refusal) return reply(message.refusal.code, message.refusal.message)
      const { mailFrom, rcptTo } = session.envelope
      await desk.deliver({
        envelope: { from: mailFrom ? mailFrom.address : '', to: rcptTo.map(({ address }) => address) },
        ...{ raw: message.bytes(), remoteAddress: session.remoteAddress, helo: session.hostNameAppearsAs || '' },
        ...{ tls: session.secure, receivedAt: this.#clock.now() },
      })
      return null
    } finally {
      this.#buffered -= held
    }
  }

  /** Reads to the end whatever comes: the reply stands behind it. */
  async #read(stream: SMTPServerDataStream, reserve: (bytes: number) => boolean): Promise<MessageBuffer> {
    const limits = { size: this.#options.maxSize, line: LONGEST_LINE, header: LONGEST_HEADER }
    const message = new MessageBuffer(limits, reserve)
    const late = setTimeout(() => stream.destroy(new TooSlow()), this.#options.timeouts.data * 1000)
    try {
      for await (const piece of stream) message.add(piece as Buffer)
      message.end()
      return message
    } finally {
      clearTimeout(late)
    }
  }
}

class TooSlow extends Error {
  override readonly message = 'the message took too long'
}

async function waitAtMost(ms: number, done: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([done, late])
  clearTimeout(timer)
}

function reply(responseCode: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode })
}

import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { hostname } from 'node:os'
import { finished } from 'node:stream/promises'
import { SMTPServer, type SMTPServerDataStream, type SMTPServerOptions, type SMTPServerSession } from 'smtp-server'
import type { Log } from '../../../core/ports/log.ts'
import { cannotListen } from './free-port.ts'
import { MessageBuffer, type Refusal } from './message-buffer.ts'
import type { ListenerOptions } from './options.ts'

const MAX_LINE_BYTES = 100_000
const MAX_HEADER_BYTES = 512 * 1024

/** How long connections may take to close after the goodbye, in milliseconds. */
const LINGER_MS = 500

/** A reply. The text begins with an enhanced status code (RFC 3463). */
export interface SmtpReply {
  readonly code: number
  readonly text: string
}

/** The part that each listener decides for itself; the rest is the same for all. */
export interface Conversation {
  /** Its name in the log, such as `receiving mail`. */
  readonly purpose: string
  /** smtp-server options besides the receiver's own: logins, disabled commands. */
  readonly server: SMTPServerOptions
  /** May prepare the session. */
  begin?(session: SMTPServerSession): void
  /** Undefined accepts the recipient. Rejects when it cannot be looked up now: 451. */
  recipient(address: string, session: SMTPServerSession): Promise<SmtpReply | undefined>
  /** Whether the message may have NUL octets; none may when this is absent. */
  takesNul?(session: SMTPServerSession): boolean
  /**
   * Takes a whole message and answers the reply; its code says whether the message was taken. Rejects when it was not
   * stored: 451.
   */
  message(raw: Uint8Array, session: SMTPServerSession): Promise<SmtpReply>
}

/**
 * Receives messages by SMTP (RFC 5321) within limits: of connections, of all bytes together, of each message and its
 * lines, and of time.
 */
export class SmtpReceiver {
  readonly #options: ListenerOptions
  readonly #log: Log
  /** Each connection's remote address, by its session id. */
  readonly #addresses = new Map<string, string>()
  #certificate: { readonly key: Buffer; readonly cert: Buffer } | undefined
  #server: SMTPServer | undefined
  readonly #receiving = new Set<Promise<void>>()
  #buffered = 0

  constructor(options: ListenerOptions, log: Log) {
    this.#options = options
    this.#log = log
  }

  /** Reads the certificate from its files. Throws when they cannot be read. */
  async readCertificate(): Promise<void> {
    const { tls } = this.#options
    if (tls) this.#certificate = { key: await readFile(tls.keyFile), cert: await readFile(tls.certFile) }
  }

  /** The port it listens on, while it does. */
  get port(): number | undefined {
    const address = this.#server?.server.address()
    return typeof address === 'object' ? (address as AddressInfo | null)?.port : undefined
  }

  /** Answers when it listens. Throws EngineError `SERVICE_UNAVAILABLE` that names the port when it cannot. */
  async start(conversation: Conversation): Promise<void> {
    const { host, port } = this.#options
    const server = this.#make(conversation)
    // errors of one connection: the client's, not ours. The first may be that it cannot listen, and is thrown below.
    server.on('error', (error) => this.#log.debug('a connection failed', { error }))
    server.listen(port, host)
    await once(server.server, 'listening').catch((error: NodeJS.ErrnoException) => {
      throw cannotListen(host, port, error)
    })
    this.#server = server
    this.#log.info(conversation.purpose, { host, port: this.port, hostname: this.#name })
  }

  async check(): Promise<void> {
    if (!this.#server?.server.listening) throw new Error('it does not listen')
  }

  /** Takes no new messages, and gives those under way `graceMs` to end. */
  async stop(graceMs: number): Promise<void> {
    const server = this.#server
    this.#server = undefined
    if (server === undefined) return
    server.options.closeTimeout = graceMs + LINGER_MS
    const closed = new Promise<void>((resolve) => server.close(resolve))
    await waitAtMost(graceMs, Promise.allSettled([...this.#receiving]))
    // connections that only wait for the next command have nothing to lose
    for (const connection of server.connections) connection.send(421, '4.3.2 the server is shutting down')
    await waitAtMost(LINGER_MS, closed)
  }

  get #name(): string {
    return this.#options.hostname ?? hostname()
  }

  #make(conversation: Conversation): SMTPServer {
    const { maxSize, maxConnections, maxRecipients, timeouts } = this.#options
    const { server } = conversation
    const made: SMTPServer = new SMTPServer({
      name: this.#name,
      banner: 'Mailwright',
      logger: false,
      disableReverseLookup: true,
      size: maxSize,
      rejectOversized: false,
      maxClients: maxConnections,
      maxRecipients,
      socketTimeout: timeouts.command * 1000,
      hideENHANCEDSTATUSCODES: true,
      ...(this.#certificate ?? {}),
      ...server,
      disabledCommands: [...(server.disabledCommands ?? []), ...(this.#certificate ? [] : ['STARTTLS'])],
      onConnect: (session, answer) => answer(this.#admit(session, conversation)),
      onClose: (session) => void this.#addresses.delete(session.id),
      onRcptTo: ({ address }, session, answer) => {
        conversation
          .recipient(address, session)
          .then((refusal) => answer(refusal === undefined ? null : errorOf(refusal)))
          .catch((error) => answer(this.#troubled('could not look up a recipient', error)))
      },
      onData: (stream, session, answer) => {
        const done = this.#receive(stream, conversation.takesNul?.(session) ?? false, (raw) =>
          conversation.message(raw, session),
        )
          .catch((error) => {
            const refusal = error instanceof CutShort ? error.refusal : undefined
            if (refusal) connectionOf(made, session)?.send(refusal.code, refusal.message)
            return this.#broken(error)
          })
          .then((reply) => {
            this.#receiving.delete(done)
            if (reply instanceof Error) answer(reply)
            else answer(null, reply)
          })
        this.#receiving.add(done)
      },
    })
    return made
  }

  /** An error that is the reply, when the address has too many connections already. */
  #admit(session: SMTPServerSession, conversation: Conversation): Error | null {
    const { maxConnectionsPerAddress } = this.#options
    const { id, remoteAddress: address } = session
    const same = [...this.#addresses.values()].filter((visitor) => visitor === address)
    if (same.length >= maxConnectionsPerAddress) {
      const text = `4.7.0 more than ${maxConnectionsPerAddress} connections from ${address}, try again later`
      return errorOf({ code: 421, text })
    }
    this.#addresses.set(id, address)
    conversation.begin?.(session)
    return null
  }

  #troubled(what: string, error: unknown): Error {
    this.#log.warn(what, { error })
    return errorOf({ code: 451, text: '4.3.0 the message cannot be taken at present, try again later' })
  }

  /** The reply when a message failed before it was complete or stored. */
  #broken(error: unknown): Error {
    // the client is gone
    if (error instanceof Error && 'code' in error && error.code === 'ECONNECTION') return error
    if (error instanceof CutShort) return errorOf({ code: 421, text: `4.4.2 ${error.message}` })
    return this.#troubled('could not take a message', error)
  }

  /** Answers the text of a success, or an error that is the reply. */
  async #receive(
    stream: SMTPServerDataStream,
    nul: boolean,
    take: (raw: Uint8Array) => Promise<SmtpReply>,
  ): Promise<string | Error> {
    let held = 0
    const reserve = (bytes: number) => {
      if (this.#buffered + bytes > this.#options.maxBuffered) return false
      held += bytes
      this.#buffered += bytes
      return true
    }
    try {
      const message = await this.#read(stream, nul, reserve)
      const { refusal } = message
      if (refusal) return errorOf({ code: refusal.code, text: refusal.message })
      const reply = await take(message.bytes())
      return reply.code < 300 ? reply.text : errorOf(reply)
    } finally {
      this.#buffered -= held
    }
  }

  /** Reads also a refused message to its end, since the reply comes only after it, unless it is far too large. */
  async #read(stream: SMTPServerDataStream, nul: boolean, reserve: (bytes: number) => boolean): Promise<MessageBuffer> {
    const limits = { size: this.#options.maxSize, line: MAX_LINE_BYTES, header: MAX_HEADER_BYTES, nul }
    const message = new MessageBuffer(limits, reserve)
    const late = setTimeout(
      () => stream.destroy(new CutShort('the message took too long')),
      this.#options.timeouts.data * 1000,
    )
    try {
      // a promise for each piece would cost more than the piece
      stream.on('data', (piece: Buffer) => {
        message.add(piece)
        if (message.hasTooManyDotLines)
          stream.destroy(new CutShort('the message has too many lines that begin with a dot'))
        else if (message.isEndless) stream.destroy(new CutShort('the message goes on and on', message.refusal))
      })
      await finished(stream, { writable: false })
      message.end()
      return message
    } finally {
      clearTimeout(late)
    }
  }
}

/** Ends a message without waiting for its end, and the connection with it; the refusal, if any, is said before. */
class CutShort extends Error {
  constructor(
    message: string,
    readonly refusal?: Refusal,
  ) {
    super(message)
  }
}

async function waitAtMost(ms: number, done: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([done, late])
  clearTimeout(timer)
}

function connectionOf({ connections }: SMTPServer, { id }: SMTPServerSession) {
  return [...connections].find((connection) => connection.id === id)
}

/** A reply in smtp-server's form. */
export function errorOf({ code, text }: SmtpReply): Error {
  return Object.assign(new Error(text), { responseCode: code })
}

import { setTimeout as pause } from 'node:timers/promises'
import { ImapFlow } from 'imapflow'
import type { Clock } from '../../core/ports/clock.ts'
import type { InboundDesk, InboundMail } from '../../core/ports/inbound-mail.ts'
import type { Log } from '../../core/ports/log.ts'
import { isLoopback } from '../kit/net/loopback.ts'
import { KnownMessages } from './known-messages.ts'
import { MailboxSession } from './mailbox-session.ts'
import type { InboundImapOptions } from './options.ts'

/** Milliseconds between two tries to connect: at first, and at most. */
const PAUSE_MS = 250
const MAX_PAUSE_MS = 60_000
/** The same after a refusal: who keeps failing to log in gets locked out. */
const REFUSED_PAUSE_MS = 60_000
const MAX_REFUSED_PAUSE_MS = 600_000
/** How often a process that does not read this mailbox asks whether it may. */
const STANDBY_MS = 250
/** How long a server may be away before the health check fails. */
const AWAY_MS = 60_000
/** How long the logout may take. */
const LINGER_MS = 500
/** Memory for an answer besides its message, and for the list of unread UIDs. */
const ROOM = 1024 * 1024
const LONGEST_LINE = 16 * ROOM

/** Reads a mailbox in one session after the other, each until its connection ends. */
export class MailboxReader implements InboundMail {
  readonly #options: InboundImapOptions
  readonly #log: Log
  readonly #clock: Clock
  readonly #known = new KnownMessages()
  readonly #stopping = new AbortController()
  #client: ImapFlow | undefined
  #running: Promise<void> | undefined
  #pause = PAUSE_MS
  #problem: Error | undefined
  /** When it last read without trouble, by `performance.now()`. */
  #wellAt = Number.NEGATIVE_INFINITY

  constructor(options: InboundImapOptions, log: Log, clock: Clock) {
    this.#options = options
    this.#log = log
    this.#clock = clock
  }

  async start(desk: InboundDesk): Promise<void> {
    this.#wellAt = performance.now()
    this.#running = this.#live(desk).catch((error) => {
      this.#problem = error
      this.#log.error('no mail is fetched any more', { error })
    })
  }

  async check(): Promise<void> {
    if (this.#running === undefined || this.#stopping.signal.aborted) throw new Error('it does not fetch mail')
    if (this.#problem === undefined) return
    // a server that is restarting is no trouble yet
    if (needsOperator(this.#problem) || performance.now() - this.#wellAt > AWAY_MS) throw this.#problem
  }

  async stop(graceMs: number): Promise<void> {
    this.#stopping.abort()
    const isOver = await within(graceMs, this.#running)
    this.#client?.close()
    if (!isOver) await within(LINGER_MS, this.#running)
  }

  get #source(): string {
    const { host, auth, mailbox } = this.#options
    return `${auth.user}@${host}/${mailbox}`
  }

  async #live(desk: InboundDesk): Promise<void> {
    const { signal } = this.#stopping
    const leadership = await desk.lead(this.#source)
    while (!signal.aborted) {
      const led = await leadership.confirm()
      if (led === undefined) {
        this.#well()
        await this.#rest(STANDBY_MS)
        continue
      }
      try {
        await this.#session(desk, AbortSignal.any([signal, led]))
      } catch (error) {
        if (!signal.aborted) await this.#rest(this.#failed(error))
      }
    }
    await leadership.release()
  }

  async #session(desk: InboundDesk, signal: AbortSignal): Promise<void> {
    const client = new ImapFlow(clientOptions(this.#options))
    this.#client = client
    // the error is thrown by whatever waits for the connection
    client.on('error', (error) => this.#log.debug('the connection to the mailbox failed', { error }))
    const hangUp = () => client.close()
    signal.addEventListener('abort', hangUp)
    try {
      await client.connect()
      const [options, known, log, clock] = [this.#options, this.#known, this.#log, this.#clock]
      const session = new MailboxSession(client, { options, desk, known, log, clock })
      await session.open()
      signal.removeEventListener('abort', hangUp)
      const { host, mailbox, after } = this.#options
      log.info('fetching mail', { host, mailbox, after, tls: client.secureConnection })
      await session.run(signal, () => this.#well())
      await within(LINGER_MS, client.logout())
    } finally {
      signal.removeEventListener('abort', hangUp)
      client.close()
    }
  }

  #well(): void {
    this.#problem = undefined
    this.#pause = PAUSE_MS
    this.#wellAt = performance.now()
  }

  /** Logs what is wrong, each problem once, and answers how long to wait before the next try. */
  #failed(cause: unknown): number {
    const error = readableError(cause)
    const isNew = error.message !== this.#problem?.message
    if (this.#problem === undefined) this.#wellAt = performance.now()
    const wait = needsOperator(error) ? Math.max(this.#pause, REFUSED_PAUSE_MS) : this.#pause
    this.#pause = Math.min(2 * wait, needsOperator(error) ? MAX_REFUSED_PAUSE_MS : MAX_PAUSE_MS)
    this.#problem = error
    const level = isNew ? (needsOperator(error) ? 'error' : 'warn') : 'debug'
    this.#log[level](`no mail is fetched: ${error.message}`, { nextTry: `in ${wait / 1000} s` })
    return wait
  }

  async #rest(ms: number): Promise<void> {
    await pause(ms, undefined, { signal: this.#stopping.signal }).catch(() => {})
  }
}

/** An error that goes away only when a person changes something. */
class NeedsOperator extends Error {}

function needsOperator(error: Error): boolean {
  return error instanceof NeedsOperator
}

function isRefusedLogin(error: unknown): boolean {
  return error instanceof Error && 'authenticationFailed' in error && error.authenticationFailed === true
}

/** The library says only "Command failed", so this adds what the server said. */
function readableError(cause: unknown): Error {
  if (!(cause instanceof Error)) return new Error(String(cause))
  const said = 'responseText' in cause && typeof cause.responseText === 'string' ? `: ${cause.responseText}` : ''
  if (isRefusedLogin(cause)) return new NeedsOperator(`the server refuses the login${said}`, { cause })
  if (said !== '') return new NeedsOperator(`the server refuses${said}`, { cause })
  return new Error(cause.message, { cause })
}

function clientOptions(options: InboundImapOptions): ConstructorParameters<typeof ImapFlow>[0] {
  const { host, secure, requireTls = !isLoopback(host), auth, maxSize, timeouts, tls } = options
  return {
    host,
    port: options.port ?? (secure ? 993 : 143),
    secure,
    auth,
    logger: false,
    disableAutoIdle: true,
    ...(requireTls && !secure ? { doSTARTTLS: true } : {}),
    ...(tls === undefined ? {} : { tls }),
    connectionTimeout: timeouts.connect * 1000,
    greetingTimeout: timeouts.connect * 1000,
    socketTimeout: timeouts.command * 1000,
    clientInfo: { name: 'Mailwright' },
    // bounds the memory for one answer; compressed, it could grow to anything
    maxLiteralSize: maxSize + ROOM,
    maxResponseSize: maxSize + 2 * ROOM,
    maxLineLength: LONGEST_LINE,
    disableCompression: true,
  }
}

/** Whether it ended in time, with or without an error. */
async function within(ms: number, done: Promise<unknown> | undefined): Promise<boolean> {
  const late = new AbortController()
  const settled = Promise.resolve(done).then(
    () => true,
    () => true,
  )
  const isOver = await Promise.race([settled, pause(ms, false, { signal: late.signal }).catch(() => false)])
  late.abort()
  return isOver
}

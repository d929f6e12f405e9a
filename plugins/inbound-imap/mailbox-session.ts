import { createHash } from 'node:crypto'
import type { FetchMessageObject, ImapFlow } from 'imapflow'
import type { Clock } from '../../core/ports/clock.ts'
import type { InboundDesk } from '../../core/ports/inbound-mail.ts'
import type { Log } from '../../core/ports/log.ts'
import { writtenEnvelope } from './envelope.ts'
import type { KnownMessages } from './known-messages.ts'
import type { InboundImapOptions } from './options.ts'

/** How many messages are looked at in one go, and how many of their bytes one command fetches. */
const PAGE = 100
const CHUNK = 8 * 1024 * 1024
/** After this many failures in a row, nothing can be stored at present. */
const MAX_FAILURES = 3

/** The tools that a session needs. */
export interface SessionTools {
  readonly options: InboundImapOptions
  readonly desk: InboundDesk
  readonly known: KnownMessages
  readonly log: Log
  readonly clock: Clock
}

/** A logged-in connection with the mailbox open. */
export class MailboxSession {
  readonly #client: ImapFlow
  readonly #tools: SessionTools
  #isStoring = true
  #failures = 0
  #hasNews = true
  #wake: () => void = () => {}

  constructor(client: ImapFlow, tools: SessionTools) {
    this.#client = client
    this.#tools = tools
    client.on('exists', () => this.#news())
    client.on('close', () => this.#news())
  }

  /** Opens the mailbox. Throws when it cannot be read, or messages in it cannot be marked. */
  async open(): Promise<void> {
    const { mailbox, after } = this.#tools.options
    const { readOnly, uidValidity } = await this.#client.mailboxOpen(mailbox)
    if (readOnly) throw new Error(`${mailbox} can only be read: what was stored could not be marked`)
    if (typeof after === 'object') await this.#client.mailboxCreate(after.move)
    this.#tools.known.open(uidValidity)
  }

  /**
   * Fetches unread messages, now and whenever new ones arrive, until the signal aborts. Throws when
   * the connection has ended.
   */
  async run(signal: AbortSignal, looked: () => void): Promise<void> {
    const stop = () => this.#news()
    signal.addEventListener('abort', stop)
    try {
      while (!signal.aborted) {
        await this.look(signal)
        looked()
        if (!signal.aborted) await this.#wait()
      }
    } finally {
      signal.removeEventListener('abort', stop)
    }
  }

  /** Fetches unread messages until none is left or none can be stored. */
  async look(signal: AbortSignal): Promise<void> {
    const { known, options } = this.#tools
    known.nextLook()
    this.#isStoring = true
    this.#failures = 0
    for (let isMore = true; isMore && this.#isStoring && !signal.aborted; ) {
      this.#hasNews = false
      const unread = await this.#client.search({ seen: false, deleted: false }, { uid: true })
      if (!unread) throw new Error(`${options.mailbox} cannot be searched`)
      const { fresh, stored } = known.sort(unread)
      if (stored.length > 0) await this.#mark(stored)
      for (const chunk of await this.#chunks(fresh.slice(0, PAGE))) {
        if (this.#isStoring && !signal.aborted) await this.#take(chunk, signal)
      }
      isMore = fresh.length > PAGE
    }
  }

  /** Divides these messages into chunks that are fetched in one go, without those that are too large. */
  async #chunks(uids: readonly number[]): Promise<readonly (readonly number[])[]> {
    if (uids.length === 0) return []
    const sizes = await this.#sizes(uids)
    const chunks: number[][] = []
    let chunk: number[] = []
    let room = 0
    for (const uid of uids) {
      const size = sizes.get(uid) ?? CHUNK
      if (size > this.#tools.options.maxSize && sizes.has(uid)) {
        this.#leaveLarge(uid, size)
        continue
      }
      if (size > room) {
        chunk = []
        chunks.push(chunk)
        room = CHUNK
      }
      chunk.push(uid)
      room -= size
    }
    return chunks
  }

  /** The messages' sizes, as far as the server gives them. */
  async #sizes(uids: readonly number[]): Promise<ReadonlyMap<number, number>> {
    const sizes = new Map<number, number>()
    try {
      for await (const { uid, size } of this.#client.fetch(uids.join(), { uid: true, size: true }, { uid: true })) {
        if (size !== undefined) sizes.set(uid, size)
      }
    } catch (error) {
      if (!isRefusal(error)) throw error
    }
    return sizes
  }

  async #take(uids: readonly number[], signal: AbortSignal): Promise<void> {
    const missing = new Set(uids)
    const stored: number[] = []
    // one octet more than allowed shows that the server reported a wrong size
    const query = { uid: true, internalDate: true, source: { start: 0, maxLength: this.#tools.options.maxSize + 1 } }
    try {
      for await (const message of this.#client.fetch(uids.join(), query, { uid: true })) {
        // changes of other messages' flags are reported here, too
        if (message.source === undefined || !missing.delete(message.uid)) continue
        if (await this.#deliver(message, message.source)) stored.push(message.uid)
        if (!this.#isStoring || signal.aborted) break
      }
    } catch (error) {
      if (!isRefusal(error)) throw error
      this.#tools.log.debug('the server does not give out a message', { uids: [...missing], error })
      if (uids.length > 1) {
        for (const uid of missing) if (this.#isStoring && !signal.aborted) await this.#take([uid], signal)
        missing.clear()
      }
    }
    if (stored.length > 0) await this.#mark(stored)
    if (!this.#isStoring || signal.aborted) return
    for (const uid of missing) {
      if (this.#tools.known.notFetched(uid)) continue
      this.#tools.log.warn('a message cannot be fetched; it stays where it is, unread', this.#about(uid))
    }
  }

  /** Hands a message to the engine. False when it is not stored. */
  async #deliver({ uid, internalDate }: FetchMessageObject, raw: Buffer): Promise<boolean> {
    const { options, desk, known, log, clock } = this.#tools
    if (raw.length > options.maxSize) {
      this.#leaveLarge(uid, raw.length)
      return false
    }
    try {
      const { from, to } = writtenEnvelope(raw)
      const key = createHash('sha256').update(raw).digest('base64url')
      await desk.deliver({
        envelope: { from, to: await this.#recipients(from, to) },
        raw: withCrlf(raw),
        remoteAddress: '',
        helo: '',
        tls: this.#client.secureConnection,
        fetched: { key },
        receivedAt: internalDate === undefined ? clock.now() : new Date(internalDate),
      })
    } catch (error) {
      const isFirst = known.notStored(uid) === 1
      this.#isStoring = ++this.#failures < MAX_FAILURES
      log[isFirst ? 'warn' : 'debug']('a message could not be stored; it will be fetched again', {
        ...this.#about(uid),
        error,
      })
      return false
    }
    this.#failures = 0
    known.stored(uid)
    return true
  }

  /** Those addresses that are ours, or else the configured one, or else all of them. */
  async #recipients(from: string, written: readonly string[]): Promise<readonly string[]> {
    const ours: string[] = []
    for (const address of written) {
      const acceptance = await this.#tools.desk.accepts(address, { from, remoteAddress: '' })
      if (acceptance.outcome === 'later') throw new Error(acceptance.message)
      if (acceptance.outcome === 'accepted') ours.push(address)
    }
    if (ours.length > 0) return ours
    const { address } = this.#tools.options
    return address === undefined ? written : [address]
  }

  async #mark(uids: readonly number[]): Promise<void> {
    const { mailbox, after } = this.#tools.options
    const range = uids.join()
    const byUid = { uid: true }
    // without UIDPLUS (RFC 4315), other messages marked as deleted would be removed as well
    const isRemoved = after === 'delete' && this.#client.capabilities.has('UIDPLUS')
    const flags = after === 'delete' ? ['\\Seen', '\\Deleted'] : ['\\Seen']
    let isDone = await this.#client.messageFlagsAdd(range, flags, byUid)
    if (isDone && isRemoved) isDone = await this.#client.messageDelete(range, byUid)
    if (isDone && typeof after === 'object') isDone = Boolean(await this.#client.messageMove(range, after.move, byUid))
    if (!isDone) throw new Error(`messages of ${mailbox} that are stored cannot be marked`)
  }

  /** Waits until there is news, or until it is time to look again. */
  async #wait(): Promise<void> {
    const news = Promise.withResolvers<void>()
    this.#wake = news.resolve
    const timer = setTimeout(news.resolve, this.#tools.options.pollSeconds * 1000)
    if (this.#hasNews) news.resolve()
    // the next command ends it, and fails if the connection did
    else void this.#client.idle().catch(() => {})
    await news.promise
    clearTimeout(timer)
    if (!this.#client.usable) throw new Error('the server has closed the connection')
    // some servers report new mail only in answer to a command
    await this.#client.noop()
  }

  #news(): void {
    this.#hasNews = true
    this.#wake()
  }

  #leaveLarge(uid: number, size: number): void {
    this.#tools.known.leave(uid)
    const { maxSize } = this.#tools.options
    this.#tools.log.warn('a message is too large; it stays where it is, unread', { ...this.#about(uid), size, maxSize })
  }

  #about(uid: number) {
    return { mailbox: this.#tools.options.mailbox, uid }
  }
}

/** The message with CRLF at the end of each line: some servers give it out as it lies in their folders. */
function withCrlf(raw: Buffer): Buffer {
  if (!/(?<!\r)\n|\r(?!\n)/.test(raw.toString('latin1'))) return raw
  return Buffer.from(raw.toString('latin1').replace(/\r\n|\r|\n/g, '\r\n'), 'latin1')
}

/** Whether the server answered, and refused. */
function isRefusal(error: unknown): boolean {
  return error instanceof Error && 'responseStatus' in error && error.responseStatus === 'NO'
}

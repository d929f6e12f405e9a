import type { Log } from '../../../core/ports/log.ts'
import type { Envelope, SendResult } from '../../../core/ports/mail-transport.ts'
import { ConnectProblem, type NotConnected } from './connect-problem.ts'
import { Connection, type Keeper, type Keeping } from './connection.ts'
import { Aborts, Delivery, type DeliveryOwner } from './delivery.ts'
import { wireEnvelope } from './envelope.ts'
import type { Hop } from './hop.ts'
import { openSession } from './open-session.ts'
import { hiderOf } from './secrets.ts'
import { SessionLimit } from './session-limit.ts'

/** Milliseconds before connecting again after a connection was refused while others work: at first, and when it goes on. */
const OPEN_PAUSE_MS = { first: 1_000, longest: 60_000 }

/**
 * Hands messages to one server over kept connections. They are opened when there is work, at most `maxConnections`, and
 * used last in, first out, so that surplus ones fall idle and are closed. When all are busy, mails wait in line. A
 * connection that its server ends between two mails is used up: the mail goes on a fresh one, and only what that one
 * says is about the mail.
 */
export class SmtpPool {
  readonly #hop: Hop
  readonly #keeping: Keeping
  readonly #maxConnections: number
  /** Connections that carry mail or could. */
  readonly #connections = new Set<Connection>()
  readonly #idle: Connection[] = []
  #waiting: Delivery[] = []
  #opening = 0
  /** No new connection before this time on the monotonic clock. */
  #openAgain = 0
  /** How long the next pause is, in milliseconds. */
  #pauseMs = OPEN_PAUSE_MS.first
  /** How many connections the server had when it last refused one. */
  #allowed = Number.POSITIVE_INFINITY
  /** How many connections are opened at once: one after a refusal, then more with each that was taken. */
  #atOnce = Number.POSITIVE_INFINITY
  /** Connections with an open socket: those above, and those that are saying goodbye. */
  readonly #sockets = new Set<Connection>()
  readonly #openings = new Set<Promise<void>>()
  /** Asks again for connections when the pause after a refused one is over. */
  #again: NodeJS.Timeout | undefined
  readonly #limit: SessionLimit
  readonly #aborts = new Aborts()
  readonly #stop = new AbortController()
  #whenEmpty: (() => void) | undefined
  #closing: Promise<void> | undefined
  readonly #keeper: Keeper
  readonly #line: DeliveryOwner = { giveUp: (delivery) => this.#leaveLine(delivery) }

  constructor(hop: Hop, keeping: Keeping, maxConnections: number, log?: Log) {
    this.#hop = hop
    this.#keeping = keeping
    this.#maxConnections = maxConnections
    const peer = `${hop.host}:${hop.port}`
    this.#limit = new SessionLimit(peer, log)
    this.#keeper = {
      peer,
      hide: hiderOf(hop.auth),
      freed: (connection) => this.#freed(connection),
      retired: (connection, unsent) => this.#retired(connection, unsent),
      replaced: (usedUp) => this.#limit.met(usedUp),
      closed: (connection) => this.#closed(connection),
    }
  }

  /**
   * Hands over one message: RFC 5322 with CRLF line ends, without dot-stuffing. Answers the outcome. Rejects when the
   * connection broke between the message's end and its reply, so that the outcome is unknown, and with a TypeError for
   * an address that is unsafe in a command.
   */
  send(envelope: Envelope, message: Uint8Array, signal: AbortSignal): Promise<SendResult | NotConnected> {
    return new Promise((resolve, reject) => {
      const octets = Buffer.isBuffer(message)
        ? message
        : Buffer.from(message.buffer, message.byteOffset, message.byteLength)
      const delivery = new Delivery(wireEnvelope(envelope), octets, signal, this.#aborts, resolve, reject)
      if (signal.aborted) return this.#leaveLine(delivery)
      if (this.#closing) return this.#refuse(delivery, 'the transport is closed')
      this.#dispatch(delivery)
    })
  }

  /**
   * Connects, logs in and says goodbye. Answers the last reply before that, to EHLO or the login. Rejects with a
   * ConnectProblem, whose message is a sentence.
   */
  async check(): Promise<string> {
    const connection = await this.#connect()
    connection.quit()
    return connection.firstReply
  }

  /**
   * Refuses mails that wait, says goodbye on idle connections and drops the others. Resolves
   * when every socket is closed.
   */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    this.#stop.abort()
    clearTimeout(this.#again)
    for (const delivery of this.#waiting.splice(0)) this.#refuse(delivery, 'the transport is closed')
    for (const connection of this.#idle.splice(0)) connection.quit()
    for (const connection of this.#connections) connection.drop('the transport is closed')
    await Promise.all(this.#openings)
    if (this.#sockets.size > 0) await new Promise<void>((resolve) => (this.#whenEmpty = resolve))
  }

  #dispatch(delivery: Delivery): void {
    const connection = this.#idle.pop()
    if (connection) {
      if (!connection.carry(delivery)) this.#freed(connection)
      return
    }
    delivery.owner = this.#line
    this.#waiting.push(delivery)
    this.#openMore()
  }

  /** Sends the first mail in line on this connection, or keeps the connection for later. */
  #freed(connection: Connection): void {
    if (this.#closing || !this.#limit.allows(connection.mails)) {
      connection.quit()
      return
    }
    for (let delivery = this.#next(connection); delivery; delivery = this.#next(connection)) {
      if (connection.carry(delivery)) return
    }
    this.#idle.push(connection)
    connection.rest()
  }

  /** Takes the first mail for this connection out of the line. */
  #next({ isFresh }: Connection): Delivery | undefined {
    if (isFresh || !this.#waiting[0]?.wantsFresh) return this.#waiting.shift()
    const place = this.#waiting.findIndex(({ wantsFresh }) => !wantsFresh)
    return place < 0 ? undefined : this.#waiting.splice(place, 1)[0]
  }

  #retired(connection: Connection, unsent: Delivery | undefined): void {
    this.#connections.delete(connection)
    const place = this.#idle.indexOf(connection)
    if (place >= 0) this.#idle.splice(place, 1)
    if (unsent && this.#closing) this.#refuse(unsent, 'the transport is closed')
    else if (unsent) {
      unsent.owner = this.#line
      this.#waiting.unshift(unsent)
    }
    this.#openMore(true)
  }

  #closed(connection: Connection): void {
    this.#sockets.delete(connection)
    if (this.#sockets.size === 0) this.#whenEmpty?.()
    this.#openMore(true)
  }

  /**
   * Opens a connection for every waiting mail that has none coming, up to the limit. Connections saying goodbye count.
   * During the pause after a refused one, only one is opened, in the place of one that has ended (`isPlaceFree`).
   */
  #openMore(isPlaceFree = false): void {
    if (this.#closing) return
    const alone = this.#sockets.size + this.#opening === 0
    const isPaused = !alone && performance.now() < this.#openAgain
    const most = (isPaused ? Number(isPlaceFree) : this.#atOnce) - this.#opening
    for (let opened = 0; opened < most; opened++) {
      if (this.#opening >= this.#waiting.length) return
      if (this.#sockets.size + this.#opening >= this.#maxConnections) return
      this.#opening++
      const opening: Promise<void> = this.#connect()
        .finally(() => this.#opening--)
        .then(
          (connection) => this.#opened(connection),
          (problem: unknown) => this.#notOpened(problem),
        )
        .finally(() => this.#openings.delete(opening))
      this.#openings.add(opening)
    }
  }

  #connect(): Promise<Connection> {
    return openSession(this.#hop, this.#keeper.hide, this.#stop.signal, (session) => {
      const connection = new Connection(session, this.#keeping, this.#keeper)
      this.#sockets.add(connection)
      return connection
    })
  }

  #opened(connection: Connection): void {
    this.#connections.add(connection)
    this.#atOnce *= 2
    if (this.#sockets.size > this.#allowed) this.#pauseMs = OPEN_PAUSE_MS.first
    this.#freed(connection)
    this.#openMore()
  }

  /**
   * While another connection is open or opening, waiting mails wait for it, since servers that limit connections refuse
   * only those above the limit. So further ones are tried one by one, ever more rarely. With none left, mails have nothing to
   * wait for.
   */
  #notOpened(problem: unknown): void {
    const isAlone = this.#sockets.size + this.#opening === 0
    // those that were opening together are refused together
    const isNews = performance.now() >= this.#openAgain
    if (isNews) this.#openAgain = performance.now() + this.#pauseMs
    if (isNews && !isAlone) this.#pauseMs = Math.min(2 * this.#pauseMs, OPEN_PAUSE_MS.longest)
    this.#atOnce = 1
    this.#allowed = this.#sockets.size
    if (!isAlone) this.#makeDo()
    else for (const delivery of this.#waiting.splice(0)) this.#refuseFor(delivery, problem)
  }

  /** No fresh connection is to be had for now: those in use may take every mail, and more are asked for later. */
  #makeDo(): void {
    for (const delivery of this.#waiting) delivery.wantsFresh = false
    while (this.#waiting.length > 0) {
      const connection = this.#idle.pop()
      if (!connection) break
      this.#freed(connection)
    }
    clearTimeout(this.#again)
    this.#again = setTimeout(() => this.#openMore(), Math.max(1, this.#openAgain - performance.now()))
  }

  #leaveLine(delivery: Delivery): void {
    this.#waiting = this.#waiting.filter((other) => other !== delivery)
    this.#refuse(delivery, 'given up before a connection was free')
  }

  #refuseFor(delivery: Delivery, problem: unknown): void {
    if (problem instanceof ConnectProblem) delivery.answer(problem.refused)
    else this.#refuse(delivery, problem instanceof Error ? problem.message : String(problem))
  }

  #refuse(delivery: Delivery, why: string): void {
    delivery.refuse({ permanent: false, stage: 'connect', reason: `${this.#keeper.peer}: ${why}` })
  }
}

import type { Envelope, SendResult } from '../../core/ports/mail-transport.ts'
import { Aborts } from './aborts.ts'
import { ConnectProblem } from './connect-problem.ts'
import { Connection, type Keeper, type Keeping } from './connection.ts'
import { Delivery, type DeliveryOwner } from './delivery.ts'
import { wireEnvelope } from './envelope.ts'
import type { Hop } from './hop.ts'
import { openSession } from './open-session.ts'
import { hiderOf } from './secrets.ts'

/** Milliseconds before connecting again after a connection was refused while others work. */
const OPEN_PAUSE_MS = 1_000

/**
 * Hands messages to one server over kept connections. They are opened when there is work, at most `maxConnections`, and
 * used last in, first out, so that surplus ones fall idle and are closed. When all are busy, mails wait in line.
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
  /** Connections with an open socket: those above, and those that are saying goodbye. */
  readonly #sockets = new Set<Connection>()
  readonly #openings = new Set<Promise<void>>()
  readonly #aborts = new Aborts()
  readonly #stop = new AbortController()
  #whenEmpty: (() => void) | undefined
  #closing: Promise<void> | undefined
  readonly #keeper: Keeper
  readonly #line: DeliveryOwner = { giveUp: (delivery) => this.#leaveLine(delivery) }

  constructor(hop: Hop, keeping: Keeping, maxConnections: number) {
    this.#hop = hop
    this.#keeping = keeping
    this.#maxConnections = maxConnections
    this.#keeper = {
      peer: `${hop.host}:${hop.port}`,
      hide: hiderOf(hop.auth),
      freed: (connection) => this.#freed(connection),
      retired: (connection, unsent) => this.#retired(connection, unsent),
      closed: (connection) => this.#closed(connection),
    }
  }

  /**
   * Hands over one message: RFC 5322 with CRLF line ends, without dot-stuffing. Answers the outcome. Rejects when the
   * connection broke between the message's end and its reply, so that nobody knows, and with a TypeError for an address
   * that is unsafe in a command.
   */
  send(envelope: Envelope, message: Uint8Array, signal: AbortSignal): Promise<SendResult> {
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

  /** Connects, logs in and says goodbye. Rejects with a ConnectProblem, whose message is a sentence. */
  async check(): Promise<void> {
    const connection = await this.#connect()
    connection.quit()
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
    if (this.#closing) {
      connection.quit()
      return
    }
    for (let delivery = this.#waiting.shift(); delivery; delivery = this.#waiting.shift()) {
      if (connection.carry(delivery)) return
    }
    this.#idle.push(connection)
    connection.rest()
  }

  #retired(connection: Connection, unsent: Delivery | undefined): void {
    this.#connections.delete(connection)
    const place = this.#idle.indexOf(connection)
    if (place >= 0) this.#idle.splice(place, 1)
    if (unsent && this.#closing) this.#refuse(unsent, 'the transport is closed')
    else if (unsent) {
      unsent.retried = true
      unsent.owner = this.#line
      this.#waiting.unshift(unsent)
      this.#openAgain = 0
    }
    this.#openMore()
  }

  #closed(connection: Connection): void {
    this.#sockets.delete(connection)
    if (this.#sockets.size === 0) this.#whenEmpty?.()
    this.#openMore()
  }

  /**
   * Opens a connection for every waiting mail that has none coming, up to the limit. Connections saying goodbye count.
   */
  #openMore(): void {
    const alone = this.#sockets.size + this.#opening === 0
    if (this.#closing || (!alone && performance.now() < this.#openAgain)) return
    while (this.#opening < this.#waiting.length && this.#sockets.size + this.#opening < this.#maxConnections) {
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
    this.#freed(connection)
  }

  /**
   * While another connection is open or opening, waiting mails wait for it, since servers that limit connections refuse
   * only those above the limit. With none left, they have nothing to wait for.
   */
  #notOpened(problem: unknown): void {
    this.#openAgain = performance.now() + OPEN_PAUSE_MS
    if (this.#sockets.size + this.#opening > 0) return
    for (const delivery of this.#waiting.splice(0)) {
      if (problem instanceof ConnectProblem) delivery.answer(problem.refused)
      else this.#refuse(delivery, problem instanceof Error ? problem.message : String(problem))
    }
  }

  #leaveLine(delivery: Delivery): void {
    this.#waiting = this.#waiting.filter((other) => other !== delivery)
    this.#refuse(delivery, 'given up before a connection was free')
  }

  #refuse(delivery: Delivery, why: string): void {
    delivery.refuse({ permanent: false, stage: 'connect', reason: `${this.#keeper.peer}: ${why}` })
  }
}

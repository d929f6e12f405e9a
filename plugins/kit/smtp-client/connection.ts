import net from 'node:net'
import { TLSSocket } from 'node:tls'
import type { Conversation, Refusal } from '../../../core/ports/mail-transport.ts'
import { brokenBy } from './connect-problem.ts'
import type { Delivery, DeliveryOwner } from './delivery.ts'
import { MessageWriter } from './message-writer.ts'
import { isPositive, type Reply, ReplyReader, refusalOf, sentence } from './reply.ts'
import type { Hide } from './secrets.ts'
import type { UsedUp } from './session-limit.ts'
import type { Session } from './take-over.ts'
import { Transaction } from './transaction.ts'

/** How connections are used and kept; times in milliseconds. */
export interface Keeping {
  /** Sends commands that may share a packet together, where the server offers PIPELINING. */
  readonly pipelining: boolean
  /** How long the reply to a command may take. */
  readonly commandTimeout: number
  /** How long the reply to a whole message may take, and any standstill while writing it. */
  readonly dataTimeout: number
  /** How long an unused connection is kept. */
  readonly idleTimeout: number
  /** After how many mails a connection is closed; never, without it. */
  readonly maxMessages?: number
}

/** The owner of a connection. */
export interface Keeper {
  /** `host:port`, for error messages. */
  readonly peer: string
  /** Removes the login's secrets from what the server says. */
  readonly hide: Hide
  /** Called when the connection is idle and can take a mail. */
  freed(connection: Connection): void
  /**
   * Called when the connection takes no more mail. The server has certainly not taken `unsent`, so it gets a fresh
   * connection.
   */
  retired(connection: Connection, unsent?: Delivery): void
  /** Called when a fresh connection takes the mail that another one, which is used up, did not. */
  replaced(usedUp: UsedUp): void
  /** Called when the socket is closed. */
  closed(connection: Connection): void
}

/** How a connection ended. */
interface Death {
  readonly why: string
  readonly cause?: Error
  /** The server's last reply, if that ended it. */
  readonly reply?: Reply
  /** True when we closed it ourselves. */
  readonly abandoned?: boolean
  /** True when the other side closed it. */
  readonly closed?: boolean
}

/** How often a mail may come back from connections in use: each of them is one less, but a mail must not wait for all. */
const MAX_RETURNS = 5
/** A connection that ends after resting for longer than this was idle for too long, and has met no limit of mails. */
const RESTED_MS = 1_000

/** QUIT is a courtesy, so its answer is hardly waited for, in milliseconds. */
const QUIT_TIMEOUT = 2_000

/**
 * One connection, with one mail at a time: the commands in one write where the server allows it, the message with its
 * end in one write, and nothing more before the final reply (RFC 2920, section 3.1; RFC 5321, section 4.5.4).
 */
export class Connection implements DeliveryOwner {
  readonly #session: Session
  readonly #socket: net.Socket
  readonly #keeping: Keeping
  readonly #keeper: Keeper
  readonly #reader: ReplyReader
  readonly #writer: MessageWriter
  readonly #deadline = new Deadline(() => this.#late())
  readonly #pipelined: boolean
  readonly #peer: Omit<Conversation, 'answers'>
  #state: 'live' | 'quitting' | 'dead' = 'live'
  #transaction: Transaction | undefined
  #carried = 0
  /** How many mails it carried whose sender was accepted: the server's own count. */
  #begun = 0
  /** It was used or idle before, so the server may have dropped it. */
  #kept = false
  /** When it was put aside, by the monotonic clock, and whether that was long before its mail. */
  #restedAt = Number.POSITIVE_INFINITY
  #hasRested = false
  /** The server may still have a transaction open, so RSET goes before the next. */
  #unclean = false

  constructor(session: Session, keeping: Keeping, keeper: Keeper) {
    this.#session = session
    this.#socket = session.socket
    this.#keeping = keeping
    this.#keeper = keeper
    this.#reader = new ReplyReader(keeper.hide)
    this.#writer = new MessageWriter(session.socket)
    this.#pipelined = keeping.pipelining && session.pipelining
    const { remoteAddress: address } = session.socket
    const tls = session.socket instanceof TLSSocket ? session.socket.getProtocol() : null
    this.#peer = { host: keeper.peer, ...(address ? { address } : {}), ...(tls ? { tls } : {}) }
    readFrom(this.#socket, (bytes) => this.#heard(bytes))
    this.#socket.on('drain', () => this.#drained())
    this.#socket.on('error', (cause) => {
      this.#die({ why: `the connection broke: ${brokenBy(cause)}`, cause, closed: true })
    })
    this.#socket.on('end', () => this.#die({ why: 'the server closed the connection', closed: true }))
    this.#socket.on('close', () => {
      this.#die({ why: 'the connection was closed', closed: true })
      keeper.closed(this)
    })
  }

  /**
   * Starts a delivery on an idle connection. Answers false when the delivery was refused at once and the
   * connection is still idle.
   */
  carry(delivery: Delivery): boolean {
    const problem = this.#impossible(delivery)
    if (problem) {
      delivery.refuse(problem)
      return false
    }
    delivery.owner = this
    delivery.carriedTo(this.#peer)
    this.#carried++
    this.#hasRested = performance.now() - this.#restedAt > RESTED_MS
    this.#restedAt = Number.POSITIVE_INFINITY
    const mayMove = this.#begun > 0 && delivery.returns < MAX_RETURNS
    const how = { reset: this.#unclean, pipelined: this.#pipelined, mayMove }
    const transaction = new Transaction(delivery, this.#session, how)
    this.#unclean = false
    this.#transaction = transaction
    this.#deadline.set(this.#keeping.commandTimeout)
    this.#socket.write(this.#pipelined ? transaction.group() : transaction.command(), 'utf8')
    return true
  }

  /** The reply after which it could carry mail: that to EHLO, or to the login. */
  get firstReply(): string {
    return this.#session.lastReply
  }

  /** True while it has carried no mail. */
  get isFresh(): boolean {
    return this.#carried === 0
  }

  /** How many mails it has carried, as the server counts them. */
  get mails(): number {
    return this.#begun
  }

  /** Keeps the idle connection for a while. */
  rest(): void {
    this.#kept = true
    this.#restedAt = performance.now()
    this.#deadline.set(this.#keeping.idleTimeout)
  }

  /** Says goodbye and closes. Only for an idle connection. */
  quit(): void {
    if (this.#state === 'live') this.#sayGoodbye()
  }

  /** Drops the connection, whatever it is doing. */
  drop(why: string): void {
    this.#die({ why, abandoned: true })
  }

  giveUp(delivery: Delivery): void {
    const { reason } = delivery.signal
    this.drop(`given up${reason instanceof Error ? `: ${reason.message}` : ''}`)
  }

  #sayGoodbye(unsent?: Delivery): void {
    this.#state = 'quitting'
    this.#deadline.set(Math.min(QUIT_TIMEOUT, this.#keeping.commandTimeout))
    this.#socket.write('QUIT\r\n')
    this.#keeper.retired(this, unsent)
  }

  #impossible({ envelope, message }: Delivery): Refusal | undefined {
    const { maxSize, smtpUtf8 } = this.#session
    if (maxSize > 0 && message.length > maxSize) {
      const reason = `The message has ${message.length} octets, ${this.#keeper.peer} takes at most ${maxSize}`
      return { permanent: true, stage: 'mail', code: 552, enhancedCode: '5.3.4', reason }
    }
    if (envelope.utf8 && !smtpUtf8) {
      const reason = `${this.#keeper.peer} takes only ASCII addresses: it does not offer SMTPUTF8`
      return { permanent: true, stage: 'mail', code: 553, enhancedCode: '5.6.7', reason }
    }
    return undefined
  }

  #heard(chunk: Buffer): void {
    // after QUIT the server closes the connection (RFC 5321, section 4.1.1.10)
    if (this.#state !== 'live') return
    try {
      this.#reader.feed(chunk)
      for (let reply = this.#reader.next(); reply; reply = this.#reader.next()) {
        this.#answered(reply)
        if (this.#state !== 'live') return
      }
    } catch (error) {
      this.#die({ why: error instanceof Error ? error.message : String(error) })
    }
  }

  #answered(reply: Reply): void {
    const transaction = this.#transaction
    transaction?.note(reply)
    if (!transaction) this.#die({ why: `the server said something unasked: ${sentence(reply)}` })
    else if (reply.code === 421) this.#die({ why: sentence(reply), reply })
    else if (transaction.step === 'end') this.#ended(transaction, reply)
    else this.#advance(transaction, reply)
  }

  #advance(transaction: Transaction, reply: Reply): void {
    this.#deadline.set(this.#keeping.commandTimeout)
    const hadBegun = transaction.begun
    const next = transaction.take(reply)
    if (transaction.begun && !hadBegun) this.#begins(transaction.delivery)
    switch (next) {
      case 'command':
        if (!this.#pipelined) this.#socket.write(transaction.command(), 'utf8')
        break
      case 'message':
        this.#deadline.set(this.#keeping.dataTimeout)
        this.#writer.start(transaction.delivery.message)
        break
      case 'refused':
        this.#unclean = true
        transaction.delivery.refuse(transaction.refusal())
        this.#finished()
        break
      case 'used up':
        this.#transaction = undefined
        this.#sayGoodbye(this.#sendBack(transaction, sentence(reply), this.#begun))
        break
      case 'broken':
        this.#die({ why: `the server answered what cannot be: ${sentence(reply)}` })
    }
  }

  /** The server accepted the sender. */
  #begins(delivery: Delivery): void {
    const { usedUp } = delivery
    if (usedUp && this.#begun === 0) this.#keeper.replaced(usedUp)
    delivery.usedUp = undefined
    this.#begun++
  }

  /** Has the mail go on another connection; this one is used up after so many mails, if that is why it ended. */
  #sendBack({ delivery }: Transaction, reason: string, mails: number | undefined): Delivery {
    delivery.returns++
    delivery.wantsFresh = true
    delivery.usedUp = mails === undefined || mails === 0 ? undefined : { mails, reason }
    return delivery
  }

  #ended(transaction: Transaction, reply: Reply): void {
    const { delivery } = transaction
    const { written, ended } = this.#writer
    // over TLS, a reply may be read before the socket reports that the last piece is sent
    if (isPositive(reply) ? !written : !ended) {
      this.#die({ why: `the server answered before the message was complete: ${sentence(reply)}`, reply })
      return
    }
    if (isPositive(reply)) delivery.answer(transaction.accepted(reply))
    else delivery.refuse(refusalOf('data', reply))
    this.#finished()
  }

  /** The server is done with this mail, and the connection may take another. */
  #finished(): void {
    this.#transaction = undefined
    this.#kept = true
    const { maxMessages } = this.#keeping
    if (!this.#reader.empty) this.#die({ why: 'the server said more than it was asked' })
    else if (maxMessages !== undefined && this.#carried >= maxMessages) this.quit()
    else this.#keeper.freed(this)
  }

  #drained(): void {
    if (this.#writer.resume()) this.#deadline.set(this.#keeping.dataTimeout)
  }

  #late(): void {
    if (this.#state === 'quitting') this.#socket.destroy()
    else if (!this.#transaction) this.quit()
    else {
      const { commandTimeout, dataTimeout } = this.#keeping
      const waited = this.#transaction.step === 'end' ? dataTimeout : commandTimeout
      this.#die({ why: `the server did not answer within ${waited / 1000} s` })
    }
  }

  #die(death: Death): void {
    if (this.#state === 'dead') return
    const wasLive = this.#state === 'live'
    this.#state = 'dead'
    this.#deadline.clear()
    this.#socket.destroy()
    const transaction = this.#transaction
    this.#transaction = undefined
    const unsent = transaction && this.#isStale(transaction, death) ? this.#ofDead(transaction, death) : undefined
    this.#writer.stop()
    if (transaction && !unsent) this.#conclude(transaction, death)
    if (wasLive) this.#keeper.retired(this, unsent)
  }

  /**
   * Whether a connection in use came to its end, which is not the mail's fault: it died before the server answered
   * anything, or was closed before the message's end, so that the server cannot have taken the mail.
   */
  #isStale(transaction: Transaction, { abandoned, closed }: Death): boolean {
    const { delivery, untouched, begun, step } = transaction
    if (!this.#kept || abandoned || delivery.returns >= MAX_RETURNS) return false
    if (untouched) return true
    const isIncomplete = step !== 'end' || !this.#writer.written
    return closed === true && begun && this.#begun > 1 && isIncomplete && !transaction.knownRefusal()
  }

  #ofDead(transaction: Transaction, { why, closed, reply }: Death): Delivery {
    const isLimit = !this.#hasRested && (closed === true || reply !== undefined)
    return this.#sendBack(transaction, why, isLimit ? this.#begun - (transaction.begun ? 1 : 0) : undefined)
  }

  /**
   * Concludes a mail when its connection ends. Its outcome is known until the final dot was sent, or when the server
   * refused; otherwise not. That is known until the final dot was sent, or when the server refused; otherwise not.
   */
  #conclude(transaction: Transaction, { why, cause, reply }: Death): void {
    const { delivery, step, stage } = transaction
    const { peer } = this.#keeper
    const known = transaction.knownRefusal()
    const begun = step === 'end' && this.#writer.written ? this.#reader.begun : undefined
    if (known) delivery.refuse(known)
    // the first line has the code (RFC 5321, section 4.2.1): the message was taken, whatever became of the other lines
    else if (begun && isPositive(begun)) delivery.answer(transaction.accepted(begun, false))
    else if (reply && reply.code >= 400) delivery.refuse(refusalOf(stage, reply))
    else if (step === 'end' && (this.#writer.ended || reply)) {
      const message = `${peer}: ${why}, after the message was handed over; whether it was taken is not known`
      delivery.lose(new Error(message, cause ? { cause } : {}))
    } else delivery.refuse({ permanent: false, stage, reason: `${peer}: ${why}` })
  }
}

/** How many bytes are read at once: far more than the replies to a mail. */
const READ = 4_096

/** Takers of a socket's bytes, instead of its stream. */
const takers = new WeakMap<net.Socket, { take: (bytes: Buffer) => void }>()

/**
 * Connects without TLS. The socket reads into its own memory: a stream gets 64 KB from the system for each read and
 * gives back what it does not need, which took a tenth of the time of sending a mail.
 */
export function connectPlain(options: net.TcpNetConnectOpts): net.Socket {
  const taker = { take: (bytes: Buffer): void => void socket.push(Buffer.from(bytes)) }
  const onread = {
    buffer: Buffer.alloc(READ),
    callback: (length: number, bytes: Uint8Array) => {
      taker.take(Buffer.from(bytes.buffer, bytes.byteOffset, length))
      return true
    },
  }
  const socket: net.Socket = net.connect({ ...options, onread })
  takers.set(socket, taker)
  return socket
}

/** Has `take` called with what the socket reads from now on. The bytes are overwritten after the call. */
function readFrom(socket: net.Socket, take: (bytes: Buffer) => void): void {
  const taker = takers.get(socket)
  // over TLS, the stream has not read anything yet
  if (taker) taker.take = take
  else socket.on('data', take)
}

/**
 * One deadline that often moves. Moving it later costs no timer, since the running timer checks it again when it fires.
 * So a busy connection hardly sets any timers.
 */
export class Deadline {
  readonly #onPassed: () => void
  #at = Number.POSITIVE_INFINITY
  #timer: NodeJS.Timeout | undefined
  #fires = Number.POSITIVE_INFINITY

  constructor(onPassed: () => void) {
    this.#onPassed = onPassed
  }

  /** Sets the deadline this many milliseconds from now. */
  set(milliseconds: number): void {
    this.#at = performance.now() + milliseconds
    if (this.#fires <= this.#at) return
    clearTimeout(this.#timer)
    this.#start(milliseconds)
  }

  /** Removes the deadline and stops the timer. */
  clear(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#at = Number.POSITIVE_INFINITY
    this.#fires = Number.POSITIVE_INFINITY
  }

  #start(milliseconds: number): void {
    this.#fires = this.#at
    this.#timer = setTimeout(() => this.#look(), milliseconds)
  }

  #look(): void {
    this.#fires = Number.POSITIVE_INFINITY
    const left = this.#at - performance.now()
    // timers may fire up to a millisecond early
    if (left > 1) {
      this.#start(left)
      return
    }
    this.#at = Number.POSITIVE_INFINITY
    this.#onPassed()
  }
}

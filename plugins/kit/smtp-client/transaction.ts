import { isAscii } from 'node:buffer'
import type { Accepted, Refusal, Refused } from '../../../core/ports/mail-transport.ts'
import type { Delivery } from './delivery.ts'
import { isPositive, type Reply, refusalOf, sentence } from './reply.ts'
import type { Session } from './take-over.ts'

type Extensions = Omit<Session, 'socket'>

/**
 * The action after a reply: send the next command, send the message, end this mail and keep the connection (`refused`),
 * end the connection because it takes no more mail (`used up`), or because the two sides are out of step (`broken`).
 */
type Next = 'command' | 'message' | 'refused' | 'used up' | 'broken'

type RefusedRecipient = Refusal & { readonly recipient: string }

/**
 * The commands of one mail and the reply to each, without a socket: RSET when the last transaction may still be open,
 * MAIL, one RCPT for each recipient, DATA. It works the same whether commands go one by one or as a group.
 */
export class Transaction {
  readonly delivery: Delivery
  /** The command whose reply comes next; `end` is the message with its final dot. */
  step: 'rset' | 'mail' | 'rcpt' | 'data' | 'end'
  /** True until the server has accepted or refused anything of this mail. */
  untouched = true
  /** True once the server has accepted the sender. */
  begun = false
  readonly #pipelined: boolean
  readonly #mayMove: boolean
  readonly #mail: string
  #recipient = 0
  #mailRefusal: Refusal | undefined
  readonly #refused: RefusedRecipient[] = []
  #dataRefusal: Refusal | undefined

  /** With `mayMove`, a sender that is refused for now means that the connection is used up. */
  constructor(
    delivery: Delivery,
    extensions: Extensions,
    how: { readonly reset: boolean; readonly pipelined: boolean; readonly mayMove: boolean },
  ) {
    this.delivery = delivery
    this.#pipelined = how.pipelined
    this.#mayMove = how.mayMove
    this.step = how.reset ? 'rset' : 'mail'
    const { envelope, message } = delivery
    let mail = `MAIL FROM:<${envelope.from}>`
    if (extensions.size) mail += ` SIZE=${message.length}`
    if (extensions.eightBitMime && !isAscii(message)) mail += ' BODY=8BITMIME'
    if (envelope.utf8) mail += ' SMTPUTF8'
    this.#mail = `${mail}\r\n`
  }

  /** Everything up to DATA, for one write (RFC 2920). */
  group(): string {
    let group = this.step === 'rset' ? `RSET\r\n${this.#mail}` : this.#mail
    for (const recipient of this.delivery.envelope.to) group += `RCPT TO:<${recipient}>\r\n`
    return `${group}DATA\r\n`
  }

  /** The current step's command alone. */
  command(): string {
    switch (this.step) {
      case 'rset':
        return 'RSET\r\n'
      case 'mail':
        return this.#mail
      case 'rcpt':
        return `RCPT TO:<${this.delivery.envelope.to[this.#recipient]}>\r\n`
      default:
        return 'DATA\r\n'
    }
  }

  /** Notes the reply to the current step for the mail's record; of several recipients each is named. */
  note({ code, text }: Reply): void {
    if (this.step === 'rset') return
    const { given } = this.delivery.envelope
    const recipient = this.step === 'rcpt' && given.length > 1 ? ` ${given[this.#recipient]}` : ''
    this.delivery.heard({ command: COMMANDS[this.step] + recipient, code, text })
  }

  /** Takes the reply to the current step. The connection itself handles `421` and the reply to the message. */
  take(reply: Reply): Next {
    switch (this.step) {
      case 'rset':
        this.step = 'mail'
        return isPositive(reply) ? 'command' : 'broken'
      case 'mail':
        return this.#takeMail(reply)
      case 'rcpt':
        return this.#takeRecipient(reply)
      default:
        return this.#takeData(reply)
    }
  }

  /** The stage in the port's words. */
  get stage(): Refusal['stage'] {
    if (this.step === 'rcpt') return 'rcpt'
    return this.step === 'rset' || this.step === 'mail' ? 'mail' : 'data'
  }

  /** The refusal that is already certain: of the sender or of every recipient. */
  knownRefusal(): Refused | undefined {
    if (this.#mailRefusal) return { outcome: 'refused', ...this.#mailRefusal }
    if (this.#refused.length < this.delivery.envelope.to.length) return undefined
    const refused = this.#refused.find(({ permanent }) => !permanent) ?? this.#refused[0]
    if (!refused) return undefined
    const { recipient, ...refusal } = refused
    return { outcome: 'refused', ...refusal, ...(this.#refused.length > 1 && { refused: this.#refused }) }
  }

  /** Why no recipient gets the mail, after `take` has returned `refused`. */
  refusal(): Refused {
    const reason = 'The server refused the message'
    return (
      this.knownRefusal() ?? {
        outcome: 'refused',
        ...(this.#dataRefusal ?? { permanent: false, stage: this.stage, reason }),
      }
    )
  }

  /** The result once the server has accepted the message. A queue id may be cut where the reply is. */
  accepted(reply: Reply, isWhole = true): Accepted {
    const response = sentence(reply)
    const id = isWhole ? QUEUE_ID.exec(response)?.[1] : undefined
    return {
      outcome: 'accepted',
      ...(id === undefined ? {} : { id }),
      response,
      ...(this.#refused.length === 0 ? {} : { refused: this.#refused }),
    }
  }

  #takeMail(reply: Reply): Next {
    if (isNeither(reply)) return 'broken'
    if (this.#mayMove && reply.code >= 400 && reply.code < 500) return 'used up'
    this.untouched = false
    this.step = 'rcpt'
    if (isPositive(reply)) {
      this.begun = true
      return 'command'
    }
    this.#mailRefusal = refusalOf('mail', reply)
    return this.#pipelined ? 'command' : 'refused'
  }

  #takeRecipient(reply: Reply): Next {
    if (isNeither(reply)) return 'broken'
    const { given } = this.delivery.envelope
    const recipient = given[this.#recipient++] ?? ''
    if (!isPositive(reply)) this.#refused.push({ recipient, ...refusalOf('rcpt', reply) })
    if (this.#recipient < given.length) return 'command'
    this.step = 'data'
    return !this.#pipelined && this.#refused.length === given.length ? 'refused' : 'command'
  }

  /** If all recipients were refused, no message must follow a 354: a lone dot would deliver an empty mail. */
  #takeData(reply: Reply): Next {
    if (reply.code >= 400) {
      this.#dataRefusal = refusalOf('data', reply)
      return 'refused'
    }
    if (reply.code !== 354 || this.knownRefusal()) return 'broken'
    this.step = 'end'
    return 'message'
  }
}

const COMMANDS = { mail: 'MAIL', rcpt: 'RCPT', data: 'DATA', end: 'message' } as const

/** The queue id in the reply, as Postfix and Exim write it. */
const QUEUE_ID = /\b(?:queued as |id=)([\w.-]+)/i

/** Whether the reply neither accepts nor refuses, which no envelope command may get. */
function isNeither(reply: Reply): boolean {
  return reply.code >= 300 && reply.code < 400
}

import { isAscii } from 'node:buffer'
import type { Accepted, Refusal, Refused } from '../../core/ports/mail-transport.ts'
import type { Delivery } from './delivery.ts'
import { isPositive, type Reply, refusalOf, sentence } from './reply.ts'
import type { Session } from './take-over.ts'

type Extensions = Omit<Session, 'socket'>

/**
 * What a reply leads to: the next command, the message itself, the end of this mail with the connection intact
 * (`refused`), or the end of the connection because the two sides no longer mean the same (`broken`).
 */
type Next = 'command' | 'message' | 'refused' | 'broken'

type RefusedRecipient = Refusal & { readonly recipient: string }

/**
 * The commands of one mail and what was answered to each, without a socket: RSET when the last transaction may stand
 * open, MAIL, one RCPT for each recipient, DATA. The same whether the commands go one by one or as a group.
 */
export class Transaction {
  readonly delivery: Delivery
  /** The command whose reply comes next; `end` is the message with its final dot. */
  step: 'rset' | 'mail' | 'rcpt' | 'data' | 'end'
  /** True as long as the server has not said yes or no to anything of this mail. */
  untouched = true
  readonly #pipelined: boolean
  readonly #mail: string
  #recipient = 0
  #mailRefusal: Refusal | undefined
  readonly #refused: RefusedRecipient[] = []
  #dataRefusal: Refusal | undefined

  constructor(delivery: Delivery, extensions: Extensions, how: { reset: boolean; pipelined: boolean }) {
    this.delivery = delivery
    this.#pipelined = how.pipelined
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

  /** The command of the present step alone. */
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

  /** Takes the reply to the present step; `421` and the reply to the message are the connection's own affair. */
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

  /** Where it stands, in the words of the port. */
  get stage(): Refusal['stage'] {
    if (this.step === 'rcpt') return 'rcpt'
    return this.step === 'rset' || this.step === 'mail' ? 'mail' : 'data'
  }

  /** What is already certain: the sender was refused, or every recipient. */
  knownRefusal(): Refused | undefined {
    if (this.#mailRefusal) return { outcome: 'refused', ...this.#mailRefusal }
    if (this.#refused.length < this.delivery.envelope.to.length) return undefined
    const refused = this.#refused.find(({ permanent }) => !permanent) ?? this.#refused[0]
    if (!refused) return undefined
    const { recipient, ...refusal } = refused
    return { outcome: 'refused', ...refusal, ...(this.#refused.length > 1 && { refused: this.#refused }) }
  }

  /** Why nobody gets it, after `take` has answered `refused`. */
  refusal(): Refused {
    const reason = 'The server refused the message'
    return (
      this.knownRefusal() ?? {
        outcome: 'refused',
        ...(this.#dataRefusal ?? { permanent: false, stage: this.stage, reason }),
      }
    )
  }

  /** The answer after the server has taken the message. */
  accepted(reply: Reply): Accepted {
    const response = sentence(reply)
    const id = QUEUE_ID.exec(response)?.[1]
    return {
      outcome: 'accepted',
      ...(id === undefined ? {} : { id }),
      response,
      ...(this.#refused.length === 0 ? {} : { refused: this.#refused }),
    }
  }

  #takeMail(reply: Reply): Next {
    this.untouched = false
    if (isNeither(reply)) return 'broken'
    this.step = 'rcpt'
    if (isPositive(reply)) return 'command'
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

  /** A 354 after everybody was refused must not be answered: a lone dot would deliver an empty mail. */
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

/** What servers call the message they took: Postfix and Exim say it so. */
const QUEUE_ID = /\b(?:queued as |id=)([\w.-]+)/i

/** True for a reply that is neither yes nor no, which no envelope command may be given. */
function isNeither(reply: Reply): boolean {
  return reply.code >= 300 && reply.code < 400
}

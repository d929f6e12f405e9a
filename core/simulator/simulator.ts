import { inject, injectable } from '../di.ts'
import { Inbound } from '../inbound/inbound.ts'
import { Kit } from '../kit.ts'
import { isConfidential } from '../mail/email.ts'
import { WaysBack } from '../mail/links/ways-back.ts'
import type { Mailbox, MailTransport, OutgoingMail, Refusal, SendResult } from '../ports/mail-transport.ts'
import type { Email } from '../ports/store/emails.ts'
import { Store } from '../ports/store/store.ts'
import { asciiAddress, domainOf } from '../values/email-address.ts'
import { behaviourOf, type Response } from './behaviours.ts'
import { isAnswer, type Received, responseMessage } from './response-message.ts'

/** How often an address answers the mails of a project within an hour: what answers its answers must not go on for ever. */
const ANSWERS_AN_HOUR = 50
const HOUR_MS = 3_600_000

/**
 * Takes mail to the simulator's addresses in place of a mail server, and lets come back what each stands for: a report
 * of delivery, a complaint, an answer. These are real messages, which come in by the same door as all mail from outside, to
 * the return path or the address for answers of their mail. They wait in the store, so that no restart loses them.
 */
@injectable()
export class Simulator implements MailTransport {
  readonly concurrency = 20

  constructor(
    @inject(Store) private readonly store: Store,
    @inject(Inbound) private readonly inbound: Inbound,
    @inject(WaysBack) private readonly waysBack: WaysBack,
    @inject(Kit) private readonly kit: Kit,
  ) {}

  /** See `MailTransport`. Rejects when what comes back could not be stored. */
  async send(mail: OutgoingMail): Promise<SendResult> {
    const [email] = await this.store.feedback.mails([mail.id])
    const each = mail.envelope.to.map((recipient) => ({ recipient, ...behaviourOf(recipient) }))
    const refused = each.flatMap(({ recipient, refusal }) => {
      if (refusal === undefined || (refusal.isOnce && (email?.attempts ?? 1) > 1)) return []
      const { isOnce: _, ...told } = refusal
      return [{ ...told, recipient }]
    })
    const accepted = each.filter(({ recipient }) => !refused.some((one) => one.recipient === recipient))
    for (const { recipient, responses } of email ? accepted : []) {
      for (const response of responses) await this.#respond(mail, email, recipient, response)
    }
    const conversation = conversationOf(mail, refused)
    const [first] = refused
    if (accepted.length === 0 && first) {
      const { recipient: _, ...refusal } = first
      return { outcome: 'refused', ...refusal, refused, conversation }
    }
    return { outcome: 'accepted', response: TAKEN, refused, deliveryPending: true, conversation }
  }

  async #respond(mail: OutgoingMail, email: Email | undefined, recipient: string, response: Response): Promise<void> {
    const receivedAt = this.kit.now()
    const path = mail.envelope.from
    // where no host receives bounces the mail has no return path of its own
    const isOwn = this.waysBack.returnPaths.read(path) === mail.id
    const returnPath = isOwn ? path : this.waysBack.returnPaths.at(mail.id, domainOf(asciiAddress(recipient)))
    const received = {
      mail,
      recipient: named(mail, recipient),
      raw: await mail.raw(),
      returnPath,
      receivedAt,
    }
    if (!isAnswer(response)) return this.#deliver(response, { ...received, replyTo: { email: returnPath } }, returnPath)
    if (email === undefined || isConfidential(email) || !(await this.#mayAnswer(email, recipient))) return
    const [first = mail.from] = mail.replyTo
    await this.#deliver(response, { ...received, replyTo: first }, first.email)
  }

  /** Hands the message in at the door for mail from outside, for one of our addresses. */
  async #deliver(response: Response, received: Received, to: string): Promise<void> {
    const { afterMs, kind } = response
    const taken = await this.inbound.accepts(to)
    if (taken.outcome === 'later') throw new Error(taken.message)
    // an answer goes to an address elsewhere: it would never come here
    if (taken.outcome === 'refused') {
      this.kit.log.debug('an answer of the simulator is for none of our addresses', { email: received.mail.id, kind })
      return
    }
    const at = received.receivedAt.getTime() + afterMs
    const message = {
      // the null sender is that of reports and of machines (RFC 5321, section 4.5.5; RFC 3834, section 3.3)
      envelope: { from: kind === 'reply' ? received.recipient.email : '', to: [to] },
      raw: responseMessage(response, received, `=_${this.kit.newId()}`),
      remoteAddress: '',
      helo: domainOf(received.recipient.email),
      tls: false,
      receivedAt: new Date(at),
    }
    await this.inbound.deliver(message, { afterMs })
  }

  async #mayAnswer({ projectId }: Email, recipient: string): Promise<boolean> {
    const now = this.kit.now()
    const until = new Date(now.getTime() + HOUR_MS)
    const key = `simulator ${projectId} ${recipient}`
    if ((await this.store.attempts.take(key, now, until, 1, ANSWERS_AN_HOUR)) === 1) return true
    this.kit.log.warn('an address of the simulator does not answer for a while', {
      project: projectId,
      recipient,
      reason: `it has answered ${ANSWERS_AN_HOUR} mails within an hour: something may answer its answers`,
    })
    return false
  }
}

const TAKEN = '250 2.0.0 Simulator: accepted'

/** The recipient as the header names it. */
function named({ to, cc, bcc }: OutgoingMail, recipient: string): Mailbox {
  return [...to, ...cc, ...bcc].find(({ email }) => email === recipient) ?? { email: recipient }
}

function conversationOf({ envelope }: OutgoingMail, refused: readonly (Refusal & { readonly recipient: string })[]) {
  const answers = envelope.to.map((recipient) => {
    const { code = 250, reason = TAKEN } = refused.find((one) => one.recipient === recipient) ?? {}
    return { command: `RCPT ${recipient}`, code, text: reason }
  })
  return { host: domainOf(envelope.to[0] ?? ''), answers }
}

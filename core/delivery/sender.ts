import type { ReadyMail } from '../mail/ready-mail.ts'
import type { MailTransport } from '../ports/mail-transport.ts'
import type { ClaimedEmail } from '../ports/store/emails.ts'
import { GIVEN_UP } from './answer.ts'

/** A mail to make and to hand over. */
export interface MailOrder {
  readonly email: ClaimedEmail
  readonly mail: ReadyMail
  /** Its date. */
  readonly date: Date
  /** Addresses that get no copy. */
  readonly unwanted: ReadonlySet<string>
}

/** A mail that was made, and what the transport answered. */
export interface Sent {
  readonly subject: string
  /** The envelope's recipients. */
  readonly recipients: readonly string[]
  /** Unchecked: transports are not trusted. Rejects when it is unknown whether the mail was handed over. */
  readonly answer: Promise<unknown>
}

/** Makes mails and hands them to one transport: here, or in a thread. */
export interface Sender {
  /** Answers when the mail is made. Throws what making it throws; nothing is handed over then. */
  send(order: MailOrder, signal: AbortSignal): Promise<Sent>
}

/** Makes mails on the event loop and hands them to a transport of this thread. */
export class LocalSender implements Sender {
  constructor(private readonly transport: MailTransport) {}

  async send({ email, mail, date, unwanted }: MailOrder, signal: AbortSignal): Promise<Sent> {
    const outgoing = await mail.outgoing(email, date, unwanted)
    // before it is handed over, so that a mail that cannot be made is not mistaken for a failed transport
    await outgoing.raw()
    // when making it took so long that it was given up, its result may be stored already
    const answer = signal.aborted ? Promise.resolve(GIVEN_UP) : (async () => this.transport.send(outgoing, signal))()
    return { subject: outgoing.subject, recipients: outgoing.envelope.to, answer }
  }
}

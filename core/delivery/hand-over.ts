import type { CompiledMail } from '../mail/compiled-mail.ts'
import type { MailTransport } from '../ports/mail-transport.ts'
import type { ClaimedEmail } from '../ports/store/emails.ts'
import { GIVEN_UP } from './checked-answer.ts'

/** A mail to make and to hand over. */
export interface MailOrder {
  readonly email: ClaimedEmail
  readonly mail: CompiledMail
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

/**
 * Makes a mail on the event loop and hands it to a transport. Answers when the mail is made. Throws what making it
 * throws; nothing is handed over then.
 */
export async function handOver(
  transport: MailTransport,
  { email, mail, date, unwanted }: MailOrder,
  signal: AbortSignal,
): Promise<Sent> {
  const outgoing = await mail.outgoing(email, date, unwanted)
  // before it is handed over, so that a mail that cannot be made is not mistaken for a failed transport
  await outgoing.raw()
  // when making it took so long that it was given up, its result may be stored already
  const answer = signal.aborted ? Promise.resolve(GIVEN_UP) : (async () => transport.send(outgoing, signal))()
  return { subject: outgoing.subject, recipients: outgoing.envelope.to, answer }
}

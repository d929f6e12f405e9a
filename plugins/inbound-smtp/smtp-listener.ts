import type { SMTPServerSession } from 'smtp-server'
import type { Clock } from '../../core/ports/clock.ts'
import type { Acceptance, InboundDesk, InboundMail } from '../../core/ports/inbound-mail.ts'
import type { Log } from '../../core/ports/log.ts'
import { SmtpReceiver, type SmtpReply } from '../kit/smtp-server/smtp-receiver.ts'
import type { InboundSmtpOptions } from './options.ts'

/** A client with more refused recipients is guessing addresses, and is disconnected. */
const MAX_REFUSED_RECIPIENTS = 50

/** Senders of bounces: one with a NUL, which may be of the mail that it returns, is news all the same. */
const BOUNCES = /^(?:|(?:mailer-daemon|postmaster)@.*)$/i

/** A receiving SMTP server (RFC 5321): no relay, no AUTH. */
export class SmtpListener implements InboundMail {
  readonly hostname: string | undefined
  readonly #clock: Clock
  readonly #receiver: SmtpReceiver
  /** How many recipients were refused in a session. */
  readonly #refused = new WeakMap<SMTPServerSession, number>()

  constructor(options: InboundSmtpOptions, log: Log, clock: Clock) {
    this.hostname = options.hostname
    this.#clock = clock
    this.#receiver = new SmtpReceiver(options, log)
  }

  /** Reads the certificate from its files. Throws when they cannot be read. */
  readCertificate(): Promise<void> {
    return this.#receiver.readCertificate()
  }

  /** The port it listens on, while it does. */
  get port(): number | undefined {
    return this.#receiver.port
  }

  start(desk: InboundDesk): Promise<void> {
    return this.#receiver.start({
      purpose: 'receiving mail',
      server: { authOptional: true, disabledCommands: ['AUTH'] },
      recipient: (address, session) => this.#recipient(desk, address, session),
      takesNul: ({ envelope: { mailFrom } }) => BOUNCES.test(mailFrom ? mailFrom.address : ''),
      message: (raw, session) => this.#message(desk, raw, session),
    })
  }

  check(): Promise<void> {
    return this.#receiver.check()
  }

  stop(graceMs: number): Promise<void> {
    return this.#receiver.stop(graceMs)
  }

  async #recipient(desk: InboundDesk, address: string, session: SMTPServerSession): Promise<SmtpReply | undefined> {
    const { mailFrom } = session.envelope
    const from = mailFrom ? mailFrom.address : ''
    return this.#refusalOf(
      await desk.accepts(this.#withDomain(address), { from, remoteAddress: session.remoteAddress }),
      session,
    )
  }

  /** `postmaster` is the one recipient that needs no domain (RFC 5321, section 4.5.1). */
  #withDomain(address: string): string {
    return this.hostname !== undefined && /^postmaster$/i.test(address) ? `postmaster@${this.hostname}` : address
  }

  #refusalOf(acceptance: Acceptance, session: SMTPServerSession): SmtpReply | undefined {
    if (acceptance.outcome === 'accepted') return undefined
    if (acceptance.outcome === 'later') return { code: 451, text: `4.3.0 ${acceptance.message}` }
    const refused = (this.#refused.get(session) ?? 0) + 1
    this.#refused.set(session, refused)
    if (refused > MAX_REFUSED_RECIPIENTS) return { code: 421, text: '4.7.0 too many recipients that are none of ours' }
    return { code: 550, text: `${acceptance.status} ${acceptance.message}` }
  }

  async #message(desk: InboundDesk, raw: Uint8Array, session: SMTPServerSession): Promise<SmtpReply> {
    const { mailFrom, rcptTo } = session.envelope
    const refused = await desk.deliver({
      envelope: { from: mailFrom ? mailFrom.address : '', to: rcptTo.map(({ address }) => this.#withDomain(address)) },
      raw,
      remoteAddress: session.remoteAddress,
      helo: session.hostNameAppearsAs || '',
      tls: session.secure,
      receivedAt: this.#clock.now(),
    })
    if (refused !== undefined) return { code: 550, text: `${refused.status} ${refused.message}` }
    return { code: 250, text: '2.0.0 OK: message queued' }
  }
}

import { RateLimiterMemory } from 'rate-limiter-flexible'
import type { SMTPServerAuthentication, SMTPServerSession } from 'smtp-server'
import { LimitedLog } from '../../core/ports/limited-log.ts'
import type { Log } from '../../core/ports/log.ts'
import type {
  SubmissionAnswer,
  SubmissionDesk,
  SubmissionLater,
  SubmissionMail,
  SubmissionRefused,
  Submitter,
} from '../../core/ports/submission.ts'
import { countedAddress } from '../../core/values/counted-address.ts'
import { isLoopback } from '../kit/net/loopback.ts'
import { errorOf, SmtpReceiver, type SmtpReply } from '../kit/smtp-server/smtp-receiver.ts'
import type { SubmissionSmtpOptions } from './options.ts'

/** A reply's line has at most 512 octets (RFC 5321, section 4.5.3.1.5), including the codes and the line end. */
const MAX_TEXT_LENGTH = 480
/** How many ids of mails fit into it. */
const MAX_IDS = 10
/** A client with more refused recipients is guessing addresses, and is disconnected. */
const MAX_REFUSED_RECIPIENTS = 50
const LOG_IN = '5.7.0 log in first: the user name is the id of a project, the password one of its secret keys'
const TLS_FIRST = '5.7.0 begin TLS first (STARTTLS): a key must not be sent in the clear'

/** An SMTP server for programs that log in. */
export class SubmissionListener implements SubmissionMail {
  readonly #options: SubmissionSmtpOptions
  readonly #log: Log
  /** One line a minute for each address and kind. */
  readonly #wrongLogins: LimitedLog
  readonly #isLocal: (address: string) => boolean
  readonly #receiver: SmtpReceiver
  readonly #failures: RateLimiterMemory
  readonly #submitters = new WeakMap<SMTPServerSession, Submitter>()
  /** How many recipients were refused in a session. */
  readonly #refused = new WeakMap<SMTPServerSession, number>()

  /** `isLocal` tells which clients are on this machine. */
  constructor(options: SubmissionSmtpOptions, log: Log, isLocal: (address: string) => boolean = isLoopback) {
    this.#options = options
    this.#isLocal = isLocal
    this.#log = log
    this.#wrongLogins = new LimitedLog(log, 1)
    this.#receiver = new SmtpReceiver(options, log)
    this.#failures = new RateLimiterMemory({ points: options.loginFailuresPerMinute, duration: 60 })
  }

  /** Reads the certificate from its files. Throws when they cannot be read. */
  readCertificate(): Promise<void> {
    return this.#receiver.readCertificate()
  }

  /** The port it listens on, while it does. */
  get port(): number | undefined {
    return this.#receiver.port
  }

  start(desk: SubmissionDesk): Promise<void> {
    return this.#receiver.start({
      purpose: 'taking mail from programs that log in',
      server: {
        secure: this.#options.secure,
        // the servers that mail is handed to may not offer any of these
        hideSMTPUTF8: true,
        hideDSN: true,
        hideREQUIRETLS: true,
        authMethods: ['PLAIN', 'LOGIN'],
        authRequiredMessage: LOG_IN,
        // where a password must not be sent unencrypted, the session offers no AUTH
        allowInsecureAuth: true,
        onAuth: (auth, session, answer) => {
          this.#login(desk, auth, session)
            .then((refusal) => (refusal ? answer(errorOf(refusal)) : answer(null, { user: auth.username ?? '' })))
            .catch((error) => answer(errorOf(this.#troubled('could not check a login', error))))
        },
        onSecure: (_socket, session, answer) => {
          session.disabledCommands = []
          answer()
        },
        onMailFrom: ({ address }, session, answer) => {
          this.#sender(address, session)
            .then((refusal) => answer(refusal ? errorOf(refusal) : null))
            .catch((error) => answer(errorOf(this.#troubled('could not look up a sender', error))))
        },
      },
      begin: (session) => {
        if (!this.#mayLogIn(session)) session.disabledCommands = ['AUTH', ...(this.#options.tls ? [] : ['STARTTLS'])]
      },
      recipient: async (address, session) => this.#recipient(address, session),
      message: (raw, session) => this.#message(raw, session),
    })
  }

  check(): Promise<void> {
    return this.#receiver.check()
  }

  stop(graceMs: number): Promise<void> {
    return this.#receiver.stop(graceMs)
  }

  /** Whether a password may be sent over this connection. */
  #mayLogIn({ secure, remoteAddress }: SMTPServerSession): boolean {
    return secure || this.#options.allowInsecureAuth || this.#isLocal(remoteAddress)
  }

  /** A valid key always passes, so that sharing an address with a guesser locks no one out. */
  async #login(
    desk: SubmissionDesk,
    { username = '', password }: SMTPServerAuthentication,
    session: SMTPServerSession,
  ): Promise<SmtpReply | undefined> {
    if (!this.#mayLogIn(session)) return { code: 538, text: TLS_FIRST }
    const login = await desk.login(username, password ?? '')
    if (login.outcome === 'accepted') {
      this.#submitters.set(session, login.submitter)
      return undefined
    }
    if (login.outcome === 'later') return { code: 454, text: `4.7.0 ${plain(login.message)}` }
    const isOver = await this.#failures.consume(countedAddress(session.remoteAddress)).then(
      () => false,
      () => true,
    )
    // tools that block addresses read these lines, and docs/submission.md quotes them
    const { remoteAddress } = session
    const said = isOver ? 'too many submission logins were wrong' : 'a submission login was wrong'
    this.#wrongLogins.warn(`${remoteAddress} ${isOver}`, said, { remoteAddress })
    if (isOver) return { code: 421, text: '4.7.0 too many wrong logins from this address, try again in a minute' }
    return refusal(login)
  }

  async #sender(address: string, session: SMTPServerSession): Promise<SmtpReply | undefined> {
    const submitter = session.user ? this.#submitters.get(session) : undefined
    return submitter ? notTaken(await submitter.sender(address)) : this.#notLoggedIn(session)
  }

  #recipient(address: string, session: SMTPServerSession): SmtpReply | undefined {
    const submitter = this.#submitters.get(session)
    if (submitter === undefined) return this.#notLoggedIn(session)
    const answer = notTaken(submitter.recipient(address))
    if (answer === undefined) return undefined
    const refused = (this.#refused.get(session) ?? 0) + 1
    this.#refused.set(session, refused)
    return refused > MAX_REFUSED_RECIPIENTS ? { code: 421, text: '4.7.0 too many recipients that are none' } : answer
  }

  async #message(raw: Uint8Array, session: SMTPServerSession): Promise<SmtpReply> {
    const submitter = this.#submitters.get(session)
    if (submitter === undefined) return this.#notLoggedIn(session)
    const { mailFrom, rcptTo } = session.envelope
    const envelope = { from: mailFrom ? mailFrom.address : '', to: rcptTo.map(({ address }) => address) }
    const answer = await submitter.submit({ envelope, raw })
    if (answer.outcome !== 'accepted') return refusal(answer)
    const { ids } = answer
    const more = ids.length > MAX_IDS ? ` and ${ids.length - MAX_IDS} more` : ''
    return { code: 250, text: `2.0.0 queued as ${ids.slice(0, MAX_IDS).join(' ')}${more}` }
  }

  #notLoggedIn(session: SMTPServerSession): SmtpReply {
    return { code: 530, text: this.#mayLogIn(session) ? LOG_IN : TLS_FIRST }
  }

  #troubled(what: string, error: unknown): SmtpReply {
    this.#log.warn(what, { error })
    return { code: 451, text: '4.3.0 this cannot be done at present, try again later' }
  }
}

function notTaken(answer: SubmissionAnswer): SmtpReply | undefined {
  return answer.outcome === 'accepted' ? undefined : refusal(answer)
}

function refusal(answer: SubmissionRefused | SubmissionLater): SmtpReply {
  if (answer.outcome === 'later') return { code: 451, text: `4.3.0 ${plain(answer.message)}` }
  return { code: answer.code, text: `${answer.status} ${plain(answer.message)}` }
}

/** A text in the form a reply can have: one line of ASCII, not too long. */
function plain(text: string): string {
  const line = text
    .replace(/\s+/g, ' ')
    .replace(/…/g, '...')
    .replace(/[^\x20-\x7e]/g, '?')
  return line.length > MAX_TEXT_LENGTH ? `${line.slice(0, MAX_TEXT_LENGTH - 3)}...` : line
}

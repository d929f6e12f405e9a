import type { Engine } from '../../core/engine.ts'
import type { MailTransport, OutgoingMail, SendResult } from '../../core/ports/mail-transport.ts'
import type { Chance } from './chance.ts'
import { type Person, PRIVACY_PROXY } from './people.ts'
import type { Timeline } from './timeline.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

const GONE: SendResult = {
  outcome: 'refused',
  permanent: true,
  stage: 'rcpt',
  code: 550,
  enhancedCode: '5.1.1',
  reason: 'No such user here',
}
const FULL: SendResult = {
  outcome: 'refused',
  permanent: false,
  stage: 'rcpt',
  code: 452,
  enhancedCode: '4.2.2',
  reason: 'The mailbox is full, try again later',
}

/** The tools through which readers act. */
export interface ReadersTools {
  readonly chance: Chance
  readonly timeline: Timeline
  readonly people: ReadonlyMap<string, Person>
  now(): number
  engine(): Engine
  /** A person orders something. */
  order(person: Person): Promise<void>
  /** Mail was put off, and is to be tried again. */
  putOff(): void
}

/**
 * The other side of the mail: a transport that answers as servers do and sends nothing, and the people who then open,
 * click, leave and complain, by the links that are in the mail.
 */
export class Readers implements MailTransport {
  readonly concurrency = 8
  /** Its people read the mail on this machine, so it is delivered to them rather than written to a folder. */
  readonly reach = 'machine'
  readonly #tried = new Set<string>()

  constructor(private readonly tools: ReadersTools) {}

  async send(mail: OutgoingMail): Promise<SendResult> {
    const [address = ''] = mail.envelope.to
    const person = this.tools.people.get(address)
    if (person?.mailbox === 'gone') return GONE
    const isAgain = this.#tried.has(mail.id)
    this.#tried.add(mail.id)
    if (person?.mailbox === 'full' && !isAgain && this.tools.chance.of('full', address, mail.subject) < 0.5) {
      this.tools.putOff()
      return FULL
    }
    if (person) this.#read(mail, person)
    return { outcome: 'accepted', response: '250 2.0.0 Ok: queued' }
  }

  /** Plans what becomes of the mail. */
  #read(mail: OutgoingMail, person: Person): void {
    const { chance, timeline } = this.tools
    const luck = (of: string) => chance.of(of, person.email, mail.subject)
    const now = this.tools.now()
    if (luck('late bounce') < 0.003) {
      timeline.add(now + 20 * MINUTE, () => this.#report(mail, 'bounced'))
      return
    }
    const isProxied = person.userAgent === PRIVACY_PROXY
    if (isProxied) timeline.add(now + 2 * MINUTE, () => this.#open(mail, person))
    if (luck('open') > 0.12 + 0.6 * person.interest) return
    // most within hours, some after days
    const opened = now + 3 * MINUTE + luck('when') ** 4 * 72 * HOUR
    if (!isProxied) timeline.add(opened, () => this.#open(mail, person))
    if (luck('again') < 0.2) timeline.add(opened + 5 * HOUR, () => this.#open(mail, person))
    if (luck('click') < 0.08 + 0.3 * person.interest) {
      timeline.add(opened + MINUTE, () => this.#click(mail, person, luck('link') < 0.85 ? 0 : 1))
      if (luck('order') < 0.18) timeline.add(opened + 12 * MINUTE, () => this.tools.order(person))
    }
    if (luck('leave') < 0.012) timeline.add(opened + 2 * MINUTE, () => this.#leave(mail))
    if (luck('complain') < 0.0006) timeline.add(opened + 3 * MINUTE, () => this.#report(mail, 'complained'))
  }

  async #open({ html = '' }: OutgoingMail, { userAgent }: Person): Promise<void> {
    const [, token] = /\/t\/o\/([\w-]+)/.exec(html) ?? []
    if (token !== undefined) await this.tools.engine().tracking.opened(token, { userAgent, isPrefetch: false })
  }

  async #click({ html = '' }: OutgoingMail, { userAgent }: Person, place: number): Promise<void> {
    const links = [...html.matchAll(/\/t\/c\/([\w-]+)\/(\d+)/g)]
    const [, token, number] = links[place] ?? links[0] ?? []
    if (token === undefined || number === undefined) return
    // a privacy proxy fetches pictures; links are followed by people
    const agent =
      userAgent === PRIVACY_PROXY
        ? 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Safari/605.1.15'
        : userAgent
    await this.tools.engine().tracking.clicked(token, number, { userAgent: agent, isPrefetch: false })
  }

  async #leave({ headers }: OutgoingMail): Promise<void> {
    const [, field = ''] = headers.find(([name]) => name === 'List-Unsubscribe') ?? []
    const [, token] = /\/unsubscribe\/([\w-]+)/.exec(field) ?? []
    if (token !== undefined) await this.tools.engine().subscriptions.unsubscribe(token)
  }

  async #report({ id }: OutgoingMail, kind: 'bounced' | 'complained'): Promise<void> {
    const bounce = { status: '5.1.1', diagnostic: 'smtp; 550 5.1.1 This account was closed' }
    const at = new Date(this.tools.now())
    const report = { kind, mail: { emailId: id }, at, key: `demo ${kind} ${id}` }
    await this.tools.engine().feedback.take([kind === 'bounced' ? { ...report, bounce } : report])
  }
}

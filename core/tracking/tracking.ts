import { inject, injectable } from '../di.ts'
import { EngineError } from '../errors.ts'
import { Kit } from '../kit.ts'
import type { CompiledMail } from '../mail/compiled-mail.ts'
import { CompiledMails } from '../mail/compiled-mails.ts'
import { isSeed } from '../mail/email.ts'
import { readNumber } from '../mail/links/link-token.ts'
import { Links, type MailLink } from '../mail/links/links.ts'
import type { Activity, Email } from '../ports/store/emails.ts'
import { Store } from '../ports/store/store.ts'
import { mayBurst } from '../values/burst.ts'
import { type NewId, stamp } from '../values/id.ts'
import { RecentlyUsed } from '../values/recently-used.ts'
import { type ActivityFacts, activityEvent } from './activity-event.ts'
import { AddressBound } from './address-bound.ts'
import { isMachine, type MailVisitor } from './machines.ts'

/** How long a request waits for its opening or click to be stored. */
const MAX_WAIT_MS = 300
/** How many openings and clicks a minute are counted from one address: far more than a proxy for many people makes. */
const MAX_PER_MINUTE = 30_000
/** How many recently used mails are cached, and about how many bytes they may have in all. */
const KEPT = 20_000
const KEPT_BYTES = 32 * 1024 * 1024
/** When a cached mail is read again: its recipient may have been removed. */
const KEPT_MS = 10 * 60_000
/** How often a failed write is tried, with growing pauses, unless too many wait. */
const MAX_TRIES = 5
const AGAIN_MS = 500
const MAX_WAITING = 10_000
const SAY_AGAIN_MS = 60_000

type Kind = ActivityFacts['kind']

/**
 * An opened or clicked mail: its constant fields, and which kinds of events it has had. The contact's consent is read
 * from the store each time.
 */
interface KnownMail {
  readonly email: Email
  readonly had: Set<Kind>
  /** Recent anonymous counts, which are stored nowhere else. */
  readonly anonymous: Set<`${Kind} by ${'anybody' | 'a person'}`>
  readonly readAt: number
}

/** Openings and clicks of mails: reads their signed links, finds the targets, and records the activity. */
@injectable()
export class Tracking {
  readonly #known = new RecentlyUsed<KnownMail>(KEPT, KEPT_BYTES, (_id, { email }) => weightOf(email))
  readonly #bound = new AddressBound(MAX_PER_MINUTE)
  readonly #underWay = new Set<Promise<void>>()
  #isEnding = false
  #lost = 0
  #saidAt = Number.NEGATIVE_INFINITY

  constructor(
    @inject(Store) private readonly store: Store,
    @inject(Links) private readonly links: Links,
    @inject(CompiledMails) private readonly compiled: CompiledMails,
    @inject(Kit) private readonly kit: Kit,
  ) {}

  /**
   * Records a request for the pixel of the mail with this token. Answers when that is stored, or after a moment when it
   * takes longer; an invalid token is ignored. Never rejects.
   */
  async opened(token: string, visitor: MailVisitor): Promise<void> {
    const link = this.#link(token)
    if (link === undefined || !this.#counts(visitor)) return
    const act = this.#act('open', visitor)
    await this.#waitAtMost(async () => {
      const known = await this.#mail(link)
      if (known) await this.#record(known, await this.compiled.find(known.email.contentId), act)
    })
  }

  /**
   * The target of link `number` in the mail with this token: an http(s) address from its writer. Undefined when there
   * is no such link. Records the click as `opened` does; without a visitor nothing is recorded. Throws what the store
   * throws when it cannot be read; recently used mails need no read.
   */
  async clicked(token: string, number: string, visitor?: MailVisitor): Promise<string | undefined> {
    const link = this.#link(token)
    const place = readNumber(number)
    if (link === undefined || place === undefined) return undefined
    let known = await this.#mail(link)
    let mail = known && (await this.compiled.find(known.email.contentId))
    if (known && !mail) {
      // the cached mail may be from before its content was removed
      known = await this.#read(link)
      mail = known && (await this.compiled.find(known.email.contentId))
    }
    const target = known && mail && (await targetOf(known.email, mail, place))
    if (known && target !== undefined && visitor && this.#counts(visitor)) {
      const personal = !isInWords(mail, target)
      const act = { ...this.#act('click', visitor), link: target, personal }
      await this.#waitAtMost(() => this.#record(known, mail, act))
    }
    return target
  }

  /**
   * Notes a look at the page of the subscription with this token, when it is the link of a mail: with the clicks around
   * it, it reveals a gateway that opens every link. Nothing else counts it. Never rejects.
   */
  async looked(token: string, visitor: MailVisitor): Promise<void> {
    const { projectId, emailId } = this.links.readContact(token) ?? {}
    if (projectId === undefined || emailId === undefined || isMachine(visitor) || !this.#counts(visitor)) return
    const at = this.kit.now()
    await this.#waitAtMost(async () => {
      const known = await this.#mail({ projectId, emailId })
      if (!known || !mayBurst(known.email.sentAt, at)) return
      await this.store.emails.recordActivity([{ projectId, emailId, kind: 'look', at, machine: false }])
    })
  }

  /**
   * An opening or click that a provider has counted itself, for `recordActivity`: `email` is as stored. Undefined for a
   * mail that is not tracked.
   */
  activity(email: Email, mail: CompiledMail | undefined, act: Act): Activity | undefined {
    if ((mail && !mail.content.tracking) || isSeed(email)) return undefined
    const { kind, at, machine, link } = act
    const personal = !isInWords(mail, link)
    const [first, count] = kind === 'open' ? [email.openedAt, email.opens] : [email.clickedAt, email.clicks]
    const events = mail ? this.#events(email, mail, act, { isFirst: first === undefined, count }) : {}
    const newTo = newToWhom(this.#known.get(email.id), act)
    const clicked = link === undefined ? {} : { link, personal }
    return { projectId: email.projectId, emailId: email.id, kind, at, machine, newTo, ...clicked, ...events }
  }

  /** Remembers for a while that it was counted anonymously, so that it is not counted again: this is stored nowhere. */
  counted(email: Email, { kind, machine }: Pick<Act, 'kind' | 'machine'>): void {
    const { anonymous } = this.#known.get(email.id) ?? this.#remember(email)
    anonymous.add(`${kind} by anybody`)
    if (!machine) anonymous.add(`${kind} by a person`)
  }

  /**
   * Answers when everything so far is stored or given up, or after `withinMs` milliseconds. From then on nothing is
   * tried again.
   */
  async settled(withinMs: number): Promise<void> {
    this.#isEnding = true
    if (this.#underWay.size > 0) await soon(Promise.all(this.#underWay), withinMs)
  }

  #link(token: string): MailLink | undefined {
    const link = this.links.readMail(token)
    if (link === undefined) this.kit.log.debug('a tracking link is not ours')
    return link
  }

  /** Undefined when the project has no such mail. */
  async #mail({ projectId, emailId }: MailLink): Promise<KnownMail | undefined> {
    const known = this.#known.get(emailId)
    const now = this.kit.now().getTime()
    if (known && Math.abs(now - known.readAt) < KEPT_MS) return known.email.projectId === projectId ? known : undefined
    return this.#read({ projectId, emailId })
  }

  async #read({ projectId, emailId }: MailLink): Promise<KnownMail | undefined> {
    const email = await this.store.emails.find(projectId, emailId)
    return email && this.#remember(email)
  }

  #remember(email: Email): KnownMail {
    const had = new Set<Kind>()
    if (email.openedAt) had.add('open')
    if (email.clickedAt) had.add('click')
    const anonymous = this.#known.get(email.id)?.anonymous ?? new Set()
    const read = { email, had, anonymous, readAt: this.kit.now().getTime() }
    this.#known.set(email.id, read)
    return read
  }

  /**
   * Records it, as far as the contact allows, with its event; without an event when the content is gone. Untracked mail
   * is skipped.
   */
  async #record(known: KnownMail, mail: CompiledMail | undefined, act: Act): Promise<void> {
    if ((mail && !mail.content.tracking) || isSeed(known.email)) return
    const { id: emailId, projectId } = known.email
    const { kind, at, machine, link, personal = true } = act
    const clicked = link === undefined ? {} : { link, personal }
    const isFirst = !known.had.has(kind)
    const { emitRepeats } = this.kit.settings.tracking
    const row = mail && emitRepeats ? await this.store.emails.find(projectId, emailId) : undefined
    const count = (kind === 'open' ? row?.opens : row?.clicks) ?? 0
    const events = mail ? this.#events(known.email, mail, act, { isFirst, count }) : {}
    const [outcome] = await this.store.emails.recordActivity([
      { projectId, emailId, kind, at, machine, newTo: newToWhom(known, act), ...clicked, ...events },
    ])
    if (outcome === 'first' || outcome === 'repeat') known.had.add(kind)
    if (outcome === 'anonymous') this.counted(known.email, act)
  }

  /** The event for the first activity of its kind, and the one for a repeat; `count` came before it. */
  #events(
    email: Email,
    mail: CompiledMail,
    act: Act,
    { isFirst, count }: { readonly isFirst: boolean; readonly count: number },
  ): Pick<Activity, 'event' | 'repeatEvent'> {
    const { id, at: createdAt } = act
    const event = isFirst ? activityEvent(email, mail, { ...act, count: 1 }, { id, createdAt }) : undefined
    const again = { ...act, count: Math.max(count, 1) + 1 }
    const repeatEvent = this.kit.settings.tracking.emitRepeats
      ? activityEvent(email, mail, again, stamp(this.kit.newId))
      : undefined
    return { ...(event ? { event } : {}), ...(repeatEvent ? { repeatEvent } : {}) }
  }

  /** An address over the limit still gets its answer, but is not counted. */
  #counts({ address }: MailVisitor): boolean {
    const verdict = this.#bound.count(address, this.kit.now())
    if (verdict === 'first over') {
      const advice = 'behind a proxy, set server.trustProxy'
      this.kit.log.warn('one client address opens and clicks too often; what follows in this minute is not counted', {
        address,
        perMinute: MAX_PER_MINUTE,
        advice,
      })
    }
    return verdict === 'within'
  }

  /** Answers when the work is done or has failed, but after a moment at the latest; the work continues. */
  async #waitAtMost(work: () => Promise<void>): Promise<void> {
    const done = this.#retry(work)
      .catch((error: unknown) => this.#countLost(error))
      .finally(() => this.#underWay.delete(done))
    this.#underWay.add(done)
    await soon(done, MAX_WAIT_MS)
  }

  /**
   * Retries, so that nothing is lost while the store is away for a moment. A write whose answer was lost counts twice.
   */
  async #retry(work: () => Promise<void>): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        return await work()
      } catch (error) {
        if (tries === MAX_TRIES || this.#isEnding || this.#underWay.size > MAX_WAITING) throw error
      }
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS * tries))
    }
  }

  #act(kind: Kind, visitor: MailVisitor): Act {
    return { ...actNow(this.kit.newId), kind, machine: isMachine(visitor) }
  }

  /** Logged once a minute, so that a store that is away does not fill the log. */
  #countLost(error: unknown): void {
    this.#lost++
    const now = this.kit.now().getTime()
    if (now - this.#saidAt < SAY_AGAIN_MS) return
    this.kit.log.error('opens or clicks could not be stored', { count: this.#lost, error })
    this.#saidAt = now
    this.#lost = 0
  }
}

/** The id of the event that an act may have, and the moment in it. */
export function actNow(newId: NewId): Pick<Act, 'id' | 'at'> {
  const { id, createdAt: at } = stamp(newId)
  return { id, at }
}

/** An opening of a mail or a click in it. */
export interface Act extends Pick<Activity, 'at' | 'machine'> {
  readonly id: string
  readonly kind: Kind
  readonly link?: string | undefined
  /** False when all recipients have this link. */
  readonly personal?: boolean
}

/** Whether an address stands in the text that all recipients share, so that it says nothing about one of them. */
function isInWords(mail: CompiledMail | undefined, link = ''): boolean {
  const { html = '' } = mail?.content ?? {}
  return html.includes(link) || html.includes(link.replaceAll('&', '&amp;'))
}

/** The way in which it counts for a contact with anonymous tracking. */
function newToWhom(known: KnownMail | undefined, { kind, machine }: Act): NonNullable<Activity['newTo']> {
  if (!known?.anonymous.has(`${kind} by anybody`)) return 'all'
  return machine || known.anonymous.has(`${kind} by a person`) ? 'nobody' : 'people'
}

/** A mail that breaks a limit was never sent and has no links. */
async function targetOf(email: Email, mail: CompiledMail, place: number): Promise<string | undefined> {
  try {
    return await mail.linkTarget(email, place)
  } catch (error) {
    if (EngineError.is(error)) return undefined
    throw error
  }
}

/** Answers when the work has ended, or when the time is over. */
async function soon(work: Promise<unknown>, withinMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const enough = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, withinMs)
  })
  await Promise.race([work, enough])
  clearTimeout(timer)
}

/** About how many bytes a row takes. */
function weightOf({ variables }: Email): number {
  return 1000 + 2 * JSON.stringify(variables).length
}

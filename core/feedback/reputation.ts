import * as v from 'valibot'
import { refusalMeaning } from '../bounces/refusal-meaning.ts'
import { inject, injectable } from '../di.ts'
import { EngineError } from '../errors.ts'
import { Kit } from '../kit.ts'
import type { ScheduledTask } from '../ports/scheduler.ts'
import type { Project } from '../ports/store/projects.ts'
import type { DomainFigures, DomainRefusal, SenderFigures } from '../ports/store/reputation.ts'
import { Store } from '../ports/store/store.ts'
import type { ReputationSettings } from '../settings/reputation-settings.ts'
import { type AdviceCode, codesOf, textOf } from '../values/advice.ts'
import { domainOf } from '../values/email-address.ts'
import type { InputOf, UntrustedInput } from '../values/input.ts'
import { wholeNumber } from '../values/page.ts'
import { parse } from '../values/parse.ts'
import { percentage } from '../values/percentage.ts'
import type { ProjectId } from '../values/project-id.ts'
import { NOTICE_PAUSE_MS } from '../work/notice.ts'
import { removeAll } from '../work/rest.ts'
import { type HighRate, highRates, inWords, LEAST_MAILS, RATED_DAYS, type ReputationState, stateOf } from './verdict.ts'

const DAY_MS = 86_400_000
/** How many days figures are kept. */
const KEPT_DAYS = 91
/** How many refusals are shown per domain. */
const REFUSALS = 5
/** How long figures of a sending domain are cached, in milliseconds. */
const FRESH_MS = 2_000
const KEPT_LOOKS = 1_000

export const DeliverabilityQuery = v.object({
  /** By the domains mail goes to, or by those it comes from. */
  by: v.optional(v.picklist(['recipientDomain', 'sendingDomain']), 'recipientDomain'),
  /** How many days, including today (UTC). */
  days: v.optional(wholeNumber(1, 90), 30),
  /** How many domains, those with the most mail. */
  limit: v.optional(wholeNumber(1, 100), 100),
})

/** Options of the deliverability figures. */
export interface DeliverabilityInput extends InputOf<typeof DeliverabilityQuery> {}

/** The figures of mail to, or from, one domain. Rates are percentages of `sent`. */
export interface DomainDeliverability extends DomainFigures {
  readonly bounceRate: number
  readonly complaintRate: number
  /** For a sending domain: its state by the limits of the settings. */
  readonly state?: ReputationState
  /** Why it is not `ok`. */
  readonly reasons?: readonly string[]
  /** The sentences of `reasons`, one each. */
  readonly reasonCodes?: readonly AdviceCode[]
  readonly lastRefusals: readonly ExplainedRefusal[]
}

/** A server's reply, without the addresses in it. */
interface ExplainedRefusal extends Pick<DomainRefusal, 'at' | 'code' | 'text'> {
  /** Its meaning and what to do; null when unknown. */
  readonly meaning: string | null
  /** The sentences of `meaning`. */
  readonly meaningCodes: readonly AdviceCode[]
}

interface Look {
  readonly since: number
  readonly rates: Promise<readonly HighRate[]>
}

/** How well projects' mail arrives, and the consequences when it does not. */
@injectable()
export class Reputation {
  readonly #looks = new Map<string, Look>()

  constructor(
    @inject(Store) private readonly store: Store,
    @inject(Kit) private readonly kit: Kit,
  ) {}

  /**
   * The domains with the most mail and their figures, with the latest refusals explained. Throws EngineError
   * `VALIDATION_ERROR`.
   */
  async figures(
    project: Project,
    query: DeliverabilityInput | UntrustedInput = {},
  ): Promise<readonly DomainDeliverability[]> {
    const { by, days, limit } = parse(DeliverabilityQuery, query)
    const since = this.#since(days)
    const { reputation } = this.store
    const figures = await reputation.figures(project.id, by, since, limit)
    const names = figures.map(({ domain }) => domain)
    const refusals = names.length === 0 ? [] : await reputation.refusals(project.id, by, names, since, REFUSALS)
    const byDomain = Map.groupBy(refusals, ({ domain }) => domain)
    const ratesByDomain = new Map<string, readonly HighRate[]>()
    if (by === 'sendingDomain') for (const name of names) ratesByDomain.set(name, await this.#rates(project.id, name))
    return figures.map(({ domain, ...counts }) => ({
      domain,
      ...counts,
      bounceRate: percentage(counts.bounced, counts.sent),
      complaintRate: percentage(counts.complained, counts.sent),
      ...this.#stateOf(ratesByDomain.get(domain)),
      lastRefusals: (byDomain.get(domain) ?? []).map(explained),
    }))
  }

  /**
   * Why marketing mail from this address is stopped; undefined when it is not. Cached for some seconds. Throws what the
   * store throws.
   */
  async stopped(projectId: ProjectId, from: string): Promise<string | undefined> {
    const domain = domainOf(from)
    const worst = (await this.#rates(projectId, domain)).find(({ level }) => level === 'stopped')
    return worst && `Marketing mail from ${domain} is stopped: ${this.#words(worst)}`
  }

  /** The state of a sender domain by the limits of the settings, cached as `stopped` is. Throws what the store throws. */
  async state(projectId: ProjectId, domain: string): Promise<ReputationState> {
    return stateOf(await this.#rates(projectId, domain))
  }

  /** The scheduled tasks; only workers run them. */
  tasks(): readonly ScheduledTask[] {
    const forget = (signal: AbortSignal) => removeAll((most) => this.forget(most), signal)
    return [
      { name: 'reputation', cron: '7 * * * * *', run: (signal) => this.tick(signal) },
      { name: 'forget figures of domains', cron: '47 3 * * *', run: forget },
    ]
  }

  /** Every minute: warns operators of rates that are too high, once a day per domain and kind. */
  async tick(signal: AbortSignal): Promise<void> {
    for (const sender of await this.store.reputation.senders(this.#since(RATED_DAYS), LEAST_MAILS)) {
      for (const rate of highRates(sender, this.kit.settings.reputation)) {
        if (signal.aborted) return
        await this.#warnOperators(sender, rate)
      }
    }
  }

  /** Deletes figures too old to be shown; up to `limit`, answers how many. */
  forget(limit: number): Promise<number> {
    return this.store.reputation.forget(this.#since(KEPT_DAYS), limit)
  }

  async #warnOperators({ projectId, domain }: SenderFigures, rate: HighRate): Promise<void> {
    const kind = `${rate.kind}: ${rate.level} ${domain}`
    if (!(await this.store.notices.first(projectId, kind, this.kit.now(), NOTICE_PAUSE_MS))) return
    const isStopped = rate.level === 'stopped'
    const what = isStopped ? 'marketing mail of a domain is stopped' : 'a rate of a domain is high'
    this.kit.log.warn(`${what}: ${rate.kind}`, {
      project: projectId,
      domain,
      reason: this.#words(rate),
      advice: `GET /deliverability?by=sendingDomain has the refusals in words. ${ADVICE}`,
    })
  }

  #rates(projectId: ProjectId, domain: string): Promise<readonly HighRate[]> {
    const key = `${projectId} ${domain}`
    const known = this.#looks.get(key)
    if (known && performance.now() - known.since < FRESH_MS) return known.rates
    if (this.#looks.size >= KEPT_LOOKS) this.#looks.clear()
    const look = { since: performance.now(), rates: this.#load(projectId, domain) }
    this.#looks.set(key, look)
    look.rates.catch(() => this.#looks.delete(key))
    return look.rates
  }

  async #load(projectId: ProjectId, domain: string): Promise<readonly HighRate[]> {
    return senderRates(this.store, this.kit.settings.reputation, projectId, domain, this.kit.now())
  }

  #stateOf(rates: readonly HighRate[] | undefined): Pick<DomainDeliverability, 'state' | 'reasons' | 'reasonCodes'> {
    if (rates === undefined) return {}
    const sentences = rates.map(inWords)
    return { state: stateOf(rates), reasons: sentences.map(({ text }) => text), reasonCodes: codesOf(sentences) }
  }

  #words(rate: HighRate): string {
    return inWords(rate).text
  }

  /** The first day of a period that ends today. */
  #since(days: number): Date {
    return firstDay(this.kit.now(), days)
  }
}

/** The rates of a sender domain of a project that are too high now. Throws what the store throws. */
export async function senderRates(
  { reputation }: Pick<Store, 'reputation'>,
  settings: ReputationSettings,
  projectId: ProjectId,
  domain: string,
  now: Date,
): Promise<readonly HighRate[]> {
  return highRates(await reputation.sender(projectId, domain, firstDay(now, RATED_DAYS)), settings)
}

/** The first of so many days that end today (UTC). */
function firstDay(now: Date, days: number): Date {
  return new Date((Math.floor(now.getTime() / DAY_MS) - days + 1) * DAY_MS)
}

const ADVICE =
  'Mail only people who asked for it, remove contacts who do not open, and see docs/deliverability.md; reputation.* of the configuration sets the limits.'

/** Throws EngineError `CONFLICT` when there is a reason why marketing mail is stopped. */
export function requireGood(stopped: string | undefined): void {
  if (stopped !== undefined) throw new EngineError('CONFLICT', stopped, { suggestion: ADVICE })
}

function explained({ at, code, text }: DomainRefusal): ExplainedRefusal {
  const meaning = refusalMeaning(text.includes(code) ? text : `${code} ${text}`)
  return { at, code, text, meaning: textOf(meaning) || null, meaningCodes: codesOf(meaning) }
}

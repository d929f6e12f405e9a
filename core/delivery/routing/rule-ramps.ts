import type { LateRefusal } from '../../feedback/late-refusals.ts'
import type { Kit } from '../../kit.ts'
import { LimitedLog } from '../../ports/limited-log.ts'
import type { Answer } from '../../ports/mail-transport.ts'
import type { Repositories, Store } from '../../ports/store/store.ts'
import type { RampedRule, RouteRamp } from '../../settings/route-settings.ts'
import type { Rule } from './rules.ts'

const DAY_MS = 86_400_000
/**
 * So many days after it a day still counts what is refused later of its mail. Bounces come within minutes, or when a server
 * gives up.
 */
const LATE_DAYS = 3
/** For how long it is remembered that a ramp went back: longer than any ramp. */
const REMEMBERED_MS = 3_650 * DAY_MS
/** So many mails of a day say enough about the percentage of refusals. */
const ENOUGH = 100
/** How long answers are collected before they are counted in the store, in milliseconds. */
const COLLECTED_MS = 500
/** How long it counts that a ramp has not gone back, before the store is asked again: another process may have seen it. */
const FRESH_MS = 2_000

/** The rule, if it has a ramp. */
export function rampedOf({ name, ramp }: Rule): RampedRule | undefined {
  return ramp === undefined ? undefined : { name, ramp }
}

/** How far the ramp of a rule is. */
export interface RouteRampState {
  /** The name of the rule. */
  readonly rule: string
  /** The transport that takes the part. */
  readonly transport: string
  /** The part of now, in percent: 0 before it begins, and once it went back. */
  readonly share: number
  /** Whether it went back, since too much was refused. */
  readonly isBack: boolean
  /** How many mails that transport answered today (UTC); once it went back, on the worst of the last days. */
  readonly sent: number
  /** How many of them it refused for good, or were refused after it had taken them. */
  readonly refused: number
}

/** A ramp that went back, and that no mail has reported yet. */
export interface RampGoneBack extends Pick<RouteRampState, 'rule' | 'transport' | 'sent' | 'refused'> {
  /** Under which a mail about it is counted. */
  readonly key: string
  readonly backAt: number
}

/** The figures of the mail of a day. */
type Counted = Pick<RouteRampState, 'sent' | 'refused'>

/** The answers that are not counted in the store yet. */
interface Collected {
  readonly rule: RampedRule
  sent: number
  refused: number
}

/**
 * The ramps of rules. How large a part is follows from the day alone. The store counts what is refused for all processes,
 * and remembers that a ramp went back, so that a restart changes nothing.
 */
export class RuleRamps {
  readonly #back = new Map<string, { isBack: boolean; readonly until: number }>()
  readonly #asked = new Map<string, Promise<boolean>>()
  readonly #collected = new Map<string, Collected>()
  readonly #log: LimitedLog
  #timer: NodeJS.Timeout | undefined
  #counting: Promise<void> = Promise.resolve()
  #isClosed = false

  constructor(
    private readonly store: Pick<Store, 'attempts'>,
    private readonly kit: Pick<Kit, 'now' | 'log'>,
  ) {
    // while the store is away, they are tried twice a second
    this.#log = new LimitedLog(kit.log, 1)
  }

  /** Whether this mail goes through the transport of the ramp first. Throws what the store throws: the mail waits then. */
  takes(
    rule: RampedRule,
    { id, createdAt }: { readonly id: string; readonly createdAt: Date },
  ): boolean | Promise<boolean> {
    if (!isInPart(rule, { id, createdAt })) return false
    const isBack = this.isBack(rule)
    return typeof isBack === 'boolean' ? !isBack : isBack.then((back) => !back)
  }

  /** Whether it went back, as far as was known a moment ago. Throws what the store throws. */
  isBack(rule: RampedRule): boolean | Promise<boolean> {
    const key = backKey(rule)
    const known = this.#back.get(key)
    if (known !== undefined && (known.isBack || performance.now() < known.until)) return known.isBack
    const asked = this.#asked.get(key) ?? this.#ask(key)
    this.#asked.set(key, asked)
    return asked
  }

  /** Learns the answer of the ramp's transport. */
  note(rule: RampedRule, answer: Answer): void {
    // whether it arrived is unknown, or no server was told of it
    if (answer.outcome === 'unknown' || (answer.outcome === 'refused' && !answer.permanent)) return
    this.#collect(rule, { sent: 1, refused: answer.outcome === 'refused' ? 1 : 0 })
  }

  /** Counts in the store what was collected. Never rejects. */
  count(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const all = [...this.#collected.values()]
    this.#collected.clear()
    this.#counting = this.#counting.then(async () => {
      for (const each of all) await this.#count(each)
    })
    return this.#counting
  }

  /** Counts the last answers. What the store does not take now is not tried again. Never rejects. */
  close(): Promise<void> {
    this.#isClosed = true
    return this.count()
  }

  /** How far it is. Throws what the store throws. */
  async state(rule: RampedRule): Promise<Pick<RouteRampState, 'share' | 'isBack'>> {
    const isBack = await this.isBack(rule)
    return { isBack, share: isBack ? 0 : shareOn(rule.ramp, this.kit.now()) }
  }

  /** How far they are, and what was counted. Throws what the store throws. */
  async states(rules: readonly RampedRule[]): Promise<readonly RouteRampState[]> {
    if (rules.length === 0) return []
    const now = this.kit.now()
    const days = Array.from({ length: LATE_DAYS + 1 }, (_, i) => new Date(now.getTime() - i * DAY_MS))
    const keys = rules.flatMap((rule) => [backKey(rule), ...days.flatMap((day) => keysOf(rule, day))])
    const counted = await this.store.attempts.counted(keys, now)
    return rules.map((rule) => {
      const isBack = counted.has(backKey(rule))
      const all = days.map((day) => countedOn(rule, day, counted))
      const [today = NOTHING] = all
      return {
        rule: rule.name,
        transport: rule.ramp.to,
        share: isBack ? 0 : shareOn(rule.ramp, now),
        isBack,
        ...(isBack ? worstOf(all, today) : today),
      }
    })
  }

  /** Those that went back, and that no mail has reported yet. Throws what the store throws. */
  async goneBack(rules: readonly RampedRule[]): Promise<readonly RampGoneBack[]> {
    if (rules.length === 0) return []
    const keys = rules.flatMap((rule) => [backKey(rule), toldKey(rule)])
    const counted = await this.store.attempts.counted(keys, this.kit.now())
    const fresh = rules.filter((rule) => counted.has(backKey(rule)) && !counted.has(toldKey(rule)))
    const states = await this.states(fresh)
    return fresh.flatMap((rule, i): RampGoneBack[] => {
      const state = states[i]
      return state === undefined ? [] : [{ ...state, key: toldKey(rule), backAt: rule.ramp.backAt }]
    })
  }

  /** Counts mails that were taken and are refused since, on the day on which they were taken, if that is not long ago. */
  async countLate({ attempts }: Pick<Repositories, 'attempts'>, refused: readonly LateRefusal[]): Promise<void> {
    const now = this.kit.now()
    const late = refused.filter(({ takenAt }) => endOf(takenAt) > now)
    const byDay = Map.groupBy(late, ({ rule, takenAt }) => dayKey(rule, 'refused', takenAt))
    // always in the same order, so that no two transactions wait for each other
    for (const [key, [first, ...more]] of [...byDay].toSorted(([a], [b]) => (a < b ? -1 : 1)))
      if (first) await attempts.take(key, now, endOf(first.takenAt), more.length + 1, Number.MAX_SAFE_INTEGER)
  }

  /** Has ramps go back of which too much is refused now. Never rejects: the next refusal of that day looks again. */
  async judgeLate(refused: readonly LateRefusal[]): Promise<void> {
    for (const { rule, takenAt } of new Map(
      refused.map((each) => [dayKey(each.rule, 'refused', each.takenAt), each]),
    ).values()) {
      await this.#judge(rule, takenAt).catch((error) => this.#warn(rule, error))
    }
  }

  async #ask(key: string): Promise<boolean> {
    try {
      const asked = (await this.store.attempts.counted([key], this.kit.now())).has(key)
      // this process may have seen it meanwhile
      const isBack = asked || this.#back.get(key)?.isBack === true
      this.#back.set(key, { isBack, until: performance.now() + FRESH_MS })
      return isBack
    } finally {
      this.#asked.delete(key)
    }
  }

  async #count(collected: Collected): Promise<void> {
    const { rule } = collected
    const now = this.kit.now()
    try {
      for (const what of KINDS) {
        if (collected[what] === 0) continue
        const key = dayKey(rule, what, now)
        await this.store.attempts.take(key, now, endOf(now), collected[what], Number.MAX_SAFE_INTEGER)
        collected[what] = 0
      }
      await this.#judge(rule, now)
    } catch (error) {
      this.#warn(rule, error)
      if (!this.#isClosed) this.#collect(rule, collected)
    }
  }

  #warn(rule: RampedRule, error: unknown): void {
    const about = { rule: rule.name, transport: rule.ramp.to, error }
    this.#log.warn(backKey(rule), 'could not count the answers of a ramp', about)
  }

  /** Has it go back when too much of the mail of this day is refused. Throws what the store throws. */
  async #judge(rule: RampedRule, day: Date): Promise<void> {
    const now = this.kit.now()
    const counted = countedOn(rule, day, await this.store.attempts.counted(keysOf(rule, day), now))
    if (counted.sent >= ENOUGH && counted.refused * 100 > counted.sent * rule.ramp.backAt)
      await this.#goBack(rule, counted, now)
  }

  async #goBack(rule: RampedRule, counted: Counted, now: Date): Promise<void> {
    const key = backKey(rule)
    this.#back.set(key, { isBack: true, until: Number.POSITIVE_INFINITY })
    const isFirst = await this.store.attempts.take(key, now, new Date(now.getTime() + REMEMBERED_MS), 1, 1)
    if (isFirst === 0) return
    const about = { rule: rule.name, transport: rule.ramp.to, ...counted }
    const advice = 'once the cause is mended, begin it again with another from'
    this.kit.log.warn('the ramp of a rule went back: too much of its mail was refused', { ...about, advice })
  }

  /** Keeps these to be counted in a moment, beside those that are kept. */
  #collect(rule: RampedRule, { sent, refused }: Counted): void {
    const key = backKey(rule)
    const kept = this.#collected.get(key) ?? { rule, sent: 0, refused: 0 }
    this.#collected.set(key, kept)
    kept.sent += sent
    kept.refused += refused
    this.#timer ??= setTimeout(() => void this.count(), COLLECTED_MS).unref()
  }
}

/** The part of the mail accepted at this time that goes through the ramp's transport, in percent. */
export function shareOn({ from, start, add }: RouteRamp, at: Date): number {
  const days = Math.floor((at.getTime() - Date.parse(from)) / DAY_MS)
  return days < 0 ? 0 : Math.min(100, Math.round((start + add * days) * 10) / 10)
}

/** Whether this mail is in the part of the ramp, which may have gone back since. */
export function isInPart(
  { ramp }: RampedRule,
  { id, createdAt }: { readonly id: string; readonly createdAt: Date },
): boolean {
  // the day it was accepted: it goes the same way on each try, also after midnight
  return rampPartOf(id) * 100 < shareOn(ramp, createdAt)
}

/** Where the id of a mail is among all, from 0 up to 1: other random digits than those that choose among shares. */
function rampPartOf(id: string): number {
  return Number.parseInt(id.slice(-12, -8), 16) / 0x1_0000 || 0
}

/** Another `from` is another ramp: what was refused before says nothing about it. */
function backKey({ name, ramp }: RampedRule): string {
  return `route ramp ${ramp.to} ${ramp.from} ${name}`
}

function toldKey(rule: RampedRule): string {
  return `${backKey(rule)} told`
}

function dayKey(rule: RampedRule, what: 'sent' | 'refused', now: Date): string {
  return `${backKey(rule)} ${what} ${now.toISOString().slice(0, 10)}`
}

const KINDS = ['sent', 'refused'] as const
const NOTHING: Counted = { sent: 0, refused: 0 }

function keysOf(rule: RampedRule, day: Date): readonly string[] {
  return KINDS.map((what) => dayKey(rule, what, day))
}

function countedOn(rule: RampedRule, day: Date, counted: ReadonlyMap<string, number>): Counted {
  const [sent = 0, refused = 0] = keysOf(rule, day).map((key) => counted.get(key) ?? 0)
  return { sent, refused }
}

/** The day of which most was refused, among those with enough mail. */
function worstOf(days: readonly Counted[], otherwise: Counted): Counted {
  const partOf = ({ sent, refused }: Counted) => refused / sent
  const [worst] = days.filter(({ sent }) => sent >= ENOUGH).toSorted((a, b) => partOf(b) - partOf(a))
  return worst ?? otherwise
}

/** Until when the figures of this day count. */
function endOf(day: Date): Date {
  return new Date((Math.floor(day.getTime() / DAY_MS) + 1 + LATE_DAYS) * DAY_MS)
}

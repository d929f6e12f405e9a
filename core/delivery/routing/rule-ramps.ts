import type { Kit } from '../../kit.ts'
import { LimitedLog } from '../../ports/limited-log.ts'
import type { Answer } from '../../ports/mail-transport.ts'
import type { Store } from '../../ports/store/store.ts'
import type { RouteRamp } from '../../settings/route-settings.ts'
import type { Rule } from './rules.ts'

const DAY_MS = 86_400_000
/** For how long it is remembered that a ramp went back: longer than any ramp. */
const REMEMBERED_MS = 3_650 * DAY_MS
/** So many mails of a day say enough about the percentage of refusals. */
const ENOUGH = 100
/** How long answers are collected before they are counted in the store, in milliseconds. */
const COLLECTED_MS = 500
/** How long it counts that a ramp has not gone back, before the store is asked again: another process may have seen it. */
const FRESH_MS = 2_000

/** A rule that has a ramp. */
export interface RampedRule {
  /** It is counted under this name. */
  readonly name: string
  readonly ramp: RouteRamp
}

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
  /** How many mails that transport answered today (UTC). */
  readonly sent: number
  /** How many of them it refused for good. */
  readonly refused: number
}

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
    // the day it was accepted: it goes the same way on each try, also after midnight
    if (rampPartOf(id) * 100 >= shareOn(rule.ramp, createdAt)) return false
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

  /** How far they are, and what was counted today. Throws what the store throws. */
  async states(rules: readonly RampedRule[]): Promise<readonly RouteRampState[]> {
    if (rules.length === 0) return []
    const now = this.kit.now()
    const keys = rules.flatMap((rule) => [backKey(rule), dayKey(rule, 'sent', now), dayKey(rule, 'refused', now)])
    const counted = await this.store.attempts.counted(keys, now)
    return rules.map((rule) => {
      const isBack = counted.has(backKey(rule))
      const [sent, refused] = [dayKey(rule, 'sent', now), dayKey(rule, 'refused', now)]
      return {
        rule: rule.name,
        transport: rule.ramp.to,
        share: isBack ? 0 : shareOn(rule.ramp, now),
        isBack,
        sent: counted.get(sent) ?? 0,
        refused: counted.get(refused) ?? 0,
      }
    })
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
    const { attempts } = this.store
    const now = this.kit.now()
    const midnight = new Date((Math.floor(now.getTime() / DAY_MS) + 1) * DAY_MS)
    const keys = { sent: dayKey(rule, 'sent', now), refused: dayKey(rule, 'refused', now) }
    try {
      for (const what of ['sent', 'refused'] as const) {
        if (collected[what] === 0) continue
        await attempts.take(keys[what], now, midnight, collected[what], Number.MAX_SAFE_INTEGER)
        collected[what] = 0
      }
      const counted = await attempts.counted(Object.values(keys), now)
      const [sent, refused] = [counted.get(keys.sent) ?? 0, counted.get(keys.refused) ?? 0]
      if (sent >= ENOUGH && refused * 100 > sent * rule.ramp.backAt) await this.#goBack(rule, { sent, refused }, now)
    } catch (error) {
      const about = { rule: rule.name, transport: rule.ramp.to, error }
      this.#log.warn(backKey(rule), 'could not count the answers of a ramp', about)
      if (!this.#isClosed) this.#collect(rule, collected)
    }
  }

  async #goBack(rule: RampedRule, counted: Pick<Collected, 'sent' | 'refused'>, now: Date): Promise<void> {
    const key = backKey(rule)
    this.#back.set(key, { isBack: true, until: Number.POSITIVE_INFINITY })
    const isFirst = await this.store.attempts.take(key, now, new Date(now.getTime() + REMEMBERED_MS), 1, 1)
    if (isFirst === 0) return
    const about = { rule: rule.name, transport: rule.ramp.to, ...counted }
    const advice = 'once the cause is mended, begin it again with another from'
    this.kit.log.warn('the ramp of a rule went back: too much of its mail was refused', { ...about, advice })
  }

  /** Keeps these to be counted in a moment, beside those that are kept. */
  #collect(rule: RampedRule, { sent, refused }: Pick<Collected, 'sent' | 'refused'>): void {
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

/** Where the id of a mail is among all, from 0 up to 1: other random digits than those that choose among shares. */
function rampPartOf(id: string): number {
  return Number.parseInt(id.slice(-12, -8), 16) / 0x1_0000 || 0
}

/** Another `from` is another ramp: what was refused before says nothing about it. */
function backKey({ name, ramp }: RampedRule): string {
  return `route ramp ${ramp.to} ${ramp.from} ${name}`
}

function dayKey(rule: RampedRule, what: 'sent' | 'refused', now: Date): string {
  return `${backKey(rule)} ${what} ${now.toISOString().slice(0, 10)}`
}

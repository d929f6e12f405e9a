import type { Reputation } from '../../feedback/reputation.ts'
import type { Kit } from '../../kit.ts'
import type { ClaimedEmail } from '../../ports/store/emails.ts'
import type { Store } from '../../ports/store/store.ts'
import type { RampSettings, ThrottleSettings } from '../../settings/throttle-settings.ts'
import { domainOf } from '../../values/email-address.ts'
import { type Share, Shares } from '../../work/shares.ts'
import type { Later } from './throttle.ts'

const DAY_MS = 86_400_000
/** How long the step of a ramp is remembered: longer than any ramp. */
const REMEMBERED_MS = 3_650 * DAY_MS
/** How long a step read from the store stays valid. */
const FRESH_MS = 30_000
const KEPT = 1_000
/** How often, and after how many milliseconds, a process looks whether another has moved on. */
const LOOKS = 20
const LOOK_MS = 50

/** Why marketing mail waits that is more than a ramp allows on a day. */
export const WAITS_FOR_RAMP = 'As much marketing mail as the ramp of its sender domain allows on a day has gone today.'

/** How far a sender domain is on the ramp of a transport. */
export interface RampState {
  readonly transport: string
  readonly domain: string
  /** The step it is on, from 1. */
  readonly step: number
  /** How many marketing mails may go today. */
  readonly perDay: number
  /** How many have gone. */
  readonly sent: number
  /** When the next day begins (UTC). */
  readonly renewsAt: Date
}

/**
 * Warms up sender domains: the marketing mail of each that goes by a transport is limited by the day, and the limit grows
 * day by day. The store keeps the step and what has gone, so that a restart changes nothing and all processes share both.
 * On each day with mail the first process to ask moves on: a step up, none while the domain's rates are high, and a step
 * back once its marketing mail is stopped.
 */
export class Ramps {
  readonly #settings: ThrottleSettings['transports']
  readonly #shares: Shares
  readonly #steps = new Map<string, { readonly step: Promise<number>; readonly until: number }>()

  constructor(
    private readonly store: Pick<Store, 'attempts'>,
    private readonly reputation: Pick<Reputation, 'state'>,
    private readonly kit: Kit,
  ) {
    this.#settings = kit.settings.delivery.throttle.transports
    this.#shares = new Shares(store, kit)
  }

  /** Until when a marketing mail from this address waits; undefined when it may go. Throws what the store throws. */
  async held(
    { projectId, attempts }: Pick<ClaimedEmail, 'projectId' | 'attempts'>,
    transport: string,
    from: string,
  ): Promise<Later | undefined> {
    const ramp = this.#settings[transport]?.ramp
    if (ramp === undefined || attempts > 1) return undefined
    const domain = domainOf(from)
    const now = this.kit.now()
    const perDay = allowance(ramp, await this.#step(projectId, transport, domain, now))
    if (perDay === undefined) return undefined
    const share = shareOf(transport, domain, perDay, now)
    if ((await this.#shares.take([share])) === undefined) return undefined
    const expiresAt = new Date(share.until.getTime() + this.kit.settings.delivery.expireAfter * 1000)
    return { until: share.until, reason: WAITS_FOR_RAMP, expiresAt }
  }

  #step(projectId: ClaimedEmail['projectId'], transport: string, domain: string, now: Date): Promise<number> {
    const key = `${transport} ${domain} ${dayOf(now)}`
    const known = this.#steps.get(key)
    if (known && performance.now() < known.until) return known.step
    if (this.#steps.size >= KEPT) this.#steps.clear()
    const step = this.#moved(projectId, transport, domain, now)
    this.#steps.set(key, { step, until: performance.now() + FRESH_MS })
    step.catch(() => this.#steps.delete(key))
    return step
  }

  /** The step of today, to which the first process that asks today moves on. */
  async #moved(projectId: ClaimedEmail['projectId'], transport: string, domain: string, now: Date): Promise<number> {
    const { attempts } = this.store
    const key = stepKey(transport, domain)
    const forLong = new Date(now.getTime() + REMEMBERED_MS)
    // one while a process moves on, two once it has
    const moving = `ramp day ${transport} ${domain} ${dayOf(now)}`
    const isFirst = await attempts.take(moving, now, nextDay(now), 1, 1)
    if (isFirst === 1) {
      const begun = (await attempts.counted([key], now)).get(key) ?? 0
      const state = begun === 0 ? 'ok' : await this.reputation.state(projectId, domain)
      if (state === 'ok') await attempts.take(key, now, forLong, 1, Number.MAX_SAFE_INTEGER)
      else if (state === 'stopped' && begun > 1) await attempts.giveBack(key, 1)
      await attempts.take(moving, now, nextDay(now), 1, 2)
      this.kit.log.info('a ramp begins a day', { transport, domain, state })
    }
    // a process that crashed in the middle leaves the step of the day before
    for (let look = 0; look < LOOKS; look++) {
      const counted = await attempts.counted([key, moving], now)
      if (counted.get(moving) !== 1) return counted.get(key) ?? 1
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
    }
    return (await attempts.counted([key], now)).get(key) ?? 1
  }
}

/** How far these sender domains are on the ramps of the transports; those that have not begun are left out. */
export async function rampStates(
  { attempts }: Pick<Store, 'attempts'>,
  transports: ThrottleSettings['transports'],
  domains: readonly string[],
  now: Date,
): Promise<readonly RampState[]> {
  const ramps = Object.entries(transports).flatMap(([transport, { ramp }]) => (ramp ? [{ transport, ramp }] : []))
  if (ramps.length === 0) return []
  const all = ramps.flatMap(({ transport, ramp }) => domains.map((domain) => ({ transport, domain, ramp })))
  const keys = all.flatMap(({ transport, domain }) => [
    stepKey(transport, domain),
    shareOf(transport, domain, 0, now).key,
  ])
  const counted = await attempts.counted(keys, now)
  return all.flatMap(({ transport, domain, ramp }) => {
    const step = counted.get(stepKey(transport, domain))
    const perDay = step === undefined ? undefined : allowance(ramp, step)
    if (step === undefined || perDay === undefined) return []
    const { key, until } = shareOf(transport, domain, perDay, now)
    return { transport, domain, step, perDay, sent: counted.get(key) ?? 0, renewsAt: until }
  })
}

/** How many mails go on a day of this step, from 1; undefined once the ramp is over. */
export function allowance({ start, growth, until }: RampSettings, step: number): number | undefined {
  const perDay = Math.floor(start * growth ** (step - 1))
  return perDay >= until ? undefined : perDay
}

function shareOf(transport: string, domain: string, most: number, now: Date): Share {
  return { key: `ramp ${transport} ${domain} ${dayOf(now)}`, most, until: nextDay(now) }
}

function stepKey(transport: string, domain: string): string {
  return `ramp step ${transport} ${domain}`
}

function dayOf(now: Date): string {
  return now.toISOString().slice(0, 10)
}

function nextDay(now: Date): Date {
  return new Date((Math.floor(now.getTime() / DAY_MS) + 1) * DAY_MS)
}

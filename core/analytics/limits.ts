import { type RampState, rampStates } from '../delivery/throttle/ramp.ts'
import { senderRates } from '../feedback/reputation.ts'
import { inWords, type ReputationState, stateOf } from '../feedback/verdict.ts'
import type { Kit } from '../kit.ts'
import type { Project } from '../ports/store/projects.ts'
import type { Store } from '../ports/store/store.ts'
import { domainsOf } from '../projects/project.ts'
import { quotaShares, quotasOf } from '../projects/quotas.ts'
import { type AdviceCode, codesOf } from '../values/advice.ts'

/** A quota of a project in its current day or month. */
export interface QuotaUse {
  /** Counted by day or by month of the project's time zone. */
  readonly of: 'day' | 'month'
  /** How many mails may go in it. */
  readonly most: number
  /** How many of them are used up. */
  readonly used: number
  /** How many mails are left of it. */
  readonly left: number
  /** When the next day or month begins, in the time zone of the project. */
  readonly renewsAt: Date
}

/** How far a sender domain of a project is on the ramp of a transport, and whether the ramp grows. */
export interface RampUse extends RampState {
  /** How many mails are left of its day. */
  readonly left: number
  /** The state of the domain: while it is not `ok`, the ramp stays where it is or steps back. */
  readonly state: ReputationState
  /** Why it is not `ok`. */
  readonly reasons: readonly string[]
  /** The sentences of `reasons`, one each. */
  readonly reasonCodes: readonly AdviceCode[]
}

/** The limits on how much a project may send now. */
export interface SendingLimits {
  /** The day's first; none without a quota. */
  readonly quotas: readonly QuotaUse[]
  /** None where nothing is being warmed up. */
  readonly ramps: readonly RampUse[]
}

/** The quotas and ramps of a project, and how much of them is used. */
export async function sendingLimits(store: Store, kit: Kit, project: Project): Promise<SendingLimits> {
  const now = kit.now()
  const quotas = quotasOf(project)
  const shares = quotas ? quotaShares(project.id, quotas, now) : []
  const [counted, ramps] = await Promise.all([
    store.attempts.counted(
      shares.map(({ key }) => key),
      now,
    ),
    rampStates(store, kit.settings.delivery.throttle.transports, domainsOf(project), now),
  ])
  const rates = new Map<string, Awaited<ReturnType<typeof senderRates>>>()
  for (const { domain } of ramps)
    if (!rates.has(domain))
      rates.set(domain, await senderRates(store, kit.settings.reputation, project.id, domain, now))
  return {
    quotas: shares.map(({ key, of, most, until }) => {
      const used = counted.get(key) ?? 0
      return { of, most, used, left: Math.max(0, most - used), renewsAt: until }
    }),
    ramps: ramps.map((ramp) => {
      const high = rates.get(ramp.domain) ?? []
      const sentences = high.map(inWords)
      const reasons = sentences.map(({ text }) => text)
      const left = Math.max(0, ramp.perDay - ramp.sent)
      return Object.assign({ left, state: stateOf(high), reasons, reasonCodes: codesOf(sentences) }, ramp)
    }),
  }
}

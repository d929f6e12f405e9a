import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { EngineError } from '../core/errors.ts'
import type { Caller } from '../core/projects/projects.ts'

const WINDOW_SECONDS = 60

export interface RateLimits {
  /** Requests a minute of one project. */
  readonly requestsPerMinute: number
  /** Requests a minute of one client address with public keys of one project. */
  readonly trackPerMinutePerIp: number
  /** Visits a minute of one client address to the pages for people. */
  readonly pagesPerMinutePerIp: number
  /** Wrong keys and unknown paths a minute of one client address. */
  readonly failuresPerMinutePerIp: number
  /** Requests a minute of one client address to hooks that do not prove who makes them. */
  readonly hookFailuresPerMinutePerIp: number
}

/** What is left of an allowance: the `RateLimit-*` header fields. */
export type Allowance = Readonly<Record<'ratelimit-limit' | 'ratelimit-remaining' | 'ratelimit-reset', string>>

/** Whether a request may go on, and the header fields of its answer. */
export interface Verdict {
  readonly allowance: Allowance
  /** `RATE_LIMIT_EXCEEDED`, with the seconds to wait. */
  readonly refusal?: EngineError
}

/** Counts requests in windows of a minute, in this process. */
export class RateLimit {
  readonly #projects: RateLimiterMemory
  readonly #addresses: RateLimiterMemory
  readonly #visitors: RateLimiterMemory
  readonly #failures: RateLimiterMemory
  readonly #hookFailures: RateLimiterMemory

  constructor(limits: RateLimits) {
    this.#projects = new RateLimiterMemory({ points: limits.requestsPerMinute, duration: WINDOW_SECONDS })
    this.#addresses = new RateLimiterMemory({ points: limits.trackPerMinutePerIp, duration: WINDOW_SECONDS })
    this.#visitors = new RateLimiterMemory({ points: limits.pagesPerMinutePerIp, duration: WINDOW_SECONDS })
    this.#failures = new RateLimiterMemory({ points: limits.failuresPerMinutePerIp, duration: WINDOW_SECONDS })
    this.#hookFailures = new RateLimiterMemory({
      points: limits.hookFailuresPerMinutePerIp,
      duration: WINDOW_SECONDS,
    })
  }

  /** Counts one visit to a page; `RATE_LIMIT_EXCEEDED` when it is one too many. */
  async countVisit(address: string): Promise<EngineError | undefined> {
    return (await consume(this.#visitors, address)).refusal
  }

  /** Counts one wrong key or unknown path; `RATE_LIMIT_EXCEEDED` when it is one too many. */
  async countFailure(address: string): Promise<EngineError | undefined> {
    const what = 'requests from this address with a wrong key or to unknown paths'
    return (await consume(this.#failures, address, what)).refusal
  }

  /** Counts one request to a hook that does not prove who makes it; `RATE_LIMIT_EXCEEDED` when it is one too many. */
  async countHookFailure(address: string): Promise<EngineError | undefined> {
    const what = 'requests from this address that do not prove who makes them'
    return (await consume(this.#hookFailures, address, what)).refusal
  }

  /**
   * Counts one request. Public keys are counted by client address too, and first: what one client sends too much
   * does not use up the project's allowance. Without an address only the project counts.
   */
  async count({ project, kind }: Caller, address: string | undefined): Promise<Verdict> {
    if (kind === 'public' && address !== undefined) {
      const own = await consume(this.#addresses, `${project.id} ${address}`)
      if (own.refusal) return own
      const whole = await consume(this.#projects, project.id)
      return whole.refusal || isTighter(whole.allowance, own.allowance) ? whole : own
    }
    return consume(this.#projects, project.id)
  }
}

/** The header fields tell of the limit that will be met first. */
function isTighter(one: Allowance, other: Allowance): boolean {
  return Number(one['ratelimit-remaining']) < Number(other['ratelimit-remaining'])
}

async function consume(limiter: RateLimiterMemory, key: string, what = 'requests'): Promise<Verdict> {
  try {
    return { allowance: allowanceOf(limiter, await limiter.consume(key)) }
  } catch (left) {
    if (!(left instanceof RateLimiterRes)) throw left
    const allowance = allowanceOf(limiter, left)
    const retryAfter = Number(allowance['ratelimit-reset'])
    const message = `Too many ${what}: at most ${limiter.points} a minute.`
    return { allowance, refusal: new EngineError('RATE_LIMIT_EXCEEDED', message, { retryAfter }) }
  }
}

function allowanceOf({ points }: RateLimiterMemory, { remainingPoints, msBeforeNext }: RateLimiterRes): Allowance {
  return {
    'ratelimit-limit': String(points),
    'ratelimit-remaining': String(remainingPoints),
    'ratelimit-reset': String(Math.max(1, Math.ceil(msBeforeNext / 1000))),
  }
}

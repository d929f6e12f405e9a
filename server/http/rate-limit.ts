import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { EngineError } from '../../core/errors.ts'
import type { Caller } from '../../core/projects/caller.ts'

const WINDOW_SECONDS = 60

export interface RateLimits {
  /** Requests per minute from one project, and as many again with its public keys. */
  readonly requestsPerMinute: number
  /** Requests per minute from one client address with one project's public keys. */
  readonly trackPerMinutePerIp: number
  /** Visits per minute from one client address to the subscription pages. */
  readonly pagesPerMinutePerIp: number
  /** Wrong keys and unknown paths per minute from one client address. */
  readonly failuresPerMinutePerIp: number
  /** Unauthenticated requests to hooks per minute from one client address. */
  readonly hookFailuresPerMinutePerIp: number
}

/** The limits of one client address where the app is given no others; `AppOptions` describes them. */
export const ADDRESS_LIMITS: Omit<RateLimits, 'requestsPerMinute'> = {
  trackPerMinutePerIp: 60,
  pagesPerMinutePerIp: 3000,
  failuresPerMinutePerIp: 300,
  hookFailuresPerMinutePerIp: 60,
}

/** The rest of a limit: the `RateLimit-*` header fields. */
export type Allowance = Readonly<Record<'ratelimit-limit' | 'ratelimit-remaining' | 'ratelimit-reset', string>>

/** Whether a request may go on, and its answer's header fields. */
export interface Verdict {
  readonly allowance: Allowance
  /** `RATE_LIMIT_EXCEEDED`, with the seconds to wait. */
  readonly refusal?: EngineError
}

/** Counts requests per minute, in this process. */
export class RateLimit {
  readonly #projects: RateLimiterMemory
  /** Of each project's public keys together, as many as of its other keys: strangers use up no more than these. */
  readonly #public: RateLimiterMemory
  readonly #addresses: RateLimiterMemory
  readonly #visitors: RateLimiterMemory
  readonly #failures: RateLimiterMemory
  readonly #hookFailures: RateLimiterMemory

  constructor(limits: RateLimits) {
    this.#projects = new RateLimiterMemory({ points: limits.requestsPerMinute, duration: WINDOW_SECONDS })
    this.#public = new RateLimiterMemory({ points: limits.requestsPerMinute, duration: WINDOW_SECONDS })
    this.#addresses = new RateLimiterMemory({ points: limits.trackPerMinutePerIp, duration: WINDOW_SECONDS })
    this.#visitors = new RateLimiterMemory({ points: limits.pagesPerMinutePerIp, duration: WINDOW_SECONDS })
    this.#failures = new RateLimiterMemory({ points: limits.failuresPerMinutePerIp, duration: WINDOW_SECONDS })
    this.#hookFailures = new RateLimiterMemory({
      points: limits.hookFailuresPerMinutePerIp,
      duration: WINDOW_SECONDS,
    })
  }

  /** Sets other limits of projects and their public keys; what was counted in this minute stays counted. */
  change({
    requestsPerMinute,
    trackPerMinutePerIp,
  }: Pick<RateLimits, 'requestsPerMinute' | 'trackPerMinutePerIp'>): void {
    this.#projects.points = requestsPerMinute
    this.#public.points = requestsPerMinute
    this.#addresses.points = trackPerMinutePerIp
  }

  /** The refusal of a request that a test orders: the same as a real one, but that nothing is counted, and a second is enough. */
  ordered(): Required<Verdict> {
    const second = { remainingPoints: 0, msBeforeNext: 1000 }
    return refusedBy(this.#projects, allowanceOf(this.#projects, second))
  }

  /** Counts a request of a user who is logged in, for no project. */
  countUser(userId: string): Promise<Verdict> {
    return consume(this.#projects, userId)
  }

  /** Counts a visit to a page. Answers `RATE_LIMIT_EXCEEDED` when it is one too many. */
  async countVisit(address: string): Promise<EngineError | undefined> {
    return (await consume(this.#visitors, address)).refusal
  }

  /** Counts a wrong key or unknown path. Answers `RATE_LIMIT_EXCEEDED` when it is one too many. */
  async countFailure(address: string): Promise<EngineError | undefined> {
    const what = 'requests from this address with a wrong key or to unknown paths'
    return (await consume(this.#failures, address, what)).refusal
  }

  /** Counts an unauthenticated request to a hook. Answers `RATE_LIMIT_EXCEEDED` when it is one too many. */
  async countHookFailure(address: string): Promise<EngineError | undefined> {
    const what = 'unauthenticated requests from this address'
    return (await consume(this.#hookFailures, address, what)).refusal
  }

  /**
   * Counts a request. Public keys have a limit of their own, as high as that of the project's other keys: any visitor
   * can use them. With one the client's address is counted, too, and first, so that one client's excess does not use
   * that up.
   */
  async count({ project, kind }: Caller, address: string | undefined): Promise<Verdict> {
    if (kind === 'public') {
      if (address === undefined) return consume(this.#public, project.id)
      const own = await consume(this.#addresses, `${project.id} ${address}`)
      if (own.refusal) return own
      const whole = await consume(this.#public, project.id)
      return whole.refusal || isTighter(whole.allowance, own.allowance) ? whole : own
    }
    return consume(this.#projects, project.id)
  }

  /** Counts as many requests more of a project, or none when these are too many. */
  async countMore({ project }: Caller, points: number): Promise<Verdict> {
    const what = 'requests (each message of a batch counts as one)'
    const verdict = await consume(this.#projects, project.id, what, points)
    if (verdict.refusal) await this.#projects.reward(project.id, points)
    return verdict
  }
}

/** The header fields show the limit that will be reached first. */
function isTighter(one: Allowance, other: Allowance): boolean {
  return Number(one['ratelimit-remaining']) < Number(other['ratelimit-remaining'])
}

async function consume(limiter: RateLimiterMemory, key: string, what = 'requests', points = 1): Promise<Verdict> {
  try {
    return { allowance: allowanceOf(limiter, await limiter.consume(key, points)) }
  } catch (left) {
    if (!(left instanceof RateLimiterRes)) throw left
    return refusedBy(limiter, allowanceOf(limiter, left), what)
  }
}

function refusedBy(limiter: RateLimiterMemory, allowance: Allowance, what = 'requests'): Required<Verdict> {
  const retryAfter = Number(allowance['ratelimit-reset'])
  const message = `Too many ${what}: at most ${limiter.points} a minute.`
  return { allowance, refusal: new EngineError('RATE_LIMIT_EXCEEDED', message, { retryAfter }) }
}

function allowanceOf(
  { points }: RateLimiterMemory,
  { remainingPoints, msBeforeNext }: Pick<RateLimiterRes, 'remainingPoints' | 'msBeforeNext'>,
): Allowance {
  return {
    'ratelimit-limit': String(points),
    'ratelimit-remaining': String(remainingPoints),
    'ratelimit-reset': String(Math.max(1, Math.ceil(msBeforeNext / 1000))),
  }
}

import { EngineError } from '../../errors.ts'
import { countedAddress, networkOf } from '../../values/counted-address.ts'

/** The length of a period, in which submissions are counted. */
const PERIOD_MS = 10 * 60_000
/** How many addresses and networks are counted at a time; more begin anew. */
const MAX_KEYS = 100_000

/** How many submissions of each are taken within ten minutes. */
const LIMITS = {
  /** One client: an IPv4 address, or the /64 of an IPv6 address. */
  address: 20,
  /** A network: /24 of IPv4, /48 of IPv6. */
  network: 60,
  /** A form, without proof of work: those of visitors without scripts. */
  plain: 100,
  /** A form, with proof of work. */
  proven: 1000,
} as const
/** How many filled traps within ten minutes are an attack. */
const TRAPS = 100

type Kind = keyof typeof LIMITS

/** Over whose limit a submission is, and how many seconds it lasts. */
export interface OverLimit {
  readonly by: Kind
  readonly wait: number
}

/** The error for a submission over a limit. */
export function tooManySubmissions({ wait }: OverLimit): EngineError {
  return new EngineError('RATE_LIMIT_EXCEEDED', 'Too many submissions; try again in some minutes.', {
    retryAfter: wait,
  })
}

/**
 * Counts submissions in the memory of this process, so that those over a limit cost nothing else. Visitors with proof of
 * work have a limit of their own: programs without it cannot use it up.
 */
export class SubmissionLimits {
  readonly #clients = new Map<string, number>()
  /** As many as there are forms. */
  readonly #forms = new Map<string, number>()
  readonly #used = new Set<string>()
  #until = 0

  /** Counts a submission. Answers whose limit it is over; it is not to be stored then. */
  count(
    formId: string,
    {
      address,
      solution,
      now,
    }: { readonly address: string | undefined; readonly solution?: string; readonly now: Date },
  ): OverLimit | undefined {
    this.#begin(now)
    if (this.#clients.size >= MAX_KEYS) this.#clients.clear()
    // what was used already proves nothing; other processes are asked when it is stored
    const isProven = solution !== undefined && !this.#used.has(solution)
    if (isProven) this.#used.add(solution)
    const form = isProven ? 'proven' : 'plain'
    const keys: readonly (readonly [Kind, string])[] = [
      ...(address === undefined
        ? []
        : ([
            ['address', countedAddress(address)],
            ['network', networkOf(address)],
          ] as const)),
      [form, formId],
    ]
    // the narrowest first: what a client is refused does not count for its form
    for (const [kind, key] of keys) {
      const counts = key === formId ? this.#forms : this.#clients
      const count = (counts.get(`${kind} ${key}`) ?? 0) + 1
      if (count > LIMITS[kind]) return { by: kind, wait: Math.max(1, Math.ceil((this.#until - now.getTime()) / 1000)) }
      counts.set(`${kind} ${key}`, count)
    }
    return undefined
  }

  /** Counts a trap that was filled in; true for one too many. */
  trap(formId: string, now: Date): boolean {
    this.#begin(now)
    const count = (this.#forms.get(`trap ${formId}`) ?? 0) + 1
    this.#forms.set(`trap ${formId}`, count)
    return count > TRAPS
  }

  #begin(now: Date): void {
    const time = now.getTime()
    if (time < this.#until) return
    for (const counted of [this.#clients, this.#forms, this.#used]) counted.clear()
    this.#until = time + PERIOD_MS
  }
}

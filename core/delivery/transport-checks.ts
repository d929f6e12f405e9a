import type { Log } from '../ports/log.ts'
import type { NamedTransport } from '../ports/mail-transport.ts'

/** A next hop is asked so often at most, however often somebody asks for the health. */
const FRESH_MS = 30_000
/** So long a next hop has to answer. */
const PATIENCE_MS = 10_000
/** So long somebody who asks for the health waits for a new answer before the last one has to do. */
const HURRY_MS = 2_000

/** How one part of a running engine is. */
export interface PartHealth {
  readonly ok: boolean
  /** For the log: it may name hosts. */
  readonly error?: string
}

/**
 * Whether the next hops can be reached, as far as the transports can say. A next hop that cannot is no reason to refuse
 * mail: it is kept, and goes out when the next hop is back. So this is told, and nothing waits for it.
 */
export class TransportChecks {
  readonly #hops: readonly NextHop[]

  /** `reachedAt` tells when mail last had an answer of that next hop, by the monotonic clock. */
  constructor(transports: readonly NamedTransport[], reachedAt: (transport: string) => number | undefined, log: Log) {
    this.#hops = transports.flatMap(({ name, transport }) => {
      const check = transport.check?.bind(transport)
      return check ? [new NextHop(name, check, () => reachedAt(name), log)] : []
    })
  }

  /** Asks them all, and warns of each that cannot be reached. Answers at once. */
  ask(): void {
    for (const hop of this.#hops) void hop.ask()
  }

  /** Whether all can be reached, by answers that are at most half a minute old; undefined when no transport can say. */
  async health(): Promise<PartHealth | undefined> {
    if (this.#hops.length === 0) return undefined
    const answers = await Promise.all(this.#hops.map((hop) => hop.health()))
    const errors = answers.flatMap(({ error }) => error ?? [])
    return errors.length === 0 ? { ok: true } : { ok: false, error: errors.join('; ') }
  }

  /** What is still to come is of no interest any more. */
  stop(): void {
    for (const hop of this.#hops) hop.stop()
  }
}

class NextHop {
  #last: { readonly at: number; readonly error: string | undefined } | undefined
  #asked: Promise<void> | undefined
  #isStopped = false

  constructor(
    private readonly name: string,
    private readonly check: () => Promise<void>,
    private readonly reachedAt: () => number | undefined,
    private readonly log: Log,
  ) {}

  /** Answers when it was asked, whatever came of it; while it is being asked nobody asks again. */
  ask(): Promise<void> {
    if (this.#asked) return this.#asked
    const outcome = this.#outcome()
    this.#asked = within(PATIENCE_MS, outcome)
      .then((outcome) => this.#note(outcome === LATE ? TOO_LATE : outcome, performance.now()))
      .finally(async () => {
        // one that never answers is not asked a second time
        await outcome
        this.#asked = undefined
      })
    return this.#asked
  }

  async health(): Promise<PartHealth> {
    const reached = this.reachedAt()
    // while mail goes out nobody need ask, which would be one connection more
    if (reached !== undefined && reached > (this.#last?.at ?? 0)) this.#note(undefined, reached)
    const isFresh = this.#last !== undefined && performance.now() - this.#last.at < FRESH_MS
    if (!isFresh) await within(HURRY_MS, this.ask())
    const error = this.#last === undefined ? 'has not answered yet' : this.#last.error
    return error === undefined ? { ok: true } : { ok: false, error: `${this.name}: ${error}` }
  }

  stop(): void {
    this.#isStopped = true
  }

  async #outcome(): Promise<string | undefined> {
    try {
      await this.check()
      return undefined
    } catch (error) {
      return error instanceof Error ? error.message : String(error)
    }
  }

  /** Says so when it has become another. */
  #note(error: string | undefined, at: number): void {
    if (this.#isStopped) return
    const before = this.#last
    this.#last = { at, error }
    const about = { transport: this.name }
    if (error === undefined && before?.error !== undefined) this.log.info('the next hop can be reached again', about)
    if (error === undefined || (before && before.error !== undefined)) return
    this.log.warn('the next hop cannot be reached; mail is kept until it can', { ...about, error })
  }
}

const LATE = Symbol('late')
const TOO_LATE = `no answer within ${PATIENCE_MS / 1000} seconds`

/** What the work answers, or LATE when it takes longer. */
async function within<T>(ms: number, work: Promise<T>): Promise<T | typeof LATE> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<typeof LATE>((resolve) => {
    timer = setTimeout(resolve, ms, LATE)
    timer.unref()
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

import type { Log } from '../ports/log.ts'
import type { NamedTransport } from '../ports/mail-transport.ts'
import { LATE, within } from '../values/within.ts'

/** The shortest time between two checks of a next hop, however often the health is asked for. */
const FRESH_MS = 30_000
/** How long a next hop has to answer. */
const ANSWER_TIMEOUT_MS = 10_000
/** How long a health request waits for a new answer before it takes the last one. */
const MAX_WAIT_MS = 2_000

/** The health of one part of a running engine. */
export interface PartHealth {
  /** Whether it answered in time. */
  readonly ok: boolean
  /** For the log: it may name hosts. */
  readonly error?: string
}

/** The transports that mail goes through at the moment. */
interface SentThrough {
  readonly inUse: readonly NamedTransport[]
  /** When mail last had an answer of that next hop, by the monotonic clock. */
  reachedAt(transport: NamedTransport): number | undefined
}

/**
 * Checks whether the next hops can be reached, as far as transports support it. An unreachable next hop is no reason to
 * refuse mail: the mail is kept, and goes out when the next hop is back. So this is only reported.
 */
export class TransportChecks {
  readonly #hops = new WeakMap<NamedTransport, NextHop>()
  #isStopped = false

  constructor(
    private readonly transports: SentThrough,
    private readonly log: Log,
  ) {}

  /** Starts a check of all, and warns of each that cannot be reached. Does not wait. */
  ask(): void {
    for (const hop of this.#inUse()) void hop.ask()
  }

  /** Whether all can be reached, by answers at most half a minute old; undefined when no transport can tell. */
  async health(): Promise<PartHealth | undefined> {
    const hops = this.#inUse()
    if (hops.length === 0) return undefined
    const answers = await Promise.all(hops.map((hop) => hop.health()))
    const errors = answers.flatMap(({ error }) => error ?? [])
    return errors.length === 0 ? { ok: true } : { ok: false, error: errors.join('; ') }
  }

  /** Ignores answers that are still to come. */
  stop(): void {
    this.#isStopped = true
    for (const hop of this.#inUse()) hop.stop()
  }

  /** Those that can tell. */
  #inUse(): readonly NextHop[] {
    return this.transports.inUse.flatMap((named) => this.#hops.get(named) ?? this.#found(named))
  }

  #found(named: NamedTransport): readonly NextHop[] {
    const check = named.transport.check?.bind(named.transport)
    if (!check || this.#isStopped) return []
    const hop = new NextHop(named.name, check, () => this.transports.reachedAt(named), this.log)
    this.#hops.set(named, hop)
    return [hop]
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

  /** Answers after a check, whatever its outcome; concurrent calls share one. */
  ask(): Promise<void> {
    if (this.#asked) return this.#asked
    const outcome = this.#outcome()
    this.#asked = within(ANSWER_TIMEOUT_MS, outcome)
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
    // while mail goes out no check is needed, which would take one more connection
    if (reached !== undefined && reached > (this.#last?.at ?? 0)) this.#note(undefined, reached)
    const isFresh = this.#last !== undefined && performance.now() - this.#last.at < FRESH_MS
    if (!isFresh) await within(MAX_WAIT_MS, this.ask())
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

  /** Logs a change. */
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

const TOO_LATE = `no answer within ${ANSWER_TIMEOUT_MS / 1000} seconds`

import { inject, injectable } from '../di.ts'
import { Kit } from '../kit.ts'
import { Store } from '../ports/store/store.ts'
import type { Membership } from '../ports/store/workers.ts'

/** New work starts only if membership was confirmed within this many milliseconds. */
const SURE_MS = 10_000
/** After this long without certain membership, running work is aborted. */
const LAPSE_MS = 20_000
/**
 * After this long without membership a process counts as gone: what it aborted has ended, and others take its work. One
 * that is known to have ended is gone at once.
 */
export const GONE_MS = 30_000
const CHECK_MS = 1_000
/** By how many seconds a lease outlasts the longest try at least. */
const LEAST_MARGIN = 10
/** How many checks the membership may take to be confirmed after a standstill or a leap of the clock. */
const MAX_CHECKS = 3
/** When the wall clock gets this far ahead of the monotonic one, the machine has slept, or the clock was set. */
const LEAP_MS = 2_000

/** How long a worker may hold a mail: a try, and time to render the mail, to abort the try, and to record that. */
export function leaseMs({ settings }: Kit): number {
  const { sendTimeout } = settings.delivery
  return (sendTimeout + Math.max(LEAST_MARGIN, sendTimeout / 3)) * 1000
}

/**
 * The claims of this process. When several processes share a store, each is a member while it works, and its tokens
 * name their member and process: so the others know what a dead process left behind, at once or within a minute, and leave
 * alone what belongs to a living one.
 */
@injectable()
export class Leases {
  readonly #lapsed: (() => void)[] = []
  #membership: Membership | undefined
  #timer: NodeJS.Timeout | undefined
  /** How many checks in a row found the last sign of life too old. */
  #checks = 0
  /** The membership at the last check. */
  #seen = { session: 0, at: 0 }
  /** Both clocks when they were last compared, and the last leap between them. */
  #clocks = { wall: 0, steady: 0 }
  #leap = { at: Number.NEGATIVE_INFINITY, length: 0 }

  constructor(
    @inject(Store) private readonly store: Store,
    @inject(Kit) private readonly kit: Kit,
  ) {}

  /** Call it before anything is claimed. */
  async begin(): Promise<void> {
    await this.#join()
    if (this.#membership) this.#timer = setInterval(() => this.#check(), CHECK_MS).unref()
  }

  /** Call it when nothing is claimed any more. */
  async end(): Promise<void> {
    clearInterval(this.#timer)
    await this.#membership?.leave()
  }

  /** A new token for claims from now on. */
  token(): string {
    const id = this.kit.newId()
    const { name, process } = this.#membership ?? {}
    return [name, process, id].filter((part) => part !== undefined).join('.')
  }

  /**
   * Whether work begun now belongs to this process alone. False when its database may be away, or after the machine has
   * slept.
   */
  get areSure(): boolean {
    if (!this.store.workers) return true
    this.#compareClocks()
    return this.#membership !== undefined && this.#since(this.#membership.seenAt) < SURE_MS
  }

  /** The same for work claimed earlier under this token. */
  hold(token: string): boolean {
    return this.areSure && memberOf(token) === this.#membership?.name
  }

  /** Calls back when others may soon take the work of this process, so that it is aborted before. */
  onLapse(giveUp: () => void): void {
    this.#lapsed.push(giveUp)
  }

  async #join(): Promise<void> {
    this.#clocks = { wall: this.kit.now().getTime(), steady: performance.now() }
    this.#membership = await this.store.workers?.join()
    if (this.#membership) this.#seen = { session: this.#membership.session, at: performance.now() }
  }

  #check(): void {
    if (!this.#membership) return
    this.#compareClocks()
    const { session, seenAt } = this.#membership
    // nothing has been begun under a name that was never a member's
    if (this.#seen.session === 0) this.#seen = { session, at: performance.now() }
    if (session === 0) return
    const isSame = session === this.#seen.session
    // For a session that has ended its last sign of life counts, not the first of the next one.
    const unseen = this.#since(isSame ? seenAt : this.#seen.at)
    if (unseen < LAPSE_MS) {
      this.#checks = 0
      this.#seen = { session, at: Math.max(seenAt, this.#seen.at) }
      return
    }
    this.#checks++
    if (!isSame || this.#checks === MAX_CHECKS) void this.#lapse(this.#membership)
  }

  async #lapse(membership: Membership): Promise<void> {
    clearInterval(this.#timer)
    this.kit.log.warn(
      'other workers may consider this one dead, since it was cut off from the database: tries are given up',
    )
    for (const giveUp of this.#lapsed) giveUp()
    this.#checks = 0
    // Other processes may have its claims by now; a new name keeps it from mistaking them for its own.
    this.#membership = undefined
    await membership.leave()
    await this.begin()
  }

  /** Milliseconds since that time, including those the machine has slept. */
  #since(moment: number): number {
    return performance.now() - moment + (moment <= this.#leap.at ? this.#leap.length : 0)
  }

  #compareClocks(): void {
    const clocks = { wall: this.kit.now().getTime(), steady: performance.now() }
    const length = clocks.wall - this.#clocks.wall - (clocks.steady - this.#clocks.steady)
    if (length > LEAP_MS) this.#leap = { at: clocks.steady, length }
    this.#clocks = clocks
  }
}

/** The member that a token names; undefined when there is none. */
export function memberOf(token: string): string | undefined {
  const dot = token.indexOf('.')
  return dot > 0 ? token.slice(0, dot) : undefined
}

/** The process that a token names; undefined when there is none. */
export function processOf(token: string): string | undefined {
  const [, process, id] = token.split('.', 3)
  return id === undefined ? undefined : process
}

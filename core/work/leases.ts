import { inject, injectable } from '../di.ts'
import { Kit } from '../kit.ts'
import { Store } from '../ports/store/store.ts'
import type { Membership } from '../ports/store/workers.ts'

/** Nothing is begun unless this process was a member so short a time ago, in milliseconds. */
const SURE_MS = 10_000
/** After so long without being one for certain, what is under way is given up. */
const LAPSE_MS = 20_000
/** After so long of being none, a process counts as gone and others take its work: what it gave up has ended by then. */
export const GONE_MS = 30_000
const LOOK_MS = 1_000
/** After a standstill or a leap the proof that it is alive comes within so many looks. */
const LOOKS = 3
/** By so much the wall clock goes ahead of the monotonic one when the machine has slept, or somebody has set it. */
const LEAP_MS = 2_000

/**
 * The claims of this process. Where several share a store it is a member of theirs while it works, and its tokens say
 * whose they are: that is how the others know, within a minute, what a process left behind that has died, and leave alone
 * what belongs to one that has not.
 */
@injectable()
export class Leases {
  readonly #lapsed: (() => void)[] = []
  #membership: Membership | undefined
  #timer: NodeJS.Timeout | undefined
  /** How often in a row a look found it unseen for too long. */
  #looks = 0
  /** What was seen of the membership at the last look. */
  #seen = { session: 0, at: 0 }
  /** The moments of both clocks when they were last compared, and the last leap between them. */
  #clocks = { wall: 0, steady: 0 }
  #leap = { at: Number.NEGATIVE_INFINITY, length: 0 }

  constructor(
    @inject(Store) private readonly store: Store,
    @inject(Kit) private readonly kit: Kit,
  ) {}

  /** Before anything is claimed. */
  async begin(): Promise<void> {
    await this.#join()
    if (this.#membership) this.#timer = setInterval(() => this.#look(), LOOK_MS).unref()
  }

  /** When nothing is claimed any more. */
  async end(): Promise<void> {
    clearInterval(this.#timer)
    await this.#membership?.leave()
  }

  /** A new token for what is claimed from now on. */
  token(): string {
    const id = this.kit.newId()
    return this.#membership ? `${this.#membership.name}.${id}` : id
  }

  /** Whether what is begun now is this process's alone. Not while its database may be away, or when it has slept. */
  get areSure(): boolean {
    if (!this.store.workers) return true
    this.#compareClocks()
    return this.#membership !== undefined && this.#since(this.#membership.seenAt) < SURE_MS
  }

  /** The same for what was claimed under this token before. */
  hold(token: string): boolean {
    return this.areSure && memberOf(token) === this.#membership?.name
  }

  /** Calls this back when others may soon take what is under way here, so that it is given up before. */
  onLapse(giveUp: () => void): void {
    this.#lapsed.push(giveUp)
  }

  async #join(): Promise<void> {
    this.#clocks = { wall: this.kit.now().getTime(), steady: performance.now() }
    this.#membership = await this.store.workers?.join()
    if (this.#membership) this.#seen = { session: this.#membership.session, at: performance.now() }
  }

  #look(): void {
    if (!this.#membership) return
    this.#compareClocks()
    const { session, seenAt } = this.#membership
    // under a name that was never a member's nothing has been begun
    if (this.#seen.session === 0) this.#seen = { session, at: performance.now() }
    if (session === 0) return
    const isSame = session === this.#seen.session
    // Of a session that has ended the last sign of life counts, not the first of the next one.
    const unseen = this.#since(isSame ? seenAt : this.#seen.at)
    if (unseen < LAPSE_MS) {
      this.#looks = 0
      this.#seen = { session, at: Math.max(seenAt, this.#seen.at) }
      return
    }
    this.#looks++
    if (!isSame || this.#looks === LOOKS) void this.#lapse(this.#membership)
  }

  async #lapse(membership: Membership): Promise<void> {
    clearInterval(this.#timer)
    this.kit.log.warn('others may take this worker for dead, for it was cut off from the database: tries are given up')
    for (const giveUp of this.#lapsed) giveUp()
    this.#looks = 0
    // What it has claimed may be somebody else's by now; under another name it is not mistaken for its own.
    this.#membership = undefined
    await membership.leave()
    await this.begin()
  }

  /** Milliseconds since that moment, those too that the machine has slept. */
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

/** The member a token belongs to; undefined when it names none. */
export function memberOf(token: string): string | undefined {
  const dot = token.indexOf('.')
  return dot > 0 ? token.slice(0, dot) : undefined
}

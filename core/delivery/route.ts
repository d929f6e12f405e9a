import type { Answer, NamedTransport } from '../ports/mail-transport.ts'
import type { Lane } from '../ports/queue.ts'
import type { ProjectId } from '../values/project-id.ts'
import type { Gate } from './throttle/gate.ts'
import type { TransportLine, TransportState } from './transport-line.ts'

/** How often a transport in trouble is asked for turns, in milliseconds. */
const LOOK_MS = 100
/** A transport that has begun no mail for this long, in milliseconds, is asked only this often. */
const STILL_MS = 1_000

type Noted = (line: TransportLine, answer: Answer) => void

interface Through {
  readonly waitsFor?: readonly TransportLine[]
  readonly noted?: Noted
  readonly owner?: ProjectId | undefined
}

/**
 * Transports in their order. When one refuses a mail for a reason other than its recipient, the next is tried. One
 * whose next hop is in trouble is left out while another is not; when all are in trouble, mail waits at the gate of the
 * one whose pause ends first.
 */
export class Route {
  #lines: readonly TransportLine[] = []
  #waitsFor: readonly TransportLine[] = []
  /** Called with each answer to mail that goes this way. */
  noted: Noted | undefined
  /** Whether any of its transports has a quota. */
  hasQuotas = false

  /**
   * `owner`: the project whose mail alone goes this way; without one it is that of the installation. The simulator's
   * mail leaves no trace: no limit holds it, and it tells nothing about the world.
   */
  constructor(
    readonly owner?: ProjectId,
    readonly isSimulator = false,
  ) {}

  /**
   * A way through these transports, which other ways may share. While a quota of those that it `waitsFor` is used up, mail
   * waits rather than go to one behind them. `noted` is called with each answer.
   */
  static through(lines: readonly TransportLine[], { waitsFor = [], noted, owner }: Through = {}): Route {
    const route = new Route(owner)
    route.#lines = lines
    route.#waitsFor = waitsFor
    route.noted = noted
    route.hasQuotas = hasQuota(lines)
    return route
  }

  /**
   * Uses these from now on; those that it has already stay as they are. Answers those that are left out, which must be
   * retired.
   */
  use(
    transports: readonly NamedTransport[],
    lineOf: (named: NamedTransport) => TransportLine,
  ): readonly TransportLine[] {
    const before = this.#lines
    this.#lines = transports.map((named) => before.find((line) => line.named === named) ?? lineOf(named))
    this.hasQuotas = hasQuota(this.#lines)
    return before.filter((line) => !this.#lines.includes(line))
  }

  /** The transports that mail goes through now, in their order. */
  get inUse(): readonly NamedTransport[] {
    return this.#lines.map(({ named }) => named)
  }

  /** Gives back what was taken of quotas and not used. Never rejects. */
  async giveBackQuotas(): Promise<void> {
    await Promise.all(this.#lines.map(({ quota }) => quota?.close()))
  }

  /** Its transport with this name. */
  named(name: string): TransportLine | undefined {
    return this.#lines.find((line) => line.name === name)
  }

  /** Whether mail is only kept on this machine. */
  get reachesNobody(): boolean {
    return this.#lines.length > 0 && this.#lines.every(({ named }) => named.transport.reach === 'nobody')
  }

  /** When a mail last had an answer of the transport's next hop, by the monotonic clock. */
  reachedAt(transport: NamedTransport): number | undefined {
    return this.#lines.find(({ named }) => named === transport)?.reachedAt
  }

  /** How each transport stands in this process. */
  states(): readonly TransportState[] {
    return this.#lines.map((line) => line.state())
  }

  /** The gate where mail waits while every transport is in trouble; undefined when one is not. */
  get trouble(): Gate | undefined {
    let [first] = this.#lines
    for (const line of this.#lines) {
      if (line.trouble === undefined) return undefined
      if (first && line.pausedUntil < first.pausedUntil) first = line
    }
    return first?.trouble
  }

  /** The transports in order, without those that are paused; when all are, the one whose pause ends first. */
  lines(): readonly TransportLine[] {
    if (this.#lines.every((line) => !line.isPaused)) return this.#lines
    const free = this.#lines.filter((line) => !line.isPaused)
    return free.length > 0 ? free : this.#lines.toSorted((a, b) => a.pausedUntil - b.pausedUntil)
  }

  /**
   * Those of `lines` whose quotas have room for mail of this lane, as far as this process knows. What is used up is
   * added to `full`, with the time until then.
   */
  open(lane: Lane, full: Map<TransportLine, Date>): readonly TransportLine[] {
    const lines = this.lines()
    for (const line of this.#lines) {
      const until = line.quota?.fullUntil(lane)
      if (until !== undefined) full.set(line, until)
    }
    return lines.filter((line) => !full.has(line) && !this.isKeptFrom(line, full))
  }

  /** Whether mail waits for a transport before this one, which is a fallback, since its quota is used up. */
  isKeptFrom(line: TransportLine, full: ReadonlyMap<TransportLine, Date>): boolean {
    if (full.size === 0 || !this.#waitsFor.some((each) => full.has(each))) return false
    return this.#lines.indexOf(line) > Math.max(...this.#waitsFor.map((each) => this.#lines.indexOf(each)))
  }

  /** Whether a transport may take mail before the quotas in `full` have room again: one that is in trouble now. */
  mayTakeBefore(full: ReadonlyMap<TransportLine, Date>): boolean {
    return this.#lines.some((line) => !full.has(line) && !this.isKeptFrom(line, full))
  }

  /**
   * Answers when few enough mails of this lane wait for the first transport that it can take more, and, while all are in
   * trouble, when one has turns: mail that is not claimed keeps its times, and goes as fast as the transport recovers.
   */
  async room(lane: Lane, stopping: AbortSignal): Promise<void> {
    while (this.most(lane) === 0 && !stopping.aborted) {
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
    }
    for (let [first] = this.lines(); first && !first.slots.hasRoom(lane); [first] = this.lines()) {
      await first.slots.change()
    }
  }

  /** Answers when a waiting mail has got a slot of the first transport. */
  async change(): Promise<void> {
    await this.lines()[0]?.slots.change()
  }

  /** Whether all its transports are paused: mail that is claimed now is put off until the first of them is not. */
  get isPaused(): boolean {
    return this.lines()[0]?.isPaused === true
  }

  /** Whether `room` would answer at once. */
  takes(lane: Lane): boolean {
    return this.most(lane) !== 0 && this.lines()[0]?.slots.hasRoom(lane) !== false
  }

  /** In how many milliseconds to look again whether it takes mail. */
  lookInMs(lane: Lane): number {
    const [first] = this.lines()
    if (first === undefined || this.takes(lane)) return 0
    const now = performance.now()
    if (first.isPaused) return first.pausedUntil - now
    return now - first.slots.grantedAt > STILL_MS ? STILL_MS : LOOK_MS
  }

  /** How many mails of this lane may be claimed now; undefined for any number. */
  most(lane: Lane): number | undefined {
    return this.trouble?.room(lane)
  }
}

function hasQuota(lines: readonly TransportLine[]): boolean {
  return lines.some(({ quota }) => quota !== undefined)
}

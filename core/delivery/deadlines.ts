import { LONGEST_TIMER_MS } from '../values/longest-timer.ts'

/** How long a transport may take to answer after its signal was aborted. */
const GRACE_MS = 5_000
/** Tries that begin within this time share a deadline: a signal and a timer for each would cost too much. */
const TOGETHER_MS = 500

/** The time limit of a try. */
export interface Deadline {
  readonly signal: AbortSignal
  /** Resolves when the transport did not answer in time even after its signal was aborted. */
  readonly lost: Promise<void>
  /** Must be called once when the try is over. */
  end(): void
}

/** Time limits of tries. Those that begin at about the same time have one in common, and are aborted together. */
export class Deadlines {
  readonly #running = new Set<CommonDeadline>()
  #latest: CommonDeadline | undefined

  constructor(private readonly ms: number) {}

  /** Begins a try, which is aborted at the earliest after its time, and half a second later at the latest. */
  start(): Deadline {
    const now = performance.now()
    let deadline = this.#latest
    if (deadline === undefined || deadline.isOver || now >= deadline.since + TOGETHER_MS) {
      deadline = new CommonDeadline(now, this.ms, (ended) => this.#running.delete(ended))
      this.#running.add(deadline)
      this.#latest = deadline
    }
    deadline.join()
    return deadline
  }

  /** Aborts every running try when this signal is aborted, until the answered function is called. */
  follow(signal: AbortSignal): () => void {
    const abort = () => this.giveUp(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    return () => signal.removeEventListener('abort', abort)
  }

  /** Aborts every running try now. */
  giveUp(reason: Error): void {
    for (const deadline of this.#running) deadline.abort(reason)
  }
}

/** The deadline of tries that began at about the same time. */
class CommonDeadline implements Deadline {
  readonly signal: AbortSignal
  readonly lost: Promise<void>
  /** When its first try began, by the monotonic clock. */
  readonly since: number
  readonly #controller = new AbortController()
  readonly #ended: (deadline: CommonDeadline) => void
  readonly #lose: () => void
  #tries = 0
  #timer: NodeJS.Timeout

  constructor(since: number, ms: number, ended: (deadline: CommonDeadline) => void) {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.since = since
    this.signal = this.#controller.signal
    this.lost = promise
    this.#lose = resolve
    this.#ended = ended
    const late = () => this.abort(new Error(`took longer than ${ms / 1000} s`))
    this.#timer = setTimeout(late, Math.min(ms + TOGETHER_MS, LONGEST_TIMER_MS))
  }

  /** True when no other try may join: all have ended, or they were aborted. */
  get isOver(): boolean {
    return this.#tries === 0 || this.signal.aborted
  }

  join(): void {
    this.#tries++
  }

  end(): void {
    this.#tries--
    if (this.#tries > 0) return
    clearTimeout(this.#timer)
    this.#ended(this)
  }

  abort(reason: unknown): void {
    if (this.signal.aborted) return
    clearTimeout(this.#timer)
    this.#controller.abort(reason)
    this.#timer = setTimeout(() => this.#lose(), GRACE_MS)
  }
}

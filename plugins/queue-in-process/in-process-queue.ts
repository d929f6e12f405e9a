import { AsyncLocalStorage } from 'node:async_hooks'
import { EngineError } from '../../core/errors.ts'
import type { PluginKit } from '../../core/plugin/types.ts'
import { LimitedLog } from '../../core/ports/limited-log.ts'
import type { Lane, Queue, Ring, Wake } from '../../core/ports/queue.ts'
import { LONGEST_TIMER_MS } from '../../core/values/longest-timer.ts'

/** After this long a wake that threw is repeated. */
const AGAIN_MS = 1_000

/** The rings of one topic and lane. */
interface Bell {
  readonly topic: string
  readonly lane: Lane
  /** When to wake, by the monotonic clock; undefined while it is not rung. */
  at: number | undefined
  timer: NodeJS.Timeout | undefined
  running: Promise<void> | undefined
}

/** The doorbell of a single process. */
export class InProcessQueue implements Queue {
  readonly exclusive = true
  readonly #bells = new Map<string, Bell>()
  readonly #wakes = new Map<string, Wake>()
  // a wake must not see the transaction or request of the caller that rang
  readonly #outside = AsyncLocalStorage.snapshot()
  readonly #kit: PluginKit
  readonly #warnings: LimitedLog
  #isStopped = false

  constructor(kit: PluginKit) {
    this.#kit = kit
    this.#warnings = new LimitedLog(kit.log, 1)
  }

  async ring(topic: string, { lane = 'workflow', at }: Ring = {}): Promise<void> {
    await this.check()
    const key = `${lane} ${topic}`
    const bell = this.#bells.get(key) ?? { topic, lane, at: undefined, timer: undefined, running: undefined }
    this.#bells.set(key, bell)
    const ahead = at ? Math.max(0, at.getTime() - this.#kit.clock.now().getTime()) : 0
    this.#wakeAt(bell, performance.now() + ahead)
  }

  async listen(topics: readonly string[], wake: Wake): Promise<void> {
    await this.check()
    const taken = topics.find((topic) => this.#wakes.has(topic))
    if (taken !== undefined) throw new EngineError('CONFLICT', `queue: ${taken} is listened to already`)
    for (const topic of topics) this.#wakes.set(topic, wake)
    for (const bell of this.#bells.values()) this.#arm(bell)
  }

  async check(): Promise<void> {
    if (this.#isStopped) throw new EngineError('SERVICE_UNAVAILABLE', 'queue: it has been stopped')
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    for (const { timer } of this.#bells.values()) clearTimeout(timer)
    await Promise.all([...this.#bells.values()].map(({ running }) => running))
  }

  #wakeAt(bell: Bell, at: number): void {
    if (bell.at !== undefined && bell.at <= at) return
    bell.at = at
    this.#arm(bell)
  }

  /** Wakes when the time has come; sooner, it sets the timer. A timer may fire a little early. */
  #arm(bell: Bell): void {
    const wake = this.#wakes.get(bell.topic)
    if (bell.at === undefined || bell.running || !wake || this.#isStopped) return
    clearTimeout(bell.timer)
    const left = bell.at - performance.now()
    if (left > 0) bell.timer = setTimeout(() => this.#arm(bell), Math.min(Math.ceil(left), LONGEST_TIMER_MS)).unref()
    else bell.running = this.#wake(bell, wake)
  }

  async #wake(bell: Bell, wake: Wake): Promise<void> {
    const { topic, lane } = bell
    // what is rung for in this turn of the event loop is done together
    await new Promise((resolve) => setImmediate(resolve))
    bell.at = undefined
    try {
      if (!this.#isStopped) await this.#outside(() => wake(topic, lane))
    } catch (error) {
      this.#warnings.warn('look', 'queue: looking for work failed; it is tried again', { topic, lane, error })
      this.#wakeAt(bell, performance.now() + AGAIN_MS)
    }
    bell.running = undefined
    this.#arm(bell)
  }
}

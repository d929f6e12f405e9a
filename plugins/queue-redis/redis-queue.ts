import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as pause } from 'node:timers/promises'
import { EngineError } from '../../core/errors.ts'
import type { PluginKit } from '../../core/plugin/types.ts'
import { LimitedLog } from '../../core/ports/limited-log.ts'
import { LANES, type Lane, type Queue, type Ring, type Wake } from '../../core/ports/queue.ts'
import { MergedRings } from '../kit/merged-rings.ts'
import { type Bell, Bells } from './bell.ts'
import { RedisConnections, type RedisOptions, RedisRefused, withoutCommand } from './connections.ts'

/** After this long a wake that threw is repeated. */
const AGAIN_MS = 1_000
/** How often a bell is looked at without a message. */
const LOOK_MS = 10_000
/** Rings further ahead than this wake too early: BullMQ's times end in 2039. */
const MAX_AHEAD_MS = 30 * 24 * 3600 * 1000

/** The topic of the rings of checks. */
const CHECK = 'check'

/** A bell that this process listens to. */
interface Listened {
  readonly topic: string
  readonly lane: Lane
  readonly bell: Bell
  readonly wake: Wake
  running: Promise<void> | undefined
  /** When the timer fires; undefined without one. */
  due: number | undefined
  timer: NodeJS.Timeout | undefined
  /** The look that is under way, if there is one. */
  looking: Promise<void> | undefined
  isAsked: boolean
}

/** The doorbell of several processes. What it does beyond the port's promises is described in `index.ts`. */
export class RedisQueue implements Queue {
  readonly exclusive = false
  readonly #kit: PluginKit
  readonly #warnings: LimitedLog
  readonly #redis: RedisConnections
  readonly #bells: Bells
  readonly #merged = new MergedRings()
  readonly #listened = new Map<string, Listened>()
  readonly #outside = AsyncLocalStorage.snapshot()
  readonly #stopping = new AbortController()
  #stopped: Promise<void> | undefined
  #looks: NodeJS.Timeout | undefined

  constructor(options: RedisOptions, kit: PluginKit) {
    this.#kit = kit
    this.#warnings = new LimitedLog(kit.log, 1)
    this.#redis = new RedisConnections(options, kit.log, {
      isReady: () => void this.#bells.describe().catch((error: Error) => this.#failed(error)),
      hears: (message) => this.#hear(message),
      canHear: () => this.#lookAtAll(),
    })
    this.#bells = new Bells(this.#redis.client, options.prefix, (error) => this.#failed(error))
  }

  /** Connects. Throws EngineError `CONFIG_INVALID` when Redis refuses it; one that cannot be reached is tried again. */
  async open(): Promise<void> {
    try {
      await this.#redis.open()
    } catch (error) {
      await this.stop()
      if (error instanceof RedisRefused) throw new EngineError('CONFIG_INVALID', `queue: ${error.message}`)
      throw error
    }
  }

  async ring(topic: string, { lane = 'workflow', at }: Ring = {}): Promise<void> {
    this.#refuseWhenStopped()
    try {
      await this.#merged.ring(`${lane} ${topic}`, at, (earliest) => this.#ring(this.#bells.of(topic, lane), earliest))
    } catch (error) {
      throw unavailable('it could not ring', error)
    }
  }

  async listen(topics: readonly string[], wake: Wake): Promise<void> {
    this.#refuseWhenStopped()
    const taken = topics.find((topic) => this.#listened.has(`${LANES[0]} ${topic}`))
    if (taken !== undefined) throw new EngineError('CONFLICT', `queue: ${taken} is listened to already`)
    for (const topic of topics) for (const lane of LANES) this.#listen(topic, lane, wake)
    this.#looks ??= setInterval(() => this.#lookAtAll(), LOOK_MS).unref()
    await this.#redis.listen()
    this.#lookAtAll()
  }

  async check(): Promise<void> {
    this.#refuseWhenStopped()
    try {
      // a ring for real, which no one hears: a server that is full, a replica or missing rights show in nothing less
      await Promise.all([this.#ring(this.#bells.of(CHECK, 'workflow'), undefined), this.#redis.checkEars()])
    } catch (error) {
      throw unavailable('Redis does not answer as it should', error)
    }
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#stop()
    return this.#stopped
  }

  async #stop(): Promise<void> {
    this.#stopping.abort()
    clearInterval(this.#looks)
    for (const { timer } of this.#listened.values()) clearTimeout(timer)
    await Promise.all([...this.#listened.values()].map(({ looking }) => looking))
    await Promise.all([...this.#listened.values()].map(({ running }) => running))
    await this.#bells.close().catch((error: Error) => this.#failed(error))
    await this.#redis.close()
  }

  async #ring(bell: Bell, at: Date | undefined): Promise<void> {
    const ahead = at ? Math.max(0, at.getTime() - this.#kit.clock.now().getTime()) : 0
    this.#redis.requireReady()
    await bell.ring(Math.min(ahead, MAX_AHEAD_MS))
    // the ring is kept: without the message it is found a little later
    this.#redis.say(`${Math.ceil(ahead)} ${bell.name}`)
  }

  #listen(topic: string, lane: Lane, wake: Wake): void {
    const bell = this.#bells.of(topic, lane)
    const state = { running: undefined, due: undefined, timer: undefined, looking: undefined, isAsked: false }
    const listened: Listened = Object.assign(state, { topic, lane, bell, wake })
    this.#listened.set(bell.name, listened)
    bell.watch(() => this.#look(listened)).catch((error: Error) => this.#failed(error))
  }

  #hear(message: string): void {
    const [, ahead = '', name = ''] = /^(\d+) (.*)$/.exec(message) ?? []
    const listened = this.#listened.get(name)
    if (listened === undefined) return
    if (Number(ahead) > 0) this.#lookAt(listened, performance.now() + Number(ahead))
    else this.#look(listened)
  }

  #lookAtAll(): void {
    for (const each of this.#listened.values()) this.#look(each)
  }

  /** Looks when the time has come, unless an earlier one is noted. */
  #lookAt(listened: Listened, due: number): void {
    if (this.#stopping.signal.aborted || (listened.due !== undefined && listened.due <= due)) return
    // the regular looks find what is further ahead
    if (due > performance.now() + LOOK_MS) return
    clearTimeout(listened.timer)
    listened.due = due
    const fire = () => {
      listened.due = undefined
      this.#look(listened)
    }
    // a little later: timers may fire early, and clocks of machines differ
    listened.timer = setTimeout(fire, due - performance.now() + 2).unref()
  }

  #look(listened: Listened): void {
    listened.isAsked = true
    listened.looking ??= this.#lookNow(listened)
      .catch((error: Error) => this.#failed(error))
      .finally(() => {
        listened.looking = undefined
        // asked for when the last look had just ended
        if (this.#mayLook(listened)) this.#look(listened)
      })
  }

  #mayLook({ isAsked, running }: Listened): boolean {
    return isAsked && !running && !this.#stopping.signal.aborted && this.#redis.isReady
  }

  async #lookNow(listened: Listened): Promise<void> {
    while (this.#mayLook(listened)) {
      listened.isAsked = false
      const { taken, next } = await listened.bell.take()
      if (next !== undefined) this.#lookAt(listened, performance.now() + Math.max(0, next - Date.now()))
      if (!taken) continue
      // taken while it was stopped: it is for another process
      if (this.#stopping.signal.aborted) await this.#ring(listened.bell, undefined)
      else listened.running = this.#wake(listened)
    }
  }

  async #wake(listened: Listened): Promise<void> {
    const { topic, lane, wake } = listened
    const { signal } = this.#stopping
    for (let isOwed = true; isOwed && !signal.aborted; ) {
      try {
        await this.#outside(() => wake(topic, lane))
        isOwed = false
      } catch (error) {
        this.#warnings.warn('look', 'queue: looking for work failed; it is tried again', { topic, lane, error })
        await pause(AGAIN_MS, undefined, { signal }).catch(() => {})
      }
    }
    listened.running = undefined
    // what was rung for meanwhile, and not taken by others
    if (!signal.aborted) this.#look(listened)
  }

  /** Logs a failure; the work is done at the next look. */
  #failed(error: Error): void {
    this.#kit.log.debug('queue: it could not ask Redis', { error: withoutCommand(error) })
  }

  #refuseWhenStopped(): void {
    if (this.#stopping.signal.aborted) throw unavailable('it has been stopped')
  }
}

function unavailable(what: string, cause?: unknown): EngineError {
  if (!(cause instanceof Error)) return new EngineError('SERVICE_UNAVAILABLE', `queue: ${what}`)
  const error = withoutCommand(cause)
  return new EngineError('SERVICE_UNAVAILABLE', `queue: ${what}: ${error.message}`, { cause: error })
}

import { createRedisBackend, type IQueueBackend, Queue, type RedisQueueBackend, Worker } from 'bullmq'
import type { Redis } from 'ioredis'
import type { Lane } from '../../core/ports/queue.ts'

/** The job of a ring for now. */
const NOW = 'now'
/**
 * A job is completed within a few round trips. When that takes longer, its process has died, or Redis's answer was lost, and it
 * is given back at the next look at such jobs or the one after.
 */
const LOCK_MS = 5_000
const STALLED_MS = 5_000
/** BullMQ notes what happens to jobs, for observers. Ours have none: the least it can keep. */
const EVENTS = { events: { maxLen: 1 } }
const META = { 'opts.maxLenEvents': EVENTS.events.maxLen }

const settingsOf = (client: Redis, prefix: string) => ({
  connection: client,
  prefix,
  lockDuration: LOCK_MS,
  stalledInterval: STALLED_MS,
  // a ring is harmless, however often its process died
  maxStalledCount: 1_000_000,
  streams: EVENTS,
  skipVersionCheck: true,
  skipWaitingForReady: true,
  skipMetasUpdate: true,
})

type Settings = ReturnType<typeof settingsOf>

const queueOn = (key: string, settings: Settings, backend: () => IQueueBackend) => new Queue(key, settings, backend)
const workerOn = (key: string, settings: Settings, backend: () => IQueueBackend) =>
  new Worker(key, undefined, settings, backend)

/** All bells of a process share a connection. */
export class Bells {
  readonly #settings: Settings
  readonly #shared: RedisQueueBackend
  readonly #bells = new Map<string, Bell>()
  readonly #failed: (error: Error) => void

  /** `failed` is called with what goes wrong where no one waits for it. */
  constructor(client: Redis, prefix: string, failed: (error: Error) => void) {
    this.#settings = settingsOf(client, prefix)
    this.#shared = createRedisBackend('rings', this.#settings)
    this.#shared.on('error', failed)
    this.#failed = failed
  }

  of(topic: string, lane: Lane): Bell {
    const name = `${lane} ${topic}`
    const bell = this.#bells.get(name) ?? this.#make(name, topic, lane)
    this.#bells.set(name, bell)
    return bell
  }

  /** Tells Redis how little it need keep: it may have come back empty. */
  async describe(): Promise<void> {
    await Promise.all([...this.#bells.values()].map((bell) => bell.describe()))
  }

  async close(): Promise<void> {
    await Promise.all([...this.#bells.values()].map((bell) => bell.close()))
    await this.#shared.close()
  }

  #make(name: string, topic: string, lane: Lane): Bell {
    // a colon ends the name of a queue of BullMQ
    const key = `${topic.replaceAll(':', '_')}-${lane}`
    return new Bell(name, key, this.#settings, () => this.#shared.forQueue(key), this.#failed)
  }
}

/** The rings of one topic and lane: a queue of BullMQ with one job, the earliest of them. */
export class Bell {
  readonly name: string
  readonly #queue: ReturnType<typeof queueOn>
  readonly #worker: ReturnType<typeof workerOn>
  readonly #described: Promise<void>
  #taken = 0
  #isWatched = false

  constructor(
    name: string,
    key: string,
    settings: Settings,
    backend: () => IQueueBackend,
    failed: (error: Error) => void,
  ) {
    this.name = name
    this.#queue = queueOn(key, settings, backend)
    this.#worker = workerOn(key, settings, backend)
    this.#queue.on('error', failed)
    this.#worker.on('error', failed)
    this.#described = this.describe().catch(() => {})
  }

  /**
   * Rings in `ahead` milliseconds; the time is by the clock of this machine. What races with it leaves a job too many,
   * never one too few: then it wakes twice.
   */
  async ring(ahead: number): Promise<void> {
    await this.#described
    if (ahead <= 0) return void (await this.#add(NOW, 0))
    const due = Date.now() + ahead
    const waiting = await this.#waiting()
    if (waiting.some((each) => each.due <= due)) return
    await this.#add(`at-${due}`, ahead)
    // one that is later: this has taken its place
    await Promise.all(waiting.map(({ id }) => this.#queue.remove(id)))
  }

  /** Takes the ring when it is due: this process wakes for it. Else answers when to try again, if that is known. */
  async take(): Promise<{ readonly taken: boolean; readonly next?: number | undefined }> {
    const token = `${this.#worker.id}-${this.#taken++}`
    const job = await this.#worker.getNextJob(token, { block: false })
    if (job === undefined) return { taken: false, next: (await this.#waiting())[0]?.due }
    // the others have become one with it: the work they are for was stored before, so the wake finds it
    await Promise.all([job.moveToCompleted(null, token, false), this.#queue.drain(true)])
    return { taken: true }
  }

  /** From now on, what a process that died had just taken is given back; `given` is called then. */
  async watch(given: () => void): Promise<void> {
    if (this.#isWatched) return
    this.#isWatched = true
    this.#worker.on('stalled', given)
    await this.#worker.startStalledCheckTimer()
  }

  async describe(): Promise<void> {
    await this.#queue.backend.setQueueMeta(META)
  }

  async close(): Promise<void> {
    await this.#worker.close()
    await this.#queue.close()
  }

  #add(jobId: string, delay: number): Promise<unknown> {
    return this.#queue.add('ring', {}, { jobId, delay, removeOnComplete: true, removeOnFail: true })
  }

  /** The first of those that are due, and of those that are not. */
  async #waiting(): Promise<readonly { readonly id: string; readonly due: number }[]> {
    const jobs = await this.#queue.getJobs(['waiting', 'delayed'], 0, 0, true)
    return jobs
      .flatMap(({ id, timestamp, delay }) => (id === undefined ? [] : [{ id, due: timestamp + delay }]))
      .sort((a, b) => a.due - b.due)
  }
}

import { AsyncLocalStorage } from 'node:async_hooks'
import { EventEmitter } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { Logger, runTaskList, type TaskList, type WorkerPool } from 'graphile-worker'
import pg from 'pg'
import { EngineError } from '../../core/errors.ts'
import type { PluginKit } from '../../core/plugin/types.ts'
import { LimitedLog } from '../../core/ports/limited-log.ts'
import type { Log } from '../../core/ports/log.ts'
import type { Lane, Queue, Ring, Wake } from '../../core/ports/queue.ts'
import { type ConnectionOptions, logDeaths, poolConfig } from '../kit/postgres/connection.ts'
import { FetcherPool } from './fetcher-pool.ts'
import { refusePooler } from './refuse-pooler.ts'
import { keyOf, makeTables, Rings } from './rings.ts'

/** How many rings are taken at the same time: a wake is only begun, so each takes a moment. */
const TAKERS = 2
/** How often the table is looked at without a notice, in milliseconds, and how often a process asks for its database. */
const POLL_MS = 2_000
const WATCH_MS = 5_000
const STATEMENT_MS = 10_000
/** After this long a wake that threw is repeated. */
const AGAIN_MS = 1_000
/** Milliseconds before a lost database is tried again, at first and at most. */
const BACK_OFF = { first: 100, most: 5_000 }
/** How long a stop waits for the database, in milliseconds. */
const FAREWELL_MS = 3_000
/** Rings may be lost when the database server crashes, so they need not wait for the disk. */
const NO_SYNC = 'set synchronous_commit = off'
/** After one of these events, rings may no longer arrive, whatever state the connections seem to be in. */
const FAILURES = ['pool:listen:error', 'pool:fatalError', 'pool:gracefulShutdown'] as const

export interface PostgresQueueOptions extends ConnectionOptions {
  readonly schema: string
}

/** The doorbell of several processes. What it does beyond the port's promises is described in `index.ts`. */
export class PostgresQueue implements Queue {
  readonly exclusive = false
  readonly #options: PostgresQueueOptions
  readonly #log: Log
  readonly #warnings: LimitedLog
  readonly #pool: pg.Pool
  readonly #rings: Rings
  readonly #tasks: TaskList = {}
  readonly #running = new Map<string, Promise<void>>()
  readonly #outside = AsyncLocalStorage.snapshot()
  readonly #stopping = new AbortController()
  #taker: WorkerPool | undefined
  #taking: Promise<void> | undefined
  #stopped: Promise<void> | undefined

  constructor(options: PostgresQueueOptions, { clock, log }: PluginKit) {
    this.#options = options
    this.#log = log
    this.#warnings = new LimitedLog(log, 1)
    const own = { name: 'mailwright queue', max: 2, statementMs: STATEMENT_MS, onConnect: NO_SYNC }
    this.#pool = new pg.Pool(poolConfig(options, own))
    logDeaths(this.#pool, log)
    this.#rings = new Rings(this.#pool, options.schema, clock, () => void this.#taker?.nudge(1))
  }

  /**
   * Connects and makes the tables. Throws EngineError `SERVICE_UNAVAILABLE`, or `CONFIG_INVALID` behind a pooler in transaction
   * mode, and then nothing stays open.
   */
  async open(): Promise<void> {
    try {
      await refusePooler(this.#options)
      await makeTables(this.#pool, this.#options.schema, workerLogger(this.#log))
    } catch (error) {
      await this.#pool.end()
      if (EngineError.is(error)) throw error
      throw unavailable('it cannot open its database', error)
    }
  }

  async ring(topic: string, { lane = 'workflow', at }: Ring = {}): Promise<void> {
    this.#refuseWhenStopped()
    try {
      await this.#rings.ring(topic, lane, at)
    } catch (error) {
      throw unavailable('it could not ring', error)
    }
  }

  async listen(topics: readonly string[], wake: Wake): Promise<void> {
    this.#refuseWhenStopped()
    const taken = topics.find((topic) => Object.hasOwn(this.#tasks, topic))
    if (taken !== undefined) throw new EngineError('CONFLICT', `queue: ${taken} is listened to already`)
    for (const topic of topics) {
      this.#tasks[topic] = (payload) => this.#answer(topic, (payload as { readonly lane: Lane }).lane, wake)
    }
    this.#taking ??= this.#keepTaking()
    this.#taker?.nudge(1)
  }

  async check(): Promise<void> {
    this.#refuseWhenStopped()
    if (this.#taking !== undefined && this.#taker === undefined) {
      throw unavailable('it has lost its database and tries to reach it again')
    }
    try {
      await this.#pool.query('select 1')
    } catch (error) {
      throw unavailable('its database does not answer', error)
    }
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#stop()
    return this.#stopped
  }

  async #stop(): Promise<void> {
    this.#stopping.abort()
    this.#rings.stop()
    await Promise.all(this.#running.values())
    const calm = new AbortController()
    await Promise.race([this.#taking, pause(FAREWELL_MS, undefined, { signal: calm.signal }).catch(() => {})])
    calm.abort()
    await this.#pool.end()
  }

  /** Begins the wake; its row is done at once. */
  async #answer(topic: string, lane: Lane, wake: Wake): Promise<void> {
    const key = keyOf(topic, lane)
    if (this.#stopping.signal.aborted) return
    if (!this.#running.has(key)) this.#running.set(key, this.#wake(topic, lane, wake))
    // fetched before the first began: it is put back for another process, or for this one when it is done
    else await this.#rings.ring(topic, lane, undefined)
  }

  async #wake(topic: string, lane: Lane, wake: Wake): Promise<void> {
    let isOwed = false
    try {
      await this.#outside(() => wake(topic, lane))
    } catch (error) {
      this.#warnings.warn('look', 'queue: looking for work failed; it is tried again', { topic, lane, error })
      await pause(AGAIN_MS, undefined, { signal: this.#stopping.signal }).catch(() => {})
      isOwed = true
    }
    this.#running.delete(keyOf(topic, lane))
    if (isOwed) void this.#answer(topic, lane, wake)
    // rings of this key were left to others meanwhile
    else this.#taker?.nudge(1)
  }

  /** Takes rings until the stop, also after the database was away. */
  async #keepTaking(): Promise<void> {
    const { signal } = this.#stopping
    const stopped = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
    while (!signal.aborted) {
      const listener = { name: 'mailwright queue worker', max: 4, statementMs: STATEMENT_MS, onConnect: NO_SYNC }
      const pool = new FetcherPool(this.#options, listener, this.#log)
      const failed = Promise.withResolvers<void>()
      this.#taker = this.#start(pool, failed.resolve)
      const taker = this.#taker
      const watch = new AbortController()
      await Promise.race([failed.promise, silence(pool, watch.signal), stopped])
      watch.abort()
      this.#taker = undefined
      pool.forgive()
      const ended = Promise.resolve(taker.gracefulShutdown())
        .catch((error: unknown) => this.#log.debug('queue: it did not end cleanly', { error }))
        .finally(() => pool.end())
      if (signal.aborted) await ended
      else await this.#comeBack()
    }
  }

  #start(pool: pg.Pool, fail: () => void): WorkerPool {
    const events = new EventEmitter()
    for (const event of FAILURES) events.on(event, () => fail())
    // rings from before LISTEN notified no process: look once, when LISTEN has surely been answered
    const look = (client: pg.PoolClient) => client.query('select 1').then(() => void this.#taker?.nudge(TAKERS))
    events.on('pool:listen:success', ({ client }) => setImmediate(() => void look(client).catch(() => {})))
    const options = {
      schema: this.#options.schema,
      noHandleSignals: true,
      logger: workerLogger(this.#log),
      events,
      concurrency: TAKERS,
      pollInterval: POLL_MS,
      // with any delay a failure to write these is an event; without one it is an unhandled rejection, which ends the process
      preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
      // a ring for what runs here already is left to another process
      forbiddenFlags: () => [...this.#running.keys()],
    }
    const taker = runTaskList(options, this.#tasks, pool)
    // the caller that stops the pool gets the error; a pool that ends without a stop has reported it by an event
    taker.promise.catch(() => {})
    return taker
  }

  /** Answers when the database is back, or at the stop. */
  async #comeBack(): Promise<void> {
    this.#log.warn('queue: it has lost its database and tries to reach it again')
    const { signal } = this.#stopping
    for (let wait = BACK_OFF.first; !signal.aborted; wait = Math.min(wait * 2, BACK_OFF.most)) {
      await pause(wait, undefined, { signal }).catch(() => {})
      try {
        await this.#pool.query('select 1')
        return this.#log.info('queue: it works again')
      } catch (error) {
        this.#log.debug('queue: its database does not answer yet', { error })
      }
    }
  }

  #refuseWhenStopped(): void {
    if (this.#stopping.signal.aborted) throw unavailable('it has been stopped')
  }
}

/** Answers when the database no longer responds though its connections seem open, or when aborted. */
async function silence(pool: pg.Pool, signal: AbortSignal): Promise<void> {
  try {
    for (;;) {
      await pause(WATCH_MS, undefined, { signal })
      await pool.query('select 1')
    }
  } catch {}
}

/** graphile-worker's messages help only in debugging. The queue logs what matters itself. */
function workerLogger(log: Log): Logger {
  return new Logger(() => (level, message, fields) => {
    if (level === 'error' || level === 'warning')
      log.debug(`queue: graphile-worker: ${message}`, { error: fields.error })
  })
}

function unavailable(what: string, cause?: unknown): EngineError {
  const why = cause instanceof Error ? `: ${cause.message}` : ''
  return new EngineError('SERVICE_UNAVAILABLE', `queue: ${what}${why}`, cause === undefined ? {} : { cause })
}

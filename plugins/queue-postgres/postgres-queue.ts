import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { EngineError } from '../../core/errors.ts'
import type { PluginKit } from '../../core/plugin/types.ts'
import type { Clock } from '../../core/ports/clock.ts'
import type { Log } from '../../core/ports/log.ts'
import type { Job, Lane, Queue, Worker } from '../../core/ports/queue.ts'
import { type ConnectionOptions, logDeaths, poolConfig } from '../kit/postgres/connection.ts'
import { Adds, rowOf } from './adds.ts'
import { DueTimers } from './due-timers.ts'
import { FetcherPool } from './fetcher-pool.ts'
import { HandlerRunner } from './handler-runner.ts'
import { RowFetcher } from './row-fetcher.ts'
import { type Row, Tables } from './tables.ts'

/** For adding (one batch at a time), counting and checking. */
const OWN_CONNECTIONS = 3
const STATEMENT_MS = 10_000
/** How often a working process asks whether its database is there, in milliseconds. */
const WATCH_MS = 5_000
/** Milliseconds before a lost database is tried again, at first and at most. */
const BACK_OFF = { first: 100, most: 5_000 }
/** How long a stop waits for the database once no handler runs, in milliseconds. */
const FAREWELL_MS = 3_000

/**
 * What the queue writes may be lost when the database server crashes, since recovery adds it again from the ledger. So
 * its commits need not wait for the disk.
 */
const NO_SYNC = 'set synchronous_commit = off'

/** For each lane a connection to listen, one to fetch and one to report what is done, and one to spare. */
const FETCHER_POOL = { name: 'mailwright queue worker', max: 10, statementMs: STATEMENT_MS, onConnect: NO_SYNC }

export interface PostgresQueueOptions extends ConnectionOptions {
  readonly concurrency: number
  readonly retryPauseMs: number
  readonly schema: string
}

/** The queue of several processes. What it does beyond the port's promises is described in `index.ts`. */
export class PostgresQueue implements Queue {
  readonly exclusive = false
  readonly #options: PostgresQueueOptions
  readonly #log: Log
  readonly #clock: Clock
  readonly #pool: pg.Pool
  readonly #tables: Tables
  readonly #adds: Adds
  readonly #runner: HandlerRunner
  readonly #timers: DueTimers
  readonly #stopping = new AbortController()
  #fetcher: RowFetcher | undefined
  #fetching: Promise<void> | undefined
  #ended: Promise<void> | undefined

  constructor(options: PostgresQueueOptions, { clock, log }: PluginKit) {
    this.#options = options
    this.#log = log
    this.#clock = clock
    const own = { name: 'mailwright queue', max: OWN_CONNECTIONS, statementMs: STATEMENT_MS, onConnect: NO_SYNC }
    this.#pool = new pg.Pool(poolConfig(options, own))
    logDeaths(this.#pool, log)
    this.#tables = new Tables(this.#pool, options.schema)
    this.#adds = new Adds((rows) => this.#tables.add(rows))
    this.#runner = new HandlerRunner({
      concurrency: options.concurrency,
      pauses: [options.retryPauseMs, options.retryPauseMs * 5],
      again: (rows, inMs) => this.#again(rows, inMs),
      log,
    })
    this.#timers = new DueTimers((lane) => this.#fetcher?.nudge(lane))
  }

  /** Connects and makes the tables. Throws EngineError `SERVICE_UNAVAILABLE`, and then nothing stays open. */
  async open(): Promise<void> {
    try {
      await this.#tables.migrate(this.#log)
    } catch (error) {
      await this.#pool.end()
      throw unavailable('it cannot open its database', error)
    }
  }

  async add(jobs: readonly Job[]): Promise<void> {
    this.#refuseWhenStopped()
    const rows = jobs.filter(({ ids }) => ids.length > 0).map(rowOf)
    if (rows.length === 0) return
    try {
      await this.#adds.add(rows)
    } catch (error) {
      throw unavailable('it could not write jobs', error)
    }
    for (const { lane, notBefore } of rows) if (notBefore !== undefined) this.#nudgeAt(lane, notBefore)
  }

  async work(workers: readonly Worker[]): Promise<void> {
    this.#refuseWhenStopped()
    this.#runner.addWorkers(workers)
    if (this.#runner.tasks.length === 0) return
    this.#fetcher?.addTasks(workers.map(({ task }) => task))
    this.#fetching ??= this.#keepFetching()
  }

  async waiting(task?: string): Promise<number> {
    try {
      return (await this.#tables.waiting(task)) + this.#runner.waiting(task)
    } catch (error) {
      throw unavailable('it could not count', error)
    }
  }

  async check(): Promise<void> {
    this.#refuseWhenStopped()
    if (this.#fetching !== undefined && this.#fetcher === undefined) {
      throw unavailable('it has lost its database and tries to reach it again')
    }
    try {
      await this.#pool.query('select 1')
    } catch (error) {
      throw unavailable('its database does not answer', error)
    }
  }

  async stop(graceMs: number): Promise<void> {
    const keep = this.#runner.abortAfter(graceMs)
    this.#ended ??= this.#stop()
    await this.#ended
    keep()
  }

  async #stop(): Promise<void> {
    this.#stopping.abort()
    this.#timers.allOff()
    const fetched = this.#fetching
    const closed = this.#runner.close()
    await this.#runner.idle()
    const calm = new AbortController()
    await Promise.race([Promise.all([closed, fetched]), pause(FAREWELL_MS, undefined, { signal: calm.signal })])
    calm.abort()
    await this.#pool.end()
  }

  /** Keeps a fetcher running until the stop. */
  async #keepFetching(): Promise<void> {
    const { signal } = this.#stopping
    const stopped = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
    while (!signal.aborted) {
      const pool = new FetcherPool(this.#options, FETCHER_POOL, this.#log)
      const fetcher = new RowFetcher({
        pool,
        tables: this.#tables,
        tasks: this.#runner.tasks,
        log: this.#log,
        hold: (task, lane, payload) => this.#runner.hold(task, lane, payload),
      })
      this.#fetcher = fetcher
      const watch = new AbortController()
      await Promise.race([fetcher.failed, silence(pool, watch.signal), stopped])
      watch.abort()
      this.#fetcher = undefined
      pool.forgive()
      const ended = fetcher
        .stop()
        .catch((error) => this.#log.debug('queue: a fetcher did not end cleanly', { error }))
        .finally(() => pool.end())
      if (signal.aborted) await ended
      else await this.#comeBack(fetcher)
    }
  }

  /** After a fetcher has failed, waits for the database and unlocks what the fetcher had locked. */
  async #comeBack(fetcher: RowFetcher): Promise<void> {
    this.#log.warn('queue: it has lost its database and tries to reach it again')
    this.#runner.leave()
    let wait = BACK_OFF.first
    for (;;) {
      await pause(wait, undefined, { signal: this.#stopping.signal }).catch(() => {})
      if (this.#stopping.signal.aborted) return
      try {
        await this.#tables.unlock(fetcher.poolIds)
        this.#log.info('queue: it works again')
        return
      } catch (error) {
        this.#log.debug('queue: its database does not answer yet', { error })
        wait = Math.min(wait * 2, BACK_OFF.most)
      }
    }
  }

  async #again(rows: readonly Row[], inMs: number): Promise<void> {
    const notBefore = inMs > 0 ? { notBefore: new Date(this.#clock.now().getTime() + inMs) } : {}
    await this.#adds.add(rows.map((row) => ({ ...row, ...notBefore })))
    for (const { lane } of inMs > 0 ? rows : []) this.#timers.set(lane, inMs)
  }

  #nudgeAt(lane: Lane, moment: Date): void {
    this.#timers.set(lane, moment.getTime() - this.#clock.now().getTime())
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

function unavailable(what: string, cause?: unknown): EngineError {
  const why = cause instanceof Error ? `: ${cause.message}` : ''
  return new EngineError('SERVICE_UNAVAILABLE', `queue: ${what}${why}`, cause === undefined ? {} : { cause })
}

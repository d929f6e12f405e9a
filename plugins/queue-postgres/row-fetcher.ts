import { EventEmitter } from 'node:events'
import { runTaskList, type TaskList, type WorkerPool } from 'graphile-worker'
import type { Pool, PoolClient } from 'pg'
import type { Log } from '../../core/ports/log.ts'
import { LANES, type Lane } from '../../core/ports/queue.ts'
import { type Payload, type Tables, workerLogger } from './tables.ts'

/** How many rows of a lane may be with handlers or wait for one, and how many more are fetched ahead. */
const ROWS_HELD = 50
const ROWS_AHEAD = 50
/** How long finished rows are collected for one statement, in milliseconds. */
const DONE_TOGETHER_MS = 20
/** How often the tables are polled without a wake-up; only delayed rows need it. */
const POLL_MS = 1_000
/**
 * The shortest time between two looks of a lower lane. It is woken for every password mail, too, mostly for nothing.
 */
const MIN_LOOK_MS = 50

/** After one of these, rows may no longer arrive, whatever state the connections seem to be in. */
const FAILURES = ['pool:listen:error', 'pool:fatalError', 'pool:gracefulShutdown'] as const

export interface RowFetcherOptions {
  readonly pool: Pool
  readonly tables: Tables
  readonly tasks: readonly string[]
  /** Takes a locked row. The row is deleted when the promise resolves, and unlocked when it rejects. */
  readonly hold: (task: string, lane: Lane, payload: Payload) => Promise<void>
  readonly log: Log
}

/**
 * Fetches rows with a graphile-worker pool for each lane, so that a full lane does not delay the others. It lives until
 * it loses its database; then `failed` resolves and a new one must be made.
 */
export class RowFetcher {
  /** Resolves when the fetcher cannot go on. */
  readonly failed: Promise<void>
  readonly #pools: ReadonlyMap<Lane, WorkerPool>
  readonly #lists = new Map<Lane, TaskList>()
  readonly #hold: RowFetcherOptions['hold']
  #stopping = false

  constructor(options: RowFetcherOptions) {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.failed = promise
    this.#hold = options.hold
    this.#pools = new Map(LANES.map((lane) => [lane, this.#start(lane, options, resolve)]))
  }

  /** The ids under which its pools lock rows. */
  get poolIds(): readonly string[] {
    return [...this.#pools.values()].map(({ id }) => id)
  }

  /** Looks at once for rows in this lane. */
  nudge(lane: Lane): void {
    if (!this.#stopping) this.#pools.get(lane)?.nudge(1)
  }

  /** Fetches rows of these tasks, too. */
  addTasks(tasks: readonly string[]): void {
    for (const [lane, list] of this.#lists) {
      for (const task of tasks) list[task] = (payload) => this.#hold(task, lane, asPayload(payload))
      this.nudge(lane)
    }
  }

  /** Fetches no more, gives back what was fetched ahead, and answers when all held rows have ended. */
  async stop(): Promise<void> {
    this.#stopping = true
    await Promise.all([...this.#pools.values()].map((pool) => pool.gracefulShutdown()))
  }

  #start(lane: Lane, { pool, tables, tasks, log }: RowFetcherOptions, fail: () => void): WorkerPool {
    const events = new EventEmitter()
    for (const event of FAILURES) events.on(event, () => void (this.#stopping || fail()))
    // Jobs added before anybody listened woke nobody, so look once. The event comes before LISTEN, this answer after
    // it.
    const listening = (client: PoolClient) => client.query('select 1').then(() => this.nudge(lane))
    events.on('pool:listen:success', ({ client }) => setImmediate(() => void listening(client).catch(() => {})))
    const list: TaskList = {}
    for (const task of tasks) list[task] = (payload) => this.#hold(task, lane, asPayload(payload))
    this.#lists.set(lane, list)
    const started = runTaskList(
      {
        schema: tables.schema(lane),
        noHandleSignals: true,
        logger: workerLogger(log),
        events,
        concurrency: ROWS_HELD,
        pollInterval: POLL_MS,
        preset: {
          worker: {
            localQueue: { size: ROWS_AHEAD },
            completeJobBatchDelay: DONE_TOGETHER_MS,
            failJobBatchDelay: DONE_TOGETHER_MS,
          },
        },
      },
      list,
      pool,
    )
    if (lane !== 'transactional') limitLooks(started)
    // Whoever stops the pool gets the error; a pool that ends by itself has reported it by an event.
    started.promise.catch(() => {})
    return started
  }
}

/** graphile-worker's own `refetchDelay` would forget nudges that come during the delay. */
function limitLooks(pool: WorkerPool): void {
  const look = pool.nudge.bind(pool)
  let last = Number.NEGATIVE_INFINITY
  let timer: NodeJS.Timeout | undefined
  const lookNow = () => {
    timer = undefined
    last = performance.now()
    look(1)
  }
  pool.nudge = () => {
    const rest = last + MIN_LOOK_MS - performance.now()
    if (rest <= 0) lookNow()
    else if (timer === undefined) timer = setTimeout(lookNow, rest).unref()
  }
}

/** Only this plugin writes into these tables. */
function asPayload(payload: unknown): Payload {
  return payload as Payload
}

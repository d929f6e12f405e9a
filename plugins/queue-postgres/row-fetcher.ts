import { EventEmitter } from 'node:events'
import { runTaskList, type TaskList, type WorkerPool } from 'graphile-worker'
import type { Pool, PoolClient } from 'pg'
import type { Log } from '../../core/ports/log.ts'
import { LANES, type Lane } from '../../core/ports/queue.ts'
import { type Payload, type Tables, workerLogger } from './tables.ts'

/** Rows of a lane whose ids may be with handlers or wait for one, and rows fetched ahead of those. */
const ROWS_HELD = 50
const ROWS_AHEAD = 50
/** What is done is said in one statement for so many milliseconds. */
const DONE_TOGETHER_MS = 20
/** How often the tables are looked at without having been called; only delayed rows need it. */
const POLL_MS = 1_000
/** A lower lane looks at most so often: it is called for every password mail, too, and mostly in vain. */
const CALM_MS = 50

/** After one of these nothing is sure to come any more, however the connections look. */
const FAILURES = ['pool:listen:error', 'pool:fatalError', 'pool:gracefulShutdown'] as const

export interface RowFetcherOptions {
  readonly pool: Pool
  readonly tables: Tables
  readonly tasks: readonly string[]
  /** Takes a locked row; its row is deleted when the promise resolves, and free again when it rejects. */
  readonly hold: (task: string, lane: Lane, payload: Payload) => Promise<void>
  readonly log: Log
}

/**
 * Fetches rows: a worker pool of graphile-worker for each lane, so that a full lane keeps none of the others waiting.
 * It lives until it loses its database; then `failed` resolves and another has to be made.
 */
export class RowFetcher {
  /** Resolves when it cannot go on. */
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

  /** The names under which its pools lock rows. */
  get poolIds(): readonly string[] {
    return [...this.#pools.values()].map(({ id }) => id)
  }

  /** Looks at once whether there is something in this lane. */
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

  /** Fetches no more, gives back what is fetched ahead, and answers when all rows that are held have ended. */
  async stop(): Promise<void> {
    this.#stopping = true
    await Promise.all([...this.#pools.values()].map((pool) => pool.gracefulShutdown()))
  }

  #start(lane: Lane, { pool, tables, tasks, log }: RowFetcherOptions, fail: () => void): WorkerPool {
    const events = new EventEmitter()
    for (const event of FAILURES) events.on(event, () => void (this.#stopping || fail()))
    // What was added before anybody listened has called nobody. The event comes before LISTEN, this answer after it.
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
    if (lane !== 'transactional') calm(started)
    // Whoever stops it gets the error; a pool that ends by itself has said so by an event.
    started.promise.catch(() => {})
    return started
  }
}

/** graphile-worker's own `refetchDelay` would forget the calls that come during the delay. */
function calm(pool: WorkerPool): void {
  const look = pool.nudge.bind(pool)
  let last = Number.NEGATIVE_INFINITY
  let timer: NodeJS.Timeout | undefined
  const lookNow = () => {
    timer = undefined
    last = performance.now()
    look(1)
  }
  pool.nudge = () => {
    const rest = last + CALM_MS - performance.now()
    if (rest <= 0) lookNow()
    else if (timer === undefined) timer = setTimeout(lookNow, rest).unref()
  }
}

/** Nobody but us writes into these tables. */
function asPayload(payload: unknown): Payload {
  return payload as Payload
}

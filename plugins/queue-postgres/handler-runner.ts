import { AsyncLocalStorage } from 'node:async_hooks'
import { EngineError } from '../../core/errors.ts'
import type { Log } from '../../core/ports/log.ts'
import { LANES, type Lane, type Worker } from '../../core/ports/queue.ts'
import { LaneGates } from '../kit/queue/lane-gates.ts'
import { type Batch, HeldLine } from './held-line.ts'
import type { Payload, Row } from './tables.ts'

/** The longest timer Node can set, in milliseconds. */
const MAX_TIMER_MS = 2 ** 31 - 1

export interface HandlerRunnerOptions {
  readonly concurrency: number
  /** Milliseconds before the second and the third try. */
  readonly pauses: readonly number[]
  /** Writes rows for ids that must be handed out again. */
  readonly again: (rows: readonly Row[], inMs: number) => Promise<void>
  readonly log: Log
}

/**
 * Runs the handlers. The ids of locked rows collect here by task and lane, and leave in batches as runners become free,
 * the higher lane first (see `LaneGates`).
 */
export class HandlerRunner {
  readonly #options: HandlerRunnerOptions
  readonly #gates: LaneGates
  readonly #lines = new Map<string, HeldLine>()
  readonly #workers = new Map<string, Worker>()
  readonly #woken = new Set<HeldLine>()
  readonly #running = new Set<AbortController>()
  // Handlers run outside any caller's context: they must not see the transaction or request that happened to wake the
  // queue.
  readonly #outside = AsyncLocalStorage.snapshot()
  #closed = false

  constructor(options: HandlerRunnerOptions) {
    this.#options = options
    this.#gates = new LaneGates(options.concurrency)
  }

  /** The tasks that have a worker. */
  get tasks(): readonly string[] {
    return [...this.#workers.keys()]
  }

  /** Adds workers. Throws when one is invalid, and then adds none. */
  addWorkers(workers: readonly Worker[]): void {
    for (const { task, batch } of workers) {
      if (!(batch >= 1)) throw new RangeError(`queue: ${task}: the batch must be at least 1, not ${batch}`)
      if (this.#workers.has(task)) throw new EngineError('CONFLICT', `queue: ${task} has a worker already`)
    }
    for (const worker of workers) this.#workers.set(worker.task, worker)
  }

  /** Answers when the ids of a row are done. Rejects when they are left to whoever locks the row next. */
  hold(task: string, lane: Lane, { ids, tries }: Payload): Promise<void> {
    if (this.#closed) return this.#giveBack([{ task, lane, ids, tries }])
    const line = this.#line(task, lane)
    const held = line.hold(ids, tries)
    this.#wake(line)
    return held
  }

  /** How many ids wait for a runner, of all tasks or of one. */
  waiting(task?: string): number {
    let waiting = 0
    for (const line of this.#lines.values()) if (task === undefined || line.task === task) waiting += line.waiting
    return waiting
  }

  /** Leaves waiting ids to whoever locks their rows next. */
  leave(): void {
    for (const { batch } of this.#takeAll()) batch.fail(new Error('the database was lost'))
  }

  /** Begins no further run and gives back what waits. When it answers, the rows are free for other processes. */
  async close(): Promise<void> {
    this.#closed = true
    const waiting = this.#takeAll()
    const rows = waiting.map(({ line: { task, lane }, batch: { ids, tries } }) => ({ task, lane, ids, tries }))
    await this.#giveBack(rows).then(
      () => {
        for (const { batch } of waiting) batch.done()
      },
      (error) => {
        for (const { batch } of waiting) batch.fail(error)
      },
    )
  }

  /** Aborts the running handlers after this many milliseconds, unless the function it answers is called before. */
  abortAfter(graceMs: number): () => void {
    const abort = () => {
      for (const controller of this.#running) controller.abort()
    }
    const timer = setTimeout(abort, Math.min(graceMs, MAX_TIMER_MS))
    return () => clearTimeout(timer)
  }

  /** Answers when no handler runs. */
  idle(): Promise<void> {
    return this.#gates.idle()
  }

  #line(task: string, lane: Lane): HeldLine {
    const name = `${lane} ${task}`
    const known = this.#lines.get(name)
    if (known !== undefined) return known
    const line = new HeldLine(task, lane)
    this.#lines.set(name, line)
    return line
  }

  #takeAll(): { readonly line: HeldLine; readonly batch: Batch }[] {
    const all: { readonly line: HeldLine; readonly batch: Batch }[] = []
    for (const line of this.#lines.values()) {
      for (let batch = line.take(1000); batch !== undefined; batch = line.take(1000)) all.push({ line, batch })
    }
    return all
  }

  /** Asks for runs at the end of this turn of the event loop, so that rows fetched together run together. */
  #wake(line: HeldLine): void {
    if (line.waiting === 0) return
    if (this.#woken.size === 0) setImmediate(() => this.#askForRuns())
    this.#woken.add(line)
  }

  #askForRuns(): void {
    const woken = [...this.#woken].sort((a, b) => LANES.indexOf(a.lane) - LANES.indexOf(b.lane))
    this.#woken.clear()
    for (const line of woken) {
      const worker = this.#workers.get(line.task)
      if (worker === undefined) continue
      // There need not be more runs at the gates than runners, since each asks for the next when it begins.
      while (line.asked < Math.min(line.runsNeeded(worker.batch), this.#options.concurrency)) {
        line.asked++
        this.#gates.enter(line.lane, () => this.#run(line, worker))
      }
    }
  }

  async #run(line: HeldLine, worker: Worker): Promise<void> {
    line.asked--
    const batch = this.#closed ? undefined : line.take(worker.batch)
    if (batch === undefined) return
    this.#wake(line)
    const controller = new AbortController()
    const given = { lane: line.lane, signal: controller.signal }
    this.#running.add(controller)
    try {
      await this.#outside(() => worker.handle(batch.ids, given))
      batch.done()
    } catch (error) {
      await this.#failed(line, batch, error)
    } finally {
      this.#running.delete(controller)
    }
  }

  /** Writes new rows for the ids before the old ones end, so that a crash in between repeats them, but loses none. */
  async #failed({ task, lane }: HeldLine, batch: Batch, error: unknown): Promise<void> {
    const { log, pauses, again } = this.#options
    const tries = batch.tries + 1
    const about = { task, lane, ids: batch.ids.slice(0, 10), count: batch.ids.length, tries, error }
    const pause = pauses[tries - 1]
    const row = { task, lane, ids: batch.ids }
    try {
      if (this.#closed) {
        log.info('queue: a run was broken off by the stop', about)
        await this.#giveBack([{ ...row, tries: batch.tries }])
      } else if (pause === undefined) {
        log.error('queue: a run failed for the last time and is dropped', about)
      } else {
        log.warn(`queue: a run failed and is tried again in ${pause} ms`, about)
        await again([{ ...row, tries }], pause)
      }
      batch.done()
    } catch (unwritten) {
      batch.fail(unwritten)
    }
  }

  async #giveBack(rows: readonly Row[]): Promise<void> {
    if (rows.length > 0) await this.#options.again(rows, 0)
  }
}

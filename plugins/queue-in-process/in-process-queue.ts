import { AsyncLocalStorage } from 'node:async_hooks'
import { EngineError } from '../../core/errors.ts'
import type { PluginKit } from '../../core/plugin/types.ts'
import type { Log } from '../../core/ports/log.ts'
import { type Job, LANES, type Lane, type Queue, type Worker } from '../../core/ports/queue.ts'
import { LaneGates } from '../kit/queue/lane-gates.ts'
import { type Alarm, Alarms, MAX_TIMER_MS } from './alarms.ts'
import { type Batch, type Chunk, Line } from './line.ts'

/** Where a key's job is: in a line, or delayed. */
type Place = { readonly line: Line; readonly chunk: Chunk } | { readonly alarm: Alarm }

/** One process's queue. What it does beyond the port's promises is described in `index.ts`. */
export class InProcessQueue implements Queue {
  readonly exclusive = true
  readonly #concurrency: number
  readonly #pauses: readonly number[]
  readonly #clock: PluginKit['clock']
  readonly #log: Log
  readonly #gates: LaneGates
  readonly #alarms: Alarms
  readonly #lines = new Map<string, Line>()
  readonly #workers = new Map<string, Worker>()
  readonly #keys = new Map<string, Place>()
  readonly #unknown = new Set<string>()
  readonly #running = new Set<AbortController>()
  readonly #woken = new Set<Line>()
  // Handlers run outside any caller's context: they must not see the transaction or request that happened to add their
  // ids.
  readonly #outside = AsyncLocalStorage.snapshot()
  #stopped = false

  constructor(options: { readonly concurrency: number; readonly retryPauseMs: number }, { clock, log }: PluginKit) {
    this.#concurrency = options.concurrency
    this.#pauses = [options.retryPauseMs, options.retryPauseMs * 5]
    this.#clock = clock
    this.#log = log
    this.#gates = new LaneGates(options.concurrency)
    this.#alarms = new Alarms(clock)
  }

  async add(jobs: readonly Job[]): Promise<void> {
    this.#refuseWhenStopped()
    for (const job of jobs) this.#place(job)
  }

  async work(workers: readonly Worker[]): Promise<void> {
    this.#refuseWhenStopped()
    for (const { task, batch } of workers) {
      if (!(batch >= 1)) throw new RangeError(`queue: ${task}: the batch must be at least 1, not ${batch}`)
      if (this.#workers.has(task)) throw new EngineError('CONFLICT', `queue: ${task} has a worker already`)
    }
    for (const worker of workers) this.#workers.set(worker.task, worker)
    for (const line of this.#lines.values()) this.#wake(line)
  }

  async waiting(task?: string): Promise<number> {
    let waiting = 0
    for (const line of this.#lines.values()) if (task === undefined || line.task === task) waiting += line.waiting
    return waiting
  }

  async check(): Promise<void> {
    this.#refuseWhenStopped()
  }

  async stop(graceMs: number): Promise<void> {
    this.#stopped = true
    this.#alarms.allOff()
    this.#keys.clear()
    this.#lines.clear()
    const abort = () => {
      for (const controller of this.#running) controller.abort()
    }
    const grace = setTimeout(abort, Math.min(graceMs, MAX_TIMER_MS))
    await this.#gates.idle()
    clearTimeout(grace)
  }

  #refuseWhenStopped(): void {
    if (this.#stopped) throw new EngineError('SERVICE_UNAVAILABLE', 'queue: it has been stopped')
  }

  #place(job: Job): void {
    if (job.ids.length === 0) return
    const line = this.#line(job.task, job.lane)
    const delayed = job.notBefore !== undefined && job.notBefore > this.#clock.now()
    const key = job.key === undefined ? undefined : `${job.task}\0${job.key}`
    const earlier = key === undefined ? undefined : this.#keys.get(key)
    if (earlier !== undefined && 'line' in earlier && earlier.line === line && !delayed) {
      line.replace(earlier.chunk, job.ids)
      return
    }
    if (earlier !== undefined) this.#giveUp(earlier)
    if (delayed) {
      const alarm = this.#alarms.at(job.notBefore, () => this.#join(line, job.ids, key))
      if (key !== undefined) this.#keys.set(key, { alarm })
    } else {
      this.#join(line, job.ids, key)
    }
  }

  #join(line: Line, ids: readonly string[], key: string | undefined): void {
    const chunk = line.push(ids, key)
    if (key !== undefined) this.#keys.set(key, { line, chunk })
    this.#wake(line)
  }

  #giveUp(place: Place): void {
    if ('alarm' in place) this.#alarms.off(place.alarm)
    else place.line.replace(place.chunk, [])
  }

  #line(task: string, lane: Lane): Line {
    const name = `${lane}\0${task}`
    const known = this.#lines.get(name)
    if (known !== undefined) return known
    const line = new Line(task, lane)
    this.#lines.set(name, line)
    return line
  }

  /** Asks for runs at the end of this turn of the event loop, so that ids added together run together. */
  #wake(line: Line): void {
    if (line.waiting === 0 || this.#workers.size === 0) return
    if (this.#woken.size === 0) queueMicrotask(() => this.#askForRuns())
    this.#woken.add(line)
  }

  #askForRuns(): void {
    // Jobs added in one turn of the event loop came together, so the higher lane goes first among them, too.
    const woken = [...this.#woken].sort((a, b) => LANES.indexOf(a.lane) - LANES.indexOf(b.lane))
    this.#woken.clear()
    for (const line of woken) {
      const worker = this.#workers.get(line.task)
      if (worker === undefined) this.#drop(line)
      // There need not be more runs at the gates than runners, since each asks for the next when it begins.
      else while (line.asked < Math.min(line.runsNeeded(worker.batch), this.#concurrency)) this.#ask(line, worker)
    }
  }

  #ask(line: Line, worker: Worker): void {
    line.asked++
    this.#gates.enter(line.lane, () => this.#run(line, worker))
  }

  async #run(line: Line, worker: Worker): Promise<void> {
    line.asked--
    const batch = this.#stopped ? undefined : line.take(worker.batch, (chunk) => this.#begun(chunk))
    if (batch === undefined) return
    this.#wake(line)
    batch.tries++
    const controller = new AbortController()
    const given = { lane: line.lane, signal: controller.signal }
    this.#running.add(controller)
    try {
      await this.#outside(() => worker.handle(batch.ids, given))
    } catch (error) {
      this.#failed(line, batch, error)
    } finally {
      this.#running.delete(controller)
    }
  }

  #begun(chunk: Chunk): void {
    if (chunk.key === undefined) return
    const place = this.#keys.get(chunk.key)
    // The rest of a long job must not end the key of a later job.
    if (place !== undefined && 'chunk' in place && place.chunk === chunk) this.#keys.delete(chunk.key)
  }

  #failed(line: Line, batch: Batch, error: unknown): void {
    const { task, lane } = line
    const about = { task, lane, ids: batch.ids.slice(0, 10), count: batch.ids.length, tries: batch.tries, error }
    const pause = this.#pauses[batch.tries - 1]
    if (this.#stopped) {
      this.#log.info('queue: a run was broken off by the stop', about)
    } else if (pause === undefined) {
      this.#log.error('queue: a run failed for the last time and is dropped', about)
    } else {
      this.#log.warn(`queue: a run failed and is tried again in ${pause} ms`, about)
      this.#alarms.after(pause, () => {
        line.pushAgain(batch)
        this.#wake(line)
      })
    }
  }

  #drop(line: Line): void {
    while (line.take(1000, (chunk) => this.#begun(chunk)) !== undefined);
    if (this.#unknown.has(line.task)) return
    this.#unknown.add(line.task)
    this.#log.error(`queue: nobody works on ${line.task}; its jobs are dropped`, { task: line.task })
  }
}

import { type Transferable, Worker } from 'node:worker_threads'
import { EngineError } from '../errors.ts'

/** An error on its way from a thread: the fields of an EngineError, or what any other error said. */
export interface ThreadProblem {
  readonly message: string
  readonly refusal?: Pick<EngineError, 'code' | 'fields' | 'suggestion'>
}

/** What a thread answers to one question. */
export type ThreadAnswer = { readonly answer: unknown } | { readonly problem: ThreadProblem }

/** How a thread is made, and how long it may think. */
export interface ThreadOptions {
  /** Where its code is; made by `threadFile`. */
  readonly file: URL
  readonly name: string
  /** What it is started with. */
  readonly data?: unknown
  /** How long one question may take, in milliseconds: then the thread is ended, and the next question has a new one. */
  readonly patience: number
  /** How much memory it may have, in megabytes: a question that needs more ends the thread, not the process. */
  readonly memory: number
  /** How long it is kept with nothing to do, in milliseconds; a minute unless given. */
  readonly keep?: number
}

/** A question took more time or memory than a thread gives to one. */
export class ThreadOverrun extends Error {
  override readonly name = 'ThreadOverrun'
}

interface Asked<Question> {
  readonly question: Question
  readonly transfer: readonly Transferable[]
  readonly settled: PromiseWithResolvers<unknown>
}

/** So long an idle thread is kept: starting one takes some hundred milliseconds of a core. */
const KEEP_MS = 60_000

/**
 * A thread beside the event loop, for work that would keep everybody else waiting. It starts with the first question and
 * ends when there have been none for a while; of several questions each waits for the one before. An idle thread keeps no
 * process alive.
 */
export class Thread<Question> {
  readonly #options: ThreadOptions
  readonly #urgent: Asked<Question>[] = []
  readonly #waiting: Asked<Question>[] = []
  #worker: Worker | undefined
  #current: Asked<Question> | undefined
  #timer: NodeJS.Timeout | undefined
  #closed = false

  constructor(options: ThreadOptions) {
    this.#options = options
  }

  /** How many questions are not answered yet. */
  get waiting(): number {
    return this.#urgent.length + this.#waiting.length + (this.#current ? 1 : 0)
  }

  /**
   * The thread's answer. `urgent` questions go before others: somebody waits for them. Rejects with the EngineError the
   * thread threw, with ThreadOverrun, or SERVICE_UNAVAILABLE when it is closed.
   */
  ask(question: Question, { urgent = false, transfer = [] as readonly Transferable[] } = {}): Promise<unknown> {
    if (this.#closed) return Promise.reject(closed())
    const asked = { question, transfer, settled: Promise.withResolvers<unknown>() }
    const line = urgent ? this.#urgent : this.#waiting
    line.push(asked)
    if (this.#current === undefined) this.#next()
    return asked.settled.promise
  }

  /** Ends the thread; what waits for it is refused. */
  async close(): Promise<void> {
    this.#closed = true
    const lost = [...(this.#current ? [this.#current] : []), ...this.#urgent.splice(0), ...this.#waiting.splice(0)]
    this.#current = undefined
    const ended = this.#end()
    for (const { settled } of lost) settled.reject(closed())
    await ended
  }

  #next(): void {
    clearTimeout(this.#timer)
    const asked = this.#urgent.shift() ?? this.#waiting.shift()
    this.#current = asked
    if (asked === undefined) this.#rest()
    else this.#put(asked)
  }

  #put({ question, transfer, settled }: Asked<Question>): void {
    this.#timer = setTimeout(() => this.#give(up('it took too long')), this.#options.patience)
    try {
      const worker = this.#running()
      worker.ref()
      worker.postMessage(question, transfer)
    } catch (error) {
      this.#settle(() => settled.reject(error))
    }
  }

  #rest(): void {
    this.#worker?.unref()
    this.#timer = setTimeout(() => void this.#end(), this.#options.keep ?? KEEP_MS)
    this.#timer.unref()
  }

  #settle(tell: () => void): void {
    clearTimeout(this.#timer)
    this.#current = undefined
    tell()
    if (this.#current === undefined) this.#next()
  }

  #give(error: Error): void {
    void this.#end()
    const asked = this.#current
    this.#settle(() => asked?.settled.reject(error))
  }

  #running(): Worker {
    if (this.#worker) return this.#worker
    const { file, name, data, memory } = this.#options
    const worker = new Worker(file, {
      name,
      workerData: data,
      resourceLimits: { maxOldGenerationSizeMb: memory },
      // nothing of the process's own flags is meant for it
      execArgv: process.execArgv.filter((flag) => !/^--(?:max-|import|require|cpu-prof)/.test(flag)),
    })
    worker.on('message', (told: ThreadAnswer) => {
      if (worker !== this.#worker) return
      const asked = this.#current
      this.#settle(() =>
        'answer' in told ? asked?.settled.resolve(told.answer) : asked?.settled.reject(errorOf(told.problem)),
      )
    })
    let cause: unknown
    worker.on('error', (error) => {
      cause = error
    })
    worker.on('exit', () => {
      if (worker !== this.#worker) return
      this.#worker = undefined
      this.#give(
        outOfMemory(cause) ? up('it needed too much memory') : new Error(`The thread ${name} ended.`, { cause }),
      )
    })
    this.#worker = worker
    return worker
  }

  async #end(): Promise<void> {
    const worker = this.#worker
    this.#worker = undefined
    clearTimeout(this.#timer)
    await worker?.terminate()
  }
}

/** The file of a thread beside the file that starts it: compiled it is JavaScript, in the tests it is what is written. */
export function threadFile(name: string, beside: string): URL {
  return new URL(`${name}${beside.endsWith('.ts') ? '.ts' : '.js'}`, beside)
}

function up(why: string): ThreadOverrun {
  return new ThreadOverrun(`A thread was ended: ${why}.`)
}

function closed(): EngineError {
  return new EngineError('SERVICE_UNAVAILABLE', 'The service is ending.', { retryAfter: 1 })
}

function outOfMemory(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'
}

function errorOf({ message, refusal }: ThreadProblem): Error {
  if (refusal === undefined) return new Error(message)
  const { code, fields, suggestion } = refusal
  return new EngineError(code, message, { fields, ...(suggestion === undefined ? {} : { suggestion }) })
}

import { existsSync } from 'node:fs'
import { type Transferable, Worker } from 'node:worker_threads'
import { EngineError } from '../errors.ts'
import { errorCode } from '../values/error-code.ts'

/** An error from a thread: the fields of an EngineError, or the text of any other error. */
export interface ThreadProblem {
  readonly message: string
  readonly refusal?: Pick<EngineError, 'code' | 'fields' | 'suggestion'>
}

/** A thread's answer to one request. */
export type ThreadAnswer = { readonly answer: unknown } | { readonly problem: ThreadProblem }

/** How a thread is started, and its limits. */
export interface ThreadOptions {
  /** Its code: `new URL('./a-thread.ts', import.meta.url)`, literally, so that tools that trace files see it. */
  readonly file: URL
  readonly name: string
  /** The data it is started with. */
  readonly data?: unknown
  /** How long one request may take, in milliseconds: then the thread is ended, and the next request gets a new one. */
  readonly patience: number
  /** How much memory it may have, in megabytes: a request that needs more ends the thread, not the process. */
  readonly memory: number
  /** How long an idle thread is kept, in milliseconds; by default a minute. */
  readonly keep?: number
}

/** A request took more time or memory than a thread allows. */
export class ThreadOverrun extends Error {
  override readonly name = 'ThreadOverrun'
}

interface Asked<Question> {
  readonly question: Question
  readonly transfer: readonly Transferable[]
  readonly settled: PromiseWithResolvers<unknown>
}

/** How long an idle thread is kept: starting one takes some hundred milliseconds of a core. */
const KEEP_MS = 60_000

/**
 * A worker thread for work that would block the event loop. It starts with the first request and ends when there have
 * been none for a while; requests are handled one at a time. An idle thread does not keep the process alive.
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

  /** How many requests are not answered yet. */
  get waiting(): number {
    return this.#urgent.length + this.#waiting.length + (this.#current ? 1 : 0)
  }

  /**
   * The thread's answer. `urgent` requests go before others, because a caller waits for them. Rejects with the
   * EngineError the thread threw, with ThreadOverrun, or SERVICE_UNAVAILABLE when it is closed.
   */
  ask(question: Question, { urgent = false, transfer = [] as readonly Transferable[] } = {}): Promise<unknown> {
    if (this.#closed) return Promise.reject(closed())
    const asked = { question, transfer, settled: Promise.withResolvers<unknown>() }
    const line = urgent ? this.#urgent : this.#waiting
    line.push(asked)
    if (this.#current === undefined) this.#next()
    return asked.settled.promise
  }

  /** Ends the thread; waiting requests are rejected. */
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
    this.#timer = setTimeout(() => this.#fail(up('it took too long')), this.#options.patience)
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

  #fail(error: Error): void {
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
      execArgv: NO_FLAGS,
    })
    worker.on('message', (message: ThreadAnswer) => {
      if (worker !== this.#worker) return
      const asked = this.#current
      this.#settle(() =>
        'answer' in message ? asked?.settled.resolve(message.answer) : asked?.settled.reject(errorOf(message.problem)),
      )
    })
    let cause: unknown
    worker.on('error', (error) => {
      cause = error
    })
    worker.on('exit', () => {
      if (worker !== this.#worker) return
      this.#worker = undefined
      this.#fail(
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

/** The flags of this process are not for its threads, which do not start with most of them. */
export const NO_FLAGS: string[] = []

function up(why: string): ThreadOverrun {
  return new ThreadOverrun(`A thread was ended: ${why}.`)
}

/** Throws EngineError `CONFIG_INVALID` when the code of a thread is not where it belongs, as in a bundle that took the package in. */
export function requireCode(file: URL): void {
  if (existsSync(file)) return
  const suggestion =
    'Leave the package outside the bundle: serverExternalPackages: ["mailwright"] in Next, --external:mailwright in esbuild.'
  throw new EngineError('CONFIG_INVALID', `The code of a thread is missing: ${file.href}.`, { suggestion })
}

function closed(): EngineError {
  return new EngineError('SERVICE_UNAVAILABLE', 'The service is ending.', { retryAfter: 1 })
}

function outOfMemory(error: unknown): boolean {
  return errorCode(error) === 'ERR_WORKER_OUT_OF_MEMORY'
}

/** The error that a thread reported. */
export function errorOf({ message, refusal }: ThreadProblem): Error {
  if (refusal === undefined) return new Error(message)
  const { code, fields, suggestion } = refusal
  return new EngineError(code, message, { fields, ...(suggestion === undefined ? {} : { suggestion }) })
}

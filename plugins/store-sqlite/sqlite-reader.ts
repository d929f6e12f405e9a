import { Worker } from 'node:worker_threads'
import { EngineError } from '../../core/errors.ts'
import { errorCode } from '../../core/values/error-code.ts'
import { readTookTooLong } from '../kit/sql/engine/long-read.ts'
import type { Params, Row, Session } from '../kit/sql/engine/session.ts'
import { STOPPED } from './sqlite-client.ts'
import { endThread } from './threads.ts'

/** A question to the thread: a select, and how long it may take. */
export interface ReaderQuestion {
  readonly id: number
  readonly sql: string
  readonly params: Params
  readonly msLeft: number
}

/** Its answer: the rows, or an error with SQLite's code or one of STOPPED. */
export type ReaderAnswer =
  | { readonly id: number; readonly rows: readonly Row[] }
  | { readonly id: number; readonly message: string; readonly code: string | undefined }

/** The data that the thread is started with. */
export interface ReaderStart {
  readonly path: string
  /** Milliseconds a statement waits for a program that has locked the file. */
  readonly timeout: number
  /** Not 0 when running statements must end and nothing more is wanted. */
  readonly stop: Int32Array
}

interface Asked {
  readonly answer: PromiseWithResolvers<readonly Row[]>
  readonly overdue: NodeJS.Timeout
}

/**
 * A second connection in its own thread, which only reads: however long that takes, no other statement waits for it.
 * The thread starts with the first question. If it dies, its questions fail, and the next one starts a new thread.
 */
export class SqliteReader {
  readonly #start: ReaderStart
  readonly #asked = new Map<number, Asked>()
  #thread: Worker | undefined
  #last = 0

  constructor({ path, timeout }: Pick<ReaderStart, 'path' | 'timeout'>) {
    this.#start = { path, timeout, stop: new Int32Array(new SharedArrayBuffer(4)) }
  }

  /** A session whose statements end after this many seconds: `SERVICE_UNAVAILABLE`. */
  session(seconds: number): Session {
    const until = performance.now() + seconds * 1000
    const refuse = () => Promise.reject(new Error('the reader writes nothing'))
    return {
      all: (sql, params) => this.#ask(sql, params, until, seconds),
      run: refuse,
      runEach: refuse,
      allEach: refuse,
    }
  }

  /** Ends running statements, the thread and its connection. No questions may follow. */
  async close(): Promise<void> {
    Atomics.store(this.#start.stop, 0, 1)
    if (this.#thread) await endThread(this.#thread)
  }

  get #isClosed(): boolean {
    return Atomics.load(this.#start.stop, 0) !== 0
  }

  #ask(sql: string, params: Params, until: number, seconds: number): Promise<readonly Row[]> {
    if (this.#isClosed) return Promise.reject(closed())
    const msLeft = until - performance.now()
    if (msLeft <= 0) return Promise.reject(readTookTooLong(seconds))
    const thread = this.#running()
    const id = ++this.#last
    const question: ReaderQuestion = { id, sql, params, msLeft }
    thread.postMessage(question)
    // a single row can take long, and the thread checks the time only between rows, so another thread replaces it
    const overdue = setTimeout(() => this.#abandon(thread), msLeft + GRACE_MS)
    const asked = { answer: Promise.withResolvers<readonly Row[]>(), overdue }
    this.#asked.set(id, asked)
    thread.ref()
    return asked.answer.promise.catch((error: unknown) => {
      throw errorCode(error) === STOPPED.late ? readTookTooLong(seconds, error) : error
    })
  }

  #running(): Worker {
    if (this.#thread) return this.#thread
    const thread = new Worker(new URL('./sqlite-reader-thread.ts', import.meta.url), {
      workerData: this.#start,
      name: 'mailwright-reader',
    })
    thread.on('message', (answer: ReaderAnswer) => this.#settle(thread, answer))
    let cause: unknown
    thread.on('error', (error) => {
      cause = error
    })
    thread.on('exit', () => this.#forget(thread, cause))
    this.#thread = thread
    return thread
  }

  #settle(thread: Worker, answer: ReaderAnswer): void {
    const asked = this.#asked.get(answer.id)
    if (asked === undefined) return
    this.#asked.delete(answer.id)
    clearTimeout(asked.overdue)
    // an idle thread must not keep the process alive; one that is closed must, until it has ended
    if (this.#asked.size === 0 && !this.#isClosed) thread.unref()
    if ('rows' in answer) asked.answer.resolve(answer.rows)
    else if (answer.code === STOPPED.closed) asked.answer.reject(closed())
    else asked.answer.reject(Object.assign(new Error(answer.message), { code: answer.code }))
  }

  /** Fails the thread's questions and lets go of it; it ends as soon as it can. */
  #abandon(thread: Worker): void {
    this.#forget(thread, Object.assign(new Error('a single row took too long'), { code: STOPPED.late }))
    thread.unref()
    void thread.terminate()
  }

  #forget(thread: Worker, cause: unknown): void {
    if (this.#thread !== thread) return
    this.#thread = undefined
    const lost = [...this.#asked.values()]
    this.#asked.clear()
    for (const { answer, overdue } of lost) {
      clearTimeout(overdue)
      answer.reject(errorCode(cause) === STOPPED.late ? cause : died(cause))
    }
  }
}

/** How long a statement may run past its time before its thread is given up, in milliseconds. */
const GRACE_MS = 3000

function closed(): EngineError {
  return new EngineError('SERVICE_UNAVAILABLE', 'The database is closed, since the engine was stopped.')
}

function died(cause: unknown): EngineError {
  const reason = cause instanceof Error ? `: ${cause.message}` : ''
  const message = `The thread that reads the database ended${reason}.`
  return new EngineError('SERVICE_UNAVAILABLE', message, { cause, retryAfter: 1 })
}

import { Worker } from 'node:worker_threads'
import { EngineError } from '../../core/errors.ts'
import type { Params, Row, Session } from '../kit/sql/session.ts'

/** What the thread is asked: a select. */
export interface ReaderQuestion {
  readonly id: number
  readonly sql: string
  readonly params: Params
}

/** What it answers: the rows, or what went wrong, with SQLite's code. */
export type ReaderAnswer =
  | { readonly id: number; readonly rows: readonly Row[] }
  | { readonly id: number; readonly message: string; readonly code: string | undefined }

/** What the thread is started with. */
export interface ReaderStart {
  readonly path: string
  /** Milliseconds a statement waits for a program that has the file locked. */
  readonly timeout: number
}

/**
 * A second connection in a thread of its own, which only reads: however long that takes, nobody else waits for it. The
 * thread starts with the first question; one that has died fails the questions it had, and the next one starts another.
 */
export class SqliteReader implements Session {
  readonly #start: ReaderStart
  readonly #asked = new Map<number, PromiseWithResolvers<readonly Row[]>>()
  #thread: Worker | undefined
  #last = 0

  constructor(start: ReaderStart) {
    this.#start = start
  }

  all(sql: string, params: Params): Promise<readonly Row[]> {
    const asked = Promise.withResolvers<readonly Row[]>()
    const id = ++this.#last
    const thread = this.#running()
    const question: ReaderQuestion = { id, sql, params }
    thread.postMessage(question)
    this.#asked.set(id, asked)
    thread.ref()
    return asked.promise
  }

  run(): Promise<number> {
    return Promise.reject(new Error('the reader writes nothing'))
  }

  runEach(): Promise<number> {
    return this.run()
  }

  /** Ends the thread and with it the connection; nobody asks any more. */
  async close(): Promise<void> {
    const thread = this.#thread
    if (thread === undefined) return
    const ended = new Promise((resolve) => thread.once('exit', resolve))
    thread.ref()
    thread.postMessage('close')
    await ended
  }

  #running(): Worker {
    if (this.#thread) return this.#thread
    // compiled it is JavaScript, in the tests it is what is written
    const file = import.meta.url.endsWith('.ts') ? './sqlite-reader-thread.ts' : './sqlite-reader-thread.js'
    const thread = new Worker(new URL(file, import.meta.url), { workerData: this.#start, name: 'mailwright-reader' })
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
    this.#asked.delete(answer.id)
    // an idle thread keeps no process alive
    if (this.#asked.size === 0) thread.unref()
    if ('rows' in answer) asked?.resolve(answer.rows)
    else asked?.reject(Object.assign(new Error(answer.message), { code: answer.code }))
  }

  #forget(thread: Worker, cause: unknown): void {
    if (this.#thread === thread) this.#thread = undefined
    const lost = [...this.#asked.values()]
    this.#asked.clear()
    const reason = cause instanceof Error ? `: ${cause.message}` : ''
    const message = `The thread that reads the database ended${reason}.`
    for (const { reject } of lost) reject(new EngineError('SERVICE_UNAVAILABLE', message, { cause, retryAfter: 1 }))
  }
}

import { setTimeout as pause } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { SqliteClient, SqliteStatement } from './sqlite-client.ts'
import { endThread } from './threads.ts'

/** The data that the thread is started with. */
export interface CheckpointStart {
  readonly path: string
}

/** The thread's answer to each message: how many pages of the log are not in the file by now, or why it failed. */
export type CheckpointAnswer =
  | { readonly left: number }
  | { readonly message: string; readonly code: string | undefined }

/** The question to the thread: to move what can be moved, or also to empty the log. */
export type CheckpointQuestion = 'move' | 'empty'

/** Runs work while the connection that writes is free. */
type Turn = (work: () => Promise<void>) => Promise<void>

/**
 * Moves the write-ahead log into the file, in its own thread. SQLite would do so within the commit that makes the
 * log long enough: it writes and syncs all of it there, while the event loop stands still. Here most of it is moved beside
 * the writers. The rest takes a turn of its own, without writers, so that the log begins anew and does not grow for good.
 */
export class Checkpoints {
  readonly #client: SqliteClient
  readonly #path: string
  readonly #turn: Turn
  #look: SqliteStatement | undefined
  #lookedAt = Number.NEGATIVE_INFINITY
  /** How long the log was after the last attempt: a reader may keep it from beginning anew. */
  #tried = 0
  #running: Promise<void> | undefined
  /** Whether the log has something that was erased from the file. */
  #mustEmpty = false
  #emptying: Promise<void> | undefined
  /** The last question to the thread, which answers one after the other. */
  #asked: Promise<unknown> = Promise.resolve()
  readonly #ending = new AbortController()
  #thread: Worker | undefined
  #closed = false

  /** From now on, commits of `client` move nothing. */
  constructor({ client, path, turn }: { readonly client: SqliteClient; readonly path: string; readonly turn: Turn }) {
    this.#client = client
    this.#path = path
    this.#turn = turn
    client.pragma('wal_autocheckpoint = 0')
  }

  /** Call after each commit. Answers the checkpoint that begins with it, if one does; it never throws at once. */
  afterCommit(): Promise<void> | undefined {
    const now = performance.now()
    if (this.#running || this.#closed || now - this.#lookedAt < LOOK_EVERY_MS) return undefined
    this.#lookedAt = now
    const log = this.#pages()
    if (log < this.#tried) this.#tried = 0
    if (log - this.#tried < LOG_PAGES) return undefined
    this.#running = this.#move().finally(() => {
      this.#running = undefined
      if (!this.#closed) this.#tried = this.#pages()
    })
    return this.#running
  }

  /** Answers when the log is not being moved. It never throws. */
  async moved(): Promise<void> {
    await this.#running?.catch(() => {})
  }

  /**
   * Empties the log, after something was erased that would stand in it until it is written over. It does so at once, or when
   * those who still read from the log have ended.
   */
  empty(): void {
    this.#mustEmpty = true
    this.#emptying ??= this.#empty().finally(() => {
      this.#emptying = undefined
    })
  }

  /** Waits for a running checkpoint and ends the thread. */
  async close(): Promise<void> {
    this.#closed = true
    this.#ending.abort()
    await this.#emptying
    await this.#running?.catch(() => {})
    if (this.#thread) await endThread(this.#thread)
  }

  async #empty(): Promise<void> {
    for (let wait = FIRST_WAIT_MS; this.#mustEmpty && !this.#closed; wait = Math.min(2 * wait, LONGEST_WAIT_MS)) {
      try {
        // most of it beside the writers
        if ((await this.#inThread()) > 0) await this.#inThread()
        await this.#turn(async () => {
          this.#mustEmpty = (await this.#inThread('empty')) > 0
        })
      } catch {
        // no thread: the log is emptied when the database is closed
        return
      }
      if (this.#mustEmpty) await pause(wait, undefined, { ref: false, signal: this.#ending.signal }).catch(() => {})
    }
  }

  async #move(): Promise<void> {
    try {
      // a round brings the file to the disk only if nothing was written meanwhile, and the first one has the most to bring
      for (let time = 0; time < ROUNDS_BESIDE; time++) if ((await this.#inThread()) === 0) break
      await this.#turn(async () => void (await this.#inThread()))
    } catch (error) {
      // without its thread, the log must not grow until the disk is full
      await this.#turn(async () => void this.#client.pragma('wal_checkpoint(passive)'))
      throw error
    }
  }

  #pages(): number {
    try {
      this.#look ??= this.#client.prepare('pragma wal_checkpoint(noop)')
      return Number(this.#look.all([])[0]?.log)
    } catch {
      // what is committed stays committed, whatever stands in the way of counting; a later commit looks again
      return 0
    }
  }

  /** Moves what can be moved. Answers how many pages are left; of a log that is to be emptied, whether any are. */
  #inThread(how: CheckpointQuestion = 'move'): Promise<number> {
    const answer = this.#asked.then(() => this.#ask(how))
    this.#asked = answer.catch(() => {})
    return answer
  }

  async #ask(how: CheckpointQuestion): Promise<number> {
    const thread = this.#started()
    const answer = await new Promise<CheckpointAnswer>((resolve, reject) => {
      const ended = () => reject(new Error('the thread that moves the write-ahead log has ended'))
      thread.once('exit', ended)
      thread.once('message', (told: CheckpointAnswer) => {
        thread.off('exit', ended)
        resolve(told)
      })
      thread.ref()
      thread.postMessage(how)
    })
    thread.unref()
    if ('left' in answer) return answer.left
    throw Object.assign(new Error(answer.message), { code: answer.code })
  }

  #started(): Worker {
    if (this.#thread) return this.#thread
    const start: CheckpointStart = { path: this.#path }
    const thread = new Worker(new URL('./checkpoint-thread.ts', import.meta.url), {
      workerData: start,
      name: 'mailwright-checkpoint',
    })
    // callers that wait for an answer learn it from the exit
    thread.on('error', () => {})
    thread.once('exit', () => {
      if (this.#thread === thread) this.#thread = undefined
    })
    this.#thread = thread
    return thread
  }
}

/**
 * The log may grow to 64 MB before it is moved, so that pages that change often are moved only once, and writers rarely
 * wait for its end.
 */
const LOG_PAGES = 16_000
/** After so many rounds, the rest is moved without writers in any case. */
const ROUNDS_BESIDE = 8
const LOOK_EVERY_MS = 20
/** How long after a reader kept the log from being emptied it is tried again. */
const FIRST_WAIT_MS = 50
const LONGEST_WAIT_MS = 5000

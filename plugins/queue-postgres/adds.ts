import { createHash } from 'node:crypto'
import type { Job } from '../../core/ports/queue.ts'
import type { Row } from './tables.ts'

/**
 * Ids per row: few enough for two processes to share a small backlog, and enough for a row to cost little beside the
 * work on its ids.
 */
const ROW_IDS = 25
/** The most calls that share a statement. */
const MAX_CALLS = 1_000
/** The longest key graphile-worker accepts, with the task's name in it. */
const MAX_KEY_LENGTH = 512

interface Call {
  readonly rows: readonly Row[]
  done(): void
  fail(error: unknown): void
}

/**
 * Collects what is added at the same time: one statement runs, and what comes meanwhile goes with the next. So single
 * mails accepted by the thousand travel as rows of many ids, and the first of them does not wait.
 */
export class Adds {
  readonly #write: (rows: readonly Row[]) => Promise<void>
  #calls: Call[] = []
  #writing = false

  constructor(write: (rows: readonly Row[]) => Promise<void>) {
    this.#write = write
  }

  /** Answers when the rows are written. */
  add(rows: readonly Row[]): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#calls.push({ rows, done: resolve, fail: reject })
      if (this.#writing) return
      this.#writing = true
      setImmediate(() => void this.#writeAll())
    })
  }

  async #writeAll(): Promise<void> {
    while (this.#calls.length > 0) {
      const calls = this.#calls.splice(0, MAX_CALLS)
      try {
        await this.#write(together(calls.flatMap(({ rows }) => rows)))
        for (const { done } of calls) done()
      } catch (error) {
        for (const { fail } of calls) fail(error)
      }
    }
    this.#writing = false
  }
}

/** The row of a job. */
export function rowOf({ task, lane, ids, notBefore, key }: Job): Row {
  return {
    task,
    lane,
    ids,
    tries: 0,
    ...(notBefore === undefined ? {} : { notBefore }),
    ...(key === undefined ? {} : { key: wholeKey(task, key) }),
  }
}

/** Joins ids that may run together, splits them into rows, and keeps only the last row of each key. */
function together(rows: readonly Row[]): Row[] {
  const keyed = new Map<string, Row>()
  const plain = new Map<string, Row & { readonly ids: string[] }>()
  for (const row of rows) {
    if (row.key !== undefined) keyed.set(row.key, row)
    else {
      const kind = `${row.lane} ${row.tries} ${row.notBefore?.getTime()} ${row.task}`
      const known = plain.get(kind)
      if (known === undefined) plain.set(kind, { ...row, ids: [...row.ids] })
      else for (const id of row.ids) known.ids.push(id)
    }
  }
  // A job with a key must be one row, however long.
  return [...keyed.values(), ...[...plain.values()].flatMap(parted)]
}

function parted(row: Row): Row[] {
  const parts: Row[] = []
  for (let i = 0; i < row.ids.length; i += ROW_IDS) parts.push({ ...row, ids: row.ids.slice(i, i + ROW_IDS) })
  return parts
}

function wholeKey(task: string, key: string): string {
  const whole = `${task}: ${key}`
  return whole.length <= MAX_KEY_LENGTH ? whole : createHash('sha256').update(whole).digest('hex')
}

import { createHash } from 'node:crypto'
import type { Job } from '../../core/ports/queue.ts'
import type { Row } from './tables.ts'

/**
 * Ids in one row. Few enough for two processes to share a small backlog, enough for a row to cost nothing beside what
 * is done with its ids.
 */
const ROW_IDS = 25
/** Calls that share a statement. */
const TOGETHER = 1_000
/** What graphile-worker takes as a key, with room for the name of the task. */
const LONGEST_KEY = 512

interface Call {
  readonly rows: readonly Row[]
  done(): void
  fail(error: unknown): void
}

/**
 * Gathers what is added at the same time: one statement is under way, and what comes meanwhile goes with the next. So
 * single mails accepted by the thousand travel as rows of many ids, and the first of them does not wait.
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
      const calls = this.#calls.splice(0, TOGETHER)
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
    ...{ task, lane, ids, tries: 0 },
    ...(notBefore === undefined ? {} : { notBefore }),
    ...(key === undefined ? {} : { key: wholeKey(task, key) }),
  }
}

/** Puts ids together that may run together, parts them into rows, and leaves of each key the last. */
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
  // A row with a key must be one row, however long.
  return [...keyed.values(), ...[...plain.values()].flatMap(parted)]
}

function parted(row: Row): Row[] {
  const parts: Row[] = []
  for (let i = 0; i < row.ids.length; i += ROW_IDS) parts.push({ ...row, ids: row.ids.slice(i, i + ROW_IDS) })
  return parts
}

function wholeKey(task: string, key: string): string {
  const whole = `${task}: ${key}`
  return whole.length <= LONGEST_KEY ? whole : createHash('sha256').update(whole).digest('hex')
}

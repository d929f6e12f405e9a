import type { Lane } from '../../core/ports/queue.ts'

/** Ids that go to a handler together. */
export interface Batch {
  readonly ids: readonly string[]
  /** How many times they have failed. */
  readonly tries: number
  /** Ends them: nothing more is to be done about them. */
  done(): void
  /** Leaves them to whoever locks their rows next. */
  fail(error: unknown): void
}

/** A row this process has locked. */
interface Held {
  readonly ids: readonly string[]
  readonly tries: number
  /** How many of the ids have been taken out. */
  taken: number
  /** How many of the ids are not done yet. */
  left: number
  done(): void
  fail(error: unknown): void
}

/** Ids of locked rows that wait for a handler: one task, one lane, first come first served. */
export class HeldLine {
  readonly task: string
  readonly lane: Lane
  /** How many runs have been asked for and not begun. */
  asked = 0
  readonly #fresh: Held[] = []
  readonly #again: Held[] = []

  constructor(task: string, lane: Lane) {
    this.task = task
    this.lane = lane
  }

  /** How many ids wait. */
  get waiting(): number {
    return waitingOf(this.#fresh) + waitingOf(this.#again)
  }

  /** How many runs of at most `batch` ids would empty the line. */
  runsNeeded(batch: number): number {
    const again = this.#again.reduce((sum, held) => sum + Math.ceil(waitingOf([held]) / batch), 0)
    return again + Math.ceil(waitingOf(this.#fresh) / batch)
  }

  /** Takes in a row. Answers when all its ids are done, and rejects when a batch of them failed. */
  hold(ids: readonly string[], tries: number): Promise<void> {
    return new Promise((resolve, reject) => {
      if (ids.length === 0) return resolve()
      const held = { ids, tries, taken: 0, left: ids.length, done: resolve, fail: reject }
      if (tries > 0) this.#again.push(held)
      else this.#fresh.push(held)
    })
  }

  /** Takes the next ids, at most `most`. Rows that failed before go alone, so that they spoil no others. */
  take(most: number): Batch | undefined {
    const [failed] = this.#again
    if (failed !== undefined) return batchOf([part(this.#again, failed, most)], failed.tries)
    const parts: Part[] = []
    let room = most
    for (let [held] = this.#fresh; held !== undefined && room > 0; [held] = this.#fresh) {
      const next = part(this.#fresh, held, room)
      room -= next.ids.length
      parts.push(next)
    }
    return parts.length === 0 ? undefined : batchOf(parts, 0)
  }
}

/** Some ids of a row. */
interface Part {
  readonly held: Held
  readonly ids: readonly string[]
}

/** Takes ids from the first row of a list, and removes the row once it is empty. */
function part(list: Held[], held: Held, most: number): Part {
  const ids = held.ids.slice(held.taken, held.taken + most)
  held.taken += ids.length
  if (held.taken === held.ids.length) list.shift()
  return { held, ids }
}

function batchOf(parts: readonly Part[], tries: number): Batch {
  return {
    ids: parts.flatMap(({ ids }) => ids),
    tries,
    done() {
      for (const { held, ids } of parts) {
        held.left -= ids.length
        if (held.left === 0) held.done()
      }
    },
    fail(error) {
      for (const { held } of parts) held.fail(error)
    },
  }
}

function waitingOf(list: readonly Held[]): number {
  return list.reduce((sum, { ids, taken }) => sum + ids.length - taken, 0)
}

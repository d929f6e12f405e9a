import { EngineError } from '../../../../core/errors.ts'
import { Conflict } from '../../../../core/values/conflict.ts'
import type { Dialect } from './dialect.ts'

/** The result of one item in a shared transaction. */
export type Outcome<Answer> = { readonly answer: Answer } | { readonly error: unknown }

interface Waiting<Item, Answer> {
  readonly item: Item
  resolve(answer: Answer): void
  reject(error: unknown): void
}

export interface GroupCommitOptions<Item, Answer> {
  readonly dialect: Dialect
  /** Runs one transaction over all these items. Answers their outcomes in order once it is committed. */
  commit(items: readonly Item[]): Promise<readonly Outcome<Answer>[]>
  /** How many transactions may run at a time. Default 1. */
  readonly atATime?: number
  /** The most weight in one transaction; a single item may exceed it. */
  readonly capacity: number
  weight?(item: Item): number
}

/**
 * Lets callers that wait at the same time share one commit, so that its price (a disk sync, a round trip) is paid once
 * for all of them. While one commit runs, the next batch collects. When idle, a batch is taken on the next turn of the
 * event loop, so that requests read from several sockets in one turn go together. It adds no timer.
 */
export class GroupCommit<Item, Answer> {
  readonly #options: GroupCommitOptions<Item, Answer>
  #waiting: Waiting<Item, Answer>[] = []
  #running = 0

  constructor(options: GroupCommitOptions<Item, Answer>) {
    this.#options = options
  }

  /** Answers when the item's transaction is committed. Throws what the item's part of it threw. */
  add(item: Item): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject })
      if (this.#running >= (this.#options.atATime ?? 1)) return
      this.#running++
      setImmediate(() => void this.#run())
    })
  }

  async #run(): Promise<void> {
    if (this.#waiting.length > 0) await this.#settle(this.#nextBatch())
    if (this.#waiting.length > 0) setImmediate(() => void this.#run())
    else this.#running--
  }

  #nextBatch(): readonly Waiting<Item, Answer>[] {
    const { capacity, weight } = this.#options
    let taken = 0
    for (let sum = 0; taken < this.#waiting.length; taken++) {
      const next = this.#waiting[taken]
      if (next) sum += weight?.(next.item) ?? 1
      if (taken > 0 && sum > capacity) break
    }
    const batch = this.#waiting.slice(0, taken)
    this.#waiting = this.#waiting.slice(taken)
    return batch
  }

  /**
   * Commits the batch and tells every caller. If it fails as a whole, its items are tried one by one, so that a bad
   * item harms only itself.
   */
  async #settle(batch: readonly Waiting<Item, Answer>[]): Promise<void> {
    try {
      const outcomes = await this.#commit(batch.map(({ item }) => item))
      for (const [i, waiting] of batch.entries()) {
        const outcome = outcomes[i]
        if (outcome && 'answer' in outcome) waiting.resolve(outcome.answer)
        else waiting.reject(outcome?.error)
      }
    } catch (error) {
      if (batch.length > 1 && !isUnavailable(error)) {
        for (const waiting of batch) await this.#settle([waiting])
      } else {
        for (const waiting of batch) waiting.reject(error)
      }
    }
  }

  async #commit(items: readonly Item[]): Promise<readonly Outcome<Answer>[]> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#options.commit(items)
      } catch (error) {
        const hasConflict = Conflict.is(error, 'again') || this.#options.dialect.isConflict(error)
        if (attempt === MAX_ATTEMPTS || !hasConflict) throw error
      }
    }
  }
}

function isUnavailable(error: unknown): boolean {
  return EngineError.is(error) && error.code === 'SERVICE_UNAVAILABLE'
}

/** How often a transaction is run when it conflicts with another process. */
const MAX_ATTEMPTS = 4

/** The result of one item of a batch. */
export type Outcome<Answer> = { readonly answer: Answer | Promise<Answer> } | { readonly error: unknown }

/** The outcomes of items that are all written and have no answer. */
export function allDone(items: readonly unknown[]): readonly Outcome<void>[] {
  return new Array<Outcome<void>>(items.length).fill({ answer: undefined })
}

interface BatcherOptions<Item, Answer> {
  /** Throws when the caller may not add an item. */
  refuse?(): void
  /** Calls `begin` when enough time has passed for others to come. */
  gather(begin: () => void): void
  /** Writes these items together. Answers their outcomes in order; throws when none was written. */
  write(items: readonly Item[]): Promise<readonly Outcome<Answer>[]>
  /**
   * The way on after a batch has failed: it is written again, each of its items is written alone (the default), or
   * none.
   */
  next?(error: unknown, attempt: number): 'again' | 'alone' | 'none'
  /** How many batches may be written at a time. Default 1. */
  readonly atATime?: number
  /** The most weight of one batch; a single item may exceed it. Default no limit. */
  readonly capacity?: number
  /** Default 1. */
  weight?(item: Item): number
}

interface Waiting<Item, Answer> {
  readonly item: Item
  resolve(answer: Answer | Promise<Answer>): void
  reject(error: unknown): void
}

/**
 * Lets callers that come at about the same time share one write, so that its price (a disk sync, a round trip) is paid once
 * for all of them. While one batch is written the next one gathers, so the busier the process is, the less an item costs.
 */
export class Batcher<Item, Answer = void> {
  readonly #options: BatcherOptions<Item, Answer>
  #waiting: Waiting<Item, Answer>[] = []
  #running = 0

  constructor(options: BatcherOptions<Item, Answer>) {
    this.#options = options
  }

  /** Answers when the item is written. Throws its own error. */
  async add(item: Item): Promise<Answer> {
    const { refuse, gather, atATime = 1 } = this.#options
    refuse?.()
    const { promise, resolve, reject } = Promise.withResolvers<Answer>()
    this.#waiting.push({ item, resolve, reject })
    if (this.#running < atATime) {
      this.#running++
      gather(this.#run)
    }
    return promise
  }

  /** Writes the next batch. If it fails as a whole, its items are written one by one: a bad one harms only itself. */
  readonly #run = async (): Promise<void> => {
    const { write, gather, next } = this.#options
    const groups = [{ callers: this.#take(), attempt: 1 }]
    for (const { callers, attempt } of groups) {
      try {
        const items: Item[] = []
        for (const { item } of callers) items.push(item)
        const outcomes = items.length > 0 ? await write(items) : []
        for (const [i, { resolve, reject }] of callers.entries()) {
          const outcome = outcomes[i]
          if (outcome && 'answer' in outcome) resolve(outcome.answer)
          else reject(outcome?.error)
        }
      } catch (error) {
        const then = next?.(error, attempt) ?? 'alone'
        if (then === 'again') groups.push({ callers, attempt: attempt + 1 })
        else if (then === 'alone' && callers.length > 1)
          groups.push(...callers.map((caller) => ({ callers: [caller], attempt: 1 })))
        else for (const { reject } of callers) reject(error)
      }
    }
    if (this.#waiting.length > 0) gather(this.#run)
    else this.#running--
  }

  #take(): readonly Waiting<Item, Answer>[] {
    const { capacity = Number.POSITIVE_INFINITY, weight } = this.#options
    let taken = 0
    for (let sum = 0; taken < this.#waiting.length; taken++) {
      const next = this.#waiting[taken]
      if (next) sum += weight?.(next.item) ?? 1
      if (taken > 0 && sum > capacity) break
    }
    return this.#waiting.splice(0, taken)
  }
}

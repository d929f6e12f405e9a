import { EngineError } from '../../../../core/errors.ts'
import { Conflict } from '../../../../core/values/conflict.ts'
import type { Access } from './access.ts'
import type { OutsideAccess } from './outside-access.ts'
import type { Session } from './session.ts'

/** The result of one item in a shared transaction. */
export type Outcome<Answer> = { readonly answer: Answer } | { readonly error: unknown }

interface Waiting<Item, Answer> {
  readonly item: Item
  resolve(answer: Answer): void
  reject(error: unknown): void
}

export interface GroupCommitOptions<Item, Answer> {
  readonly access: OutsideAccess
  /** Does what these items ask, in one transaction. Answers their outcomes in order. */
  work(session: Session, items: readonly Item[]): Promise<readonly Outcome<Answer>[]>
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
  async add(item: Item): Promise<Answer> {
    const { access, atATime = 1 } = this.#options
    access.refuseNested()
    const { promise, resolve, reject } = Promise.withResolvers<Answer>()
    this.#waiting.push({ item, resolve, reject })
    if (this.#running < atATime) {
      this.#running++
      setImmediate(this.#run)
    }
    return promise
  }

  /**
   * Commits the next batch and answers its callers. One that lost a race is run again. If it fails as a whole, its
   * items are tried one by one, so that a bad item harms only itself.
   */
  readonly #run = async (): Promise<void> => {
    const { access, work } = this.#options
    const groups: Group<Item, Answer>[] = [{ callers: this.#nextBatch(), attempt: 1 }]
    for (const { callers, attempt } of groups) {
      try {
        const items: Item[] = []
        for (const { item } of callers) items.push(item)
        const outcomes = items.length > 0 ? await access.write((session) => work(session, items)) : []
        for (const [i, caller] of callers.entries()) settle(caller, outcomes[i])
      } catch (error) {
        const hasConflict = Conflict.is(error, 'again') || access.dialect.isConflict(error)
        if (hasConflict && attempt < MAX_ATTEMPTS) groups.push({ callers, attempt: attempt + 1 })
        else if (callers.length > 1 && !isUnavailable(error))
          groups.push(...callers.map((caller) => ({ callers: [caller], attempt: 1 })))
        else for (const { reject } of callers) reject(error)
      }
    }
    if (this.#waiting.length > 0) setImmediate(this.#run)
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
}

/** The same for a transaction that others end: each item is written by itself, and again when it has lost a race. */
export class InsideCommit<Item, Answer> {
  readonly #access: Access
  readonly #work: GroupCommitOptions<Item, Answer>['work']

  constructor(access: Access, work: GroupCommitOptions<Item, Answer>['work']) {
    this.#access = access
    this.#work = work
  }

  async add(item: Item): Promise<Answer> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#access.attempt(async (session) => {
          const [outcome] = await this.#work(session, [item])
          if (outcome && 'answer' in outcome) return outcome.answer
          throw outcome?.error
        })
      } catch (error) {
        // a transaction that the database has given up is lost as a whole, and only the host can run it again
        const mayGoOn = Conflict.is(error, 'again') || this.#access.dialect.isTaken(error)
        if (!mayGoOn || attempt === MAX_ATTEMPTS) throw error
      }
    }
  }
}

/** Those whose items go into one transaction, and how often it has been begun. */
interface Group<Item, Answer> {
  readonly callers: readonly Waiting<Item, Answer>[]
  readonly attempt: number
}

function settle<Item, Answer>({ resolve, reject }: Waiting<Item, Answer>, outcome: Outcome<Answer> | undefined): void {
  if (outcome && 'answer' in outcome) resolve(outcome.answer)
  else reject(outcome?.error)
}

function isUnavailable(error: unknown): boolean {
  return EngineError.is(error) && error.code === 'SERVICE_UNAVAILABLE'
}

/** How often a transaction is run when it conflicts with another process. */
const MAX_ATTEMPTS = 4

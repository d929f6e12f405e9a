import { EngineError } from '../../../../core/errors.ts'
import { Batcher, type Outcome } from '../../../../core/values/batcher.ts'
import { Conflict } from '../../../../core/values/conflict.ts'
import type { Access } from './access.ts'
import type { OutsideAccess } from './outside-access.ts'
import type { Session } from './session.ts'

export interface GroupCommitOptions<Item, Answer> {
  readonly access: OutsideAccess
  /** Does what these items ask, in one transaction. Answers their outcomes in order. */
  work(items: readonly Item[]): (session: Session) => Promise<readonly Outcome<Answer>[]>
  /** How many transactions may run at a time. Default 1. */
  readonly atATime?: number
  /** The most weight in one transaction; a single item may exceed it. */
  readonly capacity: number
  weight?(item: Item): number
}

/**
 * Lets callers that wait at the same time share one commit. When idle, a batch is taken on the next turn of the event loop, so
 * that requests read from several sockets in one turn go together. It adds no timer.
 */
export function groupCommit<Item, Answer>({ access, work, ...limits }: GroupCommitOptions<Item, Answer>) {
  return new Batcher<Item, Answer>({
    ...limits,
    refuse: () => access.refuseNested(),
    gather: setImmediate,
    write: (items) => access.write(work(items)),
    next: (error, attempt) => {
      const hasLostRace = Conflict.is(error, 'again') || access.dialect.isConflict(error)
      if (hasLostRace && attempt < MAX_ATTEMPTS) return 'again'
      return isUnavailable(error) ? 'none' : 'alone'
    },
  })
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
          const [outcome] = await this.#work([item])(session)
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

function isUnavailable(error: unknown): boolean {
  return EngineError.is(error) && error.code === 'SERVICE_UNAVAILABLE'
}

/** How often a transaction is run when it conflicts with another process. */
const MAX_ATTEMPTS = 4

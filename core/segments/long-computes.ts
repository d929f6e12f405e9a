import { inject, injectable } from '../di.ts'
import { EngineError } from '../errors.ts'
import { Kit } from '../kit.ts'
import type { Project } from '../ports/store/projects.ts'
import { Store } from '../ports/store/store.ts'
import { type Computed, ComputeSegments, type Moved } from './compute-segments.ts'

/** How far a compute has come; `isDone` is false while it goes on. */
export interface ComputeProgress extends Computed {
  readonly isDone: boolean
}

interface Compute {
  /** Of the moment: it counts up. */
  readonly moved: Moved
  readonly done: Promise<Computed>
}

/**
 * Computes of segments that somebody waits for, but not for ever: a first compute of very many members takes minutes. It
 * goes on when the one who asked has gone, and whoever asks meanwhile waits for the same one.
 */
@injectable()
export class LongComputes {
  /** Those that have outlasted who asked, by segment. */
  readonly #outlasting = new Map<string, Compute>()
  readonly #underWay = new Set<Promise<unknown>>()
  readonly #ending = new AbortController()

  constructor(
    @inject(ComputeSegments) private readonly accounts: ComputeSegments,
    @inject(Store) private readonly store: Store,
    @inject(Kit) private readonly kit: Kit,
  ) {}

  /** Computes for at most so many milliseconds, and behind that in the background. Throws as `ComputeSegments.compute` does. */
  async compute(project: Project, id: string, waitMs: number): Promise<ComputeProgress> {
    const key = `${project.id} ${id}`
    const compute = this.#outlasting.get(key) ?? this.#begin(project, id)
    const done = await within(compute.done, waitMs)
    if (done) return { ...done, isDone: true }
    this.#outlast(key, compute)
    const members = await this.store.memberships.count(project.id, [id])
    return { added: compute.moved.enter, removed: compute.moved.leave, total: members.get(id) ?? 0, isDone: false }
  }

  /** Breaks off what is under way, between two pieces; the schedule goes on with it after the next start. */
  async end(): Promise<void> {
    this.#ending.abort(new EngineError('SERVICE_UNAVAILABLE', 'The service is ending.', { retryAfter: 1 }))
    await Promise.allSettled(this.#underWay)
  }

  #begin(project: Project, id: string): Compute {
    const moved = { enter: 0, leave: 0 }
    const done = this.accounts.compute(project, id, this.#ending.signal, moved)
    const ended = done.then(nothing, nothing).finally(() => this.#underWay.delete(ended))
    this.#underWay.add(ended)
    return { moved, done }
  }

  /** Nobody waits for it any more, so that a failure is to be told elsewhere. */
  #outlast(key: string, compute: Compute): void {
    if (this.#outlasting.has(key)) return
    this.#outlasting.set(key, compute)
    compute.done
      .catch((error: unknown) => {
        if (!this.#ending.signal.aborted) this.kit.log.warn('could not compute a segment', { segment: key, error })
      })
      .finally(() => this.#outlasting.delete(key))
  }
}

/** The answer when it comes in time. */
async function within<T>(answer: Promise<T>, ms: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, ms, undefined)
  })
  try {
    return await Promise.race([answer, late])
  } finally {
    clearTimeout(timer)
  }
}

function nothing(): void {}

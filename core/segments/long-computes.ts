import { EngineError } from '../errors.ts'
import type { Kit } from '../kit.ts'
import type { Project } from '../ports/store/projects.ts'
import type { Store } from '../ports/store/store.ts'
import type { Computed, ComputeSegments, Moved } from './compute-segments.ts'

/** The progress of a computation; `isDone` is false while it continues. */
export interface ComputeProgress extends Computed {
  readonly isDone: boolean
}

interface Compute {
  /** Current figures, which still grow. */
  readonly moved: Moved
  readonly done: Promise<Computed>
}

/**
 * Computations of segments that a caller waits for, up to a limit: the first one with very many members takes minutes.
 * It continues after its caller has left, and later callers wait for the same one.
 */
export class LongComputes {
  /** Computations whose callers have left, by segment. */
  readonly #outlasting = new Map<string, Compute>()
  readonly #underWay = new Set<Promise<unknown>>()
  readonly #ending = new AbortController()

  constructor(
    private readonly accounts: ComputeSegments,
    private readonly store: Store,
    private readonly kit: Kit,
  ) {}

  /** Computes for up to `waitMs` milliseconds, then in the background. Throws as `ComputeSegments.compute` does. */
  async compute(project: Project, id: string, waitMs: number): Promise<ComputeProgress> {
    const key = `${project.id} ${id}`
    const compute = this.#outlasting.get(key) ?? this.#begin(project, id)
    const done = await within(compute.done, waitMs)
    if (done) return { ...done, isDone: true }
    this.#outlast(key, compute)
    const members = await this.store.memberships.count(project.id, [id])
    return { added: compute.moved.enter, removed: compute.moved.leave, total: members.get(id) ?? 0, isDone: false }
  }

  /** Stops running computations between two batches; the schedule continues them after the next start. */
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

  /** No caller waits any more, so a failure is logged. */
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

/** The answer if it comes in time. */
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

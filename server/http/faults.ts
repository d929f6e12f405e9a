import type { H3Event } from 'h3'
import { EngineError, invalidField } from '../../core/errors.ts'
import type { Caller } from '../../core/projects/caller.ts'
import { pause } from '../../core/values/pause.ts'
import { gone } from './requests.ts'

/** The header field by which a test key orders a fault. */
export const FAULT_FIELD = 'X-Mailwright-Simulate'

/** The faults that can be ordered: an answer, no answer at all, or one that takes long. */
const FAULTS = ['429', '500', 'timeout', 'slow'] as const
export type Fault = (typeof FAULTS)[number]

/** How long a request waits, in milliseconds: longer than clients have patience, and no longer than a test has. */
const WAIT_MS = { slow: 5_000, timeout: 60_000 }
/** How many requests may wait at once, of one project and of all. */
const AT_ONCE = { ofProject: 20, ofAll: 200 }

/** An internal error that was ordered: no fault of the server, so that no operator need look for it. */
export class OrderedError extends Error {}

/**
 * The fault that the header field orders. Throws EngineError `VALIDATION_ERROR` for a fault that there is not, and for a
 * key of live requests.
 */
export function orderedFault(headers: Headers, { project }: Pick<Caller, 'project'>): Fault {
  const given = headers.get(FAULT_FIELD) ?? ''
  if (!project.isForTests) {
    throw invalidField(FAULT_FIELD, 'custom', 'is for test keys (sk_test_…) alone: leave it out of live requests')
  }
  const fault = FAULTS.find((each) => each === given.trim().toLowerCase())
  if (fault === undefined) throw invalidField(FAULT_FIELD, 'invalid_enum_value', `must be one of ${FAULTS.join(', ')}`)
  return fault
}

/** The requests that wait because a test wants them to. */
export class OrderedWaits {
  readonly #ofProject = new Map<string, number>()
  #ofAll = 0

  /**
   * Waits as long as this fault does, or until the client has gone. Throws EngineError `RATE_LIMIT_EXCEEDED` when too many
   * wait already.
   */
  async wait(fault: keyof typeof WAIT_MS, { project }: Pick<Caller, 'project'>, event: H3Event): Promise<void> {
    const waiting = this.#ofProject.get(project.id) ?? 0
    if (waiting >= AT_ONCE.ofProject || this.#ofAll >= AT_ONCE.ofAll) {
      const message = `Too many requests wait on order (${FAULT_FIELD}): at most ${AT_ONCE.ofProject} of a project at once.`
      throw new EngineError('RATE_LIMIT_EXCEEDED', message, { retryAfter: WAIT_MS.slow / 1000 })
    }
    this.#ofProject.set(project.id, waiting + 1)
    this.#ofAll++
    try {
      await pause(WAIT_MS[fault], gone(event))
    } finally {
      const left = (this.#ofProject.get(project.id) ?? 1) - 1
      if (left > 0) this.#ofProject.set(project.id, left)
      else this.#ofProject.delete(project.id)
      this.#ofAll--
    }
  }
}

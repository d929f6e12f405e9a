import { inject, injectable } from '../../di.ts'
import { EngineError } from '../../errors.ts'
import { DispatchTrigger } from '../../events/dispatch-trigger.ts'
import { Kit } from '../../kit.ts'
import type { Answering } from '../../mails/answering.ts'
import type { ClaimedExecution } from '../../ports/store/executions.ts'
import { Store } from '../../ports/store/store.ts'
import { EndpointDispatch } from '../../webhooks/endpoint-dispatch.ts'
import { Doorbell, TOPICS } from '../../work/doorbell.ts'
import { givenUp } from '../../work/interrupted.ts'
import type { Claimed, ClaimRequest, Work } from '../../work/work.ts'
import { ended, endedRun } from './moves.ts'
import { type BatchDone, runBatch } from './run-batch.ts'
import { RunSteps } from './run-steps.ts'

/** How many executions are one transaction. */
const BATCH = 250

/** Runs the executions that are due. All state is in the store; concurrent workers get different executions. */
@injectable()
export class RunWorkflows implements Work {
  readonly topic = TOPICS.workflows
  readonly lane = 'workflow'
  /** Batches. */
  readonly atOnce = 1
  readonly leaseMs = 60_000
  /** Called with mails that answer others. */
  answering: Answering | undefined

  constructor(
    @inject(Store) private readonly store: Store,
    @inject(Doorbell) private readonly doorbell: Doorbell,
    @inject(RunSteps) private readonly steps: RunSteps,
    @inject(DispatchTrigger) private readonly dispatch: DispatchTrigger,
    @inject(EndpointDispatch) private readonly endpoints: EndpointDispatch,
    @inject(Kit) private readonly kit: Kit,
  ) {}

  async claim({ now, lease }: ClaimRequest): Promise<Claimed> {
    const claimed = await this.store.executions.claimDue(now, BATCH, lease)
    const isMore = claimed.length === BATCH
    const [first] = claimed
    if (lease.alone && first) return { isMore, running: [this.#alone(first)] }
    return { isMore, running: claimed.length > 0 ? [this.#work(claimed)] : [] }
  }

  next(): Promise<Date | undefined> {
    return this.store.executions.nextDue()
  }

  async #work(claimed: readonly ClaimedExecution[]): Promise<void> {
    try {
      const done = await runBatch(this.store, this.steps, claimed, this.kit.now())
      if (!('lost' in done)) return await this.#announce(done)
      const ours = claimed.filter(({ id }) => !done.lost.has(id))
      if (ours.length > 0) await this.#work(ours)
    } catch (error) {
      // the database is away: the leases run out
      if (EngineError.is(error) && error.kind === 'unavailable') throw error
      this.kit.log.warn('could not run steps of workflows', { count: claimed.length, error })
      if (claimed.length === 1) await this.#putOff(claimed, error)
      else for (const alone of claimed) await this.#work([alone])
    }
  }

  /** One that was interrupted, which fails at the third time. */
  async #alone(claimed: ClaimedExecution): Promise<void> {
    const error = givenUp(claimed)
    if (error === undefined) return this.#work([claimed])
    const { token, interrupted: _, ...execution } = claimed
    this.kit.log.error('an execution of a workflow is given up', { execution: execution.id, reason: error })
    await this.store.transaction(async (tx) => {
      const now = this.kit.now()
      const runs = await tx.stepRuns.open(execution.projectId, [execution.id])
      const failed = { execution: ended(execution, { status: 'FAILED', error }, now), token }
      await tx.executions.advance([{ ...failed, runs: runs.map((run) => endedRun(run, 'FAILED', now)) }])
    })
  }

  /** An execution that cannot be run even alone must not come back at once; after some time it has failed. */
  async #putOff(claimed: readonly ClaimedExecution[], cause: unknown): Promise<void> {
    const now = this.kit.now()
    const moves = claimed.map(({ token, ...execution }) => {
      const attempts = execution.attempts + 1
      if (attempts > MAX_ATTEMPTS) {
        return { execution: ended(execution, { status: 'FAILED', error: 'an unexpected error' }, now), token, runs: [] }
      }
      const dueAt = new Date(now.getTime() + attempts * PAUSE_MS)
      return { execution: { ...execution, attempts, dueAt, updatedAt: now }, token, runs: [] }
    })
    await this.store.executions.advance(moves).catch((error: unknown) => {
      this.kit.log.error('could not put an execution off', { error, cause })
    })
  }

  async #announce({ answers, emails, deliveries, events }: BatchDone): Promise<void> {
    if (events > 0) this.dispatch.ask()
    if (deliveries > 0) this.endpoints.ask()
    if (emails === 0) return
    this.kit.metrics.accepted('workflow', emails)
    this.doorbell.ring(TOPICS.mail, { lane: 'workflow' })
    for (const [project, emailIds] of answers) await this.answering?.(project, emailIds)
  }
}

const MAX_ATTEMPTS = 4
const PAUSE_MS = 10_000

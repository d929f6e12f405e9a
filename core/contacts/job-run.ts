import type { Kit } from '../kit.ts'
import type { ContactJob } from '../ports/store/contact-jobs.ts'
import type { ClaimLease } from '../ports/store/interrupted.ts'
import type { Repositories, Store } from '../ports/store/store.ts'
import { Conflict, retryConflicts } from '../values/conflict.ts'
import { givenUp } from '../work/interrupted.ts'

/** A batch takes far less; a worker that holds a job this long without renewing the lease is dead. */
export const JOB_LEASE_MS = 60_000
/** How often a batch is tried when another process writes the same contacts. */
const MAX_ATTEMPTS = 5

/** The fields of a job that a batch changes. */
export type JobStep = Partial<Pick<ContactJob, 'state' | 'progress' | 'position' | 'result' | 'failedReason'>>

/** A job under our lease, as its last batch left it. */
export class JobRun {
  readonly #store: Store
  readonly #kit: Kit
  readonly #token: string
  #job: ContactJob

  private constructor(
    store: Store,
    kit: Kit,
    token: string,
    job: ContactJob,
    /** Why it is not tried again; undefined while it may be. */
    readonly givenUp: string | undefined,
  ) {
    this.#store = store
    this.#kit = kit
    this.#token = token
    this.#job = job
  }

  /** Claims the job; undefined when another worker has it or it has ended. `alone` as in `ClaimLease`. */
  static async begin(store: Store, kit: Kit, id: string, token: string, alone = false): Promise<JobRun | undefined> {
    const now = kit.now()
    const claimed = await store.contactJobs.claim(id, now, { ...leaseFrom(token, now), alone })
    if (claimed === undefined) return undefined
    const { interrupted: _, ...job } = claimed
    return new JobRun(store, kit, token, job, givenUp(claimed))
  }

  get job(): ContactJob {
    return this.#job
  }

  /**
   * Runs one batch: what `work` writes and the job's progress are one transaction. `work` is run again when it throws
   * Conflict. Throws Conflict `gone`, with nothing written, when another worker has the job by now.
   */
  async step(work: (tx: Repositories, now: Date) => Promise<JobStep>): Promise<void> {
    this.#job = await retryConflicts(MAX_ATTEMPTS, () =>
      this.#store.transaction(async (tx) => {
        const now = this.#kit.now()
        const job: ContactJob = { ...this.#job, ...(await work(tx, now)), updatedAt: now }
        if (!(await tx.contactJobs.advance(job, leaseFrom(this.#token, now)))) throw new Conflict('gone')
        return job
      }),
    )
  }

  /** Ends the job as failed, with a reason for its owner. */
  fail(reason: string, step: JobStep = {}): Promise<void> {
    return this.step(async () => ({ ...step, state: 'failed', failedReason: reason }))
  }

  /** Gives the job back, to be continued after the last batch. */
  release(): Promise<void> {
    return this.#store.contactJobs.release(this.#job.id, this.#token)
  }
}

function leaseFrom(token: string, now: Date): ClaimLease {
  return { token, until: new Date(now.getTime() + JOB_LEASE_MS) }
}

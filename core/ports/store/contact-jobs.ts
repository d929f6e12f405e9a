import type { JsonObject } from '../../values/json.ts'
import type { ProjectId } from '../../values/project-id.ts'

export const BULK_OPERATIONS = ['subscribe', 'unsubscribe', 'delete'] as const
export type BulkOperation = (typeof BULK_OPERATIONS)[number]

export type ContactJobType = 'import' | `bulk-${BulkOperation}`
export type ContactJobState = 'waiting' | 'active' | 'completed' | 'failed'

/** Work on many contacts that was accepted and is done in the background, a batch at a time. */
export interface ContactJob {
  readonly id: string
  readonly projectId: ProjectId
  readonly type: ContactJobType
  readonly state: ContactJobState
  /** 0 to 100. */
  readonly progress: number
  /** What was asked for. */
  readonly request: JsonObject
  /** How far it is: written in the transaction of each batch, so that a batch is never done twice. */
  readonly position: JsonObject
  /** What came of it so far; without fields before it was begun. */
  readonly result: JsonObject
  readonly failedReason?: string
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** The right of one worker to go on with a job, until it runs out. */
export interface JobLease {
  readonly token: string
  readonly until: Date
}

export interface ContactJobRepository {
  find(projectId: ProjectId, id: string): Promise<ContactJob | undefined>
  /** The bytes that were uploaded with the job; gone when it has ended. */
  file(id: string): Promise<Uint8Array | undefined>
  /** Takes a job that waits or whose lease has run out, under a lease of one's own; undefined when another has it or it has ended. */
  claim(id: string, now: Date, lease: JobLease): Promise<ContactJob | undefined>
  /**
   * Writes how far the job is and prolongs its lease; of a job that has ended, lease and file are removed. False, with
   * nothing written, when it is no longer held under this token.
   */
  advance(job: ContactJob, lease: JobLease): Promise<boolean>
  /** Gives the job back, to be gone on with at once; without effect when it is no longer held under this token. */
  release(id: string, token: string): Promise<void>
  /** Ends every lease that runs out at `before` or earlier. Answers how many. */
  expireLeases(before: Date): Promise<number>
  /** Ids of jobs of all projects that wait or whose lease has run out, the oldest first. */
  due(now: Date, limit: number): Promise<readonly string[]>
  /** Removes up to `limit` jobs that ended before that date. Answers how many. */
  forget(before: Date, limit: number): Promise<number>
}

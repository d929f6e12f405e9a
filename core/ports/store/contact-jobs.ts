import type { JsonObject } from '../../values/json.ts'
import type { PageRequest } from '../../values/page.ts'
import type { ProjectId } from '../../values/project-id.ts'
import type { ClaimLease, Interrupted } from './interrupted.ts'

export const BULK_OPERATIONS = ['subscribe', 'unsubscribe', 'delete'] as const
export type BulkOperation = (typeof BULK_OPERATIONS)[number]

export type ContactJobType = 'import' | `bulk-${BulkOperation}` | 'suppressions'
export type ContactJobState = 'waiting' | 'active' | 'completed' | 'failed'

/** Accepted work on many contacts or addresses, done in the background batch by batch. */
export interface ContactJob {
  /** A UUID (version 7): those made later sort after those made before. */
  readonly id: string
  /** The project that it belongs to. */
  readonly projectId: ProjectId
  /** The kind of job: an import or one of the changes of many. */
  readonly type: ContactJobType
  /** Whether it waits, runs, is done or has failed. */
  readonly state: ContactJobState
  /** 0 to 100. */
  readonly progress: number
  /** The request as it was accepted. */
  readonly request: JsonObject
  /** The progress, written in the transaction of each batch, so that a batch is never done twice. */
  readonly position: JsonObject
  /** The result so far; empty before it begins. */
  readonly result: JsonObject
  /** Why it failed; of failed jobs. */
  readonly failedReason?: string
  /** When it was made, by the clock of the engine. */
  readonly createdAt: Date
  /** When it last changed; at first, when it was made. */
  readonly updatedAt: Date
}

export interface ContactJobRepository {
  find(projectId: ProjectId, id: string): Promise<ContactJob | undefined>
  /** The project's jobs of this type, newest first; one more than `limit` when there are more. */
  page(projectId: ProjectId, type: ContactJobType, page: PageRequest): Promise<readonly ContactJob[]>
  count(projectId: ProjectId, type: ContactJobType): Promise<number>
  /**
   * At most `most` bytes of the file uploaded with the job, behind its first `from` bytes; none behind its end. Undefined
   * where there is no file: it is deleted when the job has ended.
   */
  filePiece(id: string, from: number, most: number): Promise<Uint8Array | undefined>
  /** Keeps rows of the file that were refused, as text; `row` is the number of the first. They go with the job. */
  keepRefused(id: string, row: number, bytes: Uint8Array): Promise<void>
  /** The next kept rows whose number is above `row`. */
  refused(id: string, row: number): Promise<{ readonly row: number; readonly bytes: Uint8Array } | undefined>
  /**
   * Claims a job that waits or whose lease has run out, under a new lease; undefined when another worker has it or it
   * has ended.
   */
  claim(id: string, now: Date, lease: ClaimLease): Promise<(ContactJob & Interrupted) | undefined>
  /**
   * Writes the job's progress and extends its lease; when the job has ended, lease and file are removed. False, with
   * nothing written, when the job is no longer held under this token.
   */
  advance(job: ContactJob, lease: ClaimLease): Promise<boolean>
  /** Gives the job back, so that it continues at once; no effect when it is no longer held under this token. */
  release(id: string, token: string): Promise<void>
  /** Ends every lease that runs out at `before` or earlier. Answers how many. */
  expireLeases(before: Date): Promise<number>
  /**
   * Ids of jobs of all projects that wait or whose lease has run out. Projects take turns, those with the fewest jobs
   * under way first; within a project the oldest job comes first. `alone` as in `ClaimLease`.
   */
  due(now: Date, limit: number, alone?: boolean): Promise<readonly string[]>
  /** Removes up to `limit` jobs that ended before that date. Answers how many. */
  forget(before: Date, limit: number): Promise<number>
}

import type { ProjectId } from '../projects/project.ts'
import type { JsonObject } from '../values/json.ts'

export const CONTACT_JOB_TYPES = ['import', 'bulk-subscribe', 'bulk-unsubscribe', 'bulk-delete'] as const
export type ContactJobType = (typeof CONTACT_JOB_TYPES)[number]
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
  /** What came of it so far. */
  readonly result: JsonObject
  readonly failedReason?: string
  readonly createdAt: Date
  readonly updatedAt: Date
}

export interface ContactJobRepository {
  find(projectId: ProjectId, id: string): Promise<ContactJob | undefined>
  /** The bytes that were uploaded with the job; gone when it has ended. */
  file(id: string): Promise<Uint8Array | undefined>
  /** Takes a job that waits or whose lease has run out, under a lease of one's own; undefined when another has it or it has ended. */
  claim(id: string, now: Date, lease: { readonly token: string; readonly until: Date }): Promise<ContactJob | undefined>
  /** Writes the job as it is now and its lease; false, with nothing written, when it is no longer held under `token`. */
  advance(job: ContactJob, lease: { readonly token: string; readonly until: Date }): Promise<boolean>
  /** Gives the job back to be gone on with, now. */
  release(id: string, token: string): Promise<void>
  /** Ids of jobs of all projects that wait or whose lease has run out, the oldest first. */
  due(now: Date, limit: number): Promise<readonly string[]>
  /** Removes ended jobs from before that date, and the files of ended jobs. Answers how many jobs. */
  forget(before: Date): Promise<number>
}

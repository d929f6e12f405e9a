import type { ProjectId } from '../../values/project-id.ts'

/** The kinds of work that wait in a store: mail by its lane, and the rest. */
export const WAITING_WORK = [
  ...(['transactional', 'workflow', 'campaign'] as const),
  ...(['webhooks', 'executions', 'contactJobs', 'inbound', 'requests'] as const),
] as const
export type WaitingWork = (typeof WAITING_WORK)[number]

/** How much work of one kind waits for one project. Work under way counts, except for mail. */
export interface QueueDepth {
  /** The kind of work. */
  readonly queue: WaitingWork
  /** The project that it belongs to. */
  readonly projectId: ProjectId
  /** How much of it waits. */
  readonly waiting: number
  /** How much of it could be done now: the rest has a later time. */
  readonly due: number
  /** The earliest due time; of contact jobs and requests, when the oldest was made. */
  readonly oldest: Date
}

/** An operator's questions about the whole store, over all projects. */
export interface OperationsRepository {
  /** The depth of every queue that is not empty, by project. It may read as many index entries as there is work. */
  queues(now: Date): Promise<readonly QueueDepth[]>
  /** The name of the last migration that ran, and how many bytes the database takes. */
  database(): Promise<{ readonly schema: string; readonly bytes: number }>
}

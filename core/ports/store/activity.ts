import type { ActivityType } from '../../values/activity-type.ts'
import type { PageRequest } from '../../values/page.ts'
import type { ProjectId } from '../../values/project-id.ts'
import type { EventWithContact } from './events.ts'
import type { ExecutionStatus } from './executions.ts'

/** Narrows the activities: of these types, of this contact, at or after `from` and before `to`. */
export interface ActivityFilter {
  readonly types?: readonly ActivityType[]
  readonly contactId?: string
  readonly from?: Date
  readonly to?: Date
}

/**
 * Something that happened. Ids are in the order of time. An event keeps its id; `activityId` makes the others from the
 * moment and the id of the record they are about.
 */
export type ActivityEntry = { readonly id: string } & (
  | {
      /** Stored, or `ofLedger`. An `email.received` comes without its data, which holds the whole message. */
      readonly event: EventWithContact
    }
  | { readonly workflow: WorkflowActivity }
  | { readonly campaign: { readonly id: string; readonly name: string; readonly sentAt: Date } }
)

/** An execution that started, or came to its end. */
export interface WorkflowActivity {
  /** Whether it started or came to its end. */
  readonly type: 'workflow.started' | 'workflow.completed'
  /** When it did. */
  readonly at: Date
  /** The execution. */
  readonly executionId: string
  /** The workflow. */
  readonly workflowId: string
  /** The name of the workflow, as it is now. */
  readonly workflowName: string
  /** The status of the execution now. */
  readonly status: ExecutionStatus
  /** The contact that goes through it. */
  readonly contactId: string
  /** Undefined when the contact was removed. */
  readonly contactEmail?: string
}

/** Planned activity: a campaign, a mail with a set time, or the next step of an execution. */
export type UpcomingActivity =
  | { readonly type: 'campaign.scheduled'; readonly at: Date; readonly id: string; readonly name: string }
  | { readonly type: 'email.scheduled'; readonly at: Date; readonly id: string }
  | ({ readonly type: 'workflow.waiting'; readonly waitingFor?: string } & Omit<WorkflowActivity, 'type'>)

/**
 * Everything that happened in a project, in one list: events, executions of workflows, and campaigns that were sent.
 */
export interface ActivityRepository {
  /** Up to `limit + 1`, newest first (by id). Fast at any place of the list, however long it is. */
  page(projectId: ProjectId, filter: ActivityFilter, page: PageRequest): Promise<readonly ActivityEntry[]>
  /** How many there are. With dates or a contact they are counted one by one, up to `atMost`. */
  count(projectId: ProjectId, filter: ActivityFilter, atMost: number): Promise<number>
  /** The types with at least one activity. */
  types(projectId: ProjectId): Promise<ReadonlySet<ActivityType>>
  /** Up to `limit` activities planned after `now` and up to `until`, the next first. */
  upcoming(projectId: ProjectId, now: Date, until: Date, limit: number): Promise<readonly UpcomingActivity[]>
}

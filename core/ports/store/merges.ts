import type { ProjectId } from '../../values/project-id.ts'

/** Contacts that were merged into others. */
export interface MergeRepository {
  /**
   * Gives the contact `into` what belongs to `from`, inside the transaction that has locked both: mails, events, submissions,
   * memberships, executions, webhook requests. `from` is removed as ContactRepository does it. What only one contact may have once, a
   * mail of a campaign or a membership, goes with it where `into` has its own; its active executions in workflows that `into` has been
   * in are cancelled.
   */
  absorb(projectId: ProjectId, into: string, from: string, at: Date): Promise<void>
  /** The contact that this one was merged into, also by way of others. */
  into(projectId: ProjectId, id: string): Promise<string | undefined>
}

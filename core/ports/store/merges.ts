import type { ProjectId } from '../../values/project-id.ts'
import type { Contact } from './contacts.ts'

/** Contacts that were merged into others. */
export interface MergeRepository {
  /**
   * Gives the contact `into` what belongs to `from`, inside the transaction that has locked both: mails, events, submissions,
   * memberships, executions, webhook requests. `from` is removed as ContactRepository does it. What only one contact may have once, a
   * mail of a campaign or a membership, goes with it where `into` has its own; its active executions in workflows that `into` has been
   * in are cancelled. From now on the address of `from`, and those of contacts that were merged into it, stand for `into`.
   */
  absorb(projectId: ProjectId, into: string, from: Pick<Contact, 'id' | 'email'>, at: Date): Promise<void>
  /** An address that a merged contact had stands for none any more; the links in its mails lead on. */
  release(projectId: ProjectId, email: string): Promise<void>
  /** The contact that this one was merged into, also by way of others. */
  into(projectId: ProjectId, id: string): Promise<string | undefined>
}

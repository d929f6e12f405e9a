import type { ProjectId } from '../../values/project-id.ts'
import type { SkipReason } from './emails.ts'

/** Why a contact of the audience has no mail. */
export type StartReason = 'unsubscribed' | 'suppressed' | 'paused' | 'topic'

/** A contact that was left out when the audience was written. Its id says when. */
export interface LeftOut {
  readonly id: string
  readonly projectId: ProjectId
  readonly campaignId: string
  /** Absent once the contact is erased; the row stays, so that the list is as long as the count. */
  readonly contactId?: string
  readonly reason: StartReason
}

/** A contact without the mail, for whichever reason: it has none, or it was SKIPPED. */
export interface LeftOutContact {
  /** A UUID (version 7): those made later sort after those made before. */
  readonly id: string
  /** Absent once the contact is removed. */
  readonly contactId?: string
  /** `DELETED_RECIPIENT` once the contact is removed. */
  readonly email: string
  /** Why it has no mail. */
  readonly reason: StartReason | SkipReason
  /** When it was left out. */
  readonly at: Date
}

/** Which of them a list has: those without a mail, and those whose mail was skipped, by reason. */
export interface LeftOutReasons {
  readonly atStart: readonly StartReason[]
  readonly later: readonly SkipReason[]
}

/** The contacts whom a campaign left out. */
export interface LeftOutRepository {
  /** Inside the transaction that moves the cursor of the audience. */
  add(contacts: readonly LeftOut[]): Promise<void>
  /** Up to `limit` and one more with an id before `before`, the newest first. */
  page(
    projectId: ProjectId,
    campaignId: string,
    reasons: LeftOutReasons,
    page: { readonly limit: number; readonly before?: string },
  ): Promise<readonly LeftOutContact[]>
  /** Removes up to `limit` rows of campaigns that no longer exist; answers how many. */
  removeLeft(limit: number): Promise<number>
}

import type { JsonObject } from '../../values/json.ts'
import type { ProjectId } from '../../values/project-id.ts'
import type { Audience } from './audiences.ts'
import type { Email, SkipReason } from './emails.ts'
import type { SuppressionReason } from './suppressions.ts'

/** The ledger as one campaign sees it: whom it is for, what was written for it, and what of that is left to do. */
export interface CampaignMailRepository {
  /** What became of the campaign's mails. Kept up to date with every write, not counted. */
  counters(projectId: ProjectId, id: string): Promise<CampaignCounters>
  /**
   * Who of the audience comes next, by id: contacts behind `after` up to `upTo`, at most `limit`, with their
   * subscription and the suppression in force at `now`. Fewer than `limit` are the last ones.
   */
  audiencePage(projectId: ProjectId, audience: Audience, page: AudiencePage): Promise<readonly AudienceMember[]>
  /** How many of the audience would be mailed at `now`, and how many be left out; who is both counts as suppressed. */
  countAudience(projectId: ProjectId, audience: Audience, now: Date): Promise<AudienceCounts>
  /**
   * Writes ledger rows, leaving out contacts the campaign has already; inside the transaction that moves the cursor.
   * Answers how many were written.
   */
  add(emails: readonly Email[]): Promise<number>
  /** True while a mail of the campaign waits or is in work. */
  hasOpen(id: string): Promise<boolean>
  /** How many mails of the campaign wait and are due; counts no further than `most`. */
  countDue(id: string, now: Date, most: number): Promise<number>
  /**
   * Makes up to `limit` mails of the campaign that have FAILED by `now` QUEUED again: due at once, with all tries before
   * them, with the last error until the next result, and to be given up at `expiresAt`; not those whose variables were
   * removed. Answers how many.
   */
  retryFailed(projectId: ProjectId, id: string, now: Date, limit: number, expiresAt: Date): Promise<number>
  /** Makes up to `limit` QUEUED mails of a cancelled campaign SKIPPED; answers how many. */
  skipQueued(projectId: ProjectId, id: string, now: Date, limit: number): Promise<number>
}

/** What became of a campaign's mails, by the facts of the ledger: each counts mails, once. */
export interface CampaignCounters {
  readonly recipients: number
  readonly sent: number
  readonly delivered: number
  readonly opened: number
  readonly humanOpened: number
  readonly clicked: number
  readonly humanClicked: number
  /** Openings and clicks of those of whom nothing else may be noted; one who comes back later counts again. */
  readonly anonymousOpened: number
  readonly anonymousHumanOpened: number
  readonly anonymousClicked: number
  readonly anonymousHumanClicked: number
  readonly bounced: number
  readonly complained: number
  readonly unsubscribed: number
  readonly failed: number
  /** Left out after they were written into the ledger, by reason. */
  readonly skipped: Readonly<Partial<Record<SkipReason, number>>>
}

export interface AudienceCounts {
  readonly mailable: number
  readonly unsubscribed: number
  readonly suppressed: number
}

export interface AudiencePage {
  /** A contact's id; empty for the beginning. */
  readonly after: string
  /** The last id that belongs to the audience; empty when nobody does. */
  readonly upTo: string
  readonly limit: number
  readonly now: Date
}

/** A contact with what decides whether it is mailed. */
export interface AudienceMember {
  readonly id: string
  readonly email: string
  readonly subscribed: boolean
  readonly suppressed?: SuppressionReason
  readonly data: JsonObject
}

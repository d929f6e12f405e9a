import type { ProjectId } from '../../values/project-id.ts'
import type { ClaimLease, Interrupted } from './interrupted.ts'

/** Kinds of work without a row of their own to claim. */
export const BEGUN_KINDS = ['segment', 'campaign', 'series', 'retention', 'erasure', 'event', 'dates'] as const
export type BegunKind = (typeof BEGUN_KINDS)[number]

/** A piece of such work: a segment, a campaign, a series or a workflow with a date by its id, a rule of retention by its name, an erasure by its project or contact. */
export interface WorkPiece {
  /** The id or the name. */
  readonly key: string
  /** Absent for work of the installation. */
  readonly projectId?: ProjectId
}

/** A piece of work that this process has under way. */
export interface Begun extends WorkPiece, Interrupted {
  /** The kind of work. */
  readonly kind: BegunKind
  /** The lease that it is under. */
  readonly token: string
}

/** A piece of work that is not tried again, since processes ended with it. */
export interface GivenUp extends WorkPiece {
  /** The kind of work. */
  readonly kind: BegunKind
  /** Why, in words. */
  readonly reason: string
  /** Since when. */
  readonly at: Date
}

/**
 * Work under way that has no row to claim, recorded so that it is known which work a process ends with; and such work
 * that was given up, where its noun does not show it.
 */
export interface BegunWorkRepository {
  /**
   * Begins these pieces, and answers those that no other process has under way and that are not given up. Without pieces
   * it begins some that processes have left behind. `alone` as in `ClaimLease`.
   */
  begin(kind: BegunKind, pieces: readonly WorkPiece[], now: Date, lease: ClaimLease): Promise<readonly Begun[]>
  /** A part of it is done for good: counts from here on. */
  goOn(begun: Begun): Promise<void>
  /** It has ended in this process, whether it is done or not. */
  end(begun: Begun): Promise<void>
  /** Keeps it as given up, whether or not it was begun here. */
  giveUp(given: GivenUp): Promise<void>
  /** The work that was given up, the last first, at most 100. */
  givenUp(): Promise<readonly GivenUp[]>
  /** Forgets what of this kind was given up before that time, so that it may begin again. */
  forget(kind: BegunKind, before: Date): Promise<void>
  /** Frees pieces whose lease ended before that time. Answers how many. */
  expireLeases(before: Date): Promise<number>
}

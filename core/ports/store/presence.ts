import type { ProjectId } from '../../values/project-id.ts'

/** A tab of a person, and the thing that is open in it. */
export interface OpenTab {
  /** The person's id, a slash, and the name that the page made up for the tab: a tab has one thing open at a time. */
  readonly id: string
  /** The project that it belongs to. */
  readonly projectId: ProjectId
  /** The kind of the thing: its word in the path, such as `templates`. */
  readonly kind: string
  /** The id of the thing. */
  readonly thingId: string
  /** The person. */
  readonly userId: string
  /** The name of the person that others read, or the address. */
  readonly name: string
  /** Since when. */
  readonly openedAt: Date
  /** When the tab was last heard of. */
  readonly seenAt: Date
}

/** How many tabs are kept of a project, and of a person. */
export interface PresenceBounds {
  /** The most of a project. */
  readonly ofProject: number
  /** The most of a person, whatever the project. */
  readonly ofUser: number
}

/**
 * Who has what open just now, in all processes that share the store. It need not survive a crash. A tab counts as long
 * as it was heard of after `since`.
 */
export interface PresenceRepository {
  /**
   * Notes that a tab was heard of, and drops the tabs of the same person that were not heard of since then. A tab beyond the
   * bounds is left out; of those that come at the same moment, some more may be kept.
   */
  note(tab: OpenTab, since: Date, bounds: PresenceBounds): Promise<void>
  /** Drops a tab, if it still has this thing open. */
  leave(tab: Pick<OpenTab, 'id' | 'projectId' | 'kind' | 'thingId'>): Promise<void>
  /** The tabs that have a thing open, the one opened first before the others, at most `limit`. */
  of(thing: Pick<OpenTab, 'projectId' | 'kind' | 'thingId'>, since: Date, limit: number): Promise<readonly OpenTab[]>
  /** Deletes up to `limit` tabs that were not heard of since then; answers how many. */
  forget(since: Date, limit: number): Promise<number>
}

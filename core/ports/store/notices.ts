import type { ProjectId } from '../../values/project-id.ts'

/** A notice that was sent. */
export interface Notice {
  /** The project that it is about. */
  readonly projectId: ProjectId
  /** About which kind of trouble. */
  readonly kind: string
  /** When it was last sent. */
  readonly at: Date
}

/** Notices sent to operators, so that they are not repeated, however many processes there are. */
export interface NoticeRepository {
  /**
   * Whether a notice of this kind is due for the project: none was sent within the last `pause` milliseconds. It counts
   * as sent then; of concurrent callers only one gets true.
   */
  first(projectId: ProjectId, kind: string, now: Date, pause: number): Promise<boolean>
  /** The notices of this kind that were last sent at this time or later. */
  since(kind: string, at: Date): Promise<readonly Notice[]>
}

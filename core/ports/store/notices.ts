import type { ProjectId } from '../../values/project-id.ts'

/** Notices sent to operators, so that they are not repeated, however many processes there are. */
export interface NoticeRepository {
  /**
   * Whether a notice of this kind is due for the project: none was sent within the last `pause` milliseconds. It counts
   * as sent then; of concurrent callers only one gets true.
   */
  first(projectId: ProjectId, kind: string, now: Date, pause: number): Promise<boolean>
}

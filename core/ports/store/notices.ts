import type { ProjectId } from '../../values/project-id.ts'

/** What operators were told, so that they are not told it again and again by however many processes. */
export interface NoticeRepository {
  /**
   * Whether a notice of this kind is due for the project: none was since `now` less `pause` milliseconds. It counts as
   * given then; of several that ask at the same time one is told so.
   */
  first(projectId: ProjectId, kind: string, now: Date, pause: number): Promise<boolean>
}

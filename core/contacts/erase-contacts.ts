import type { ProjectId } from '../values/project-id.ts'

/** Erases what speaks of removed contacts; the store has noted that it is to be done, whatever happens to this process. */
export interface EraseContacts {
  /** Answers when nothing is left of them, or soon: the rest follows in the background. Never rejects. */
  soon(projectId: ProjectId, contactIds: readonly string[]): Promise<void>
  /** Answers when nothing is left of them, or when the signal is aborted. Never rejects. */
  wholly(projectId: ProjectId, contactIds: readonly string[], signal: AbortSignal): Promise<void>
}
export const EraseContacts = Symbol('EraseContacts')

import type { ProjectId } from '../values/project-id.ts'

/** Erases all data about removed contacts. The store has already noted the task, so it survives a crash. */
export interface EraseContacts {
  /** Answers when everything is erased, or soon: the rest follows in the background. Never rejects. */
  soon(projectId: ProjectId, contactIds: readonly string[]): Promise<void>
  /** Answers when everything is erased, or when the signal is aborted. Never rejects. */
  wholly(projectId: ProjectId, contactIds: readonly string[], signal: AbortSignal): Promise<void>
}
export const EraseContacts = Symbol('EraseContacts')

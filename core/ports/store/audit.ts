import type { PageRequest } from '../../values/page.ts'
import type { ProjectId } from '../../values/project-id.ts'

export const AUDIT_ACTORS = ['user', 'key'] as const
export const AUDIT_OUTCOMES = ['done', 'unknown'] as const

/** One change requested over the API: by whom, what and when, without any values. */
export interface AuditEntry {
  /** A UUID (version 7): those made later sort after those made before. */
  readonly id: string
  /** Absent when it concerns the user's own account alone. */
  readonly projectId?: ProjectId
  /** When it began. */
  readonly at: Date
  /** The operation's name in the OpenAPI document, such as `revokeApiKey`. */
  readonly action: string
  /** A person or a key. */
  readonly actorType: (typeof AUDIT_ACTORS)[number]
  /** The id of the person or the key. */
  readonly actorId: string
  /** The user's e-mail address, or the key's name, as it was then. */
  readonly actorName: string
  /** The kind of the changed thing: its word in the path, such as `templates`. */
  readonly targetType: string
  /** Its id; absent where it has none, and for an e-mail address. */
  readonly targetId?: string
  /** Its name then, or of what was made, or of what it is part of; absent where there is none. At most 200 characters. */
  readonly targetName?: string
  /** The kind of what it is part of, such as `workflows` of a step. */
  readonly parentType?: string
  /** The id of what it is part of. */
  readonly parentId?: string
  /** The id of what was made. */
  readonly createdId?: string
  /** The names of the fields that were sent. */
  readonly fields: readonly string[]
  /** `unknown`: the process ended or failed before the outcome was known. */
  readonly outcome: (typeof AUDIT_OUTCOMES)[number]
  /** The id of the request, as in the log. */
  readonly requestId: string
  /** The client's address, if known. */
  readonly address?: string
}

/** Narrows a project's entries. */
export interface AuditFilter {
  /** An id, or a name as it was then. */
  readonly actor?: string
  readonly action?: string
  /** The kind of the changed thing. */
  readonly kind?: string
  /** The id of what was changed or made, or of what that is part of. */
  readonly target?: string
  /** Ids grow with time: only entries from this id on, and before that one. */
  readonly from?: string
  readonly before?: string
}

/** Records who changed what. */
export interface AuditRepository {
  add(entry: AuditEntry): Promise<void>
  /** Stores an entry's outcome, target, name and project. */
  update(entry: AuditEntry): Promise<void>
  remove(id: string): Promise<void>
  /** Up to `limit + 1` of a project, newest first. */
  page(projectId: ProjectId, filter: AuditFilter, page: PageRequest): Promise<readonly AuditEntry[]>
  /** How many there are, counted up to `atMost`. */
  count(projectId: ProjectId, filter: AuditFilter, atMost: number): Promise<number>
  /** Up to `limit + 1` about a user's own account, by the user or by those who run the server, newest first. */
  pageOfUser(userId: string, page: PageRequest): Promise<readonly AuditEntry[]>
  /** Removes up to `limit` with an id before this one, of all projects. Answers how many. */
  removeBefore(id: string, limit: number): Promise<number>
}

import type { MemberEntry } from '../core/accounts/members.ts'
import type { MemberRole } from '../core/ports/store/members.ts'
import type { Project } from '../core/ports/store/projects.ts'
import type { User } from '../core/ports/store/users.ts'
import type { MemberRecord, ProjectRecord, UserRecord } from './schemas/accounts.ts'
import type { Wire } from './schemas/parts.ts'

/** A user, to the user. */
export function userOnWire({ id, email, name, verifiedAt, totpSince, createdAt }: User): Wire<typeof UserRecord> {
  const known = { emailVerified: verifiedAt !== undefined, secondFactor: totpSince !== undefined }
  return { id, email, name: name ?? null, ...known, createdAt }
}

/** A project, to somebody with this role there; to a key without one. */
export function projectOnWire(project: Project, role: MemberRole | null): Wire<typeof ProjectRecord> {
  const { id, name, disabled, tracking, trackingConsent, locale = null, from = null, createdAt, updatedAt } = project
  return { id, name, disabled, tracking, trackingConsent, locale, from, role, createdAt, updatedAt }
}

/** A member of a project, or somebody invited. */
export function memberOnWire({ id, email, name, role, status, createdAt }: MemberEntry): Wire<typeof MemberRecord> {
  return { id, email, name: name ?? null, role, status, createdAt }
}

import type { MemberEntry } from '../../core/accounts/members.ts'
import type { OwnSession } from '../../core/accounts/own-sessions.ts'
import type { Present } from '../../core/accounts/presence.ts'
import type { AuditEntry } from '../../core/ports/store/audit.ts'
import type { MemberRole } from '../../core/ports/store/members.ts'
import type { Project } from '../../core/ports/store/projects.ts'
import type { Invitation } from '../../core/ports/store/user-tokens.ts'
import type { User } from '../../core/ports/store/users.ts'
import type { Person } from '../../core/projects/caller.ts'
import type { InvitationRecord, MemberRecord, ProjectRecord, SessionRecord, UserRecord } from '../schemas/accounts.ts'
import type { AuditRecord } from '../schemas/audit.ts'
import type { Wire } from '../schemas/parts.ts'
import type { PresentRecord } from '../schemas/presence.ts'

/** A user, to the user. */
export function userOnWire({
  id,
  email,
  name,
  verifiedAt,
  totpSince,
  passwordHash,
  createdAt,
}: User): Wire<typeof UserRecord> {
  const known = {
    emailVerified: verifiedAt !== undefined,
    secondFactor: totpSince !== undefined,
    hasPassword: passwordHash !== undefined,
  }
  return { id, email, name: name ?? null, ...known, createdAt }
}

/** A person who is logged in at the app around this one, as shown to that person. */
export function hostUserOnWire({ id, email, name }: Person) {
  return {
    id,
    email,
    name: name ?? null,
    emailVerified: true,
    secondFactor: false,
    hasPassword: false,
    createdAt: null,
  }
}

/** A session, as its user reads it. */
export function sessionOnWire(session: OwnSession): Wire<typeof SessionRecord> {
  const { id, browser, system, address = null, current, lastUsedAt, expiresAt, createdAt } = session
  return { id, browser, system, address, current, lastUsedAt, expiresAt, createdAt }
}

/** A project, as shown to a user with this role there; to a key without one. */
export function projectOnWire(project: Project, role: MemberRole | null): Wire<typeof ProjectRecord> {
  const { id, name, disabled, tracking, trackingConsent, locale = null, look = null, utm = null, from = null } = project
  const { timeZone = null, frequencyCap = null, quotas = null } = project
  const { archiveSlug = null, signUpUrl = null, publicData, version, createdAt, updatedAt } = project
  return {
    id,
    name,
    disabled,
    tracking,
    trackingConsent,
    publicData,
    locale,
    timeZone,
    frequencyCap,
    quotas,
    look,
    utm,
    from,
    archiveSlug,
    signUpUrl,
    role,
    version,
    createdAt,
    updatedAt,
  }
}

/** An invitation, to the person invited. */
export function invitationOnWire(invitation: Invitation): Wire<typeof InvitationRecord> {
  const { id, project, role = 'MEMBER', inviter, createdAt, expiresAt } = invitation
  const { name } = project
  return { id, project: { id: project.id, name }, role, invitedBy: inviter ?? null, createdAt, expiresAt }
}

/** A member of a project, or an invited person. */
export function memberOnWire(entry: MemberEntry): Wire<typeof MemberRecord> {
  const { id, email, name = null, role, status, link = null, expiresAt = null, note = null, createdAt } = entry
  return { id, email, name, role, status, link, expiresAt, note, createdAt }
}

/** An entry of the audit log. */
export function auditOnWire(entry: AuditEntry): Wire<typeof AuditRecord> {
  const { id, at, action, actorType, actorId, actorName, targetType, targetId = null, ...more } = entry
  const { targetName = null, parentType, parentId } = more
  const { createdId = null, fields, outcome, requestId, address = null } = more
  const partOf = parentType === undefined || parentId === undefined ? null : { type: parentType, id: parentId }
  return {
    id,
    timestamp: at,
    action,
    actor: { type: actorType, id: actorId, name: actorName },
    target: { type: targetType, id: targetId, name: targetName, partOf },
    createdId,
    fields,
    outcome,
    requestId,
    address,
  }
}

/** A person who has the same thing open. */
export function presentOnWire({ userId, name, isOwn, openedAt }: Present): Wire<typeof PresentRecord> {
  return { userId, name, own: isOwn, since: openedAt }
}

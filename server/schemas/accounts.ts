import * as v from 'valibot'
import { MEMBER_ROLES } from '../../core/ports/store/members.ts'
import { TRACKING } from '../../core/ports/store/projects.ts'
import { named } from '../../core/values/described.ts'
import { TRACKING_CONSENTS } from '../../core/values/tracking-consent.ts'
import { envelope, Id, many, success, Time } from './parts.ts'

const Role = v.picklist(MEMBER_ROLES)

export const UserRecord = named(
  'User',
  v.object({
    id: Id,
    email: v.string(),
    name: v.nullable(v.string()),
    emailVerified: v.boolean(),
    secondFactor: v.boolean(),
    createdAt: Time,
  }),
)

export const ProjectRecord = named(
  'Project',
  v.object({
    id: Id,
    name: v.string(),
    disabled: v.boolean(),
    tracking: v.picklist(TRACKING),
    trackingConsent: v.picklist(TRACKING_CONSENTS),
    locale: v.nullable(v.string()),
    from: v.nullable(v.object({ email: v.string(), name: v.optional(v.string()) })),
    /** The role of whom asks; null for a key. */
    role: v.nullable(Role),
    createdAt: Time,
    updatedAt: Time,
  }),
)

export const ProjectList = many(ProjectRecord)

export const MemberRecord = named(
  'Member',
  v.object({
    id: Id,
    email: v.string(),
    name: v.nullable(v.string()),
    role: Role,
    status: v.picklist(['ACTIVE', 'INVITED']),
    createdAt: Time,
  }),
)

export const MemberList = many(MemberRecord)

/** Somebody who is logged in now. */
export const LoggedInUser = envelope(v.object({ id: Id, email: v.string() }))

export const SignedUp = envelope(
  v.object({
    id: Id,
    email: v.string(),
    verification: v.picklist(['sent', 'unavailable']),
    note: v.optional(v.string()),
  }),
)

/** Logged in, or a code of the second factor is needed. */
export const LoginAnswer = envelope(
  v.union([v.object({ id: Id, email: v.string() }), v.object({ secondFactor: v.literal(true), token: v.string() })]),
)

export const Done = success({})
export const Asked = envelope(v.object({ message: v.string() }))
export const OAuthConfig = envelope(v.object({ github: v.boolean(), google: v.boolean(), oidc: v.boolean() }))
export const NewSecondFactor = v.object({ secret: v.string(), url: v.string() })
export const RecoveryCodes = v.object({ recoveryCodes: many(v.string()) })

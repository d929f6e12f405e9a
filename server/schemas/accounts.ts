import * as v from 'valibot'
import { MEMBER_ROLES } from '../../core/ports/store/members.ts'
import { PUBLIC_DATA, TRACKING } from '../../core/ports/store/projects.ts'
import { named } from '../../core/values/described.ts'
import { FONTS } from '../../core/values/look.ts'
import { TRACKING_CONSENTS } from '../../core/values/tracking-consent.ts'
import { Address, AdviceCodes, Count, envelope, Id, many, success, Time, Url, UtmRecord } from './parts.ts'

const Role = v.picklist(MEMBER_ROLES)

const user = {
  id: Id,
  email: Address,
  name: v.nullable(v.string()),
  emailVerified: v.boolean(),
  secondFactor: v.boolean(),
  hasPassword: v.boolean(),
  createdAt: Time,
}

/** An account without what only its change answers. */
export const UserRecord = v.object(user)

export const SessionRecord = named(
  'Session',
  v.object({
    id: Id,
    browser: v.nullable(v.string()),
    system: v.nullable(v.string()),
    address: v.nullable(v.string()),
    current: v.boolean(),
    lastUsedAt: Time,
    expiresAt: Time,
    createdAt: Time,
  }),
)

export const SessionList = many(SessionRecord)

export const ChangedUser = named('User', v.object({ ...user, endedSessions: SessionList }))

export const Me = named(
  'Me',
  v.object({
    ...user,
    id: v.string(),
    createdAt: v.nullable(Time),
    operator: v.boolean(),
    sendsNothing: v.boolean(),
    host: v.nullable(v.object({ logOut: v.nullable(v.string()) })),
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
    publicData: v.picklist(PUBLIC_DATA),
    locale: v.nullable(v.string()),
    timeZone: v.nullable(v.string()),
    frequencyCap: v.nullable(v.object({ mails: v.number(), days: v.number() })),
    quotas: v.nullable(v.object({ daily: v.optional(v.number()), monthly: v.optional(v.number()) })),
    look: v.nullable(
      v.object({
        postalAddress: v.optional(v.string()),
        logoUrl: v.optional(Url),
        color: v.optional(v.string()),
        font: v.optional(v.picklist(FONTS)),
        width: v.optional(v.number()),
        links: v.optional(many(v.object({ name: v.string(), url: Url }))),
      }),
    ),
    utm: v.nullable(UtmRecord),
    from: v.nullable(v.object({ email: Address, name: v.optional(v.string()) })),
    archiveSlug: v.nullable(v.string()),
    signUpUrl: v.nullable(Url),
    /** The role of whom asks; null for a key. */
    role: v.nullable(Role),
    version: Count,
    createdAt: Time,
    updatedAt: Time,
  }),
)

/** The answer of `GET /projects/{id}/limits`. */
export const SendingLimits = named(
  'SendingLimits',
  v.object({
    quotas: many(v.object({ of: v.picklist(['day', 'month']), most: Count, used: Count, left: Count, renewsAt: Time })),
    ramps: many(
      v.object({
        transport: v.string(),
        domain: v.string(),
        step: Count,
        perDay: Count,
        sent: Count,
        left: Count,
        renewsAt: Time,
        state: v.picklist(['ok', 'warning', 'stopped']),
        reasons: many(v.string()),
        reasonCodes: AdviceCodes,
      }),
    ),
  }),
)

export const ProjectList = many(ProjectRecord)

export const MemberRecord = named(
  'Member',
  v.object({
    id: Id,
    email: Address,
    name: v.nullable(v.string()),
    role: Role,
    status: v.picklist(['ACTIVE', 'INVITED']),
    link: v.nullable(Url),
    expiresAt: v.nullable(Time),
    note: v.nullable(v.string()),
    createdAt: Time,
  }),
)

export const MemberList = many(MemberRecord)

export const InvitationRecord = named(
  'Invitation',
  v.object({
    id: Id,
    /** Its name is what its members chose: show it as a quotation. */
    project: v.object({ id: Id, name: v.string() }),
    role: Role,
    /** The address of the member who sent it; null when that is not known any more. */
    invitedBy: v.nullable(Address),
    createdAt: Time,
    expiresAt: Time,
  }),
)

export const InvitationList = many(InvitationRecord)

/** The user who is logged in now. */
export const LoggedInUser = envelope(v.object({ id: Id, email: Address }))

export const SignedUp = envelope(
  v.object({
    id: Id,
    email: Address,
    verification: v.picklist(['sent', 'unavailable']),
    note: v.optional(v.string()),
  }),
)

export const SetUpQuery = v.object({
  /** The token of a set-up link. */
  token: v.optional(v.pipe(v.string(), v.maxLength(2000))),
})

export const SetUpState = envelope(
  v.object({
    /** Whether there is no user yet. */
    needed: v.boolean(),
    /** Whether the token makes the first user. */
    valid: v.boolean(),
    /** Whether sign-up is open to all. */
    signup: v.boolean(),
  }),
)

export const SetUpDone = envelope(
  v.object({
    id: Id,
    email: Address,
    /** The projects that the user owns now. */
    projects: v.array(v.object({ id: Id, name: v.string() })),
  }),
)

/** Logged in, or a code of the second factor is needed. */
export const LoginAnswer = envelope(
  v.union([v.object({ id: Id, email: Address }), v.object({ secondFactor: v.literal(true), token: v.string() })]),
)

export const Done = success({})
export const Asked = envelope(v.object({ message: v.string() }))
export const OAuthConfig = envelope(
  v.object({ github: v.boolean(), google: v.boolean(), oidc: v.boolean(), host: v.nullable(v.string()) }),
)
export const NewSecondFactor = v.object({ secret: v.string(), url: Url })
export const RecoveryCodes = v.object({ recoveryCodes: many(v.string()) })

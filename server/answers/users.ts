import * as v from 'valibot'
import { USER_LANGUAGES, type User } from '../../core/ports/store/users.ts'
import type { Person } from '../../core/projects/caller.ts'
import { answer } from './answer.ts'
import { numberedList } from './lists.ts'
import { Address, envelope, Id, many, success, Time, Url } from './parts.ts'

const user = {
  id: Id,
  email: Address,
  name: v.nullable(v.string()),
  language: v.nullable(v.picklist(USER_LANGUAGES)),
  emailVerified: v.boolean(),
  secondFactor: v.boolean(),
  hasPassword: v.boolean(),
  createdAt: Time,
}

/** A user, to the user or to the person who runs the server. */
export function ownUser({ verifiedAt, totpSince, passwordHash, ...user }: User) {
  return {
    ...user,
    emailVerified: verifiedAt !== undefined,
    secondFactor: totpSince !== undefined,
    hasPassword: passwordHash !== undefined,
  }
}

/** A person who is logged in at the app around this one, as shown to that person. */
export function hostUser(person: Person) {
  return { ...person, emailVerified: true, secondFactor: false, hasPassword: false, createdAt: null }
}

/** A session, as its user reads it. */
export const SessionAnswer = answer('Session', {
  id: Id,
  browser: v.nullable(v.string()),
  system: v.nullable(v.string()),
  address: v.nullable(v.string()),
  current: v.boolean(),
  lastUsedAt: Time,
  expiresAt: Time,
  createdAt: Time,
})

export const SessionList = many(SessionAnswer.schema)

export const ChangedUser = answer('User', { ...user, endedSessions: SessionList })

export const Me = answer('Me', {
  ...user,
  id: v.string(),
  createdAt: v.nullable(Time),
  operator: v.boolean(),
  recoveryCodesLeft: v.nullable(v.number()),
  host: v.nullable(v.object({ logOut: v.nullable(v.string()) })),
})

/** A user, to the person who runs the server. */
export const AccountAnswer = answer('Account', {
  id: Id,
  email: Address,
  name: v.nullable(v.string()),
  emailVerified: v.boolean(),
  secondFactor: v.boolean(),
  createdAt: Time,
})

export const PeopleList = numberedList('users', AccountAnswer.schema)
export const PasswordLink = answer('PasswordLink', { url: Url, expiresAt: Time })

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

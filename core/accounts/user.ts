import * as v from 'valibot'
import { EngineError } from '../errors.ts'
import type { User } from '../ports/store/users.ts'
import { EmailAddress } from '../values/email-address.ts'
import { headerText } from '../values/header-text.ts'
import type { InputOf } from '../values/input.ts'
import type { Session } from './sessions.ts'

const MAX_PASSWORD = 200

/** A password to be set. */
export const NewPassword = v.pipe(v.string(), v.minLength(8), v.maxLength(MAX_PASSWORD))
/** A password that is compared; short ones are as wrong as others. */
export const GivenPassword = v.pipe(v.string(), v.maxLength(MAX_PASSWORD))
/** A person's name. */
export const PersonName = v.pipe(v.string(), v.trim(), headerText(1, 200))
/** The text of a token from a mail, or of one that a login answered. */
export const TokenText = v.pipe(v.string(), v.minLength(1), v.maxLength(2000))

/** A new account. */
export const Person = v.object({
  /** The address to log in with. */
  email: EmailAddress,
  /** At least 8 characters. */
  password: NewPassword,
  /** The person's name. */
  name: v.nullish(PersonName),
})
export interface PersonInput extends InputOf<typeof Person> {}

/** A secret key of this server. */
export const SecretKeyText = v.pipe(v.string(), v.maxLength(300))

/** Signs a user up; a mail asks to confirm the address. */
export const Signup = v.object({
  ...Person.entries,
  /** The first user needs one, of the scope `full`. Its project gets the user as OWNER, if it has none. */
  secretKey: v.optional(SecretKeyText),
})
export interface SignupInput extends InputOf<typeof Signup> {}

/** Logs a user in. */
export const Login = v.object({
  /** The account's address. */
  email: EmailAddress,
  /** The account's password. */
  password: GivenPassword,
})
export interface LoginInput extends InputOf<typeof Login> {}

/** Where a request comes from, to count attempts by. */
export interface Visitor {
  /** The client's address; unknown when absent. */
  readonly address?: string | undefined
  /** The token that a browser kept from an earlier login. */
  readonly browser?: string | undefined
  /** The languages that the browser asks for, best first. */
  readonly languages?: readonly string[] | undefined
}

/** A user who is logged in. */
export interface LoggedIn {
  /** Who has logged in. */
  readonly user: User
  /** The session that proves it from now on. */
  readonly session: Session
}

/** A login whose password was right, and that waits for a code of the second factor. */
export interface SecondFactorNeeded {
  /** Who has given the right password. */
  readonly user: User
  /** To be sent with the code; valid for five minutes. */
  readonly secondFactorToken: string
}

/** The one error for an unknown address and for a wrong password. */
export function wrongCredentials(): EngineError {
  return new EngineError('INVALID_CREDENTIALS', 'The e-mail address or the password is wrong.')
}

/** There is an account of this address. */
export function taken(): EngineError {
  return new EngineError('CONFLICT', 'There is an account with this e-mail address.', {
    suggestion: 'Log in, or ask for a new password.',
  })
}

/** A token that does not work (any more). */
export function invalidToken(): EngineError {
  return new EngineError('INVALID_TOKEN', 'The link is not valid: it was used, has expired, or was cut off.', {
    suggestion: 'Ask for a new one.',
  })
}

/** A name from elsewhere, unless it is none. */
export function nameOf(name: string | undefined): { readonly name?: string } {
  const parsed = v.safeParse(PersonName, name)
  return parsed.success ? { name: parsed.output } : {}
}

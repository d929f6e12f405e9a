import { EngineError, invalidField } from '../errors.ts'
import type { Kit } from '../kit.ts'
import type { Repositories } from '../ports/store/store.ts'
import type { User } from '../ports/store/users.ts'
import type { AttemptLimits } from './attempt-limits.ts'
import { writeUser } from './change-user.ts'
import { isFirst } from './first-user.ts'
import type { Passwords } from './passwords.ts'
import type { Sessions } from './sessions.ts'
import { type LoggedIn, type SecondFactorNeeded, taken } from './user.ts'

/** The part that every way into an account shares: the account itself, its password, and the session at the end. */
export class Entrance {
  constructor(
    private readonly passwords: Passwords,
    private readonly sessions: Sessions,
    private readonly limits: AttemptLimits,
    private readonly kit: Kit,
  ) {}

  /** Goes on after the first factor: a session, or the token for the second step. */
  async enter(user: User): Promise<LoggedIn | SecondFactorNeeded> {
    if (user.totpSince === undefined) return this.open(user)
    return { user, secondFactorToken: await this.sessions.openStep(user) }
  }

  /** Logs in, with a new session. */
  async open(user: User): Promise<LoggedIn> {
    return { user, session: await this.sessions.open(user) }
  }

  /**
   * The account of the person who has proven to own this address: a new one, or the one that is there, proven from now
   * on; within the transaction that needs it. Throws EngineError `FORBIDDEN` for a new person when sign-up is closed.
   */
  async owner(tx: Repositories, email: string, named: Pick<User, 'name' | 'language'>): Promise<User> {
    const now = this.kit.now()
    const found = await tx.users.byEmail(email)
    const locked = found && (await tx.users.lock(found.id))
    if (locked === undefined) {
      const user = this.made({ email, verifiedAt: now, ...named })
      return this.insert(tx, user, false)
    }
    const owned = proven(locked, now)
    if (owned !== locked) await writeUser(tx, locked, owned)
    return owned
  }

  /**
   * Asks a user who is logged in for the password again. A user without one passes. Throws EngineError
   * `VALIDATION_ERROR` that names this field, `RATE_LIMIT_EXCEEDED`.
   */
  async requirePassword(user: User, password: string | undefined, field: string): Promise<void> {
    if (user.passwordHash === undefined) return
    if (password === undefined) throw invalidField(field, 'required', 'is required')
    await this.limits.count('user', 'password', user.id)
    if (!(await this.passwords.matches(password, user.passwordHash))) throw isWrong(field)
    await this.limits.forgiveAll('user', 'password', user.id)
  }

  /** Of several who sign up first at the same time, one is the first; `hasKey`: with a secret key of this server. */
  async insert(tx: Repositories, made: User, hasKey: boolean): Promise<User> {
    const isTrusted = (await isFirst(tx, made.id, this.kit.now())) && hasKey
    if (!this.kit.settings.accounts.signup && !isTrusted) throw closed()
    const user = isTrusted ? { ...made, trusted: true } : made
    if (!(await tx.users.insert(user))) throw taken()
    return user
  }

  /** A new account, which is not stored yet. */
  made(fields: Pick<User, 'email'> & Partial<User>): User {
    const now = this.kit.now()
    return { id: this.kit.newId(), sessionVersion: 1, createdAt: now, updatedAt: now, ...fields }
  }
}

/** The account as its address's owner has it: a person who made it without proof keeps no way in. */
export function proven(user: User, now: Date): User {
  if (user.verifiedAt !== undefined) return user
  const { id, email, name, language, trusted, sessionVersion, createdAt } = user
  const named = { ...(name === undefined ? {} : { name }), ...(language === undefined ? {} : { language }) }
  const kept = { id, email, ...named, ...(trusted ? { trusted } : {}), createdAt }
  return { ...kept, sessionVersion: sessionVersion + 1, verifiedAt: now, updatedAt: now }
}

/** The refusal of a new user while sign-up is closed. */
export function closed(): EngineError {
  return new EngineError('FORBIDDEN', 'Sign-up is closed on this server.', {
    suggestion: 'Ask an OWNER of a project to invite you, or the operator to set accounts.signup.',
  })
}

/** A wrong password in this field. */
export function isWrong(field: string): EngineError {
  return invalidField(field, 'custom', 'is wrong')
}

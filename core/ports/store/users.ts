import type { NumberedRequest } from '../../values/page.ts'

/** The languages of what is written about accounts. */
export const USER_LANGUAGES = ['en', 'de'] as const
/** One of them. */
export type UserLanguage = (typeof USER_LANGUAGES)[number]

/** A person who logs in. */
export interface User {
  /** A UUID (version 7): those made later sort after those made before. */
  readonly id: string
  /** Unique. In the form of `EmailAddress`. */
  readonly email: string
  /** The name that others read; absent when none was given. */
  readonly name?: string
  /** The language of mails about the account; absent when the person has not been in a browser that asks for one of them. */
  readonly language?: UserLanguage
  /** The password's hash with its parameters; absent: the user has no password. */
  readonly passwordHash?: string
  /** Grows with every change that ends all sessions. */
  readonly sessionVersion: number
  /** When the user proved that mail to this address reaches them. */
  readonly verifiedAt?: Date
  /**
   * True when the operator of the server made the account: by the set-up link, with a secret key, or on the command
   * line, or trusted it there later. Absent when the person signed up or was invited.
   */
  readonly trusted?: boolean
  /** The secret of the second factor, sealed. */
  readonly totpSecret?: string
  /** Since when a second factor is required; absent while it is being set up. */
  readonly totpSince?: Date
  /** The time step of the last code that was accepted; no code of this step or an earlier one is accepted again. */
  readonly totpStep?: number
  /** When it was made, by the clock of the engine. */
  readonly createdAt: Date
  /** When it last changed; at first, when it was made. */
  readonly updatedAt: Date
}

/** A user's account at a login provider. */
export interface UserIdentity {
  readonly provider: string
  /** The account's id there. */
  readonly subject: string
  readonly userId: string
  /** When it was made, by the clock of the engine. */
  readonly createdAt: Date
}

/** The users, their accounts at other providers, and their recovery codes. */
export interface UserRepository {
  /** Whether there is any user. */
  any(): Promise<boolean>
  /** How many there are; `search` (a part of the address or the name) narrows it. */
  count(search?: string): Promise<number>
  /** One page and one row more, the newest first. */
  page(page: NumberedRequest, search?: string): Promise<readonly User[]>
  /** Those whose accounts the operator of the server made or trusts. */
  trusted(): Promise<readonly User[]>
  find(id: string): Promise<User | undefined>
  /** As `find`, inside a transaction, which locks the user until it ends. */
  lock(id: string): Promise<User | undefined>
  byEmail(email: string): Promise<User | undefined>
  byIdentity(provider: string, subject: string): Promise<User | undefined>
  /** Adds a user; false when the address is taken. */
  insert(user: User): Promise<boolean>
  /** Writes every field of the user; call it after `lock`. False when there is no such user. */
  update(user: User): Promise<boolean>
  /** Adds an identity; false when some user has it already. */
  addIdentity(identity: UserIdentity): Promise<boolean>
  /** Replaces the user's recovery codes by those with these hashes. */
  setRecoveryCodes(userId: string, hashes: readonly string[]): Promise<void>
  /** How many recovery codes the user has left. */
  recoveryCodes(userId: string): Promise<number>
  /** Uses up a recovery code; false when the user has none of this hash. Of concurrent calls one gets true. */
  useRecoveryCode(userId: string, hash: string): Promise<boolean>
}

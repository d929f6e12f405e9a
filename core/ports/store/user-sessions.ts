/** A login of a user in a browser. */
export interface UserSession {
  /** A random UUID, which the signed token of the session names. */
  readonly id: string
  /** The user who logged in. */
  readonly userId: string
  /** The `User-Agent` of its last use, cut; absent when it has none, or was never used. */
  readonly agent?: string
  /** The client's address of its last use. */
  readonly address?: string
  /** When it was last used, right to the minute. */
  readonly lastUsedAt: Date
  /** When it ends by itself. */
  readonly expiresAt: Date
  /** When it began. */
  readonly createdAt: Date
}

/** The sessions of users. One that is removed lets no one in any more. */
export interface UserSessionRepository {
  /** Adds a session. */
  add(session: UserSession): Promise<void>
  /** The session with this id. */
  find(id: string): Promise<UserSession | undefined>
  /** Those of a user that have not expired, last used first. */
  ofUser(userId: string, now: Date): Promise<readonly UserSession[]>
  /** Keeps the last use. */
  note(id: string, use: Pick<UserSession, 'agent' | 'address' | 'lastUsedAt'>): Promise<void>
  /** Ends one of a user; false when the user has none of this id. */
  remove(userId: string, id: string): Promise<boolean>
  /** Ends all of a user. */
  removeOf(userId: string): Promise<void>
  /** Deletes up to `limit` that have expired; answers how many. */
  forget(now: Date, limit: number): Promise<number>
}

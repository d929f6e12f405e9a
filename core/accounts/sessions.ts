import { randomUUID } from 'node:crypto'
import type { JWTPayload } from 'jose'
import * as v from 'valibot'
import { EngineError } from '../errors.ts'
import type { Kit } from '../kit.ts'
import type { Links } from '../mail/links/links.ts'
import { LimitedLog } from '../ports/limited-log.ts'
import type { Store } from '../ports/store/store.ts'
import type { UserSession } from '../ports/store/user-sessions.ts'
import type { User } from '../ports/store/users.ts'
import { isId } from '../values/id.ts'
import { isStorableText } from '../values/json.ts'

const DAY_MS = 24 * 3600 * 1000
/** How long a browser is known after a login. */
export const BROWSER_DAYS = 365
/** How long a login may wait for its second factor. */
const STEP_MS = 5 * 60 * 1000
/** Tokens of ours have some 300 characters, those with a path to return to some thousands. */
const MAX_LENGTH = 4000

/**
 * The purpose of a token: a whole session, the second step of a login, the way back from a provider, a known browser.
 */
type Audience = 'session' | 'second-factor' | 'login-state' | 'browser'

/** How long the last use of a session is kept without writing it anew. */
const NOTED_MS = 60_000
/** The most sessions of one user. A login beyond them ends the one that was unused for longest. */
const MAX_SESSIONS = 100
/** The most characters of a field of a request that are kept. */
const MAX_FIELD = 300

/** The browser of a request, as far as its session keeps it. */
export interface SessionUse {
  /** The client's address; unknown when absent. */
  readonly address?: string | undefined
  /** The `User-Agent` field. */
  readonly agent?: string | undefined
}

/** A session as given to the browser. */
export interface Session {
  /** The token that a browser keeps and sends with each request. */
  readonly token: string
  /** Until when it counts. */
  readonly expiresAt: Date
  /** The token that the browser keeps longer: it opens nothing, and only counts its next logins apart. */
  readonly browser: string
}

const Claims = v.object({
  sub: v.pipe(v.string(), v.check(isId)),
  ver: v.number(),
  /** The id of the session; absent in tokens of before 0.2, and of the second step of a login. */
  ses: v.optional(v.pipe(v.string(), v.check(isId))),
})

/**
 * Sessions as signed tokens (JWT, RFC 7519, with HS256 and nothing else). The issuer is this store, so that a token of
 * another installation is refused. The user's session version in it ends all sessions at once when it grows; one by one
 * they end by the record that the token names.
 */
export class Sessions {
  readonly #log: LimitedLog
  #signing: Promise<{ readonly issuer: string; readonly key: Uint8Array }> | undefined

  constructor(
    private readonly store: Store,
    private readonly links: Links,
    private readonly kit: Kit,
  ) {
    this.#log = new LimitedLog(kit.log, 1)
  }

  /** A new session. */
  async open(user: User): Promise<Session> {
    const now = this.kit.now()
    const expiresAt = new Date(now.getTime() + this.kit.settings.accounts.sessionDays * DAY_MS)
    const known = new Date(now.getTime() + BROWSER_DAYS * DAY_MS)
    const browser = await this.#token({}, 'browser', user.id, known)
    const id = randomUUID()
    await this.store.transaction(async (tx) => {
      // of several logins at once each counts what the others have made
      await tx.users.lock(user.id)
      const earlier = await tx.userSessions.ofUser(user.id, now)
      for (const { id: unused } of earlier.slice(MAX_SESSIONS - 1)) await tx.userSessions.remove(user.id, unused)
      await tx.userSessions.add({ id, userId: user.id, lastUsedAt: now, expiresAt, createdAt: now })
    })
    return { token: await this.#sign(user, 'session', expiresAt, id), expiresAt, browser }
  }

  /** The key to count the attempts of a browser by in which this user was logged in before; undefined for any other. */
  async browserOf(token: string | undefined, user: User | undefined): Promise<string | undefined> {
    if (token === undefined || user === undefined) return undefined
    const claims = await this.#claims(token, 'browser')
    return claims?.sub === user.id ? claims.jti : undefined
  }

  /** A token for the second step of a login; it opens nothing by itself. */
  openStep(user: User): Promise<string> {
    return this.#sign(user, 'second-factor', new Date(this.kit.now().getTime() + STEP_MS))
  }

  /** The user of a session, whose use is noted at most once a minute. Throws EngineError `INVALID_SESSION`. */
  user(token: string, use: SessionUse = {}): Promise<User> {
    return this.#read(token, 'session', use)
  }

  /** The id of a session; undefined for what is none, and for a session that began before they were listed. */
  async idOf(token: string): Promise<string | undefined> {
    const read = v.safeParse(Claims, await this.#claims(token, 'session'))
    return read.success ? read.output.ses : undefined
  }

  /** The user of a login that waits for its second factor. Throws EngineError `INVALID_SESSION`. */
  userOfStep(token: string): Promise<User> {
    return this.#read(token, 'second-factor')
  }

  /** A token that holds this, for a browser that goes to another site and comes back. */
  signState(state: JWTPayload, expiresAt: Date): Promise<string> {
    return this.#token({ state }, 'login-state', 'browser', expiresAt)
  }

  /** The state in such a token; undefined when it is not ours, or too old. */
  async readState(token: string): Promise<unknown> {
    return (await this.#claims(token, 'login-state'))?.state
  }

  #sign(user: User, audience: Audience, expiresAt: Date, ses?: string): Promise<string> {
    const claims = { ver: user.sessionVersion, ...(ses === undefined ? {} : { ses }) }
    return this.#token(claims, audience, user.id, expiresAt)
  }

  async #token(claims: JWTPayload, audience: Audience, subject: string, expiresAt: Date): Promise<string> {
    const { issuer, key } = await this.#keys()
    const { SignJWT } = await jose()
    return new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256' })
      .setIssuer(issuer)
      .setAudience(audience)
      .setSubject(subject)
      .setIssuedAt(this.kit.now())
      .setExpirationTime(expiresAt)
      .setJti(randomUUID())
      .sign(key)
  }

  async #read(token: string, audience: Audience, use?: SessionUse): Promise<User> {
    const read = v.safeParse(Claims, await this.#claims(token, audience))
    const { sub, ver, ses } = read.success ? read.output : {}
    const [user, session] = await Promise.all([
      sub === undefined ? undefined : this.store.users.find(sub),
      ses === undefined ? undefined : this.store.userSessions.find(ses),
    ])
    if (user?.sessionVersion === ver && user && (ses === undefined || session?.userId === user.id)) {
      if (session && use) await this.#note(session, use)
      return user
    }
    throw new EngineError('INVALID_SESSION', 'The session is not valid, or has ended.', { suggestion: 'Log in again.' })
  }

  async #note({ id, lastUsedAt, createdAt }: UserSession, use: SessionUse): Promise<void> {
    const now = this.kit.now()
    const isUnused = lastUsedAt.getTime() === createdAt.getTime()
    if (!isUnused && now.getTime() - lastUsedAt.getTime() < NOTED_MS) return
    const [seen, from] = [storable(use.agent), storable(use.address)]
    const known = { ...(seen === undefined ? {} : { agent: seen }), ...(from === undefined ? {} : { address: from }) }
    try {
      await this.store.userSessions.note(id, { ...known, lastUsedAt: now })
    } catch (error) {
      // a store that can only be read, such as on a full disk, is when people most need to look
      this.#log.error('note', 'the last use of a session could not be kept', { error })
    }
  }

  /** Only what is wrong with the token is an answer; that the store fails is not. */
  async #claims(token: string, audience: Audience): Promise<JWTPayload | undefined> {
    if (token.length > MAX_LENGTH) return undefined
    const [{ issuer, key }, { errors, jwtVerify }] = await Promise.all([this.#keys(), jose()])
    try {
      const { payload } = await jwtVerify(token, key, {
        algorithms: ['HS256'],
        issuer,
        audience,
        currentDate: this.kit.now(),
        requiredClaims: ['exp', 'sub', 'jti'],
      })
      return payload
    } catch (error) {
      if (error instanceof errors.JOSEError) return undefined
      throw error
    }
  }

  /** Every process of the store has the same. */
  #keys() {
    this.#signing ??= this.#derive().catch((error) => {
      this.#signing = undefined
      throw error
    })
    return this.#signing
  }

  async #derive() {
    const instance = await this.store.secrets.keep('instance', randomUUID(), this.kit.now())
    return { issuer: `mailwright:${instance}`, key: this.links.keyFor('mailwright sessions', instance) }
  }
}

/** A field of a request, as far as it can be kept. */
function storable(text: string | undefined): string | undefined {
  return text === undefined || !isStorableText(text) ? undefined : text.slice(0, MAX_FIELD)
}

/** Loaded by the first session: its modules would delay the start of servers that have no users. */
function jose() {
  return import('jose')
}

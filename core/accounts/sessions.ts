import { randomUUID } from 'node:crypto'
import type { JWTPayload } from 'jose'
import * as v from 'valibot'
import { EngineError } from '../errors.ts'
import type { Kit } from '../kit.ts'
import type { Links } from '../mail/links/links.ts'
import type { Store } from '../ports/store/store.ts'
import type { User } from '../ports/store/users.ts'
import { isId } from '../values/id.ts'

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

/** A session as given to the browser. */
export interface Session {
  /** The token that a browser keeps and sends with each request. */
  readonly token: string
  /** Until when it counts. */
  readonly expiresAt: Date
  /** The token that the browser keeps longer: it opens nothing, and only counts its next logins apart. */
  readonly browser: string
}

const Claims = v.object({ sub: v.pipe(v.string(), v.check(isId)), ver: v.number() })

/**
 * Sessions as signed tokens (JWT, RFC 7519, with HS256 and nothing else). The issuer is this store, so that a token of
 * another installation is refused. The user's session version in it ends all sessions at once when it grows.
 */
export class Sessions {
  #signing: Promise<{ readonly issuer: string; readonly key: Uint8Array }> | undefined

  constructor(
    private readonly store: Store,
    private readonly links: Links,
    private readonly kit: Kit,
  ) {}

  /** A new session. */
  async open(user: User): Promise<Session> {
    const expiresAt = new Date(this.kit.now().getTime() + this.kit.settings.accounts.sessionDays * DAY_MS)
    const known = new Date(this.kit.now().getTime() + BROWSER_DAYS * DAY_MS)
    const browser = await this.#token({}, 'browser', user.id, known)
    return { token: await this.#sign(user, 'session', expiresAt), expiresAt, browser }
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

  /** The user of a session. Throws EngineError `INVALID_SESSION`. */
  user(token: string): Promise<User> {
    return this.#read(token, 'session')
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

  #sign(user: User, audience: Audience, expiresAt: Date): Promise<string> {
    return this.#token({ ver: user.sessionVersion }, audience, user.id, expiresAt)
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

  async #read(token: string, audience: Audience): Promise<User> {
    const claims = await this.#claims(token, audience)
    const read = v.safeParse(Claims, claims)
    const user = read.success ? await this.store.users.find(read.output.sub) : undefined
    if (read.success && user?.sessionVersion === read.output.ver) return user
    throw new EngineError('INVALID_SESSION', 'The session is not valid, or has ended.', { suggestion: 'Log in again.' })
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

/** Loaded by the first session: its modules would delay the start of servers that have no users. */
function jose() {
  return import('jose')
}

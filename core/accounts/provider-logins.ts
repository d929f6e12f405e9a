import { randomBytes, randomUUID } from 'node:crypto'
import * as v from 'valibot'
import { EngineError } from '../errors.ts'
import type { Kit } from '../kit.ts'
import type { Store } from '../ports/store/store.ts'
import type { User } from '../ports/store/users.ts'
import { endLinks } from './change-user.ts'
import type { Entrance } from './entrance.ts'
import { languageOf } from './letters.ts'
import { safePath } from './safe-path.ts'
import type { Sessions } from './sessions.ts'
import { type LoggedIn, Login, nameOf, type SecondFactorNeeded, type Visitor } from './user.ts'

/** How long a login at a provider may take. */
const MINUTES = 10

const State = v.object({
  id: v.pipe(v.string(), v.uuid()),
  provider: v.string(),
  state: v.string(),
  nonce: v.string(),
  verifier: v.string(),
  returnTo: v.optional(v.string()),
})

/** A login at a provider that has begun in one browser, which alone can end it, and once. */
export interface ProviderState extends v.InferOutput<typeof State> {}

/** A login at another provider, which has proven who it is. */
export interface ProviderLogin {
  /** The provider's name here. */
  readonly provider: string
  /** The account's id there, which never changes. */
  readonly subject: string
  readonly email?: string | undefined
  /** Whether the provider says that the address is proven. */
  readonly emailVerified: boolean
  readonly name?: string | undefined
}

/** Logins at other providers (OAuth 2, RFC 6749; OpenID Connect), but for the talk with them. */
export class ProviderLogins {
  constructor(
    private readonly store: Store,
    private readonly entrance: Entrance,
    private readonly sessions: Sessions,
    private readonly kit: Kit,
  ) {}

  /**
   * Begins a login: `token` stays with the browser, the state goes to the provider and back. `returnTo` is where to go
   * afterwards: only a path counts, never another site.
   */
  async begin(
    provider: string,
    returnTo: string | undefined,
  ): Promise<{ readonly token: string; readonly state: ProviderState }> {
    const path = safePath(returnTo)
    const [state, nonce, verifier] = [newSecret(), newSecret(), newSecret()]
    const begun = {
      id: randomUUID(),
      provider,
      state,
      nonce,
      verifier,
      ...(path === undefined ? {} : { returnTo: path }),
    }
    const expiresAt = new Date(this.kit.now().getTime() + MINUTES * 60_000)
    return { token: await this.sessions.signState(begun, expiresAt), state: begun }
  }

  /**
   * Takes up a login with the browser's token and the state that came back from the provider, once. Throws EngineError
   * `BAD_REQUEST` when they do not belong together, were used, or are too old.
   */
  async resume(provider: string, token: string | undefined, state: string | null): Promise<ProviderState> {
    const claims = token === undefined ? undefined : await this.sessions.readState(token)
    const read = v.safeParse(State, claims)
    if (!read.success || read.output.provider !== provider || read.output.state !== state) throw stale()
    const now = this.kit.now()
    // kept a little longer than the token is valid
    const expiresAt = new Date(now.getTime() + 2 * MINUTES * 60_000)
    const used = { id: read.output.id, purpose: 'oauth-state', expiresAt, createdAt: now } as const
    if (!(await this.store.userTokens.add(used))) throw stale()
    return read.output
  }

  /**
   * Logs in a person whose identity a provider has proven. An account with the same address is joined only when the
   * provider says that the address is proven; if that account's own address is not, the person who made it loses it,
   * since any stranger could have. Throws EngineError `FORBIDDEN` for an unproven address, and for a new person when
   * sign-up is closed.
   */
  async enter(login: ProviderLogin, { languages }: Visitor = {}): Promise<LoggedIn | SecondFactorNeeded> {
    const { provider, subject, emailVerified, name } = login
    const known = await this.store.users.byIdentity(provider, subject)
    if (known) return this.entrance.enter(known)
    const parsed = v.safeParse(Login.entries.email, login.email)
    if (!emailVerified || !parsed.success) {
      throw new EngineError('FORBIDDEN', 'The provider does not say that your e-mail address is verified.', {
        suggestion: 'Confirm your address there, and log in again.',
      })
    }
    const user: User = await this.store.transaction(async (tx) => {
      const user = await this.entrance.owner(tx, parsed.output, { ...nameOf(name), ...languageOf(languages) })
      await endLinks(tx, user)
      await tx.users.addIdentity({ provider, subject, userId: user.id, createdAt: this.kit.now() })
      return user
    })
    return this.entrance.enter(user)
  }
}

function newSecret(): string {
  return randomBytes(32).toString('base64url')
}

function stale(): EngineError {
  return new EngineError(
    'BAD_REQUEST',
    'This login was not started in this browser, was already used, or is too old.',
    {
      suggestion: 'Log in again.',
    },
  )
}

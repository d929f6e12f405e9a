import { randomUUID } from 'node:crypto'
import * as v from 'valibot'
import { EngineError } from '../errors.ts'
import type { Kit } from '../kit.ts'
import type { Links } from '../mail/links/links.ts'
import type { Project } from '../ports/store/projects.ts'
import type { Repositories, Store } from '../ports/store/store.ts'
import type { User } from '../ports/store/users.ts'
import type { InputOf, UntrustedInput } from '../values/input.ts'
import { parse } from '../values/parse.ts'
import type { AttemptLimits } from './attempt-limits.ts'
import { languageOf } from './letters.ts'
import { ownAll } from './members.ts'
import type { Passwords } from './passwords.ts'
import type { Sessions } from './sessions.ts'
import { invalidToken, type LoggedIn, Person, TokenText, taken, type Visitor } from './user.ts'

const DAY_MS = 24 * 3600 * 1000
/** The name under which the store keeps who came first. */
const FIRST_USER = 'first user'

export const SetUp = v.object({
  /** The token of the set-up link. */
  token: TokenText,
  ...Person.entries,
})

/** The token of the set-up link, and the first user. */
export interface SetUpInput extends InputOf<typeof SetUp> {}

/**
 * How a server gets its first user: by a link that only its operator sees. It is no matter how old the server is, or
 * whether programs use it since years.
 */
export class FirstUser {
  constructor(
    private readonly store: Store,
    private readonly links: Links,
    private readonly passwords: Passwords,
    private readonly sessions: Sessions,
    private readonly limits: AttemptLimits,
    private readonly kit: Kit,
  ) {}

  /** Whether there is a user. */
  isThere(): Promise<boolean> {
    return this.store.users.any()
  }

  /**
   * A new set-up link below this address, which works once, for 24 hours, in every process of the store, and until
   * there is a user; undefined when there is one. The person who opens it owns the server: show it only to the
   * operator.
   */
  async link(base: string): Promise<string | undefined> {
    if (await this.isThere()) return undefined
    const now = this.kit.now()
    // random, as those of mails; the text of the token is a signature, and not stored
    const id = randomUUID()
    await this.store.userTokens.add({
      id,
      purpose: 'setup',
      expiresAt: new Date(now.getTime() + DAY_MS),
      createdAt: now,
    })
    return this.links.at(base).ofAccount('setup', id)
  }

  /** Whether the link with this token can make the first user. */
  async works(text: string): Promise<boolean> {
    return (await this.#isKnown(text)) && !(await this.isThere())
  }

  /**
   * Makes the first user by the token of the set-up link, with a confirmed address and as the OWNER of all projects there
   * are (of at most 100), and logs them in. Of several at the same time one wins. Throws EngineError `INVALID_TOKEN`,
   * `CONFLICT` when there is a user, `VALIDATION_ERROR`, `RATE_LIMIT_EXCEEDED`, `SERVICE_UNAVAILABLE`.
   */
  async setUp(
    input: SetUpInput | UntrustedInput,
    { address, languages }: Visitor = {},
  ): Promise<LoggedIn & { readonly projects: readonly Project[] }> {
    const { token, email, password, name } = parse(SetUp, input)
    await this.limits.count('signup', address)
    // before the password is hashed
    if (!(await this.#isKnown(token))) throw invalidToken()
    if (await this.isThere()) throw isSetUp()
    const passwordHash = await this.passwords.hash(password)
    const now = this.kit.now()
    const made = {
      id: this.kit.newId(),
      email,
      passwordHash,
      ...(name ? { name } : {}),
      ...languageOf(languages),
      verifiedAt: now,
      trusted: true,
    }
    const user: User = { ...made, sessionVersion: 1, createdAt: now, updatedAt: now }
    const projects = await this.store.transaction(async (tx) => {
      const id = this.links.readAccount(token)
      if (id === undefined || !(await tx.userTokens.take(id, 'setup', now))) throw invalidToken()
      if (!(await isFirst(tx, user.id, now))) throw isSetUp()
      if (!(await tx.users.insert(user))) throw taken()
      return ownAll(tx, user.id, now)
    })
    return { user, session: await this.sessions.open(user), projects }
  }

  async #isKnown(text: string): Promise<boolean> {
    const id = this.links.readAccount(text)
    return id !== undefined && (await this.store.userTokens.find(id, 'setup', this.kit.now())) !== undefined
  }
}

/** Whether this user is the first. Of several who arrive at the same time, one gets true, permanently. */
export async function isFirst(tx: Repositories, userId: string, now: Date): Promise<boolean> {
  return (await tx.secrets.keep(FIRST_USER, userId, now)) === userId
}

function isSetUp(): EngineError {
  return new EngineError('CONFLICT', 'This server already has a user, so its set-up link no longer works.', {
    suggestion: 'Log in, or ask an OWNER of a project to invite you.',
  })
}

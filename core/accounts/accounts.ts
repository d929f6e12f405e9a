import * as v from 'valibot'
import { Transports } from '../delivery/transports.ts'
import { inject, injectable } from '../di.ts'
import { EngineError } from '../errors.ts'
import { Kit } from '../kit.ts'
import { Sealing } from '../mail/dkim/sealing.ts'
import { Links } from '../mail/links/links.ts'
import type { ScheduledTask } from '../ports/scheduler.ts'
import { Store } from '../ports/store/store.ts'
import { USER_LANGUAGES, type User } from '../ports/store/users.ts'
import { Projects } from '../projects/projects.ts'
import type { EngineValues } from '../settings/engine-values.ts'
import { networkOf } from '../values/counted-address.ts'
import type { InputOf, UntrustedInput } from '../values/input.ts'
import { parse } from '../values/parse.ts'
import { programName } from '../values/program-name.ts'
import { Doorbell } from '../work/doorbell.ts'
import { removeAll } from '../work/rest.ts'
import { AccountMails } from './account-mails.ts'
import { ApprovalNotices } from './approval-notices.ts'
import { AttemptLimits } from './attempt-limits.ts'
import { Audit } from './audit.ts'
import { changeUser, withoutSecondFactor, writeUser } from './change-user.ts'
import { closed, Entrance, isWrong } from './entrance.ts'
import { FirstUser, isFirst } from './first-user.ts'
import { Grants } from './grants.ts'
import { languageOf, lettersIn } from './letters.ts'
import { MailedLinks } from './mailed-links.ts'
import { Members, own, ownAll, projectOfKey } from './members.ts'
import { OperatorNotices } from './operator-notices.ts'
import { type OwnSession, OwnSessions } from './own-sessions.ts'
import { OwnerNotices } from './owner-notices.ts'
import { Passwords } from './passwords.ts'
import { People } from './people.ts'
import { Presence } from './presence.ts'
import { ProviderLogins } from './provider-logins.ts'
import { SecondFactor } from './second-factor.ts'
import { type Session, Sessions, type SessionUse } from './sessions.ts'
import { SignedClaims } from './signed-claims.ts'
import {
  GivenPassword,
  type LoggedIn,
  Login,
  type LoginInput,
  NewPassword,
  Person,
  type PersonInput,
  PersonName,
  type SecondFactorNeeded,
  Signup,
  type SignupInput,
  taken,
  type Visitor,
  wrongCredentials,
} from './user.ts'

export const ChangeUser = v.object({
  /** The new name; `null` removes it. */
  name: v.nullish(PersonName),
  /** The language of mails about your account. */
  language: v.optional(v.picklist(USER_LANGUAGES)),
  /** A new password, with the present one in `currentPassword`. It ends all other sessions. */
  password: v.optional(NewPassword),
  /** The present password; users who have one need it to set a new one. */
  currentPassword: v.optional(GivenPassword),
})

/** The person whom the operator lets run the server, or no longer. */
const Trusted = v.pick(Person, ['email'])

/** Changes a user's own account. What is left out stays. */
export interface ChangeUserInput extends InputOf<typeof ChangeUser> {}

/** The accounts of people, who log in to a dashboard and act for the projects they are members of. */
@injectable()
export class Accounts {
  /** How a server gets its first user. */
  readonly firstUser: FirstUser
  /** Who belongs to which project. */
  readonly members: Members
  /** The actions of the links in mails about accounts. */
  readonly links: MailedLinks
  /** All accounts, for those who run the server. */
  readonly people: People
  /** The second factor of logins. */
  readonly secondFactor: SecondFactor
  /** The sessions of a user, to look at and to end. */
  readonly sessions: OwnSessions
  /** Logins at other providers. */
  readonly providers: ProviderLogins
  /** Clients of MCP that members let into inboxes. */
  readonly grants: Grants
  /** Who changed what. */
  readonly audit: Audit
  /** Who has what open just now. */
  readonly presence: Presence
  readonly #passwords: Passwords
  readonly #sessions: Sessions
  readonly #limits: AttemptLimits
  readonly #mails: AccountMails
  readonly #entrance: Entrance
  readonly #notices: OwnerNotices
  readonly #approvals: ApprovalNotices
  readonly #operatorNotices: OperatorNotices

  constructor(
    @inject(Store) private readonly store: Store,
    @inject(Projects) private readonly projects: Projects,
    @inject(Links) links: Links,
    @inject(Sealing) sealing: Sealing,
    @inject(Doorbell) doorbell: Doorbell,
    @inject(Transports) transports: Transports,
    @inject(Kit) private readonly kit: Kit,
  ) {
    const passwords = new Passwords(kit)
    const sessions = new Sessions(store, links, kit)
    const limits = new AttemptLimits(store, kit)
    const mails = new AccountMails(store, links, doorbell, kit)
    const entrance = new Entrance(passwords, sessions, limits, kit)
    this.#passwords = passwords
    this.#sessions = sessions
    this.#limits = limits
    this.#mails = mails
    this.#entrance = entrance
    this.firstUser = new FirstUser(store, links, passwords, sessions, limits, kit)
    this.members = new Members(store, projects, mails, links, limits, kit)
    this.links = new MailedLinks(store, links, passwords, sessions, limits, mails, kit)
    this.people = new People(store, entrance, mails, links, kit)
    this.secondFactor = new SecondFactor(store, sealing, entrance, sessions, limits, kit)
    this.sessions = new OwnSessions(store, sessions, kit)
    this.providers = new ProviderLogins(store, entrance, sessions, kit)
    this.grants = new Grants(store, projects, new SignedClaims(store, links, kit), kit)
    this.audit = new Audit(store, kit)
    this.presence = new Presence(store, kit)
    this.#notices = new OwnerNotices(store, mails, kit)
    this.#approvals = new ApprovalNotices(store, mails, kit)
    this.#operatorNotices = new OperatorNotices(store, mails, this.members, transports, kit)
  }

  /** The scheduled tasks; only workers run them. */
  tasks(): readonly ScheduledTask[] {
    const forget = async (signal: AbortSignal) => {
      await removeAll((most) => this.store.userTokens.forget(this.kit.now(), most), signal)
      await removeAll((most) => this.store.userSessions.forget(this.kit.now(), most), signal)
      await removeAll((most) => this.store.attempts.forget(this.kit.now(), most), signal)
      await removeAll((most) => this.presence.forget(most), signal)
    }
    return [
      { name: 'forget tokens and attempts', cron: '31 * * * *', run: forget },
      { name: 'notices to owners', cron: '*/5 * * * * *', run: (signal) => this.#notices.tick(signal) },
      { name: 'news in reports on domains', cron: '17 * * * *', run: (signal) => this.#notices.lookAtReports(signal) },
      { name: 'notices to operators', cron: '*/15 * * * * *', run: (signal) => this.#operatorNotices.tick(signal) },
      { name: 'notices of approvals', cron: '*/5 * * * * *', run: (signal) => this.#approvals.tick(signal) },
    ]
  }

  /** The settings of accounts. */
  get settings(): EngineValues['accounts'] {
    return this.kit.settings.accounts
  }

  /**
   * Signs a new user up and logs them in; `mailed` says whether a mail with a link to confirm the address goes out.
   * Where the settings do not open it, only the first user can, who proves with a secret key to belong here; its
   * project then has the user as OWNER. Throws EngineError `FORBIDDEN` when sign-up is closed, `VALIDATION_ERROR`,
   * `INVALID_API_KEY`, `CONFLICT` when the address has an account or the key's project an OWNER, `RATE_LIMIT_EXCEEDED`,
   * `SERVICE_UNAVAILABLE`.
   */
  async signup(
    input: SignupInput | UntrustedInput,
    { address, languages }: Visitor = {},
  ): Promise<LoggedIn & { readonly mailed: boolean }> {
    const isOpen = this.settings.signup
    // cheaply, before any work: the decision falls in the transaction
    if (!isOpen && (await this.firstUser.isThere())) throw closed()
    const { email, password, name, secretKey } = parse(Signup, input)
    if (!isOpen && secretKey === undefined) throw closedToFirst()
    const project = secretKey === undefined ? undefined : await projectOfKey(this.projects, secretKey)
    await this.#limits.count('signup', address)
    const passwordHash = await this.#passwords.hash(password)
    const named = { ...(name ? { name } : {}), ...languageOf(languages) }
    const made = this.#entrance.made({ email, passwordHash, ...named })
    const sender = await this.#mails.sender()
    const words = lettersIn(made.language, sender.problem === undefined ? sender.project.locale : undefined)
    const { user, mailed } = await this.store.transaction(async (tx) => {
      const user = await this.#entrance.insert(tx, made, project !== undefined)
      if (project) await own(tx, user.id, project, this.kit.now())
      return { user, mailed: await this.#mails.add(tx, sender, 'verify', { userId: user.id, email }, words) }
    })
    if (mailed) this.#mails.ring()
    return { ...(await this.#entrance.open(user)), mailed }
  }

  /**
   * For the operator: makes a user whose address counts as proven, even when sign-up is closed; or gives a known one
   * this password, without a second factor, and ends all sessions. `who` says whether the user must be new or known;
   * with `owns` the first user becomes the OWNER of all projects, as by the set-up link. Throws EngineError
   * `VALIDATION_ERROR`, `CONFLICT` for a known one who must be new, `RESOURCE_NOT_FOUND` for the other way round.
   */
  async make(
    input: PersonInput | UntrustedInput,
    who: 'new' | 'known' | 'any' = 'any',
    { owns = false }: { readonly owns?: boolean } = {},
  ): Promise<User> {
    const { email, password, name } = parse(Person, input)
    const passwordHash = await this.#passwords.hash(password)
    const now = this.kit.now()
    const named = name ? { name } : {}
    return this.store.transaction(async (tx) => {
      const made = this.#entrance.made({ email, passwordHash, verifiedAt: now, trusted: true, ...named })
      if (who === 'known' && !(await tx.users.byEmail(email))) throw unknownUser(email)
      const first = await isFirst(tx, made.id, now)
      if (await tx.users.insert(made)) {
        if (owns && first) await ownAll(tx, made.id, now)
        return made
      }
      if (who === 'new') throw taken()
      const found = await tx.users.byEmail(email)
      const there = found && (await tx.users.lock(found.id))
      if (!there) throw taken()
      const bare = await withoutSecondFactor(tx, there)
      const changed = { ...bare, ...named, passwordHash, verifiedAt: there.verifiedAt ?? now, updatedAt: now }
      await writeUser(tx, there, changed)
      return changed
    })
  }

  /**
   * For the operator: lets a user run the server as one whom `make` made, or takes that back. It also depends on
   * whether others own projects: `members.isOperator`. Throws EngineError `VALIDATION_ERROR`, `RESOURCE_NOT_FOUND`, `CONFLICT`
   * while the address is not confirmed, since any stranger may have signed up with it.
   */
  async trust(input: Pick<PersonInput, 'email'> | UntrustedInput, trusted = true): Promise<User> {
    const { email } = parse(Trusted, input)
    const found = await this.store.users.byEmail(email)
    if (!found) throw unknownUser(email)
    return changeUser(this.store, this.kit, found.id, ({ trusted: _before, ...now }) => {
      if (trusted && now.verifiedAt === undefined) throw isUnconfirmed(email)
      return trusted ? { ...now, trusted } : now
    })
  }

  /**
   * Logs a user in, always with a new session; with a second factor, a code is needed as well. An unknown address and a
   * wrong password get the same answer after the same work. Throws EngineError `INVALID_CREDENTIALS`,
   * `VALIDATION_ERROR`, `RATE_LIMIT_EXCEEDED` after five failures for one address from one client within five minutes
   * (a browser that was logged in before has five of its own, whatever strangers try), `SERVICE_UNAVAILABLE`.
   */
  async login(input: LoginInput | UntrustedInput, visitor: Visitor = {}): Promise<LoggedIn | SecondFactorNeeded> {
    const { email, password } = parse(Login, input)
    const user = await this.store.users.byEmail(email)
    const attempt = await this.#countLogin(email, user, visitor)
    const isRight = await this.#passwords.matches(password, user?.passwordHash)
    if (!user || !isRight) throw wrongCredentials()
    await attempt.forgive()
    if (user.passwordHash !== undefined && this.#passwords.isOutdated(user.passwordHash)) {
      const passwordHash = await this.#passwords.hash(password)
      await changeUser(this.store, this.kit, user.id, (now) =>
        now.passwordHash === user.passwordHash ? { ...now, passwordHash } : now,
      )
    }
    const { language } = languageOf(visitor.languages)
    // of an account that was made without a browser
    if (user.language === undefined && language !== undefined)
      await changeUser(this.store, this.kit, user.id, (now) => ({ language, ...now }))
    return this.#entrance.enter(user)
  }

  /** Counts a login before its password is checked. Throws EngineError `RATE_LIMIT_EXCEEDED`. */
  async #countLogin(email: string, user: User | undefined, { address, browser }: Visitor) {
    const known = await this.#sessions.browserOf(browser, user)
    if (known !== undefined) {
      await this.#limits.count('browser', email, known)
      return { forgive: () => this.#limits.forgiveAll('browser', email, known) }
    }
    await this.#limits.count('login', email, address)
    if (address?.includes(':')) await this.#limits.count('network', email, networkOf(address))
    await this.#limits.count('address', email)
    const forgive = async () => {
      await this.#limits.forgiveAll('login', email, address)
      if (address?.includes(':')) await this.#limits.forgive('network', email, networkOf(address))
      await this.#limits.forgive('address', email)
    }
    return { forgive }
  }

  /** The user of a session. Throws EngineError `INVALID_SESSION`. */
  userOf(token: string, use?: SessionUse): Promise<User> {
    return this.#sessions.user(token, use)
  }

  /** Ends all sessions of a user. */
  async endSessions(user: User): Promise<void> {
    await changeUser(this.store, this.kit, user.id, (now) => ({ ...now, sessionVersion: now.sessionVersion + 1 }))
  }

  /**
   * Changes the user's name, language or password. A new password ends all sessions, and `session` is a new one; `ended` are those
   * that ended besides the one with this token. Throws
   * EngineError `VALIDATION_ERROR`, also when `currentPassword` is wrong, `RATE_LIMIT_EXCEEDED`.
   */
  async change(
    user: User,
    input: ChangeUserInput | UntrustedInput,
    token?: string,
  ): Promise<{ readonly user: User; readonly session?: Session; readonly ended: readonly OwnSession[] }> {
    const { name, language, password, currentPassword } = parse(ChangeUser, input)
    if (password !== undefined) await this.#entrance.requirePassword(user, currentPassword, 'currentPassword')
    const passwordHash = password === undefined ? undefined : await this.#passwords.hash(password)
    const ended = password === undefined ? [] : await this.sessions.others(user, token)
    const changed = await changeUser(this.store, this.kit, user.id, ({ name: before, ...now }) => {
      // two who change it at once with the same present one: the later finds another
      if (passwordHash !== undefined && now.passwordHash !== user.passwordHash) throw isWrong('currentPassword')
      const kept = name === undefined ? before : (name ?? undefined)
      const spoken = language === undefined ? now : { ...now, language }
      const named = kept === undefined ? spoken : { ...spoken, name: kept }
      if (passwordHash === undefined) return named
      return { ...named, passwordHash, sessionVersion: now.sessionVersion + 1 }
    })
    return passwordHash === undefined ? { user: changed, ended } : { ...(await this.#entrance.open(changed)), ended }
  }
}

function closedToFirst(): EngineError {
  return new EngineError('FORBIDDEN', 'Sign-up is closed on this server.', {
    suggestion: `The first user opens the set-up link that the start of the server prints (also \`${programName()} users setup-link\`), or sends a secretKey of this server along.`,
  })
}

function unknownUser(email: string): EngineError {
  return new EngineError('RESOURCE_NOT_FOUND', `There is no user ${email}.`, {
    suggestion: `Give the address that the person logs in with. \`${programName()} users create\` makes a new user.`,
  })
}

function isUnconfirmed(email: string): EngineError {
  return new EngineError(
    'CONFLICT',
    `${email} has not been confirmed, so it may be a stranger who signed up with it.`,
    {
      suggestion: `The person confirms it in the dashboard (My account), or you set a new password: \`${programName()} users reset-password ${email}\`.`,
    },
  )
}

import * as v from 'valibot'
import { EngineError, invalidField } from '../errors.ts'
import type { Kit } from '../kit.ts'
import type { Links } from '../mail/links/links.ts'
import type { Repositories, Store } from '../ports/store/store.ts'
import type { TokenPurpose, UserToken } from '../ports/store/user-tokens.ts'
import type { User } from '../ports/store/users.ts'
import { EmailAddress } from '../values/email-address.ts'
import type { InputOf, UntrustedInput } from '../values/input.ts'
import { parse } from '../values/parse.ts'
import type { ProjectId } from '../values/project-id.ts'
import type { AccountMails } from './account-mails.ts'
import type { AttemptLimits } from './attempt-limits.ts'
import { writeUser } from './change-user.ts'
import { proven } from './entrance.ts'
import { languageOf, lettersIn } from './letters.ts'
import { inviteOf, join } from './members.ts'
import type { Passwords } from './passwords.ts'
import type { Sessions } from './sessions.ts'
import { invalidToken, type LoggedIn, NewPassword, PersonName, TokenText, type Visitor } from './user.ts'

export const VerifyEmail = v.object({
  /** The token of the mail's link. */
  token: TokenText,
})
export const RequestReset = v.object({
  /** The account's address. */
  email: EmailAddress,
})
export const ResetPassword = v.object({
  /** The token of the mail's link. */
  token: TokenText,
  /** The new password: at least 8 characters. */
  password: NewPassword,
})
export const AcceptInvite = v.object({
  /** The token of the mail's link. */
  token: TokenText,
  /** Needed from people without an account. */
  password: v.optional(NewPassword),
  /** The person's name. */
  name: v.nullish(PersonName),
})

/** The token of a link. */
export interface VerifyEmailInput extends InputOf<typeof VerifyEmail> {}
/** Whose password was forgotten. */
export interface RequestResetInput extends InputOf<typeof RequestReset> {}
/** The token of a link, and the new password. */
export interface ResetPasswordInput extends InputOf<typeof ResetPassword> {}
/** The token of an invitation; for people without an account, a password and a name. */
export interface AcceptInviteInput extends InputOf<typeof AcceptInvite> {}

/**
 * How long the answer to a request for a new password takes at least, in milliseconds: longer than it takes to store a
 * mail, so that timing does not reveal who has an account.
 */
const ANSWER_MS = 200

/** The token of a link. */
export interface LinkedToken extends UserToken {
  /** Whether the link was passed on by the inviter, and so does not prove the mailbox. */
  readonly isPassedOn: boolean
}

/** The user who accepted an invitation, and its project. */
interface Joined {
  readonly user: User
  readonly projectId: ProjectId
}

/** The actions of the links in mails about accounts. Each works once. */
export class MailedLinks {
  constructor(
    private readonly store: Store,
    private readonly links: Links,
    private readonly passwords: Passwords,
    private readonly sessions: Sessions,
    private readonly limits: AttemptLimits,
    private readonly mails: AccountMails,
    private readonly kit: Kit,
  ) {}

  /** The token of a link; undefined when it does not work (any more). */
  async look(text: string, purpose: TokenPurpose): Promise<LinkedToken | undefined> {
    const { id, isPassedOn } = this.#read(text)
    const token = id === undefined ? undefined : await this.store.userTokens.find(id, purpose, this.kit.now())
    return token && { ...token, isPassedOn }
  }

  /**
   * Sends the link to confirm the user's address again. Does nothing for a confirmed one. Throws EngineError `CONFLICT`
   * when this server cannot send mail, `RATE_LIMIT_EXCEEDED`.
   */
  async requestVerification(user: User): Promise<void> {
    if (user.verifiedAt !== undefined) return
    const sender = await this.mails.requireSender()
    await this.limits.count('mail', 'verify', user.email)
    const about = { userId: user.id, email: user.email }
    const words = lettersIn(user.language, sender.project.locale)
    await this.store.transaction((tx) => this.mails.add(tx, sender, 'verify', about, words))
    this.mails.ring()
  }

  /** Confirms an address. Throws EngineError `INVALID_TOKEN`, `VALIDATION_ERROR`. */
  async verifyEmail(input: VerifyEmailInput | UntrustedInput): Promise<User> {
    const { token: text } = parse(VerifyEmail, input)
    const now = this.kit.now()
    return this.store.transaction(async (tx) => {
      const { token, user } = await this.#take(tx, text, 'verify', now)
      if (!user || token.email !== user.email) throw invalidToken()
      const verified = { ...user, verifiedAt: user.verifiedAt ?? now, updatedAt: now }
      await tx.users.update(verified)
      return verified
    })
  }

  /**
   * Sends a link to set a new password, if there is an account. Whether there is shows neither in the answer nor in the
   * time it takes; `canSend` says whether this server can send mail at all. Throws EngineError `VALIDATION_ERROR`,
   * `RATE_LIMIT_EXCEEDED` after many requests of one client.
   */
  async requestReset(
    input: RequestResetInput | UntrustedInput,
    { address, browser, languages = [] }: Visitor = {},
  ): Promise<{ readonly canSend: boolean }> {
    const { email } = parse(RequestReset, input)
    await this.limits.count('asking', address)
    const sender = await this.mails.sender()
    if (sender.problem !== undefined) return { canSend: false }
    const pause = new Promise((resolve) => setTimeout(resolve, ANSWER_MS))
    const user = await this.store.users.byEmail(email)
    const known = await this.sessions.browserOf(browser, user)
    const allowed = await this.limits.allows('mail', 'reset', email, ...(known === undefined ? [] : [known]))
    if (user && allowed) {
      const words = lettersIn(user.language, ...languages, sender.project.locale)
      await this.store.transaction((tx) => this.mails.add(tx, sender, 'reset', { userId: user.id, email }, words))
      this.mails.ring()
    }
    await pause
    return { canSend: true }
  }

  /**
   * Sets a new password, ends all sessions, and takes the address as proven, since the link was sent there. It does not
   * log in. Throws EngineError `INVALID_TOKEN`, `VALIDATION_ERROR`, `SERVICE_UNAVAILABLE`.
   */
  async resetPassword(input: ResetPasswordInput | UntrustedInput, { address }: Visitor = {}): Promise<User> {
    const { token: text, password } = parse(ResetPassword, input)
    if (!(await this.look(text, 'reset'))) throw invalidToken()
    const passwordHash = await this.passwords.hash(password)
    const now = this.kit.now()
    const user = await this.store.transaction(async (tx) => {
      const { user } = await this.#take(tx, text, 'reset', now)
      if (!user) throw invalidToken()
      const changed = { ...proven(user, now), passwordHash, updatedAt: now, sessionVersion: user.sessionVersion + 1 }
      await writeUser(tx, user, changed)
      return changed
    })
    await this.limits.forgiveAll('login', user.email, address)
    return user
  }

  /**
   * The address, project and sender of an invitation, and whether the person invited needs an account first. Of a link
   * that was passed on, `isNew` is always true: the inviter may open it, and does not learn who has an account.
   */
  async invited({ email, projectId, inviter, isPassedOn }: LinkedToken): Promise<{
    readonly email: string
    readonly project: string
    readonly inviter?: string
    readonly isNew: boolean
    readonly isPassedOn: boolean
  }> {
    const project = projectId && (await this.store.projects.find(projectId))
    const user = email === undefined ? undefined : await this.store.users.byEmail(email)
    const sent = inviter === undefined ? {} : { inviter }
    const isNew = isPassedOn || user?.verifiedAt === undefined
    return { email: email ?? '', project: project?.name ?? '', ...sent, isNew, isPassedOn }
  }

  /**
   * Makes the invited person a member. Who has no account gets one with this password and is logged in; an account whose
   * address was not proven gets it as well, and the person who made that loses it. An account that was proven just becomes a
   * member, and has to log in. A link that was passed on proves nothing: it makes an account whose address is not
   * confirmed, and changes none that is there. Throws EngineError `INVALID_TOKEN`, `VALIDATION_ERROR`,
   * `SERVICE_UNAVAILABLE`, `CONFLICT` when the person is in 100 projects, or has an account and the link was passed on.
   */
  async acceptInvite(
    input: AcceptInviteInput | UntrustedInput,
    { languages }: Visitor = {},
  ): Promise<Partial<LoggedIn> & Joined> {
    const { token: text, password, name } = parse(AcceptInvite, input)
    const invite = await this.look(text, 'invite')
    if (!invite) throw invalidToken()
    const known = invite.email === undefined ? undefined : await this.store.users.byEmail(invite.email)
    const needsPassword = invite.isPassedOn || known?.verifiedAt === undefined
    // of a link that was passed on before it is looked who has an account, so that asking without one does not tell
    if (needsPassword && password === undefined) throw passwordMissing()
    if (known && invite.isPassedOn) throw hasAccount()
    const passwordHash = needsPassword && password !== undefined ? await this.passwords.hash(password) : undefined
    const named = { ...(name ? { name } : {}), ...languageOf(languages) }
    const { isNew, ...joined } = await this.store.transaction((tx) => this.#join(tx, text, passwordHash, named))
    return isNew ? { ...joined, session: await this.sessions.open(joined.user) } : joined
  }

  async #join(
    tx: Repositories,
    text: string,
    passwordHash: string | undefined,
    named: Pick<User, 'name' | 'language'>,
  ): Promise<Joined & { readonly isNew: boolean }> {
    const now = this.kit.now()
    const { token, isPassedOn } = await this.#take(tx, text, 'invite', now)
    const { email } = token
    const invite = inviteOf(token)
    if (email === undefined || invite === undefined) throw invalidToken()
    const found = await tx.users.byEmail(email)
    const locked = found && (await tx.users.lock(found.id))
    const fresh = { id: this.kit.newId(), email, ...named, sessionVersion: 1, createdAt: now, updatedAt: now }
    if (locked && isPassedOn) throw hasAccount()
    const owned = isPassedOn ? fresh : proven(locked ?? fresh, now)
    // an account that is proven stays unchanged, also when it became so a moment ago
    const isNew = owned !== locked
    if (isNew && passwordHash === undefined) throw passwordMissing()
    const user = isNew && passwordHash !== undefined ? { ...owned, ...named, passwordHash } : owned
    if (locked === undefined && !(await tx.users.insert(user))) throw invalidToken()
    if (locked !== undefined && isNew) await writeUser(tx, locked, user)
    await join(tx, user, invite, now)
    return { user, projectId: invite.projectId, isNew }
  }

  #read(text: string): { readonly id: string | undefined; readonly isPassedOn: boolean } {
    const id = this.links.readAccount(text)
    return id === undefined ? { id: this.links.readInvitation(text), isPassedOn: true } : { id, isPassedOn: false }
  }

  /** Uses up the token. Throws EngineError `INVALID_TOKEN`; the user is locked. */
  async #take(tx: Repositories, text: string, purpose: TokenPurpose, now: Date) {
    const { id, isPassedOn } = this.#read(text)
    const token = id === undefined ? undefined : await tx.userTokens.take(id, purpose, now)
    if (!token) throw invalidToken()
    return { token, isPassedOn, user: token.userId === undefined ? undefined : await tx.users.lock(token.userId) }
  }
}

function hasAccount(): EngineError {
  return new EngineError('CONFLICT', 'There is an account with this address.', {
    suggestion: 'Log in: the invitation waits there. An address that is not confirmed yet has to be confirmed first.',
  })
}

function passwordMissing(): EngineError {
  return invalidField(
    'password',
    'required',
    'is required, unless the link came by mail to an address with a confirmed account',
  )
}

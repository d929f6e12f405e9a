import * as v from 'valibot'
import { EngineError } from '../errors.ts'
import type { Kit } from '../kit.ts'
import type { Links } from '../mail/links/links.ts'
import type { MemberChange } from '../ports/store/members.ts'
import type { Project } from '../ports/store/projects.ts'
import type { Repositories, Store } from '../ports/store/store.ts'
import type { Invitation, UserToken } from '../ports/store/user-tokens.ts'
import type { User } from '../ports/store/users.ts'
import { type Caller, type MemberCaller, requireArea } from '../projects/caller.ts'
import { requireEnabled } from '../projects/project.ts'
import type { Projects } from '../projects/projects.ts'
import { ProjectSettings } from '../settings/project-settings.ts'
import { EmailAddress } from '../values/email-address.ts'
import { isId } from '../values/id.ts'
import type { InputOf, UntrustedInput } from '../values/input.ts'
import { MEMBER_ROLES, type MemberRole } from '../values/member-roles.ts'
import { parse } from '../values/parse.ts'
import { asProjectId, type ProjectId } from '../values/project-id.ts'
import { quotedName } from '../values/quoted-name.ts'
import { shownId } from '../values/shown-id.ts'
import type { AccountMails } from './account-mails.ts'
import type { AttemptLimits } from './attempt-limits.ts'
import { type AccountLetters, lettersIn } from './letters.ts'
import { SecretKeyText, type Visitor } from './user.ts'

const role = v.picklist(MEMBER_ROLES)
export const AddMember = v.object({
  /** The person's address. */
  email: EmailAddress,
  /** The person's role. */
  role: v.optional(role, 'MEMBER'),
})
export const ChangeMember = v.object({
  /** The person's role from now on. */
  role,
})
export const AddProject = v.object({
  /** Makes a project of this name. */
  name: v.optional(ProjectSettings.entries.name),
  /** Takes over a project that has no OWNER yet, by its secret key. */
  secretKey: v.optional(SecretKeyText),
})

/** Who shall be a member, and as what; default MEMBER. */
export interface AddMemberInput extends InputOf<typeof AddMember> {}
/** The new role. */
export interface ChangeMemberInput extends InputOf<typeof ChangeMember> {}
/** A name for a new project, or the secret key of one that has no OWNER yet. */
export interface AddProjectInput extends InputOf<typeof AddProject> {}

/** A project's member, or a person who is invited. */
export interface MemberEntry {
  /** The user's id; of an invited person, the invitation's. */
  readonly id: string
  /** The address of the person. */
  readonly email: string
  /** The name; absent when none was given. */
  readonly name?: string
  /** The person's role in the project. */
  readonly role: MemberRole
  /** `INVITED` until the invitation is accepted. */
  readonly status: 'ACTIVE' | 'INVITED'
  /** Of an invitation, a link to pass on; absent without a public address. Unlike the one in the mail, it proves no mailbox. */
  readonly link?: string
  /** When the invitation ends. */
  readonly expiresAt?: Date
  /** Of an invitation that was made just now: why it could not be mailed. */
  readonly note?: string
  /** When it was made, by the clock of the engine. */
  readonly createdAt: Date
}

/** A user's project, and the user's role there. */
export interface OwnProject {
  /** A project of the person. */
  readonly project: Project
  /** The person's role there. */
  readonly role: MemberRole
}

const MAX_MEMBERS = 500
const MAX_PROJECTS = 100
/** The most invitations that one person is shown, the newest first. */
const MAX_INVITATIONS = 100

/** Who belongs to which project. */
export class Members {
  constructor(
    private readonly store: Store,
    private readonly projects: Projects,
    private readonly mails: AccountMails,
    private readonly links: Links,
    private readonly limits: AttemptLimits,
    private readonly kit: Kit,
  ) {}

  /** The user as a caller for this project. Throws EngineError `PROJECT_NOT_FOUND`, also for projects of others. */
  async caller(user: User, id: string): Promise<MemberCaller> {
    const projectId = asProjectId(id)
    const found = projectId && (await this.store.members.find(projectId, user.id))
    if (!found) throw new EngineError('PROJECT_NOT_FOUND', `There is no project ${shownId(id)}.`)
    return { kind: 'member', user, ...found }
  }

  /** The user's projects, oldest membership first. */
  projectsOf(user: User): Promise<readonly OwnProject[]> {
    return this.store.members.ofUser(user.id)
  }

  /**
   * Whether the user runs the server: the operator made the account, and no project belongs to others alone. On a
   * server for strangers no user does, and the operator has a key.
   */
  async isOperator(user: User): Promise<boolean> {
    return user.trusted === true && !(await this.store.members.othersOwn(user.id))
  }

  /** The same of who calls for a project. No key runs the server, and no person of an app that embeds the engine. */
  async isOperatorCalling(caller: Caller): Promise<boolean> {
    if (caller.kind !== 'member' || !isId(caller.user.id)) return false
    const user = await this.store.users.find(caller.user.id)
    return user !== undefined && this.isOperator(user)
  }

  /** The projects that others alone own, oldest first. */
  ownedByOthers(user: User): Promise<readonly Project[]> {
    return this.store.members.ownedByOthers(user.id)
  }

  /**
   * Makes a project with the user as its OWNER, or makes the user the OWNER of one that has none, by its secret key.
   * Throws EngineError `VALIDATION_ERROR`, `INVALID_API_KEY`, `CONFLICT` when it has an OWNER, or the user 100
   * projects, `FORBIDDEN` to make one for a user who only signed up, unless the settings allow it: projects can send.
   */
  async addProject(user: User, input: AddProjectInput | UntrustedInput): Promise<OwnProject> {
    const { name, secretKey } = parse(AddProject, input, function* ({ name, secretKey }) {
      if ((name === undefined) === (secretKey === undefined))
        yield { field: 'name', code: 'required', message: 'is required, unless a secretKey is given' }
    })
    const project = secretKey === undefined ? undefined : await projectOfKey(this.projects, secretKey)
    const now = this.kit.now()
    return this.store.transaction(async (tx) => {
      // of several requests at once each counts what the others have made
      await tx.users.lock(user.id)
      const present = await tx.members.ofUser(user.id)
      if (present.length >= MAX_PROJECTS) throw tooManyProjects()
      const isOwner = present.some(({ role }) => role === 'OWNER')
      if (project === undefined && !(this.kit.settings.accounts.projects || user.trusted || isOwner)) throw makesNone()
      const owned = project ?? this.projects.made(name ?? '')
      if (project === undefined) await tx.projects.save(owned)
      await own(tx, user.id, owned, now)
      return { project: owned, role: 'OWNER' as const }
    })
  }

  /** The members and, for callers who may decide about them, those invited; oldest first. */
  async list(project: Project, whom: 'all' | 'members' = 'all'): Promise<readonly MemberEntry[]> {
    const members = await this.store.members.list(project.id)
    const invites = whom === 'all' ? await this.store.userTokens.invites(project.id, this.kit.now()) : []
    return [
      ...members.map(({ user: { language: _own, ...user }, role, createdAt }) => ({
        ...user,
        role,
        status: 'ACTIVE' as const,
        createdAt,
      })),
      ...invites.map((invite) => this.#invited(invite)),
    ]
  }

  /**
   * Invites a person by e-mail address. They become a member only when they accept, and the answer is the same whether
   * the address has an account or not; the mail is in the person's language, else in the inviter's. An earlier invitation of the same address ends, and its links with it. When no mail can
   * be sent, the link is there to pass on. Throws EngineError `FORBIDDEN`, `VALIDATION_ERROR`, `CONFLICT` (a member
   * already, 500 members, or neither mail nor link lead anywhere), `PROJECT_DISABLED`, `RATE_LIMIT_EXCEEDED` after 100 invitations by one person or 10 to one address within an hour.
   */
  async add(
    caller: Caller,
    input: AddMemberInput | UntrustedInput,
    { languages = [] }: Pick<Visitor, 'languages'> = {},
  ): Promise<MemberEntry> {
    requireArea(caller, 'members')
    const { project } = caller
    requireEnabled(project)
    const { email, role } = parse(AddMember, input)
    const present = await this.list(project)
    const before = present.filter((entry) => entry.email === email)
    if (before.some(({ status }) => status === 'ACTIVE')) throw isMember(email)
    if (present.length >= MAX_MEMBERS)
      throw new EngineError('CONFLICT', `The project has ${MAX_MEMBERS} members, the maximum.`)
    const sender = this.links.isPublic ? await this.mails.sender() : await this.mails.requireSender()
    // by person: who makes many projects could send as many mails for each
    await this.limits.count('invites', caller.kind === 'member' ? caller.user.id : project.id)
    await this.limits.count('invited', email)
    const about = { email, projectId: project.id, role, ...inviterOf(caller) }
    const inviter = caller.kind === 'member' ? caller.user.language : undefined
    const invitee = (await this.store.users.byEmail(email))?.language
    const words = lettersIn(invitee, inviter, ...languages, project.locale)
    const shown = { inviter: introduced(caller, words), project: words.quoted(quotedName(project.name)) }
    const isMailed = await this.store.transaction(async (tx) => {
      for (const { id } of before) await tx.userTokens.removeInvite(project.id, id)
      if (await this.mails.add(tx, sender, 'invite', about, words, shown)) return true
      await this.mails.addToken(tx, 'invite', about)
      return false
    })
    if (isMailed) this.mails.ring()
    const invited = (await this.store.userTokens.invites(project.id, this.kit.now())).findLast(
      (invite) => invite.email === email,
    )
    const note = sender.problem === undefined ? {} : { note: `No mail was sent: ${sender.problem}. Pass the link on.` }
    return invited ? { ...this.#invited(invited), ...note } : noMember(email)
  }

  /** The invitations of the user's address that still wait, newest first; none before the address is confirmed. */
  async invitationsOf({ email, verifiedAt }: User): Promise<readonly Invitation[]> {
    return verifiedAt === undefined ? [] : this.store.userTokens.invitesOf(email, this.kit.now(), MAX_INVITATIONS)
  }

  /** Makes the user a member. Throws EngineError `RESOURCE_NOT_FOUND`, `CONFLICT` when the user is in 100 projects. */
  async acceptInvitation(user: User, id: string): Promise<OwnProject> {
    return this.store.transaction(async (tx) => {
      const invite = await this.#takeInvite(tx, user, id)
      await tx.users.lock(user.id)
      await join(tx, user, invite, this.kit.now())
      const joined = await tx.members.find(invite.projectId, user.id)
      return joined ?? noInvitation(id)
    })
  }

  /** Ends an invitation of the user's address. Throws EngineError `RESOURCE_NOT_FOUND`. */
  async declineInvitation(user: User, id: string): Promise<void> {
    await this.store.transaction((tx) => this.#takeInvite(tx, user, id))
  }

  /**
   * Gives a member another role; a lower one ends what the member has allowed to clients. Throws EngineError `FORBIDDEN`, `VALIDATION_ERROR`, `MEMBER_NOT_FOUND`, `CONFLICT`
   * when the project would have no OWNER.
   */
  async change(caller: Caller, userId: string, input: ChangeMemberInput | UntrustedInput): Promise<MemberEntry> {
    requireArea(caller, 'members')
    const { project } = caller
    const { role } = parse(ChangeMember, input)
    const before = isId(userId) ? await this.store.members.find(project.id, userId) : undefined
    requireChanged(isId(userId) ? await this.store.members.setRole(project.id, userId, role) : 'missing', userId)
    if (before && MEMBER_ROLES.indexOf(role) < MEMBER_ROLES.indexOf(before.role)) await this.#endGrants(project, userId)
    const changed = (await this.list(project)).find(({ id }) => id === userId)
    return changed ?? noMember(userId)
  }

  /**
   * Removes a member or an invitation; members may remove themselves. Throws EngineError `FORBIDDEN`,
   * `MEMBER_NOT_FOUND`, `CONFLICT` when the project would have no OWNER.
   */
  async remove(caller: Caller, id: string): Promise<void> {
    const isSelf = caller.kind === 'member' && caller.user.id === id
    if (!isSelf) requireArea(caller, 'members')
    const { project } = caller
    if (!isId(id)) noMember(id)
    if (await this.store.userTokens.removeInvite(project.id, id)) return
    const email = (await this.store.users.find(id))?.email
    requireChanged(await this.store.members.remove(project.id, id), id)
    await this.#endGrants(project, id)
    // neither by an older invitation nor by one that was sent to another address of theirs
    if (email !== undefined)
      await this.#endInvitations(project, (invite) => invite.email === email || (!isSelf && invite.inviter === email))
  }

  /** Of an invited person no name is known: whether there is an account is not for the inviter to see. */
  #invited({ id, email = '', role = 'MEMBER', createdAt, expiresAt }: UserToken): MemberEntry {
    const link = this.links.ofInvitation(id)
    return { id, email, role, status: 'INVITED', createdAt, expiresAt, ...(link === undefined ? {} : { link }) }
  }

  /** Ends what a member has allowed to clients, who may do less from now on. Each use asks for the role, too. */
  async #endGrants({ id }: Project, userId: string): Promise<void> {
    await this.store.projects.revokeKeysOf(userId, this.kit.now(), id)
  }

  async #endInvitations({ id }: Project, isEnded: (invite: UserToken) => boolean): Promise<void> {
    for (const invite of await this.store.userTokens.invites(id, this.kit.now()))
      if (isEnded(invite)) await this.store.userTokens.removeInvite(id, invite.id)
  }

  async #takeInvite(tx: Repositories, { email, verifiedAt }: User, id: string): Promise<Invite> {
    const token = isId(id) ? await tx.userTokens.take(id, 'invite', this.kit.now()) : undefined
    // the error rolls back the removal of another person's invitation
    if (token === undefined || token.email !== email || verifiedAt === undefined) noInvitation(id)
    return inviteOf(token) ?? noInvitation(id)
  }
}

/** The project of a secret key. Throws EngineError `INVALID_API_KEY`, `FORBIDDEN` for one without the scope `full`. */
export async function projectOfKey(projects: Projects, secretKey: string): Promise<Project> {
  const caller = await projects.caller(secretKey)
  requireArea(caller, 'keys')
  return caller.project
}

/**
 * Makes the user the OWNER of a project that has none, within the transaction that decides it: of several one becomes
 * it. Throws EngineError `CONFLICT` when it has one.
 */
export async function own(tx: Repositories, userId: string, { id }: Project, now: Date): Promise<void> {
  await tx.projects.lock(id)
  const members = await tx.members.list(id)
  if (members.some(({ role }) => role === 'OWNER')) {
    throw new EngineError('CONFLICT', 'This project has an OWNER.', { suggestion: 'Ask to be invited.' })
  }
  await tx.members.add({ projectId: id, userId, role: 'OWNER', createdAt: now })
  await tx.members.setRole(id, userId, 'OWNER')
}

/**
 * Makes the first user the OWNER of all projects there are, as far as one may be in so many. There are no members yet.
 */
export async function ownAll(tx: Repositories, userId: string, now: Date): Promise<readonly Project[]> {
  const projects = (await tx.projects.list()).slice(0, MAX_PROJECTS)
  for (const { id } of projects) await tx.members.add({ projectId: id, userId, role: 'OWNER', createdAt: now })
  return projects
}

/** The project and the role of an invitation. */
interface Invite {
  readonly projectId: ProjectId
  readonly role: MemberRole
}

/** The project and the role that a token of this purpose invites to. */
export function inviteOf({ projectId, role }: UserToken): Invite | undefined {
  return projectId === undefined || role === undefined ? undefined : { projectId, role }
}

/**
 * Makes the user who accepted an invitation a member, within the transaction that uses it up; the user is locked.
 * Members keep the role they have. Throws EngineError `CONFLICT` when the user is in 100 projects.
 */
export async function join(tx: Repositories, user: User, { projectId, role }: Invite, now: Date): Promise<void> {
  const own = await tx.members.ofUser(user.id)
  if (own.some(({ project }) => project.id === projectId)) return
  if (own.length >= MAX_PROJECTS) throw tooManyProjects()
  await tx.members.add({ projectId, userId: user.id, role, createdAt: now })
}

function inviterOf(caller: Caller): Pick<UserToken, 'inviter'> {
  return caller.kind === 'member' ? { inviter: caller.user.email } : {}
}

/** The inviter, as the subject of a sentence. An address that is not confirmed may belong to another person. */
function introduced(caller: Caller, words: AccountLetters): string {
  if (caller.kind !== 'member') return words.program
  const { email, verifiedAt } = caller.user
  return verifiedAt === undefined ? words.unconfirmed(email) : email
}

function requireChanged(change: MemberChange, id: string): void {
  if (change === 'missing') noMember(id)
  if (change === 'last-owner') {
    throw new EngineError('CONFLICT', 'The project would have no OWNER.', {
      suggestion: 'Make someone else an OWNER first.',
    })
  }
}

function makesNone(): EngineError {
  return new EngineError('FORBIDDEN', 'People who signed up cannot make projects on this server.', {
    suggestion:
      'Take over a project without an OWNER by its secretKey, ask an OWNER of one to invite you, or the operator to set accounts.projects.',
  })
}

function tooManyProjects(): EngineError {
  return new EngineError('CONFLICT', `You are in ${MAX_PROJECTS} projects, the maximum.`, {
    suggestion: 'Leave one first.',
  })
}

function noInvitation(id: string): never {
  throw new EngineError('RESOURCE_NOT_FOUND', `There is no invitation ${shownId(id)} for you.`)
}

function noMember(id: string): never {
  throw new EngineError('MEMBER_NOT_FOUND', `There is no member ${shownId(id)} in this project.`)
}

function isMember(email: string): EngineError {
  return new EngineError('CONFLICT', `${email} is a member of this project.`)
}

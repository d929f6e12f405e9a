import * as v from 'valibot'
import { inject, injectable } from '../di.ts'
import { EngineError } from '../errors.ts'
import { Kit } from '../kit.ts'
import { MEMBER_ROLES, type MemberChange, type MemberRole } from '../ports/store/members.ts'
import type { Project } from '../ports/store/projects.ts'
import { Store } from '../ports/store/store.ts'
import type { User } from '../ports/store/users.ts'
import { type Caller, type MemberCaller, requireScope } from '../projects/caller.ts'
import { requireEnabled } from '../projects/project.ts'
import { Projects } from '../projects/projects.ts'
import { ProjectSettings } from '../settings/project-settings.ts'
import { EmailAddress } from '../values/email-address.ts'
import { isId } from '../values/id.ts'
import type { InputOf, UntrustedInput } from '../values/input.ts'
import { parse } from '../values/parse.ts'
import { asProjectId } from '../values/project-id.ts'
import { AccountMails } from './account-mails.ts'
import { AttemptLimits } from './attempt-limits.ts'

const role = v.picklist(MEMBER_ROLES)
export const AddMember = v.object({
  /** The person's address. */
  email: EmailAddress,
  /** What the person may do. */
  role: v.optional(role, 'MEMBER'),
})
export const ChangeMember = v.object({
  /** What the person may do from now on. */
  role,
})
export const AddProject = v.object({
  /** Makes a project of this name. */
  name: v.optional(ProjectSettings.entries.name),
  /** Takes over a project that has no OWNER yet, by its secret key. */
  secretKey: v.optional(v.pipe(v.string(), v.maxLength(300))),
})

/** Who shall be a member, and as what; default MEMBER. */
export interface AddMemberInput extends InputOf<typeof AddMember> {}
/** The new role. */
export interface ChangeMemberInput extends InputOf<typeof ChangeMember> {}
/** A name for a new project, or the secret key of one that has no OWNER yet. */
export interface AddProjectInput extends InputOf<typeof AddProject> {}

/** A project's member, or somebody who is invited. */
export interface MemberEntry {
  /** The user's id; of somebody invited, the invitation's. */
  readonly id: string
  readonly email: string
  readonly name?: string
  readonly role: MemberRole
  readonly status: 'ACTIVE' | 'INVITED'
  readonly createdAt: Date
}

/** A user's project, and the user's role there. */
export interface OwnProject {
  readonly project: Project
  readonly role: MemberRole
}

const MAX_MEMBERS = 500
const MAX_PROJECTS = 100

/** Who belongs to which project. */
@injectable()
export class Members {
  constructor(
    @inject(Store) private readonly store: Store,
    @inject(Projects) private readonly projects: Projects,
    @inject(AccountMails) private readonly mails: AccountMails,
    @inject(AttemptLimits) private readonly limits: AttemptLimits,
    @inject(Kit) private readonly kit: Kit,
  ) {}

  /** The user as a caller for this project. Throws EngineError `PROJECT_NOT_FOUND`, also for projects of others. */
  async caller(user: User, id: string): Promise<MemberCaller> {
    const projectId = asProjectId(id)
    const found = projectId && (await this.store.members.find(projectId, user.id))
    if (!found) throw new EngineError('PROJECT_NOT_FOUND', `There is no project ${id.slice(0, 100)}.`)
    return { kind: 'member', user, ...found }
  }

  /** The user's projects, oldest membership first. */
  projectsOf(user: User): Promise<readonly OwnProject[]> {
    return this.store.members.ofUser(user.id)
  }

  /**
   * Makes a project with the user as its OWNER, or makes the user the OWNER of one that has none, by its secret key.
   * Throws EngineError `VALIDATION_ERROR`, `INVALID_API_KEY`, `CONFLICT` when it has an OWNER, or the user 100 projects.
   */
  async addProject(user: User, input: AddProjectInput | UntrustedInput): Promise<OwnProject> {
    const { name, secretKey } = parse(AddProject, input, function* ({ name, secretKey }) {
      if ((name === undefined) === (secretKey === undefined))
        yield { field: 'name', code: 'required', message: 'is required, or a secretKey in its place' }
    })
    const project = secretKey === undefined ? undefined : await this.#withKey(secretKey)
    const now = this.kit.now()
    return this.store.transaction(async (tx) => {
      // of several requests at once each counts what the others have made
      await tx.users.lock(user.id)
      if ((await tx.members.ofUser(user.id)).length >= MAX_PROJECTS)
        throw new EngineError('CONFLICT', `You are in ${MAX_PROJECTS} projects, which is the most.`)
      const owned = project ?? this.projects.made(name ?? '')
      if (project === undefined) await tx.projects.save(owned)
      // of several who have the key one becomes the OWNER
      else await tx.projects.lock(owned.id)
      const members = project === undefined ? [] : await tx.members.list(owned.id)
      if (members.some(({ role }) => role === 'OWNER')) {
        throw new EngineError('CONFLICT', 'This project has an OWNER.', { suggestion: 'Ask to be invited.' })
      }
      await tx.members.add({ projectId: owned.id, userId: user.id, role: 'OWNER', createdAt: now })
      await tx.members.setRole(owned.id, user.id, 'OWNER')
      return { project: owned, role: 'OWNER' as const }
    })
  }

  /** The members and those invited, oldest first. */
  async list(project: Project): Promise<readonly MemberEntry[]> {
    const members = await this.store.members.list(project.id)
    const invites = await this.store.userTokens.invites(project.id, this.kit.now())
    return [
      ...members.map(({ user, role, createdAt }) => ({ ...user, role, status: 'ACTIVE' as const, createdAt })),
      ...invites.map(({ id, email = '', role = 'MEMBER', createdAt }) => {
        return { id, email, role, status: 'INVITED' as const, createdAt }
      }),
    ]
  }

  /**
   * Adds somebody by e-mail address: who has an account with this address, proven, is a member at once; anybody else is
   * sent an invitation. Throws EngineError `FORBIDDEN`, `VALIDATION_ERROR`, `CONFLICT` (a member already, 500 members, or
   * no mail can be sent), `PROJECT_DISABLED`, `RATE_LIMIT_EXCEEDED` after 100 invitations of one person within an hour.
   */
  async add(caller: Caller, input: AddMemberInput | UntrustedInput): Promise<MemberEntry> {
    requireScope(caller, 'own')
    const { project } = caller
    requireEnabled(project)
    const { email, role } = parse(AddMember, input)
    const present = await this.list(project)
    if (present.some((entry) => entry.email === email && entry.status === 'ACTIVE')) throw isMember(email)
    if (present.length >= MAX_MEMBERS)
      throw new EngineError('CONFLICT', `The project has ${MAX_MEMBERS} members, which is the most.`)
    const createdAt = this.kit.now()
    const user = await this.store.users.byEmail(email)
    if (user?.verifiedAt !== undefined) {
      const member = { projectId: project.id, userId: user.id, role, createdAt }
      if (!(await this.store.members.add(member))) throw isMember(email)
      const { id, name } = user
      return { id, email, ...(name === undefined ? {} : { name }), role, status: 'ACTIVE', createdAt }
    }
    return this.#invite(caller, email, role, present)
  }

  /**
   * Gives a member another role. Throws EngineError `FORBIDDEN`, `VALIDATION_ERROR`, `MEMBER_NOT_FOUND`, `CONFLICT` when
   * the project would have no OWNER.
   */
  async change(caller: Caller, userId: string, input: ChangeMemberInput | UntrustedInput): Promise<MemberEntry> {
    requireScope(caller, 'own')
    const { project } = caller
    const { role } = parse(ChangeMember, input)
    requireChanged(isId(userId) ? await this.store.members.setRole(project.id, userId, role) : 'missing', userId)
    const changed = (await this.list(project)).find(({ id }) => id === userId)
    return changed ?? noMember(userId)
  }

  /**
   * Removes a member or an invitation; members may remove themselves. Throws EngineError `FORBIDDEN`, `MEMBER_NOT_FOUND`,
   * `CONFLICT` when the project would have no OWNER.
   */
  async remove(caller: Caller, id: string): Promise<void> {
    const isSelf = caller.kind === 'member' && caller.user.id === id
    if (!isSelf) requireScope(caller, 'own')
    const { project } = caller
    if (!isId(id)) noMember(id)
    if (await this.store.userTokens.removeInvite(project.id, id)) return
    requireChanged(await this.store.members.remove(project.id, id), id)
  }

  /** An earlier invitation of the same address ends, and its link with it. */
  async #invite(
    caller: Caller,
    email: string,
    role: MemberRole,
    present: readonly MemberEntry[],
  ): Promise<MemberEntry> {
    const { project } = caller
    const sender = await this.mails.requireSender()
    // by person: who makes many projects could send as many mails for each
    await this.limits.count('invites', caller.kind === 'member' ? caller.user.id : project.id)
    const before = present.filter((entry) => entry.email === email)
    await this.store.transaction(async (tx) => {
      for (const { id } of before) await tx.userTokens.removeInvite(project.id, id)
      await this.mails.add(tx, sender, 'invite', { email, projectId: project.id, role }, project.name)
    })
    this.mails.ring()
    const invited = (await this.list(project)).findLast((entry) => entry.email === email)
    return invited ?? noMember(email)
  }

  async #withKey(secretKey: string): Promise<Project> {
    const caller = await this.projects.caller(secretKey)
    requireScope(caller, 'full')
    return caller.project
  }
}

function requireChanged(change: MemberChange, id: string): void {
  if (change === 'missing') noMember(id)
  if (change === 'last-owner') {
    throw new EngineError('CONFLICT', 'The project would have no OWNER.', {
      suggestion: 'Make somebody else an OWNER first.',
    })
  }
}

function noMember(id: string): never {
  throw new EngineError('MEMBER_NOT_FOUND', `There is no member ${id.slice(0, 100)} in this project.`)
}

function isMember(email: string): EngineError {
  return new EngineError('CONFLICT', `${email} is a member of this project.`)
}

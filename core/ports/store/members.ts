import type { MemberRole } from '../../values/member-roles.ts'
import type { ProjectId } from '../../values/project-id.ts'
import type { Project } from './projects.ts'
import type { User } from './users.ts'

/** A user's place in a project. */
export interface Member {
  /** The project that it belongs to. */
  readonly projectId: ProjectId
  /** The person. */
  readonly userId: string
  /** The user's rights in the project. */
  readonly role: MemberRole
  /** When it was made, by the clock of the engine. */
  readonly createdAt: Date
}

/** A member with what others see of the user. */
export interface NamedMember extends Member {
  /** The person. */
  readonly user: Pick<User, 'id' | 'email' | 'name' | 'language'>
}

/** The result of changing a member. `last-owner`: nothing changed, because the project would have no OWNER left. */
export type MemberChange = 'changed' | 'missing' | 'last-owner'

/** Which users belong to which projects. */
export interface MemberRepository {
  /** The user's role in the project, with the project. */
  find(
    projectId: ProjectId,
    userId: string,
  ): Promise<{ readonly project: Project; readonly role: MemberRole } | undefined>
  /** The project's members, oldest first. */
  list(projectId: ProjectId): Promise<readonly NamedMember[]>
  /** The user's projects, oldest membership first. */
  ofUser(userId: string): Promise<readonly { readonly project: Project; readonly role: MemberRole }[]>
  /** Whether there is a project with OWNERs that do not include this user. */
  othersOwn(userId: string): Promise<boolean>
  /** These projects, oldest first. */
  ownedByOthers(userId: string): Promise<readonly Project[]>
  /** Adds a member; false when the user is one already. */
  add(member: Member): Promise<boolean>
  /** Gives a member another role. Concurrent changes together leave at least one OWNER. */
  setRole(projectId: ProjectId, userId: string, role: MemberRole): Promise<MemberChange>
  /** Removes a member. Concurrent changes together leave at least one OWNER. */
  remove(projectId: ProjectId, userId: string): Promise<MemberChange>
}

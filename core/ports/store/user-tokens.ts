import type { MemberRole } from '../../values/member-roles.ts'
import type { ProjectId } from '../../values/project-id.ts'
import type { Project } from './projects.ts'

/**
 * The purpose of a token: to prove an address, to set a new password, to join a project, or to make the first user.
 * `oauth-state` is the state of a login at a provider, used up by that login.
 */
export type TokenPurpose = 'verify' | 'reset' | 'invite' | 'setup' | 'oauth-state'

/** Permission to do something once. The text of the token is not stored: it is a signature over the id. */
export interface UserToken {
  readonly id: string
  readonly purpose: TokenPurpose
  /** The user it belongs to; absent when the person may not have an account yet. */
  readonly userId?: string
  /** The address it was sent to. */
  readonly email?: string
  /** The project to join, and the role there. */
  readonly projectId?: ProjectId
  readonly role?: MemberRole
  /** The address of the member who sent the invitation. */
  readonly inviter?: string
  readonly expiresAt: Date
  readonly createdAt: Date
}

/** An invitation, with what the invited person sees of the project. */
export interface Invitation extends UserToken {
  /** Where the person is invited to. */
  readonly project: Pick<Project, 'id' | 'name'>
}

/** Tokens that work once. */
export interface UserTokenRepository {
  /** Adds a token; false when there is one with this id. */
  add(token: UserToken): Promise<boolean>
  /** The token, unless it was used or has expired. */
  find(id: string, purpose: TokenPurpose, now: Date): Promise<UserToken | undefined>
  /** Uses up the token and answers it. Of concurrent calls only one gets it. */
  take(id: string, purpose: TokenPurpose, now: Date): Promise<UserToken | undefined>
  /** Removes the user's tokens for this purpose. */
  removeOf(userId: string, purpose: TokenPurpose): Promise<void>
  /** The invitations to a project that still wait, oldest first. */
  invites(projectId: ProjectId, now: Date): Promise<readonly UserToken[]>
  /** The invitations to this address that still wait, newest first, at most `limit`. */
  invitesOf(email: string, now: Date, limit: number): Promise<readonly Invitation[]>
  /** Removes an invitation to a project; false when there is none. */
  removeInvite(projectId: ProjectId, id: string): Promise<boolean>
  /** Deletes up to `limit` expired tokens; answers how many. */
  forget(now: Date, limit: number): Promise<number>
}

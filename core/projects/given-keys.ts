import type { ApiKey, InboxGrant } from '../ports/store/projects.ts'
import type { Repositories } from '../ports/store/store.ts'
import { MEMBER_ROLES } from '../values/member-roles.ts'

/* Keys that members gave to clients. They end with what the member may do. */

/** Whether the member who gave the key is one still, with no lower role. */
export async function isGivenStill(
  { members }: Pick<Repositories, 'members'>,
  { projectId, userId = '', client }: ApiKey,
): Promise<boolean> {
  const member = await members.find(projectId, userId)
  if (member === undefined || client === undefined) return false
  return MEMBER_ROLES.indexOf(member.role) >= MEMBER_ROLES.indexOf(client.role)
}

/** The rights of the key as they are now: those of its access token, in the inboxes that the member still sees. */
export async function grantNow(
  { inboxes }: Pick<Repositories, 'inboxes'>,
  { projectId, userId = '', inbox, client }: ApiKey,
): Promise<InboxGrant | undefined> {
  if (inbox === undefined) return undefined
  const filter = { ids: inbox.inboxIds, memberId: userId }
  const seen = await inboxes.page(projectId, filter, { limit: inbox.inboxIds.length })
  return { ...inbox, rights: client?.rights ?? inbox.rights, inboxIds: seen.map(({ id }) => id) }
}

/** The rights of a user in a project, from the least to the most. */
export const MEMBER_ROLES = ['MEMBER', 'EDITOR', 'ADMIN', 'OWNER'] as const
export type MemberRole = (typeof MEMBER_ROLES)[number]

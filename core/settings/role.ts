/** The role of a process: accept mail (`api`), deliver it and run the schedule (`worker`), or both (`all`). */
export const ROLES = ['all', 'api', 'worker'] as const
export type Role = (typeof ROLES)[number]

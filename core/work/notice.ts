/** The shortest time between two notices of one kind about a project, in milliseconds. */
export const NOTICE_PAUSE_MS = 86_400_000

/** Operators are told of one kind of trouble of a project so often at most, in milliseconds. */
export const NOTICE_PAUSE_MS = 86_400_000

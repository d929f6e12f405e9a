/** The longest timer Node can set, in milliseconds. A longer one would fire at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1

/** For suites that watch real time go by: the default time of a test is too short for some of them. */
export const PATIENT = { timeout: 30_000 } as const

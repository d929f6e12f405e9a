/** The only source of time in the engine. Tests provide their own. */
export interface Clock {
  /** The current time. */
  now(): Date
}
export const Clock = Symbol('Clock')

/** The machine's own clock. */
export const systemClock: Clock = { now: () => new Date() }

export const LEVELS = ['debug', 'info', 'warn', 'error'] as const
export type Level = (typeof LEVELS)[number]

/** One thing to be logged. */
export interface Entry {
  readonly time: Date
  readonly level: Level
  readonly message: string
  /** Names and values, as they were given; a later one of the same name stands for the earlier. */
  readonly fields: ReadonlyMap<string, unknown>
}

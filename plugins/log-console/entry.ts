export const LEVELS = ['debug', 'info', 'warn', 'error'] as const
export type Level = (typeof LEVELS)[number]

/** One log entry. */
export interface Entry {
  readonly time: Date
  readonly level: Level
  readonly message: string
  /** Names and values as given; of two with the same name the later wins. */
  readonly fields: ReadonlyMap<string, unknown>
}

import type { Log } from './ports/log.ts'
import type { NewId } from './values/id.ts'

/** What every room needs from outside: the time, new ids and a log. */
export interface Kit {
  now(): Date
  readonly newId: NewId
  readonly log: Log
}
export const Kit = Symbol('Kit')

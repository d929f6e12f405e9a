import type { Log } from './ports/log.ts'
import type { NewId } from './values/id.ts'

/** What every room needs of the world: the time, new ids, and somewhere to say things. */
export interface Kit {
  now(): Date
  readonly newId: NewId
  readonly log: Log
}
export const Kit = Symbol('Kit')

import type { Log } from './ports/log.ts'
import type { Metrics } from './ports/metrics.ts'
import type { Traces } from './ports/traces.ts'
import type { EngineValues } from './settings/engine-values.ts'
import type { NewId } from './values/id.ts'

/** The tools that every room is given: the time, new ids, the log, the settings, metrics and traces. */
export interface Kit {
  now(): Date
  readonly newId: NewId
  readonly log: Log
  readonly settings: EngineValues
  readonly metrics: Metrics
  readonly traces: Traces
}
export const Kit = Symbol('Kit')

import type { Kit } from '../../core/kit.ts'
import { silentLog } from '../../core/ports/log.ts'
import { noMetrics } from '../../core/ports/metrics.ts'
import { noTraces } from '../../core/ports/traces.ts'
import { EngineValues } from '../../core/settings/engine-values.ts'
import { idSource } from '../../core/values/id.ts'
import { parse } from '../../core/values/parse.ts'

/** The kit of rooms that a test makes by hand: this clock, the default settings but for these, and a silent log. */
export function kitOf(now: () => Date, settings: object = {}): Kit {
  return {
    now,
    newId: idSource(() => now().getTime()),
    log: silentLog,
    settings: parse(EngineValues, settings),
    metrics: noMetrics,
    traces: noTraces,
  }
}

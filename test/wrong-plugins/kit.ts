import { systemClock } from '../../core/ports/clock.ts'
import { silentLog } from '../../core/ports/log.ts'

/** The kit that plugins are opened with here. */
export const KIT = { log: silentLog, clock: systemClock }

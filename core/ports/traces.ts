import { LimitedLog } from './limited-log.ts'
import type { Log } from './log.ts'
import type { FailureClass } from './metrics.ts'
import type { Lane } from './queue.ts'

/** A mail that is handed to a transport. */
export interface TracedMail {
  readonly id: string
  readonly lane: Lane
  readonly transport: string
  /** The first try is 1. */
  readonly attempt: number
}

/** Ends the trace of a try; `failure` says why the next hop did not accept the mail. */
export type EndOfTry = (failure: FailureClass | undefined) => void

/** Follows mail from the request that brought it to the next hop, for distributed tracing. */
export interface Traces {
  /** The current request stored these mails; their later tries belong to its trace. */
  accepted(emailIds: readonly string[]): void
  /** A try begins. The returned function is called once, at its end. */
  begin(mail: TracedMail): EndOfTry
}
/** Follows nothing. */
export const noTraces: Traces = { accepted() {}, begin: () => () => {} }

/** Wraps traces: what they throw is logged and never reaches the delivery, which might otherwise send a mail twice. */
export function harmlessTraces(traces: Traces, log: Log): Traces {
  const limited = new LimitedLog(log, 1)
  const attempt = <T>(work: () => T): T | undefined => {
    try {
      return work()
    } catch (error) {
      limited.warn('traces', 'a mail could not be traced', { error })
      return undefined
    }
  }
  return {
    accepted: (emailIds) => attempt(() => traces.accepted(emailIds)),
    begin(mail) {
      const end = attempt(() => traces.begin(mail))
      return (failure) => attempt(() => end?.(failure))
    },
  }
}

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

/** Ends the trace of a try; `failure` says why it was not accepted by the next hop. */
export type EndOfTry = (failure: FailureClass | undefined) => void

/** Follows mail from the request that brings it to the next hop, for a system of distributed tracing. */
export interface Traces {
  /** Mails were stored by the request that runs now; their later tries belong to it. */
  accepted(emailIds: readonly string[]): void
  /** A try begins. The answered function is called once, at its end. */
  begin(mail: TracedMail): EndOfTry
}
export const Traces = Symbol('Traces')

/** Follows nothing. */
export const noTraces: Traces = { accepted() {}, begin: () => () => {} }

/** The same traces, of which nothing that throws reaches a mail: it could be sent twice. */
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

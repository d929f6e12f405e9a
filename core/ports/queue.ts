/**
 * A doorbell between processes. A ring says that there may be work; the worker asks the store what to do. Rings carry
 * nothing, so the queue may lose some, and may wake more often than it was rung: workers also look regularly.
 */
export interface Queue {
  /**
   * Wakes one process that listens to the topic, now or at `at`, or a little later. Rings of one topic and lane that
   * have not woken a process yet become one, with the earliest of their times. A ring waits until a process listens.
   * Resolves when the ring is as safe as this queue can keep it. Throws when it cannot be accepted, and always after
   * `stop`.
   */
  ring(topic: string, about?: Ring): Promise<void>

  /**
   * Calls `wake` for every ring of these topics. Wakes of one topic and lane do not overlap in a process: a ring that
   * arrives meanwhile wakes another listening process, or this one afterwards. When `wake` rejects, it is called again
   * after a pause, unless the queue is stopped. It runs outside the async context of the caller of `ring`. Throws
   * EngineError `CONFLICT` when this process already listens to one of the topics, and then listens to no other of them
   * either. Always throws after `stop`.
   */
  listen(topics: readonly string[], wake: Wake): Promise<void>

  /** Rejects when the queue cannot accept rings at present, or listens but cannot wake. */
  check(): Promise<void>

  /** True when a ring reaches only this process, false when it reaches any that shares the queue. */
  readonly exclusive: boolean

  /** Stops waking, and resolves when the running wakes have ended; also when it is called again. */
  stop(): Promise<void>
}
export const Queue = Symbol('Queue')

/** Priorities of waiting work: a password mail never waits behind a campaign. */
export const LANES = ['transactional', 'workflow', 'campaign'] as const
export type Lane = (typeof LANES)[number]

/** Details of a ring. */
export interface Ring {
  /** Which kind of work of the topic is meant. Default `workflow`. */
  readonly lane?: Lane
  /** The earliest time to wake; absent: at once. */
  readonly at?: Date
}

/** Looks for work of the topic and lane. Resolves when there is nothing more to begin now. */
export type Wake = (topic: string, lane: Lane) => Promise<void>

/**
 * A doorbell between processes: it says that there is something to do, and the worker asks the store what. It carries
 * nothing, so it may lose rings and may wake more often than it was rung: workers also look by themselves now and then.
 */
export interface Queue {
  /**
   * Wakes one process that listens to the topic, now or at `at`, or a little later. Rings of one topic and lane that
   * nobody was woken for yet are one, at the earliest of their times. A ring waits while nobody listens. Answers when it
   * is as safe as this queue can keep it. Throws when it cannot be taken, always after `stop`.
   */
  ring(topic: string, about?: Ring): Promise<void>

  /**
   * Calls `wake` for every ring of these topics. Wakes of one topic and lane do not overlap in a process: a ring that
   * comes meanwhile wakes another process that listens, or this one afterwards. When `wake` rejects it is called again
   * after a pause. It runs outside the async context of whoever rang. Throws EngineError `CONFLICT` for a topic that is
   * listened to already, and always after `stop`.
   */
  listen(topics: readonly string[], wake: Wake): Promise<void>

  /** Rejects when the queue cannot take rings at present, or cannot wake though it listens. */
  check(): Promise<void>

  /** True when a ring reaches only this process. */
  readonly exclusive: boolean

  /** Wakes nobody any more, and answers when the running wakes have ended. */
  stop(): Promise<void>
}
export const Queue = Symbol('Queue')

/** Priorities of waiting work: a password mail never waits behind a campaign. */
export const LANES = ['transactional', 'workflow', 'campaign'] as const
export type Lane = (typeof LANES)[number]

/** What is said about a ring. */
export interface Ring {
  /** Which kind of work of the topic is meant. Default `workflow`. */
  readonly lane?: Lane
  /** The earliest time to wake; absent: at once. */
  readonly at?: Date
}

/** Looks for work of the topic and lane. Answers when there is nothing more to begin now. */
export type Wake = (topic: string, lane: Lane) => Promise<void>

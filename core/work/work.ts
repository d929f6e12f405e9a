import type { Lane } from '../ports/queue.ts'
import type { ClaimLease } from '../ports/store/interrupted.ts'

/** When to end: after `stopping` nothing new is begun, after `signal` running work is aborted. */
export interface Ends {
  readonly signal: AbortSignal
  readonly stopping: AbortSignal
}

/** The terms of a claim. */
export interface ClaimRequest {
  readonly now: Date
  readonly lease: ClaimLease
  /** When the lease ends, by the monotonic clock. */
  readonly leaseEnd: number
  /** For how many more items there is room. */
  readonly room: number
  readonly ends: Ends
}

/** The result of a claim. */
export interface Claimed {
  /** Whether more may be due now. */
  readonly isMore: boolean
  /** The work on what was claimed. Each ends when its result is written, or its items are given back. */
  readonly running: readonly Promise<void>[]
  /** How many items each of them works on. Default 1. */
  readonly each?: number
  /** How much the claim itself has done already. Default 0. */
  readonly done?: number
}

/** A kind of background work. What waits is in the store; a `WorkLoop` claims it and works it off. */
export interface Work {
  readonly topic: string
  readonly lane: Lane
  /** How many items may be under way at once in this process. */
  readonly atOnce: number
  /** Below this number the loop claims more by itself; above it, only when the bell rings. Default `atOnce`. */
  readonly few?: number
  /** How long a claim is held, in milliseconds. */
  readonly leaseMs: number
  /** Answers when there is room for more, where that is not a matter of numbers. */
  room?(ends: Ends): Promise<void>
  /** Claims what is due; undefined when that is nothing. */
  claim(request: ClaimRequest): Promise<Claimed | undefined>
  /** When the next item falls due that is not claimed. */
  next?(): Promise<Date | undefined>
}

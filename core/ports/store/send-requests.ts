import type { Json, JsonObject } from '../../values/json.ts'
import type { ProjectId } from '../../values/project-id.ts'
import type { ClaimLease, Interrupted } from './interrupted.ts'

/** A mail that another program has asked for in the database itself, and what became of it. */
export interface SendRequestRecord {
  /** Also the id of its first mail. */
  readonly id: string
  readonly projectId: ProjectId
  /** The body of `POST /v1/send`, until it is accepted or refused. */
  readonly mail?: JsonObject
  /** How many bytes the mail has as JSON. */
  readonly size: number
  /** The program's own key, under which it asks for this mail once, and a digest of the mail. */
  readonly idempotencyKey?: string
  readonly fingerprint?: string
  readonly status: 'WAITING' | 'ACCEPTED' | 'REFUSED'
  /** The mails it became, or why it was refused. */
  readonly outcome?: Json
  /** How often accepting it was tried. */
  readonly attempts: number
  /** When it is tried next. 1970 in a new one: the database's clock may differ from ours. */
  readonly dueAt: Date
  readonly createdAt: Date
  readonly doneAt?: Date
}

/** The result of a claimed request. */
export interface SettledRequest {
  readonly id: string
  readonly status: 'ACCEPTED' | 'REFUSED'
  readonly outcome: Json
}

/** Mails that other programs ask for in the database, with a function that only PostgreSQL has. */
export interface SendRequestRepository {
  /** Stores requests as that function does. */
  add(requests: readonly SendRequestRecord[]): Promise<void>
  /**
   * Claims waiting requests that are due, oldest first, one more attempt each, under the lease: at most this many
   * requests and bytes, but at least one request. Concurrent callers get different ones.
   */
  claim(
    now: Date,
    lease: ClaimLease,
    room: { readonly requests: number; readonly bytes: number },
  ): Promise<readonly (SendRequestRecord & Interrupted)[]>
  /** Writes what became of them, and drops their mails. No effect on those that are under another lease by now. */
  settle(token: string, requests: readonly SettledRequest[], now: Date): Promise<void>
  /** Gives one back, due again at `dueAt`; no effect under another lease. */
  putOff(token: string, id: string, dueAt: Date): Promise<void>
  /** When the next unclaimed request is due. */
  next(): Promise<Date | undefined>
  /** Removes up to `limit` that were accepted, or refused, before those times. Answers how many. */
  clear(before: { readonly accepted: Date; readonly refused: Date }, limit: number): Promise<number>
}

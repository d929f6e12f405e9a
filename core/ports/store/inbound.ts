import type { ProjectId } from '../../values/project-id.ts'
import type { ClaimLease, Interrupted } from './interrupted.ts'

/** An accepted message that is still to be parsed, for one project. */
export interface WaitingMessage {
  /** Also the id of the e-mail record it becomes, so that there is only one however often it is parsed. */
  readonly id: string
  readonly projectId: ProjectId
  /** The reverse path; the null sender is the empty string. */
  readonly sender: string
  /** Those of its recipients that belong to the project. */
  readonly recipients: readonly string[]
  readonly raw: Uint8Array
  readonly remoteAddress: string
  readonly helo: string
  readonly tls: boolean
  /** How often parsing it was tried. */
  readonly attempts: number
  readonly dueAt: Date
  readonly receivedAt: Date
}

/** A message, and the lease it was claimed under. */
export interface Claim {
  readonly id: string
  readonly token: string
}

/** Messages between their acceptance and their e-mail records. */
export interface InboundRepository {
  /** Stores messages, all or none. A message whose id is already stored is skipped. */
  add(messages: readonly WaitingMessage[]): Promise<void>
  /**
   * Claims the messages that have been due for longest, one more attempt each, under the lease: at most this many
   * messages and bytes, but at least one message. Concurrent callers get different ones.
   */
  claim(
    now: Date,
    lease: ClaimLease,
    room: { readonly messages: number; readonly bytes: number },
  ): Promise<readonly (WaitingMessage & Interrupted)[]>
  /** Gives a message back, due again at `dueAt`; no effect under another lease. */
  putOff(id: string, token: string, dueAt: Date): Promise<void>
  /** Removes parsed messages, except those that are under another lease by now. Answers the ids removed. */
  remove(claims: readonly Claim[]): Promise<ReadonlySet<string>>
  /** When the next unclaimed message is due. */
  next(): Promise<Date | undefined>
  /** Frees messages whose lease ended before. Answers how many. */
  expireLeases(before: Date): Promise<number>
}

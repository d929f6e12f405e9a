import type { ProjectId } from '../../values/project-id.ts'

/** A message that was answered for and is still to be read, for one project. */
export interface WaitingMessage {
  /** Also the id of the e-mail record it becomes: however often it is read, it becomes one. */
  readonly id: string
  readonly projectId: ProjectId
  /** The reverse path; the null sender is the empty string. */
  readonly sender: string
  /** Those of its recipients that are the project's. */
  readonly recipients: readonly string[]
  readonly raw: Uint8Array
  readonly remoteAddress: string
  readonly helo: string
  readonly tls: boolean
  /** How often it was taken up to be read. */
  readonly attempts: number
  readonly dueAt: Date
  readonly receivedAt: Date
}

/** A message, and the lease it was taken under. */
export interface Claim {
  readonly id: string
  readonly token: string
}

/** Messages between their acceptance and their becoming e-mail records. */
export interface InboundRepository {
  /** Stores messages, all or none. One whose id waits already is that one. */
  add(messages: readonly WaitingMessage[]): Promise<void>
  /**
   * Takes the messages that have been due for longest, one more attempt each, under the lease: so many at most, and no more
   * than so many bytes, but one in any case. Of two callers at the same time each gets others.
   */
  claim(
    now: Date,
    lease: { readonly token: string; readonly until: Date },
    room: { readonly messages: number; readonly bytes: number },
  ): Promise<readonly WaitingMessage[]>
  /** Gives a message back, to be taken up again at `dueAt`; not when it is under another lease. */
  putOff(id: string, token: string, dueAt: Date): Promise<void>
  /** Removes messages that have been read. Answers the ids of those that were; not of one that is under another lease by now. */
  remove(claims: readonly Claim[]): Promise<ReadonlySet<string>>
  /** When the next message that nobody holds is due. */
  next(): Promise<Date | undefined>
  /** Makes messages free whose lease ended before. Answers how many. */
  expireLeases(before: Date): Promise<number>
}

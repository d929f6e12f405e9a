import type { Json } from '../../values/json.ts'
import type { ProjectId } from '../../values/project-id.ts'
import type { ContactJob } from './contact-jobs.ts'
import type { Contact } from './contacts.ts'
import type { MailContent } from './contents.ts'
import type { Email } from './emails.ts'
import type { NewEvent } from './events.ts'

/**
 * The read, decision and writes of one request as one atomic step, on the hot path of `/v1/send` and `/v1/track`. The
 * rule stays in the room (`decide`). The store does what only a store can: lock, batch, and let waiting requests share
 * a commit.
 */
export interface WriteBatch {
  /**
   * Reads the named contacts, calls `decide` with them, and writes its answer; durable when the promise resolves. Two
   * requests about the same contact never lose each other's change, even when both would create it. `decide` is pure:
   * it must not wait, and may be called again when two processes conflict. If it throws, only this caller gets the
   * error, and nothing of this request is written.
   */
  commit<T extends Json>(request: WriteBatchRequest<T>): Promise<WriteBatchOutcome<T>>

  /** The answer stored under this key since `since`, if any. */
  remembered(projectId: ProjectId, key: string, since: Date): Promise<RememberedAnswer | undefined>
  /** Deletes up to `limit` answers from before that date. Answers how many. */
  forget(before: Date, limit: number): Promise<number>
}

export interface WriteBatchRequest<T extends Json> {
  readonly projectId: ProjectId
  readonly now: Date
  /** Reserved in the same commit; answers from before `since` count as deleted. */
  readonly idempotency?: { readonly key: string; readonly fingerprint: string; readonly since: Date }
  /** Addresses of the contacts to read, in their stored form. */
  readonly addresses: readonly string[]
  /** Ids of the contacts to read. */
  readonly contactIds?: readonly string[]
  /**
   * The data keys it writes under a public API key. `decide` learns which of them are new to the project. Unless it
   * throws, they count as added by public keys.
   */
  readonly publicDataKeys?: readonly string[]
  /** Roughly how many data keys it writes; heavy requests share a commit with fewer others. */
  readonly weight?: number
  decide(known: KnownContacts): WriteBatchWrites<T>
}

export interface KnownContacts {
  /** The contact that an address stands for, as with `findByAddress` of ContactRepository. */
  byAddress(email: string): Contact | undefined
  byId(id: string): Contact | undefined
  /**
   * Those of the request's `publicDataKeys` that no contact of the project has, and how many keys public API keys have
   * added so far.
   */
  readonly publicDataKeys: { readonly fresh: readonly string[]; readonly count: number }
}

export interface WriteBatchWrites<T extends Json> {
  /** Contacts to insert (new id) or to overwrite (stored id). Addresses of stored ones do not change here. */
  readonly contacts: readonly Contact[]
  /** Stored unless their ids are stored already. */
  readonly contents: readonly MailContent[]
  readonly emails: readonly Email[]
  readonly events: readonly NewEvent[]
  /** Jobs to store, with their files. */
  readonly jobs?: readonly { readonly job: ContactJob; readonly file?: Uint8Array }[]
  /** Answered to the caller, and stored under the idempotency key. */
  readonly answer: T
}

export type WriteBatchOutcome<T extends Json> =
  | { readonly outcome: 'taken'; readonly answer: T }
  /** The key was used before with the same fingerprint: the first answer. Nothing was written. */
  | { readonly outcome: 'replayed'; readonly answer: T }
  /** The key was used before with another fingerprint. Nothing was written. */
  | { readonly outcome: 'key-reused' }

export interface RememberedAnswer {
  readonly fingerprint: string
  readonly answer: Json
}

import type { Json } from '../../values/json.ts'
import type { ProjectId } from '../../values/project-id.ts'
import type { ContactJob } from './contact-jobs.ts'
import type { Contact } from './contacts.ts'
import type { MailContent } from './contents.ts'
import type { Email } from './emails.ts'
import type { EventRecord } from './events.ts'

/**
 * One request's read, decision and writes as one atomic step, on the hot path of `/v1/send` and `/v1/track`. The rule stays in the room
 * that asks (`decide`), the store does what only it can: lock, batch, and let waiting requests share one commit.
 */
export interface WriteBatch {
  /**
   * Reads the named contacts, calls `decide` with them, and writes what it answers; durable when the promise resolves.
   * Two requests about the same contact never miss each other's change, also when both would create it.
   * `decide` is pure: it may be called again when two processes met, and must not wait. What it throws is thrown
   * to this caller alone and nothing of this request is written.
   */
  commit<T extends Json>(request: WriteBatchRequest<T>): Promise<WriteBatchOutcome<T>>

  /** What was answered under this key since `since`, if anything. */
  remembered(projectId: ProjectId, key: string, since: Date): Promise<RememberedAnswer | undefined>
  /** Forgets up to `limit` answers from before that date. Answers how many. */
  forget(before: Date, limit: number): Promise<number>
}

export interface WriteBatchRequest<T extends Json> {
  readonly projectId: ProjectId
  readonly now: Date
  /** Reserved in the same commit; answers from before `since` count as forgotten. */
  readonly idempotency?: { readonly key: string; readonly fingerprint: string; readonly since: Date }
  /** Addresses of the contacts to read, in their stored form. */
  readonly addresses: readonly string[]
  /** Ids of the contacts to read. */
  readonly contactIds?: readonly string[]
  /**
   * The data keys it writes under a public API key: `decide` is told which of them are new to the project, and when it does
   * not throw they count as brought by public keys.
   */
  readonly publicDataKeys?: readonly string[]
  /** How many data keys it writes, roughly: heavy requests share a commit with fewer others. */
  readonly weight?: number
  decide(known: KnownContacts): WriteBatchWrites<T>
}

export interface KnownContacts {
  byAddress(email: string): Contact | undefined
  byId(id: string): Contact | undefined
  /** Of the request's `publicDataKeys` those no contact of the project has, and how many public keys have brought so far. */
  readonly publicDataKeys: { readonly fresh: readonly string[]; readonly count: number }
}

export interface WriteBatchWrites<T extends Json> {
  /** Contacts to insert (id not stored yet) or to write over (id stored). Addresses of stored ones do not change here. */
  readonly contacts: readonly Contact[]
  /** Stored unless its id is stored already. */
  readonly content?: MailContent
  readonly emails: readonly Email[]
  readonly events: readonly EventRecord[]
  /** Work to be done later, with the file that came with it. */
  readonly jobs?: readonly { readonly job: ContactJob; readonly file?: Uint8Array }[]
  /** Given back to the caller, and kept under the idempotency key. */
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

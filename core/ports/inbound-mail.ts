import type { Leadership } from './store/workers.ts'

/**
 * Receives mail from outside: servers send it, or it is fetched from a mailbox. It knows no recipients and stores
 * nothing: the desk decides which addresses are ours and what happens to a message.
 */
export interface InboundMail {
  /** The name under which mail servers reach it, from its options; absent when unknown. */
  readonly hostname?: string | undefined
  /**
   * Begins to receive. A server answers when it can be reached, and throws when that fails. A fetcher may answer before
   * it has reached its server, and keeps trying while that is away. Called once.
   */
  start(desk: InboundDesk): Promise<void>
  /**
   * Takes no new message, lets running ones end for `graceMs`, and closes every connection. No message answered as
   * accepted is lost.
   */
  stop(graceMs: number): Promise<void>
  /** Rejects when it cannot receive at present. */
  check(): Promise<void>
}

/** Takes received mail. */
export interface InboundDesk {
  /**
   * Whether a message to this address is accepted; asked for each recipient before the message is sent. Never throws.
   */
  accepts(recipient: string, about: Sender): Promise<Acceptance>
  /**
   * Takes a message for accepted recipients. Answers when it is stored durably: only then may the sender be told that
   * it was accepted. Throws when it is not stored: the sender should try again, or the message is fetched again. A
   * fetched message for none of our addresses is read as a report on our mail, and otherwise dropped.
   */
  deliver(message: ReceivedMessage): Promise<void>
  /**
   * For fetchers: tries to become the only process that reads this source, named alike in every process. Fetch only
   * while leading.
   */
  lead(source: string): Promise<Leadership>
}

/** The sender, as far as known before the message. */
interface Sender {
  /** The reverse path; the null sender is the empty string. */
  readonly from: string
  readonly remoteAddress: string
}

export type Acceptance =
  | { readonly outcome: 'accepted' }
  /** Permanently (550). `status` is the enhanced code (RFC 3463), such as `5.1.1`. */
  | { readonly outcome: 'refused'; readonly status: string; readonly message: string }
  /** Cannot be decided now (451). */
  | { readonly outcome: 'later'; readonly message: string }

/** A message as it came in. */
export interface ReceivedMessage {
  readonly envelope: {
    /** The reverse path; the null sender is the empty string. */
    readonly from: string
    /** Accepted recipients, at least one; for a fetched message its known recipients, perhaps none. */
    readonly to: readonly string[]
  }
  /** Its bytes (RFC 5322) with CRLF line ends, without dot-stuffing. */
  readonly raw: Uint8Array
  /** The address that sent it; empty when unknown. */
  readonly remoteAddress: string
  /** The name the sender gave (HELO); empty when unknown. */
  readonly helo: string
  /** Whether the connection was encrypted. */
  readonly tls: boolean
  readonly receivedAt: Date
  /**
   * The message was fetched, and stays at its source until it is marked. `key` and `receivedAt` identify it: delivered
   * again, it makes no second record.
   */
  readonly fetched?: { readonly key: string }
}

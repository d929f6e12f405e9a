import type { Leadership } from './store/workers.ts'

/**
 * Receives mail from outside: servers send it, or it is fetched from a mailbox. It knows no recipients and stores
 * nothing: the desk decides which addresses are ours and what happens to a message.
 */
export interface InboundMail {
  /** The name under which mail servers reach it, from its options; absent when unknown. */
  readonly hostname?: string | undefined
  /**
   * Begins to receive. A server resolves when it can be reached, and throws when that fails. A fetcher may resolve
   * before it has reached its server, and keeps trying while it is away. Called once.
   */
  start(desk: InboundDesk): Promise<void>
  /**
   * Takes no new messages, gives running ones `graceMs` to end, and closes every connection. No message that was
   * answered as accepted is lost.
   */
  stop(graceMs: number): Promise<void>
  /** Rejects when it cannot receive at present. */
  check(): Promise<void>
}

/** Takes received mail. */
export interface InboundDesk {
  /**
   * Whether a message to this address is accepted; called for each recipient before the message is sent. Never throws.
   */
  accepts(recipient: string, about: Sender): Promise<Acceptance>
  /**
   * Takes a message for accepted recipients. Resolves when it is stored durably; only then may it be acknowledged to the
   * sender. Throws when it was not stored: the sender should try again, or the message is fetched again.
   * A fetched message for none of our addresses is read as a report on our mail, and otherwise dropped. Resolves with why
   * a message is refused for good (550) where only its content shows that it is not ours; never for a fetched one.
   */
  deliver(message: ReceivedMessage): Promise<RefusedMessage | undefined>
  /**
   * For fetchers: tries to become the only process that reads this source, which has the same name in every process.
   * Fetch only while leading.
   */
  lead(source: string): Promise<Leadership>
}

/** The sender, as far as it is known before the message arrives. */
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

/** Why a message is refused that was accepted by its recipients. */
export interface RefusedMessage {
  /** The enhanced code (RFC 3463), such as `5.7.1`. */
  readonly status: string
  /** The reason in words. */
  readonly message: string
}

/** A message exactly as received. */
export interface ReceivedMessage {
  readonly envelope: {
    /** The reverse path; the null sender is the empty string. */
    readonly from: string
    /** Accepted recipients, at least one. For a fetched message its known recipients, if any. */
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
   * Present when the message was fetched; it stays at its source until it is marked. `key` and `receivedAt` identify
   * it, so that delivering it again makes no second record. For 30 days, neither does the same key with the same octets,
   * whatever `receivedAt` says.
   */
  readonly fetched?: { readonly key: string }
}

import type { Leadership } from './store/workers.ts'

/**
 * Receives mail from the world: is sent it, or fetches it from a mailbox. It knows no recipient and keeps nothing: whether
 * an address is ours, and what becomes of a message, the desk says.
 */
export interface InboundMail {
  /** The name under which mail servers reach it, as its options say; absent where that is not known. */
  readonly hostname?: string | undefined
  /**
   * Begins to receive. Who is sent mail answers when it can be reached, and throws when it cannot be. Who fetches mail may
   * answer before it has reached its server, and tries again for as long as that is away. Called once.
   */
  start(desk: InboundDesk): Promise<void>
  /** Takes no new message, lets those under way end for `graceMs`, and closes every connection. Nothing that was answered for is lost. */
  stop(graceMs: number): Promise<void>
  /** Rejects when it does not receive at present. */
  check(): Promise<void>
}

/** What becomes of received mail. */
export interface InboundDesk {
  /** Whether a message to this address may come; asked before the message is sent, and for each recipient. Never throws. */
  accepts(recipient: string, about: Sender): Promise<Acceptance>
  /**
   * Takes a message for recipients that were accepted. Answers when it is stored durably: only then may the sender be told
   * that it was taken. Throws when it is not: the sender is to come again, or the message to be fetched again. A fetched
   * message that is for none of ours is read as a report about mail of ours, and nothing else becomes of it.
   */
  deliver(message: ReceivedMessage): Promise<void>
  /**
   * For whoever fetches: tries to be the one process that reads this source, a name that is the same in every process.
   * Begin to fetch only under it.
   */
  lead(source: string): Promise<Leadership>
}

/** Who wants to send, as far as that is known before the message. */
interface Sender {
  /** The reverse path; the null sender is the empty string. */
  readonly from: string
  readonly remoteAddress: string
}

export type Acceptance =
  | { readonly outcome: 'accepted' }
  /** For good (550). `status` is the enhanced code (RFC 3463), such as `5.1.1`. */
  | { readonly outcome: 'refused'; readonly status: string; readonly message: string }
  /** It cannot be found out now (451). */
  | { readonly outcome: 'later'; readonly message: string }

/** A message as it came in. */
export interface ReceivedMessage {
  readonly envelope: {
    /** The reverse path; the null sender is the empty string. */
    readonly from: string
    /** Accepted recipients, at least one; of a fetched message whom it is known to have been sent to, perhaps nobody. */
    readonly to: readonly string[]
  }
  /** Its bytes (RFC 5322) with CRLF line ends, dots not stuffed. */
  readonly raw: Uint8Array
  /** The address that sent it; empty when that is not known. */
  readonly remoteAddress: string
  /** What it called itself; empty when that is not known. */
  readonly helo: string
  /** Whether it came encrypted. */
  readonly tls: boolean
  readonly receivedAt: Date
  /**
   * The message was fetched from where it stays until it is marked. `key` names it, together with `receivedAt`, however
   * often it is fetched: delivered again it becomes no second record.
   */
  readonly fetched?: { readonly key: string }
}

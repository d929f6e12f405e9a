import type { SubmittedMessage } from '../ports/store/contents.ts'
import type { NamedAddress } from '../values/mailbox.ts'

/** A submitted message, ready to be stored: what the thread answers. All texts are whole Unicode without NUL. */
export interface PreparedMessage {
  readonly from: NamedAddress
  readonly subject: string
  readonly html: string
  readonly text: string
  readonly submitted: Omit<SubmittedMessage, 'returnPath'>
  /** Everything behind the header of `submitted`: the fields of its MIME structure, and its body. */
  readonly bytes: Uint8Array<ArrayBuffer>
  /** SHA-256 of what it says, whatever its boundaries and dates are: the same message written anew has the same. */
  readonly meaning: string
  /** SHA-256 of what goes out. */
  readonly digest: string
}

/** What the thread is asked. */
export interface PrepareQuestion {
  readonly raw: Uint8Array
  readonly now: Date
  /** Domains the project may send from: another `Sender` is left out. */
  readonly domains: readonly string[]
}

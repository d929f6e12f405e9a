import type { SubmittedMessage } from '../ports/store/contents.ts'
import type { NamedAddress } from '../values/mailbox.ts'

/** A submitted message, ready to be stored, as the thread answers it. All texts are well-formed Unicode without NUL. */
export interface PreparedMessage {
  readonly from: NamedAddress
  readonly subject: string
  readonly html: string
  readonly text: string
  readonly submitted: Omit<SubmittedMessage, 'returnPath'>
  /** Everything after the header of `submitted`: the fields of its MIME structure, and its body. */
  readonly bytes: Uint8Array<ArrayBuffer>
  /** SHA-256 of its content without boundaries and dates: the same message written again has the same. */
  readonly meaning: string
  /** SHA-256 of the bytes that are sent. */
  readonly digest: string
}

/** The request to the thread. */
export interface PrepareQuestion {
  /** With CRLF line ends; or in Base64, with line ends of any kind. */
  readonly raw: Uint8Array | string
  readonly now: Date
  /** Domains the project may send from: a `Sender` of another domain is removed. */
  readonly domains: readonly string[]
}

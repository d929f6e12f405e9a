/**
 * Takes mail from programs of customers, which log in (RFC 6409). It knows nobody and keeps nothing: who may send, and what
 * becomes of a message, the desk says.
 */
export interface SubmissionMail {
  /** Begins to take mail; answers when it can be reached, and throws when it cannot be. Called once. */
  start(desk: SubmissionDesk): Promise<void>
  /** Takes no new message, lets those under way end for `graceMs`, and closes every connection. Nothing that was answered for is lost. */
  stop(graceMs: number): Promise<void>
  /** Rejects when it does not take mail at present. */
  check(): Promise<void>
}

/** Where programs log in. */
export interface SubmissionDesk {
  /** Whose these are: the id of a project and one of its secret keys. Never throws. */
  login(user: string, password: string): Promise<Login>
}

/** `refused` without a sentence of its own: wrong in whatever way, which is not told. */
export type Login =
  | { readonly outcome: 'accepted'; readonly submitter: Submitter }
  | SubmissionRefused
  | SubmissionLater

/** Somebody who has logged in. Whether they still may is asked again with each call. None of them throws. */
export interface Submitter {
  /** Whether a message may come from this address at all: the reverse path, before the message itself says who wrote it. */
  sender(address: string): Promise<SubmissionAnswer>
  /** Whether mail can be sent to this address. */
  recipient(address: string): SubmissionAnswer
  /** Takes a message. Answers `accepted` when it is stored durably: only then may the program be told that it was taken. */
  submit(message: SubmittedMail): Promise<Submitted>
}

export type SubmissionAnswer = { readonly outcome: 'accepted' } | SubmissionRefused | SubmissionLater

export type Submitted =
  | {
      readonly outcome: 'accepted'
      /** The ids of its e-mail records, one for each recipient in their order. */
      readonly ids: readonly string[]
    }
  | SubmissionRefused
  | SubmissionLater

/** For good. */
export interface SubmissionRefused {
  readonly outcome: 'refused'
  /** SMTP reply code (RFC 5321), such as 550. */
  readonly code: number
  /** Enhanced status code (RFC 3463), such as `5.7.1`. */
  readonly status: string
  readonly message: string
}

/** It cannot be done now. */
export interface SubmissionLater {
  readonly outcome: 'later'
  readonly message: string
}

/** A message as it came. */
export interface SubmittedMail {
  readonly envelope: {
    /** The reverse path; the null sender is the empty string. */
    readonly from: string
    /** Accepted recipients, at least one: whom the mail goes to, whatever its header says. */
    readonly to: readonly string[]
  }
  /** Its bytes (RFC 5322) with CRLF line ends, dots not stuffed, without NUL and bare CR and LF. */
  readonly raw: Uint8Array
}

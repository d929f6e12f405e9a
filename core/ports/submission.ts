/**
 * Takes mail from customers' programs, which log in (RFC 6409). It knows no users and stores nothing: the desk decides
 * which programs may send, and what happens to a message.
 */
export interface SubmissionMail {
  /** Begins to take mail. Resolves when it can be reached, and throws when that fails. Called once. */
  start(desk: SubmissionDesk): Promise<void>
  /**
   * Takes no new messages, gives running ones `graceMs` to end, and closes every connection. No accepted message is
   * lost.
   */
  stop(graceMs: number): Promise<void>
  /** Rejects when it cannot take mail at present. */
  check(): Promise<void>
}

/** Where programs log in. */
export interface SubmissionDesk {
  /** Checks a login: the id of a project and one of its secret keys. Never throws. */
  login(user: string, password: string): Promise<Login>
}

/** `refused` without its own sentence means wrong credentials, without telling which. */
export type Login =
  | { readonly outcome: 'accepted'; readonly submitter: Submitter }
  | SubmissionRefused
  | SubmissionLater

/** A program that has logged in. Its permission is checked again with each call. No method throws. */
export interface Submitter {
  /** Whether a message may have this reverse path, before the message itself names its author. */
  sender(address: string): Promise<SubmissionAnswer>
  /** Whether mail can be sent to this address. */
  recipient(address: string): SubmissionAnswer
  /**
   * Takes a message. Resolves with `accepted` when it is stored durably; only then may it be acknowledged to the
   * program.
   */
  submit(message: SubmittedMail): Promise<Submitted>
}

export type SubmissionAnswer = { readonly outcome: 'accepted' } | SubmissionRefused | SubmissionLater

export type Submitted =
  | {
      readonly outcome: 'accepted'
      /** The ids of its e-mail records, one per recipient, in order. */
      readonly ids: readonly string[]
    }
  | SubmissionRefused
  | SubmissionLater

/** Permanent. */
export interface SubmissionRefused {
  readonly outcome: 'refused'
  /** SMTP reply code (RFC 5321), such as 550. */
  readonly code: number
  /** Enhanced status code (RFC 3463), such as `5.7.1`. */
  readonly status: string
  readonly message: string
}

/** Not possible now. */
export interface SubmissionLater {
  readonly outcome: 'later'
  readonly message: string
}

/** A message exactly as submitted. */
export interface SubmittedMail {
  readonly envelope: {
    /** The reverse path; the null sender is the empty string. */
    readonly from: string
    /** Accepted recipients, at least one: the mail goes to them, whatever its header says. */
    readonly to: readonly string[]
  }
  /** Its bytes (RFC 5322) with CRLF line ends, without dot-stuffing, NUL and bare CR and LF. */
  readonly raw: Uint8Array
}

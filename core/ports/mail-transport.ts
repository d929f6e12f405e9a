/** Hands one composed mail to the next hop. The smallest plugin there is: one method. */
export interface MailTransport {
  /** How many mails it works on at the same time; the engine never hands it more. */
  readonly concurrency: number
  /**
   * Whom its mail reaches: `nobody` (a folder), `machine` when the next hop is on this machine (a mail catcher, or a
   * relay of one's own), `anybody`, which is also meant when it says nothing. Mail with links to this machine alone is
   * then warned of or refused.
   */
  readonly reach?: 'nobody' | 'machine' | 'anybody'

  /**
   * Tries once. Expected outcomes are answered; a throw means "outcome unknown" (the connection broke after the end of
   * data): the engine tries again later with the same Message-ID. A failure to connect or to log in is known to have
   * delivered nothing: answer `refused` with `permanent: false` and `stage: 'connect'`; with the code 535 for a login
   * that is refused, which the record of the mail then says.
   * When the signal is aborted it gives up at once: `refused` with `permanent: false` while nothing can have been
   * delivered, a throw when the outcome is unknown.
   */
  send(mail: OutgoingMail, signal: AbortSignal): Promise<SendResult>

  /**
   * Rejects when the next hop cannot be reached. Asked at start and for `/health` (at most every 30 seconds), never on the
   * hot path.
   */
  check?(): Promise<void>

  /** Closes idle connections, after the last `send` has ended; a second call does nothing. */
  close?(): Promise<void>
}

/** A transport under the name the config gives it. */
export interface NamedTransport {
  readonly name: string
  readonly transport: MailTransport
}
export const MailTransports = Symbol('MailTransports')

/** A mailbox: `email` is an address (RFC 5321), `name` the display name. */
export interface Mailbox {
  readonly email: string
  readonly name?: string
}

/** One mail for one envelope. Structured fields serve HTTP providers; `raw()` serves everyone who speaks RFC 5322. */
export interface OutgoingMail {
  /** The id of the e-mail record; the same on every try. */
  readonly id: string
  readonly messageId: string
  readonly envelope: Envelope
  readonly from: Mailbox
  readonly to: readonly Mailbox[]
  readonly cc: readonly Mailbox[]
  readonly bcc: readonly Mailbox[]
  readonly replyTo?: Mailbox
  readonly subject: string
  readonly html?: string | undefined
  readonly text: string
  /** Further header fields, in order, without those above. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly attachments: readonly OutgoingAttachment[]
  readonly tags: Readonly<Record<string, string>>
  /**
   * The composed message (RFC 5322): CRLF line ends, no bare CR or LF, no line over 998 octets, 7 bit clean, without
   * dot-stuffing and without the Bcc field. Composed once, however often it is asked for. Fit to be the body of `fetch`.
   */
  raw(): Promise<Uint8Array<ArrayBuffer>>
}

/** Who the SMTP envelope names (RFC 5321): the return path and everyone to deliver to. */
export interface Envelope {
  /** The return path; an empty string is the null sender. */
  readonly from: string
  readonly to: readonly string[]
}

export interface OutgoingAttachment {
  readonly filename: string
  readonly contentType: string
  readonly disposition: 'attachment' | 'inline'
  readonly contentId?: string
  readonly content: Uint8Array
}

/** What became of one try. */
export type SendResult = Accepted | Refused

/** The next hop took responsibility for every envelope recipient but those in `refused`. */
export interface Accepted {
  readonly outcome: 'accepted'
  /** What the provider calls the message, when it says: a queue id, a number. Kept for looking it up there. */
  readonly id?: string
  /** The Message-ID the recipient sees, when the provider puts its own in place of ours. */
  readonly messageId?: string
  /** The final reply, for the record. */
  readonly response?: string
  /** Envelope recipients that were refused while others were accepted. */
  readonly refused?: readonly (Refusal & { readonly recipient: string })[]
  /** True when acceptance here is not yet delivery and the provider will report it (SES). Default false. */
  readonly deliveryPending?: boolean
}

/** Nobody got it. */
export interface Refused extends Refusal {
  readonly outcome: 'refused'
  /** For each envelope recipient that was refused for a reason of its own. */
  readonly refused?: readonly (Refusal & { readonly recipient: string })[]
}

export interface Refusal {
  /** True: trying the same again is useless. */
  readonly permanent: boolean
  /**
   * How far it came. `connect` also covers TLS and AUTH; `mail` is the sender; `data` the message. What is put off at the
   * first two may be the trouble of the next hop, and pauses this transport for all mail: a transport with a next hop
   * for each domain says `rcpt` for what only concerns one of them.
   */
  readonly stage: 'connect' | 'mail' | 'rcpt' | 'data'
  /** SMTP reply code (RFC 5321), when there is one. */
  readonly code?: number
  /** Enhanced status code such as `5.1.1` (RFC 3463), when there is one. */
  readonly enhancedCode?: string
  /** The reply's text or a sentence of ours. */
  readonly reason: string
}

/** What a try came to: the transport's answer, or nobody knows. */
export type Answer = SendResult | { readonly outcome: 'unknown'; readonly reason: string }

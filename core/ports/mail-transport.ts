/** Hands one composed mail to the next hop. It is the smallest kind of plugin: only `send` is required. */
export interface MailTransport {
  /** How many mails it can send at the same time; the engine never hands it more. */
  readonly concurrency: number
  /**
   * Whom its mail can reach: `nobody` (a folder), `machine` when the next hop is on this machine (a mail catcher or a
   * relay), or `anybody`, the default. Depending on it, mail whose links work only on this machine is refused or logged
   * as a warning.
   */
  readonly reach?: 'nobody' | 'machine' | 'anybody'

  /**
   * Tries once. Expected outcomes are answered. A throw means that the outcome is unknown (the connection broke after
   * the end of data), and the engine tries again later with the same Message-ID.
   *
   * A failure to connect or to log in has certainly delivered nothing: answer `refused` with `permanent: false` and
   * `stage: 'connect'`, with code 535 for a refused login and `noTls` for TLS that failed. The mail's record shows
   * them.
   *
   * When the signal is aborted it gives up at once: it answers `refused` with `permanent: false` if nothing can have
   * been delivered, and throws if the outcome is unknown.
   */
  send(mail: OutgoingMail, signal: AbortSignal): Promise<SendResult>

  /**
   * Rejects when the next hop cannot be reached. Called at start and for `/health` (at most every 30 seconds), never on
   * the hot path. The error may have a `trouble`, one of HOP_TROUBLES, for people who set the transport up.
   */
  check?(): Promise<void>

  /**
   * Looks more closely, in place of `check`, for a person who sets the transport up and waits for the answer, and tells why mail may
   * not arrive although it can be sent. Only for transports that have no next hop of their own: they connect to servers of
   * the world, in at most 12 seconds. Rejects as `check` does.
   */
  tryOut?(): Promise<readonly HopWarning[]>

  /**
   * The provider's own figures on how much this account may send, and has sent. Asked when the operator looks at the
   * installation, at most every five minutes, never on the hot path. Rejects when they cannot be had, with a reason for
   * the operator.
   */
  allowance?(): Promise<ProviderAllowance>

  /** Closes idle connections, after the last `send` has ended; a second call does nothing. */
  close?(): Promise<void>
}

/** How much an account may send, as its provider counts. */
export interface ProviderAllowance {
  /** How many recipients within 24 hours; absent: as many as it likes. */
  readonly perDay?: number
  /** How many there were within the last 24 hours. */
  readonly sent: number
  /** How many in a second; absent where the provider names none. */
  readonly perSecond?: number
}

/** Reasons why no connection to a next hop can be made. */
export const HOP_TROUBLES = [
  /** There is no such host. */
  'host-unknown',
  /** The name server does not answer. */
  'dns',
  /** The host is at an address that may not be reached, such as a private one. */
  'forbidden',
  /** Nothing listens at the port. */
  'port-refused',
  /** The network of the host cannot be reached. */
  'unreachable',
  /** No answer in time. */
  'no-answer',
  /** Connected, but the server says nothing: it may wait for TLS. */
  'no-greeting',
  /** The port speaks HTTP. */
  'http',
  /** TLS from the first byte was wanted, and the port begins without. */
  'not-tls',
  /** TLS from the first byte was wanted, and the server closed the connection instead of beginning. */
  'closed-before-tls',
  /** STARTTLS is not offered. */
  'no-starttls',
  /** The login or the mail needs TLS first. */
  'wants-tls',
  /** The certificate is for another name. */
  'certificate-name',
  /** The certificate has expired. */
  'certificate-expired',
  /** The certificate is not trusted. */
  'certificate',
  /** TLS failed for another reason. */
  'tls',
  /** The login was refused. */
  'login',
  /** A login was given, and the server offers none. */
  'no-login',
  /** The server refuses to talk, for now or for good. */
  'turned-away',
  /** The server closed the connection. */
  'closed',
] as const
export type HopTrouble = (typeof HOP_TROUBLES)[number]

/** Why mail may not arrive, although it can be sent. */
export const HOP_WARNINGS = [
  /** The name of this machine leads to another address than the one that mail comes from. */
  'leads-elsewhere',
  /** The reverse record of the address that mail comes from does not name this machine. */
  'no-reverse',
] as const

export interface HopWarning {
  /** A word that programs know. */
  readonly warning: (typeof HOP_WARNINGS)[number]
  /** The same in a sentence, with names and addresses. */
  readonly reason: string
}

/** Where a thread finds a plugin's function, and the options to call it with. */
export interface ThreadModule {
  /** The address of the module, as `import.meta.url` gives it. */
  readonly module: string
  /** The name under which the module exports the function that `definePlugin` answered. */
  readonly export: string
  readonly options: unknown
}

/** A transport with its name from the config. */
export interface NamedTransport {
  readonly name: string
  /** The name of its plugin. */
  readonly plugin: string
  readonly transport: MailTransport
  /** Where a thread finds its plugin, and the options to call it with, if it can be opened there. */
  readonly inThread?: ThreadModule
}
export const MailTransports = Symbol('MailTransports')

/** A mailbox: `email` is an address (RFC 5321), `name` the display name. */
export interface Mailbox {
  /** The address. */
  readonly email: string
  /** The name beside it; absent without one. */
  readonly name?: string
}

/**
 * One mail for one envelope. A transport takes either the fields, for a provider that makes the message, or the
 * envelope and `raw()`. Both reach the same recipients.
 *
 * `to`, `cc` and `bcc` are together the recipients of `envelope`, each once. On a later try they leave out those who
 * have the mail, and open copies move up to `to` when they alone are left. With blind copies alone `to` is empty: a
 * provider that needs one gets a request for each, so that they do not see each other. The header fields of `raw()`
 * always name everybody.
 */
export interface OutgoingMail {
  /** The id of the e-mail record; the same on every try. */
  readonly id: string
  /** With angle brackets; the same on every try. */
  readonly messageId: string
  /** For the next hop. */
  readonly envelope: Envelope
  /** The sender of the header. */
  readonly from: Mailbox
  /** The recipients of the header. */
  readonly to: readonly Mailbox[]
  /** Recipients of a copy, in the header. */
  readonly cc: readonly Mailbox[]
  /** Recipients of a copy that the header does not name. */
  readonly bcc: readonly Mailbox[]
  /** Where replies go; empty: to the sender. */
  readonly replyTo: readonly Mailbox[]
  /** Filled in, without line ends. */
  readonly subject: string
  /** Filled in; undefined when there is only text. */
  readonly html?: string | undefined
  /** Filled in. */
  readonly text: string
  /** Further header fields, in order. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** In the order of the message. */
  readonly attachments: readonly OutgoingAttachment[]
  /** Short texts by name, for providers that support tags. */
  readonly tags: Readonly<Record<string, string>>
  /**
   * The composed message (RFC 5322): CRLF line ends, no bare CR or LF, no line over 998 octets, 7 bit, without
   * dot-stuffing and without the Bcc field. Composed only once. Can be the body of `fetch`.
   */
  raw(): Promise<Uint8Array<ArrayBuffer>>
}

/** The SMTP envelope (RFC 5321): the return path, and all recipients of this try. */
export interface Envelope {
  /** The return path; an empty string is the null sender. */
  readonly from: string
  /** Who gets the message on this try, whatever its header says. */
  readonly to: readonly string[]
}

export interface OutgoingAttachment {
  /** Its name. */
  readonly filename: string
  /** Its media type, such as `application/pdf`. */
  readonly contentType: string
  /** `inline` for what the HTML shows. */
  readonly disposition: 'attachment' | 'inline'
  /** The name by which the HTML refers to it, as `cid:…`. */
  readonly contentId?: string
  /** Its bytes. */
  readonly content: Uint8Array
}

/** The result of one try. */
export type SendResult = Accepted | Refused

/** The next hop took responsibility for every envelope recipient but those in `refused`. */
export interface Accepted {
  readonly outcome: 'accepted'
  /** The provider's id of the message, if any, to look it up there. */
  readonly id?: string
  /** The Message-ID the recipient sees, when the provider replaces ours. */
  readonly messageId?: string
  /** The final reply, for the record. */
  readonly response?: string
  /** Envelope recipients that were refused while others were accepted. */
  readonly refused?: readonly (Refusal & { readonly recipient: string })[]
  /** The conversation with the next hop, for the mail's record. */
  readonly conversation?: Conversation
  /** True when acceptance is not yet delivery and the provider will report it (SES). Default false. */
  readonly deliveryPending?: boolean
}

/** No recipient got it. */
export interface Refused extends Refusal {
  readonly outcome: 'refused'
  /** Envelope recipients with a different reason for the refusal. */
  readonly refused?: readonly (Refusal & { readonly recipient: string })[]
  /** The conversation with the next hop, for the mail's record. */
  readonly conversation?: Conversation
}

/**
 * The conversation of a transport and its next hop about one mail. It is kept with the mail, cut to about 2 KB, and
 * shown to users, so it must not contain any part of a login. A transport that throws may add it to the error as
 * `conversation`.
 */
export interface Conversation {
  /** The host it spoke to, such as `mx.example.org:25`. */
  readonly host?: string
  /** The address it was connected to. */
  readonly address?: string
  /** The version of TLS, such as `TLSv1.3`; absent: none. */
  readonly tls?: string
  /** The answers in their order. */
  readonly answers: readonly ConversationAnswer[]
}

/** The answer to one command. */
export interface ConversationAnswer {
  /** The command that it answers: `MAIL`, `RCPT ada@example.org`, `DATA`, `message`, or `POST /messages`. */
  readonly command: string
  /** The number of the answer, such as 250. */
  readonly code?: number
  /** The text of the reply. */
  readonly text: string
}

export interface Refusal {
  /** True: trying the same again is useless. */
  readonly permanent: boolean
  /**
   * How far the try got. `connect` also covers TLS and AUTH, `mail` is the sender, and `data` the message. A temporary
   * refusal at one of the first two may mean that the next hop is in trouble, and pauses this transport for all mail.
   * So a transport with one next hop per domain answers `rcpt` when only that domain is concerned.
   */
  readonly stage: 'connect' | 'mail' | 'rcpt' | 'data'
  /** At stage `connect`: TLS with the next hop failed, or the next hop did not offer it. */
  readonly noTls?: true
  /** At stage `connect`: there is no next hop to connect to yet. */
  readonly noHop?: true
  /** SMTP reply code (RFC 5321), when there is one. */
  readonly code?: number
  /** Enhanced status code such as `5.1.1` (RFC 3463), when there is one. */
  readonly enhancedCode?: string
  /**
   * The reply's text, or a sentence of ours. At stage `connect` the mail's record shows only the code and what follows
   * `: `, because what comes before may name the hop.
   */
  readonly reason: string
}

/** The outcome of a try: the transport's answer, or unknown. */
export type Answer =
  | SendResult
  | {
      readonly outcome: 'unknown'
      readonly reason: string
      readonly conversation?: Conversation
      /** The transport has answered, but what it means cannot be known: trying again may send the mail once more. */
      readonly unreadable?: true
    }

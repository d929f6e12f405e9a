/** How to reach a mailbox by IMAP, and how to log in there. */
export interface MailboxLogin {
  /** The server: a host name or an IP address. */
  readonly host: string
  /** Its port, such as 993. */
  readonly port: number
  /** By TLS from the first byte, by STARTTLS, or `none` if need be. */
  readonly security: 'tls' | 'starttls' | 'none'
  /** The name to log in with, mostly the address. */
  readonly user: string
  /** The password, in the clear. */
  readonly password: string
  /** Connects to public addresses alone and to these networks (CIDR). */
  readonly publicOr: readonly string[]
}

/** Where a message lies in a mailbox. */
export interface FoundMessage {
  /** The folder, as the server names it. */
  readonly folder: string
  /** Its use, as the server says or its name does. */
  readonly use: 'inbox' | 'spam' | 'other'
  /** The tab of the inbox that the server sorts it into, such as `promotions`; absent where it has none. */
  readonly tab?: string
  /** When the server took it. */
  readonly at: Date
}

/**
 * Looks for the message with this Message-ID in all folders of a mailbox, without changing anything there: it stays
 * unread. Without a Message-ID it only logs in. Throws an error whose message people can read when it cannot.
 */
export type FindMessage = (
  login: MailboxLogin,
  messageId: string | undefined,
  signal: AbortSignal,
) => Promise<FoundMessage | undefined>

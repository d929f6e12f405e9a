import type { Sealing } from '../mail/dkim/sealing.ts'
import type { PublicAddress } from '../mail/links/public-address.ts'
import type { Plugin, PluginKit } from '../plugin/types.ts'
import type { NamedTransport } from '../ports/mail-transport.ts'
import type { FindMessage } from '../ports/mailbox.ts'

/** How the connection to a mail server is encrypted: by STARTTLS, by TLS from the first byte, or `none` if need be. */
export const SECURITIES = ['starttls', 'tls', 'none'] as const
export type Security = (typeof SECURITIES)[number]

/** How to reach a mail server, and how to log in there. What its preset says may be left out. */
export interface MailServerLogin {
  /** A well-known provider, such as `brevo`, or `direct` for none. */
  readonly preset?: string
  /** Its name or address; with `direct` the name of this machine. */
  readonly host?: string
  /** Its port. */
  readonly port?: number
  /** How the connection is encrypted. */
  readonly security?: Security
  /** The user name there. */
  readonly user?: string
  /** The password, in the clear. */
  readonly password?: string
  /** How long connecting and logging in may take, in seconds. */
  readonly connectSeconds?: number
  /** Connects to public addresses alone and to these networks; absent: to any address. */
  readonly publicOr?: readonly string[]
}

/** A well-known provider, as far as it need not be typed. */
export interface MailServerPreset {
  /** The name in requests. */
  readonly name: string
  /** The provider's own name. */
  readonly provider: string
  /** Where its mail server is. */
  readonly host: string
  /** The port it listens at. */
  readonly port: number
  /** How the connection is encrypted. */
  readonly security: Security
  /** The user of every customer; `password`: the same text as the password. */
  readonly user?: string
  /** False where customers may also be known by their address. */
  readonly needsLogin: boolean
  /** The page of the provider where the password for SMTP is made. */
  readonly keyPage?: string
}

/**
 * The settings that the operator may change while the engine runs, kept in its store. Where the settings say otherwise,
 * they win.
 */
export interface InstallationSettings {
  /** Makes what sends through a mail server, such as `smtp` of its options. */
  mailServer(login: MailServerLogin): Plugin<'transport'>
  /** Looks for a message in a mailbox, by IMAP. */
  readonly findMessage: FindMessage
  /** The providers that need no host. */
  readonly presets: readonly MailServerPreset[]
  /** Where the transports are set, if mail servers of the store are not used: `SMTP_URL`. Absent: while there are none. */
  readonly transportsFrom?: string
  /** Where the public address is set, if that of the store is not used: `PUBLIC_URL`. */
  readonly publicUrlFrom?: string
}

/** The parts that the room is made of. */
export interface InstallationParts {
  /** Undefined where the embedding app sets everything. */
  readonly settings: InstallationSettings | undefined
  readonly address: PublicAddress
  /** Encrypts passwords. */
  readonly sealing: Sealing
  /** Opens a transport, and answers how to close it. */
  open(name: string, plugin: Plugin<'transport'>): Promise<OpenedServer>
  /** The resolver, and the sender of requests, that transports are given. */
  readonly outside: Required<Pick<PluginKit, 'webhooks' | 'dns'>>
}
export const InstallationParts = Symbol('InstallationParts')

/** A transport that was opened while the engine runs. */
export interface OpenedServer {
  readonly named: NamedTransport
  /** Never rejects. */
  close(): Promise<void>
}

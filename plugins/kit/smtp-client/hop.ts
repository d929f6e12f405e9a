import type { LookupFunction } from 'node:net'

/** The server mail is handed to, and how to reach it. Times in milliseconds. */
export interface Hop {
  readonly host: string
  readonly port: number
  /**
   * TLS from the first octet (RFC 8314). Otherwise the connection starts unencrypted and is
   * upgraded if the server offers it.
   */
  readonly secure: boolean
  /** Sends nothing without TLS: STARTTLS (RFC 3207) must be offered and succeed. */
  readonly requireTls: boolean
  /**
   * `try` goes on in the clear when the server offers STARTTLS and then refuses it, `never` does not ask for it. Absent:
   * what is offered must succeed.
   */
  readonly starttls?: 'try' | 'never'
  /** Our name in EHLO. Default the machine's host name. */
  readonly name?: string
  readonly auth?: { readonly user: string; readonly pass: string }
  readonly tls?: HopTls
  /** Connects to public addresses and these networks alone; absent: to any address. */
  readonly publicOr?: readonly string[]
  /** Finds the addresses of `host`. Default the system's. */
  readonly lookup?: LookupFunction
  /** The address of this machine to connect from. Default the system's choice. */
  readonly localAddress?: string
  /** How long connecting, TLS, greeting and login may take together. */
  readonly connectTimeout: number
}

interface HopTls {
  /** False accepts any certificate. */
  readonly rejectUnauthorized?: boolean
  /** The name the certificate must have, if it is not `host`. */
  readonly servername?: string
  /** Authorities to trust instead of the well-known ones, in PEM. */
  readonly ca?: string | string[]
  readonly minVersion?: 'TLSv1.2' | 'TLSv1.3'
}

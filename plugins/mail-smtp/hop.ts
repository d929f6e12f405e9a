/** The server mail is handed to, and how it is reached. All times in milliseconds. */
export interface Hop {
  readonly host: string
  readonly port: number
  /** TLS from the first octet (RFC 8314); else the connection starts in the clear and is upgraded when offered. */
  readonly secure: boolean
  /** Without TLS nothing is sent: STARTTLS (RFC 3207) must be offered and succeed. */
  readonly requireTls: boolean
  /** How we call ourselves in EHLO; without it the machine's host name. */
  readonly name?: string
  readonly auth?: { readonly user: string; readonly pass: string }
  readonly tls?: HopTls
  /** How long connecting, TLS, greeting and login may take together. */
  readonly connectTimeout: number
}

interface HopTls {
  /** False takes any certificate. */
  readonly rejectUnauthorized?: boolean
  /** The name the certificate must have, when it is not `host`. */
  readonly servername?: string
  /** Authorities to trust instead of the well-known ones, in PEM. */
  readonly ca?: string | string[]
  readonly minVersion?: 'TLSv1.2' | 'TLSv1.3'
}

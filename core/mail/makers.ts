import type { Signing } from './dkim/signing.ts'
import type { Links } from './links/links.ts'
import type { ReturnPaths } from './links/return-paths.ts'
import type { Composing } from './mime/composing.ts'
import type { Rendering } from './render/rendering.ts'

/** The rooms a mail is made by; in a thread none signs or sends. */
export interface MailMakers {
  readonly rendering: Rendering
  readonly composing: Composing
  readonly links: Links
  readonly signing?: Signing
  readonly returnPaths?: ReturnPaths
}

/** What a mail is made with besides its content and its recipient. */
export interface Outgoing {
  /** Addresses that get no copy. */
  readonly unwanted?: ReadonlySet<string>
  readonly ways?: WaysBack
  /** What of it was made before. */
  readonly made?: MadeMail
}

/** How a mail leads back to this service. */
export interface WaysBack {
  /** What its links begin with, in place of the public URL. */
  readonly linkBase?: string | undefined
  /** By a message to it its recipient unsubscribes. */
  readonly unsubscribeAddress?: string | undefined
  /** The sender's own host for bounces. */
  readonly bounceHost?: string | undefined
}

/** A mail that was composed in a thread. */
export interface MadeMail {
  readonly subject: string
  /** As bytes, not signed yet. */
  readonly message: Uint8Array<ArrayBuffer>
  /** SHA-256 of its body, as DKIM wants it. */
  readonly bodyHash: string
}

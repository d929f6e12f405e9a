import type { Signer } from './dkim/sign-message.ts'
import type { Links } from './links/links.ts'
import type { Composing } from './mime/composing.ts'
import type { FilterTrouble } from './render/filter-troubles.ts'
import type { Rendering } from './render/rendering.ts'

/** The services that make a mail; where it is only composed, none signs. */
export interface MailMakers {
  readonly rendering: Rendering
  readonly composing: Composing
  readonly links: Links
  readonly signing?: Signer
}

/** The parts of a mail besides its content and its recipient. */
export interface Outgoing {
  /** Addresses that get no copy. */
  readonly unwanted?: ReadonlySet<string>
  readonly ways?: BackAddresses
  /** The part that was made before. */
  readonly made?: MadeMail
}

/** The addresses by which a mail leads back to this service. */
export interface BackAddresses {
  /** The start of its links: the public URL of now, or the own host of its sender's domain. */
  readonly linkBase?: string | undefined
  /** A message to it unsubscribes the recipient. */
  readonly unsubscribeAddress?: string | undefined
  /** The address its bounces go to; the sender's own when there is none. */
  readonly returnPath?: string | undefined
}

/** A mail that was composed in a thread. */
export interface MadeMail {
  readonly subject: string
  /** Not signed yet. */
  readonly message: Uint8Array<ArrayBuffer>
  /** SHA-256 of its body, for DKIM. */
  readonly bodyHash: string
  readonly troubles: readonly FilterTrouble[]
}

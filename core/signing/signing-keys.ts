import type { KeyObject } from 'node:crypto'

/** A key that signs, with the place where its public half is published. */
export interface SigningKey {
  /** In ASCII, as the `d=` tag has it. */
  readonly domain: string
  readonly selector: string
  /** RSA or Ed25519; made once, because reading a PEM text costs as much as a signature. */
  readonly privateKey: KeyObject
}

/** Knows the keys of sender domains. */
export interface SigningKeys {
  /**
   * The keys for mail from this domain (lower-case, in Unicode): its own, else those of the nearest domain above it that
   * has any, which DMARC accepts in its relaxed mode (RFC 7489, section 3.1.1). Each makes a signature; none: no signature.
   */
  keysFor(domain: string): Promise<readonly SigningKey[]>
}

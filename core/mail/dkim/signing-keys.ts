import type { KeyObject } from 'node:crypto'
import type { ProjectId } from '../../values/project-id.ts'

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
   * The keys for mail of a project from this domain (lower-case, in Unicode): the domain's own, else those of the nearest
   * one above it that has any and is the project's or the operator's, which DMARC accepts in its relaxed mode (RFC 9989,
   * section 4.4). Each makes a signature; none: no signature.
   */
  keysFor(domain: string, projectId?: ProjectId): Promise<readonly SigningKey[]>
}

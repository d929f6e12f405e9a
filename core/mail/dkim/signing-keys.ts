import type { KeyObject } from 'node:crypto'
import type { ProjectId } from '../../values/project-id.ts'

/** A signing key, with the place where its public half is published. */
export interface SigningKey {
  /** In ASCII, for the `d=` tag. */
  readonly domain: string
  readonly selector: string
  /** RSA or Ed25519; parsed once, because parsing PEM costs as much as a signature. */
  readonly privateKey: KeyObject
}

/** Finds the keys of sender domains. */
export interface SigningKeys {
  /**
   * The keys for a project's mail from this domain (lower-case, in Unicode): the domain's own, else those of the
   * nearest parent domain with keys that belongs to the project or the operator, which DMARC accepts in its relaxed
   * mode (RFC 9989, section 4.4). Each key makes a signature; without keys there is none.
   */
  keysFor(domain: string, projectId?: ProjectId): Promise<readonly SigningKey[]>
}

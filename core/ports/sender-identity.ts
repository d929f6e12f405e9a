import type { DnsResolver } from './dns-resolver.ts'

/**
 * Shows receivers that mail of a domain is sent with the consent of its owner: knows which DNS records say so, and whether
 * they are there. With keys of our own mail is signed here; for a provider that signs by itself there are only records.
 */
export interface SenderIdentity {
  /** True: a provider changes its keys by itself, so that no new proof is made for a domain that has one. */
  readonly rotatesItself?: boolean
  /**
   * Makes a proof for a domain (in ASCII); it counts as soon as its records are published. `taken` are selectors the domain
   * has already: a proof never gets one of them, because caches may still have the record of the one before. Of two proofs of
   * one domain at least one record differs: nobody proves it by what another has published. An EngineError that it throws is
   * answered to whoever adds the domain.
   */
  make(domain: string, taken: readonly string[]): Promise<IdentityProof>
  /** What the owner of the domain is to publish for the proof: all of it, at least one record. */
  records(domain: string, proof: PublicProof): readonly IdentityRecord[]
  /** Looks for these records: a finding for each, in their order. What could not be asked is `unknown`; it never rejects. */
  check(domain: string, proof: PublicProof, dns: DnsResolver): Promise<readonly Finding[]>
}
export const SenderIdentity = Symbol('SenderIdentity')

/** What everybody may know of a proof. */
export interface PublicProof {
  /** Tells the proofs of one domain apart; with DKIM the name of the key. A DNS name. */
  readonly selector: string
  /** Whatever the plugin needs to name its records: a public key, tokens of a provider. */
  readonly publicData: string
}

export interface IdentityProof extends PublicProof {
  /** Signs the domain's mail (PEM, without passphrase); absent where the provider signs. Kept encrypted. */
  readonly privateKey?: string
}

/** A record as the owner of a domain enters it: whole names, in ASCII, without a dot at the end. */
export interface DnsRecord {
  readonly type: 'TXT' | 'CNAME' | 'MX'
  readonly name: string
  /** Of an MX with its preference: `10 mx.example.com`. */
  readonly value: string
}

/** A record of a proof. All of them must be there; what it is for is only told. */
export interface IdentityRecord extends DnsRecord {
  /** Default `dkim`. */
  readonly purpose?: 'dkim' | 'ownership'
}

/** What was seen in a record's place. */
export interface Finding {
  /** `wrong`: something is there that must be changed; `unknown`: the DNS did not say. */
  readonly state: 'found' | 'missing' | 'wrong' | 'unknown'
  /** What was seen and what to change, in a sentence or two. */
  readonly advice: string
}

/** Under which name the finding of a record is kept. */
export function findingKey({ type, name }: DnsRecord): string {
  return `${type} ${name}`
}

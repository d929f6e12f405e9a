import type { AdviceCode } from '../values/advice.ts'
import type { DnsResolver } from './dns-resolver.ts'

/**
 * Proves that mail of a domain is sent with its owner's consent: it knows the DNS records for the proof, and checks
 * them. With our own keys mail is signed here; a provider that signs itself needs only the records.
 */
export interface SenderIdentity {
  /** True when the provider rotates its keys, so that no new proof is made for a domain that has one. */
  readonly rotatesItself?: boolean
  /**
   * Makes a proof for a domain (in ASCII); it counts as soon as its records are published. `taken` are the selectors
   * the domain already has: a new proof never gets one of them, because caches may still have its old record. Two
   * proofs of one domain differ in at least one record, so that no project can use a record another one published. An
   * EngineError that it throws is shown to the person who adds the domain.
   */
  make(domain: string, taken: readonly string[]): Promise<IdentityProof>
  /** The records to publish for the proof: all of them, at least one. */
  records(domain: string, proof: PublicProof): readonly IdentityRecord[]
  /**
   * Checks these records: a finding for each, in order. A record that could not be looked up is `unknown`. Never
   * rejects.
   */
  check(domain: string, proof: PublicProof, dns: DnsResolver): Promise<readonly Finding[]>
}
export const SenderIdentity = Symbol('SenderIdentity')

/** The public part of a proof. */
export interface PublicProof {
  /** Identifies a proof of the domain; with DKIM the name of the key. A DNS name. */
  readonly selector: string
  /** Data from which the plugin makes the records: a public key, tokens of a provider. */
  readonly publicData: string
}

export interface IdentityProof extends PublicProof {
  /** Signs the domain's mail (PEM, without passphrase); absent when the provider signs. Stored encrypted. */
  readonly privateKey?: string
}

/** A record as the owner of a domain enters it: full names, in ASCII, without a dot at the end. */
export interface DnsRecord {
  /** The kind of record. */
  readonly type: 'TXT' | 'CNAME' | 'MX'
  /** The whole name that it is published under. */
  readonly name: string
  /** For an MX with its preference: `10 mx.example.com`. */
  readonly value: string
}

/** A record of a proof. All of them must be published; the purpose is only shown to the user. */
export interface IdentityRecord extends DnsRecord {
  /** Default `dkim`. */
  readonly purpose?: 'dkim' | 'ownership'
}

/** The result of looking up a record. */
export interface Finding {
  /** `wrong`: there is another record, which must be changed. `unknown`: the DNS did not answer. */
  readonly state: 'found' | 'missing' | 'wrong' | 'unknown'
  /** The result and what to change, in a sentence or two. */
  readonly advice: string
  /** The sentences of `advice`, each with a stable code and its values, for translation. */
  readonly adviceCodes?: readonly AdviceCode[]
}

/** The key under which the finding of a record is stored. */
export function findingKey({ type, name }: DnsRecord): string {
  return `${type} ${name}`
}

import { generateKeyPair, randomBytes } from 'node:crypto'
import type { Clock } from '../../core/ports/clock.ts'
import type { DnsResolver } from '../../core/ports/dns-resolver.ts'
import type {
  DnsRecord,
  Finding,
  IdentityProof,
  PublicProof,
  SenderIdentity,
} from '../../core/ports/sender-identity.ts'
import { judgeDkim } from './judge-dkim.ts'

/** The key length RFC 8301, section 3.2, recommends. Longer keys do not fit into every DNS provider's form. */
const BITS = 2048

/** Makes our own RSA keys, with one DNS record each. */
export class DkimIdentity implements SenderIdentity {
  readonly #clock: Clock
  #last: Promise<unknown> = Promise.resolve()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  async make(_domain: string, taken: readonly string[]): Promise<IdentityProof> {
    // one after the other: making a key takes a thread of the pool, which signing and file access need too
    const made = this.#last.then(newKeyPair)
    this.#last = made.catch(() => {})
    const { publicKey, privateKey } = await made
    let selector: string
    do selector = newSelector(this.#clock.now())
    while (taken.includes(selector))
    return { selector, publicData: publicKey.toString('base64'), privateKey }
  }

  records(domain: string, { selector, publicData }: PublicProof): readonly DnsRecord[] {
    return [{ type: 'TXT', name: `${selector}._domainkey.${domain}`, value: `v=DKIM1; k=rsa; p=${publicData}` }]
  }

  async check(domain: string, proof: PublicProof, dns: DnsResolver): Promise<readonly Finding[]> {
    return Promise.all(this.records(domain, proof).map((record) => judgeDkim(domain, record, proof.publicData, dns)))
  }
}

/** The month shows people how old a key is; the random part keeps two keys from sharing a name. */
function newSelector(now: Date): string {
  return `mw${now.toISOString().slice(0, 7).replace('-', '')}-${randomBytes(3).toString('hex')}`
}

/** Makes a key in the thread pool, since it takes up to a second. */
function newKeyPair(): Promise<{ readonly publicKey: Buffer; readonly privateKey: string }> {
  const options = {
    modulusLength: BITS,
    publicKeyEncoding: { type: 'spki', format: 'der' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  } as const
  return new Promise((resolve, reject) => {
    generateKeyPair('rsa', options, (error, publicKey, privateKey) =>
      error ? reject(error) : resolve({ publicKey, privateKey }),
    )
  })
}

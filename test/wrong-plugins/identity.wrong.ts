import { createPrivateKey, generateKeyPairSync, randomUUID } from 'node:crypto'
import { freshDns } from '../../core/domains/fresh-dns.ts'
import type { SenderIdentity } from '../../core/ports/sender-identity.ts'
import { nodeDns } from '../../plugins/dns-node/index.ts'
import { dkimIdentity } from '../../plugins/identity-dkim/index.ts'
import { senderIdentityContract } from '../contracts/sender-identity.ts'
import { startDnsServer } from '../support/dns-server.ts'
import { KIT } from './kit.ts'
import { right, wrong } from './wrong.ts'

/** The identity by DKIM, changed. */
const changed = (change: (identity: SenderIdentity) => Partial<SenderIdentity>) =>
  senderIdentityContract(async () => {
    const zone = await startDnsServer()
    const { dns, close } = await nodeDns({ servers: [zone.address], timeoutMs: 100, tries: 1 }).open(KIT)
    const { identity } = await dkimIdentity().open(KIT)
    const same: SenderIdentity = {
      make: (domain, taken) => identity.make(domain, taken),
      records: (domain, proof) => identity.records(domain, proof),
      check: (domain, proof, by) => identity.check(domain, proof, by),
    }
    return {
      identity: Object.assign(same, change(identity)),
      dns: freshDns(dns, 'example'),
      zone,
      close: () => Promise.all([close?.(), zone.close()]).then(() => {}),
    }
  })
const FORMATS = {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
} as const

right(() => changed(() => ({})))
wrong('makes a private key that is none', 'has a private key, which is that of its record', () =>
  changed((identity) => ({ make: async (...given) => ({ ...(await identity.make(...given)), privateKey: 'secret' }) })),
)
wrong('makes a private key that is not that of its record', 'has a private key, which is that of its record', () =>
  changed((identity) => ({
    make: async (...given) => {
      const { privateKey } = generateKeyPairSync('rsa', FORMATS)
      return { ...(await identity.make(...given)), privateKey }
    },
  })),
)
wrong('takes a selector again', 'under a selector that is not taken', () =>
  changed((identity) => ({ make: async (...given) => ({ ...(await identity.make(...given)), selector: 'mail' }) })),
)
wrong('finds what is not there', 'is found once all of its records are published, and not before', () =>
  changed((identity) => ({
    check: async (...given) => (await identity.check(...given)).map((each) => ({ ...each, state: 'found' })),
  })),
)
wrong('is proven by any record', 'is not proven by the records of another', () =>
  changed((identity) => ({
    check: async (...given) =>
      (await identity.check(...given)).map((each) => (each.state === 'wrong' ? { ...each, state: 'found' } : each)),
  })),
)

/** An identity of its own: a key by Ed25519, or a text that a provider asks for at the domain itself. */
const own = (
  make: () => { publicData: string; privateKey?: string },
  at: (selector: string, domain: string) => string,
) =>
  changed((identity) => {
    const records: SenderIdentity['records'] = (domain, { selector, publicData }) => [
      { type: 'TXT', name: at(selector, domain), value: publicData.split('\n')[0] ?? '', purpose: 'ownership' },
    ]
    return {
      make: async () => ({ selector: `s${randomUUID().slice(0, 8)}`, ...make() }),
      records,
      check: async (domain, proof, dns) => {
        const [record] = records(domain, proof)
        const texts = await dns.txt(record?.name ?? '').catch(() => undefined)
        const state = texts === undefined ? 'unknown' : texts.includes(record?.value ?? '') ? 'found' : undefined
        const [other] = await identity.check(domain, proof, dns)
        const advice = other?.advice ?? 'Publish the record.'
        return [{ state: state ?? (texts?.length === 0 ? 'missing' : 'wrong'), advice }]
      },
    }
  })
const ed25519 = (shown: (pem: string) => string) => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const { x = '' } = publicKey.export({ format: 'jwk' })
  const value = `v=DKIM1; k=ed25519; p=${Buffer.from(x, 'base64url').toString('base64')}`
  return { privateKey: pem, publicData: `${value}\n${shown(pem)}` }
}
const below = (selector: string, domain: string) => `${selector}._domainkey.${domain}`
const rsaData = (change: (publicData: string, privateKey: string) => string) =>
  changed((identity) => ({
    make: async (...given) => {
      const proof = await identity.make(...given)
      return { ...proof, publicData: change(proof.publicData, proof.privateKey ?? '') }
    },
    records: (domain, proof) =>
      identity.records(domain, { ...proof, publicData: proof.publicData.split('\n')[0] ?? '' }),
    check: (domain, proof, dns) =>
      identity.check(domain, { ...proof, publicData: proof.publicData.split('\n')[0] ?? '' }, dns),
  }))

right(() => own(() => ed25519(() => ''), below))
right(() =>
  own(
    () => ({ publicData: `provider-proof=${randomUUID()}` }),
    (_selector, domain) => domain,
  ),
)
wrong('shows its private key beside the public one', 'keeps its private key to itself', () =>
  own(() => ed25519((pem) => pem), below),
)
wrong('shows the number that its key is made of', 'keeps its private key to itself', () =>
  own(() => ed25519((pem) => String(createPrivateKey(pem).export({ format: 'jwk' }).d)), below),
)
wrong('shows its private key in JSON', 'keeps its private key to itself', () =>
  rsaData((data, key) => `${data}\n${JSON.stringify({ key: Buffer.from(key).toString('base64') })}`),
)
wrong('counts selectors in memory', 'also after a restart', () => {
  return changed((identity) => {
    let count = 0
    return { make: async (...given) => ({ ...(await identity.make(...given)), selector: `s${++count}` }) }
  })
})
wrong('makes the same key for all', 'is another one each time', () => {
  const known = ed25519(() => '')
  return own(() => known, below)
})
wrong('publishes outside of the domain', 'has records within its domain', () =>
  own(
    () => ed25519(() => ''),
    (selector) => `${selector}._domainkey.provider.example`,
  ),
)
wrong('publishes records of another type', 'has records within its domain', () =>
  changed((identity) => ({
    records: (...given) => identity.records(...given).map((each) => ({ ...each, type: 'AAAA' as never })),
  })),
)
wrong('rejects when the DNS does not answer', 'is unknown when the DNS answers', () =>
  changed((identity) => ({
    check: async (...given) => {
      const findings = await identity.check(...given)
      if (findings.some(({ state }) => state === 'unknown')) throw new Error('the DNS does not answer')
      return findings
    },
  })),
)
wrong('takes no answer for nothing there', 'is unknown when the DNS answers', () =>
  changed((identity) => ({
    check: async (...given) =>
      (await identity.check(...given)).map((each) => (each.state === 'unknown' ? { ...each, state: 'missing' } : each)),
  })),
)

import { generateKeyPairSync } from 'node:crypto'
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

import { silentLog, systemClock } from 'mailwright'
import { senderIdentityContract, startNameServer } from 'mailwright/contracts'
import { nodeDns } from 'mailwright/plugins/dns-node'
import { describe } from 'vitest'
import { ownIdentity } from '../own-identity.ts'

const kit = { log: silentLog, clock: systemClock }

describe('identity-own', () => {
  senderIdentityContract(async () => {
    const zone = await startNameServer()
    const resolver = nodeDns({ servers: [zone.address], timeoutMs: 100, tries: 1, cacheEntries: 0 })
    const { dns, close } = await resolver.open(kit)
    const { identity } = await ownIdentity().open(kit)
    return { identity, dns, zone, close: async () => void (await Promise.all([close?.(), zone.close()])) }
  })
})

import { silentLog, systemClock } from 'mailwright'
import { dnsResolverContract, startNameServer } from 'mailwright/contracts'
import { describe } from 'vitest'
import { ownDns } from '../own-dns.ts'

describe('dns-own', () => {
  dnsResolverContract(async () => {
    const zone = await startNameServer()
    const { dns, close } = await ownDns({ server: zone.address }).open({ log: silentLog, clock: systemClock })
    return { dns, zone, close: async () => void (await Promise.all([close?.(), zone.close()])) }
  })
})

import { afterEach, describe, expect, it } from 'vitest'
import type { DnsResolver, MailExchanger } from '../../core/ports/dns-resolver.ts'
import { PATIENT } from './patient.ts'

/** A zone the contract fills and breaks while the resolver asks. */
export interface Zone {
  set(name: string, type: 'A' | 'AAAA' | 'CNAME' | 'NS' | 'PTR', records: readonly string[]): void
  set(name: string, type: 'MX', records: readonly MailExchanger[]): void
  /** A record is the strings it is made of. */
  set(name: string, type: 'TXT', records: readonly (readonly string[])[]): void
  /** From now on questions about the name are answered with an error, or not at all. */
  fail(name: string, how: 'SERVFAIL' | 'REFUSED' | 'drop'): void
}

/**
 * The subject of the DNS contract: a resolver that asks only a name server of the test, whose zone is empty at first.
 */
export interface DnsResolverSubject {
  readonly dns: DnsResolver
  /** The zone that server has; its records may be kept for no time (TTL 0). */
  readonly zone: Zone
  close(): Promise<void>
}

/**
 * The promises of every DNS resolver. `setup` makes a fresh resolver and an empty zone; a question without answer must
 * be given up within ten seconds.
 */
export function dnsResolverContract(setup: () => Promise<DnsResolverSubject>) {
  describe('a resolver', PATIENT, () => promises(setup))
}

function promises(setup: () => Promise<DnsResolverSubject>) {
  let subject: DnsResolverSubject | undefined
  const fresh = async () => {
    subject = await setup()
    return subject
  }
  const questions = (dns: DnsResolver, name: string) =>
    [dns.mx(name), dns.txt(name), dns.ns(name), dns.cname(name), dns.ipv4(name), dns.ipv6(name), dns.ptr(name)] as const

  afterEach(async () => {
    await subject?.close()
    subject = undefined
  })

  describe('records', () => {
    it('gives mail exchangers, lowest preference first', async () => {
      const { dns, zone } = await fresh()
      zone.set('acme.example', 'MX', [
        { exchange: 'backup.acme.example', priority: 100 },
        { exchange: 'mx.acme.example', priority: 5 },
        { exchange: 'second.acme.example', priority: 20 },
      ])
      expect(exchangers(await dns.mx('acme.example'))).toEqual([
        { exchange: 'mx.acme.example', priority: 5 },
        { exchange: 'second.acme.example', priority: 20 },
        { exchange: 'backup.acme.example', priority: 100 },
      ])
    })

    it('gives the names of an address', async () => {
      const { dns, zone } = await fresh()
      zone.set('1.2.0.192.in-addr.arpa', 'PTR', ['mx.acme.example'])
      expect(await dns.ptr('1.2.0.192.in-addr.arpa')).toEqual(['mx.acme.example'])
    })

    it('gives a null MX as one exchanger without a name', async () => {
      const { dns, zone } = await fresh()
      zone.set('no-mail.example', 'MX', [{ exchange: '', priority: 0 }])
      expect(exchangers(await dns.mx('no-mail.example'))).toEqual([{ exchange: '', priority: 0 }])
    })

    it('joins the strings of a TXT record, and keeps the records apart', async () => {
      const { dns, zone } = await fresh()
      const key = `p=${'MIIBIjANBg'.repeat(38)}`
      zone.set('k._domainkey.acme.example', 'TXT', [['v=DKIM1; ', key.slice(0, 200), key.slice(200)], ['other']])
      const found = await dns.txt('k._domainkey.acme.example')
      expect([...found].sort()).toEqual(['other', `v=DKIM1; ${key}`])
    })

    it('gives name servers, aliases and addresses', async () => {
      const { dns, zone } = await fresh()
      zone.set('acme.example', 'NS', ['ns1.acme.example', 'ns2.acme.example'])
      zone.set('www.acme.example', 'CNAME', ['acme.example'])
      zone.set('acme.example', 'A', ['192.0.2.1', '192.0.2.2'])
      zone.set('acme.example', 'AAAA', ['2001:db8::1'])
      expect([...(await dns.ns('acme.example'))].sort()).toEqual(['ns1.acme.example', 'ns2.acme.example'])
      expect(await dns.cname('www.acme.example')).toEqual(['acme.example'])
      expect([...(await dns.ipv4('acme.example'))].sort()).toEqual(['192.0.2.1', '192.0.2.2'])
      expect(await dns.ipv6('acme.example')).toEqual(['2001:db8::1'])
    })

    it('follows an alias to addresses, mail exchangers and texts', async () => {
      const { dns, zone } = await fresh()
      zone.set('alias.example', 'CNAME', ['acme.example'])
      zone.set('acme.example', 'A', ['192.0.2.1'])
      zone.set('acme.example', 'MX', [{ exchange: 'mx.acme.example', priority: 1 }])
      zone.set('acme.example', 'TXT', [['hello']])
      expect(await dns.ipv4('alias.example')).toEqual(['192.0.2.1'])
      expect(exchangers(await dns.mx('alias.example'))).toEqual([{ exchange: 'mx.acme.example', priority: 1 }])
      expect(await dns.txt('alias.example')).toEqual(['hello'])
    })

    it('does not care about capitals in the name', async () => {
      const { dns, zone } = await fresh()
      zone.set('acme.example', 'A', ['192.0.2.1'])
      expect(await dns.ipv4('ACME.Example')).toEqual(['192.0.2.1'])
    })

    it('sees a record that was added after it was asked for, when it asks afresh', async () => {
      const { dns, zone } = await fresh()
      expect(await dns.txt('acme.example')).toEqual([])
      zone.set('acme.example', 'TXT', [['v=spf1 -all']])
      expect(await dns.txt('acme.example', { fresh: true })).toEqual(['v=spf1 -all'])
      expect(await dns.txt('acme.example')).toEqual(['v=spf1 -all'])
      zone.set('acme.example', 'TXT', [])
      expect(await dns.txt('acme.example', { fresh: true })).toEqual([])
    })

    it('gives answers that do not fit into a datagram', async () => {
      const { dns, zone } = await fresh()
      const texts = Array.from({ length: 60 }, (_, i) => [`${i} ${'x'.repeat(200)}`])
      zone.set('acme.example', 'TXT', texts)
      expect([...(await dns.txt('acme.example'))].sort()).toEqual(texts.flat().sort())
    })

    it('answers each of many questions at the same time', async () => {
      const { dns, zone } = await fresh()
      const names = Array.from({ length: 50 }, (_, i) => `host-${i}.acme.example`)
      for (const [i, name] of names.entries()) zone.set(name, 'A', [`192.0.2.${i}`])
      const found = await Promise.all([...names, ...names].map((name) => dns.ipv4(name)))
      expect(found).toEqual([...names, ...names].map((_, i) => [`192.0.2.${i % 50}`]))
    })

    it('takes international names, and a dot at the end', async () => {
      const { dns, zone } = await fresh()
      zone.set('xn--mnchen-3ya.example', 'A', ['192.0.2.1'])
      expect(await dns.ipv4('münchen.example')).toEqual(['192.0.2.1'])
      expect(await dns.ipv4('xn--mnchen-3ya.example.')).toEqual(['192.0.2.1'])
    })
  })

  describe('nothing there', () => {
    it('answers none for a name that does not exist', async () => {
      const { dns } = await fresh()
      for (const asked of questions(dns, 'missing.example')) expect(await asked).toEqual([])
    })

    it('answers none for a type the name does not have', async () => {
      const { dns, zone } = await fresh()
      zone.set('below.acme.example', 'A', ['192.0.2.1'])
      for (const asked of questions(dns, 'acme.example')) expect(await asked).toEqual([])
      expect(await dns.mx('below.acme.example')).toEqual([])
    })

    it.each([
      ['a..example'],
      [`${'a'.repeat(64)}.example`],
      [`${'a.'.repeat(127)}example`],
    ])('answers none for %s, which cannot be a name', async (name) => {
      const { dns } = await fresh()
      for (const asked of questions(dns, name)) expect(await asked).toEqual([])
    })
  })

  describe('not knowing', () => {
    it.each(['SERVFAIL', 'REFUSED'] as const)('throws when the server answers %s, and asks again', async (how) => {
      const { dns, zone } = await fresh()
      zone.fail('acme.example', how)
      const asked = await Promise.allSettled(questions(dns, 'acme.example'))
      expect(asked.map(({ status }) => status)).toEqual(asked.map(() => 'rejected'))
      zone.set('acme.example', 'A', ['192.0.2.1'])
      // a failure may be remembered for a few seconds
      const again = () => dns.ipv4('acme.example').catch(() => undefined)
      await expect.poll(again, { timeout: 10_000, interval: 200 }).toEqual(['192.0.2.1'])
    })

    it('throws when no answer comes, in all look-ups side by side', async () => {
      const { dns, zone } = await fresh()
      zone.fail('acme.example', 'drop')
      const start = performance.now()
      const asked = await Promise.allSettled(questions(dns, 'acme.example'))
      expect(asked.map(({ status }) => status)).toEqual(asked.map(() => 'rejected'))
      expect(performance.now() - start).toBeLessThan(10_000)
    })
  })
}

/** Of the records that a library may say more about. */
function exchangers(found: readonly MailExchanger[]): readonly MailExchanger[] {
  return found.map(({ exchange, priority }) => ({ exchange, priority }))
}

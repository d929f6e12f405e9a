import { afterEach, describe, expect, it } from 'vitest'
import type { DnsResolver } from '../../core/ports/dns-resolver.ts'
import type { Log } from '../../core/ports/log.ts'
import type { Project } from '../../core/ports/store/projects.ts'
import { Verification } from '../../core/verification/verification.ts'
import { nodeDns } from '../../plugins/dns-node/index.ts'
import { type DnsRecords, type DnsServer, startDnsServer } from '../support/dns-server.ts'

const MX = [{ exchange: 'mx.mail.example', priority: 10 }]
const NS = ['ns1.dns.example']
const WHOLE = { NS, MX, A: ['192.0.2.1'] }

const ZONE: Record<string, DnsRecords> = {
  ...Object.fromEntries(
    [
      'acme.org',
      'gmail.com',
      'gmial.com',
      'gmx.de',
      'mailinator.com',
      'x.mailinator.com',
      'mozmail.com',
      'cloud.com',
    ].map((name) => [name, WHOLE]),
  ),
  ...{ 'johndoe.anonaddy.com': WHOLE, 'xn--mnchen-3ya.de': WHOLE, 'xn--gmil-63d.com': WHOLE },
  'example.co.uk': { NS },
  'mail.example.co.uk': { MX },
  'co.uk': { NS },
  'v6.org': { NS, MX, AAAA: ['2001:db8::1'] },
  'no-mx.org': { NS, A: ['192.0.2.1'] },
  'no-address.org': { NS },
  'null-mx.org': { NS, MX: [{ exchange: '', priority: 0 }], A: ['192.0.2.1'] },
  'alias.org': { CNAME: ['acme.org'] },
  'no-zone.test': { MX },
}

const servers: DnsServer[] = []
const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  await Promise.all(
    [...closing.splice(0), ...servers.splice(0).map((server) => () => server.close())].map((close) => close()),
  )
})

/** Sentences for nothing but good news. */
const FINE = ['The address is well formed, and its domain takes mail.']
const GOOD = {
  ...{
    valid: true,
    isDisposable: false,
    isAlias: false,
    isTypo: false,
    isPlusAddressed: false,
    isPersonalEmail: false,
  },
  ...{ domainExists: true, hasWebsite: true, hasMxRecords: true },
}
const MISSING = { valid: false, domainExists: false, hasWebsite: false, hasMxRecords: false }

describe('what is known of an address', () => {
  it.each([
    ['ada@acme.org', {}, FINE],
    [' Ada@ACME.org ', { email: 'ada@acme.org' }, FINE],
    ['ada@gmail.com', { isPersonalEmail: true }, ['gmail.com is a provider of personal mailboxes.']],
    ['ada+news@acme.org', { isPlusAddressed: true }, [/plus sign/]],
    ['ada@mailinator.com', { isDisposable: true }, [/disposable/]],
    ['ada@x.mailinator.com', { isDisposable: true }, [/disposable/]],
    ['ada@mozmail.com', { isAlias: true }, [/Firefox Relay/]],
    ['shop@johndoe.anonaddy.com', { isAlias: true }, [/addy\.io/]],
    [
      'ada+x@gmial.com',
      { isDisposable: true, isTypo: true, isPlusAddressed: true, suggestedEmail: 'ada+x@gmail.com' },
      [/disposable/, /plus/, /a slip for gmail\.com/],
    ],
    ['ada@gmаil.com', { isTypo: true, suggestedEmail: 'ada@gmail.com' }, [/a slip for gmail/, /several alphabets/]],
    ['ada@cloud.com', {}, FINE],
    [
      'ada@xmail.com',
      { ...MISSING, isTypo: true, suggestedEmail: 'ada@gmail.com', isPersonalEmail: true },
      [/personal/, /a slip/, /does not exist/],
    ],
    [
      'ada@gmx.ed',
      { ...MISSING, isTypo: true, suggestedEmail: 'ada@gmx.de' },
      [/a slip for gmx\.de/, /does not exist/],
    ],
    ['ada@münchen.de', {}, FINE],
    ['ada@xn--mnchen-3ya.de', { email: 'ada@münchen.de' }, FINE],
    ['ada@mail.example.co.uk', { hasWebsite: false }, [/no website/]],
    ['ada@v6.org', {}, FINE],
    ['ada@alias.org', {}, FINE],
    ['ada@nowhere.co.uk', MISSING, [/nowhere\.co\.uk does not exist/]],
    ['ada@no-mx.org', { valid: false, hasMxRecords: false }, [/no MX records: mail would go to its address/]],
    [
      'ada@no-address.org',
      { valid: false, hasMxRecords: false, hasWebsite: false },
      [/neither MX records nor an address/, /no website/],
    ],
    ['ada@null-mx.org', { valid: false, hasMxRecords: false }, [/takes no mail \(null MX, RFC 7505\)/]],
    ['ada@no-zone.test', { valid: false, domainExists: false, hasWebsite: false }, [/no name servers/]],
    ['ada@xn--999999999.com', MISSING, [/does not exist/]],
    [`ada@${'a'.repeat(63)}.org`, MISSING, [/does not exist/]],
  ])('%s', async (email, expected, reasons) => {
    const { verify } = await room()
    const { reasons: said, ...found } = await verify(email)
    expect(found).toEqual({ email, ...GOOD, ...expected })
    expect(said).toEqual(reasons.map((reason) => (typeof reason === 'string' ? reason : expect.stringMatching(reason))))
  })

  it.each([
    'SERVFAIL',
    'REFUSED',
    'drop',
  ] as const)('while its name servers answer %s: nobody can tell', async (how) => {
    const { verify, server } = await room()
    server.fail('acme.org', how)
    const found = await verify('ada@acme.org')
    expect(found).toMatchObject({
      valid: true,
      domainExists: false,
      hasWebsite: false,
      hasMxRecords: false,
      isTypo: false,
    })
    expect(found.reasons).toEqual([
      expect.stringMatching(/exists could not/),
      expect.stringMatching(/takes mail could not/),
    ])
    server.set('acme.org', 'NS', NS)
    expect(await verify('ada@acme.org')).toMatchObject(GOOD)
  })

  it('as far as it can be looked up: what fails leaves the rest as it is', async () => {
    const able: DnsResolver = (await room()).dns
    const fails = async () => Promise.reject(new Error('SERVFAIL'))
    const about = (broken: Partial<DnsResolver>) =>
      roomOn({ ...bound(able), ...broken }).verify(project(), { email: 'ada@acme.org' })
    expect(await about({ ns: fails })).toMatchObject({ ...GOOD, reasons: FINE })
    const throws = () => {
      throw new Error('no resolver')
    }
    expect(await about({ ns: throws })).toMatchObject({ ...GOOD, reasons: FINE })
    expect(await about({ mx: fails })).toMatchObject({
      ...GOOD,
      hasMxRecords: false,
      reasons: [expect.stringMatching(/takes mail could not/)],
    })
    expect(await about({ ipv4: fails })).toMatchObject({
      ...GOOD,
      hasWebsite: false,
      reasons: [expect.stringMatching(/website could not/)],
    })
    expect(await about({ ns: fails, mx: async () => [] })).toMatchObject({
      valid: false,
      domainExists: true,
      hasMxRecords: false,
    })
    // no name servers of its own and no more to be had: that is not "does not exist"
    const unsure = await about({ ns: async () => [], mx: fails, ipv4: fails, ipv6: async () => [] })
    expect(unsure).toMatchObject({ valid: true, domainExists: false })
  })

  it('within its time, whatever the name servers do', async () => {
    const never: DnsResolver = { ...bound((await room()).dns), mx: () => new Promise(() => {}) }
    const start = performance.now()
    const found = await roomOn(never).verify(project(), { email: 'ada@acme.org' })
    expect(performance.now() - start).toBeLessThan(7000)
    expect(found).toMatchObject({ valid: true, domainExists: true, hasWebsite: true, hasMxRecords: false })
  })

  it('for each project, however long another waits', async () => {
    const { dns } = await room()
    let under = 0
    let most = 0
    const slow: DnsResolver = {
      ...bound(dns),
      mx: (name) => {
        if (name !== 'no-mx.org') return dns.mx(name)
        most = Math.max(most, ++under)
        return new Promise(() => {})
      },
    }
    const verification = roomOn(slow)
    const stuck = Array.from({ length: 30 }, () => verification.verify(project('slow'), { email: 'ada@no-mx.org' }))
    expect(await verification.verify(project('quick'), { email: 'ada@acme.org' })).toMatchObject(GOOD)
    for (const found of await Promise.all(stuck)) expect(found).toMatchObject({ valid: true, hasMxRecords: false })
    expect(most).toBe(20)
  })
})

describe('what is no address is refused in words', () => {
  const long = (length: number) => `${`${'a'.repeat(60)}.`.repeat(4)}${'a'.repeat(length - 248)}.org`
  it.each([
    ['', 'must have an @'],
    ['ada', 'must have an @'],
    ['@acme.org', 'nothing before the @'],
    ['ada@', 'no domain'],
    ['ada@acme', 'without an ending'],
    ['ada@localhost.', 'dot'],
    ['ada@acme.org.', 'dot'],
    ['ada@.acme.org', 'dot'],
    ['ada@acme..org', 'dot'],
    ['ada@[127.0.0.1]', 'IP address'],
    ['ada@[IPv6:::1]', 'IP address'],
    ['ada@127.0.0.1', 'cannot exist'],
    ['"ada b"@acme.org', 'quotes'],
    ['"a@b"@acme.org', 'quotes'],
    ['a@b@acme.org', 'more than one @'],
    ['адa@acme.org', 'SMTPUTF8'],
    ['ada..b@acme.org', 'dot before the @'],
    ['.ada@acme.org', 'dot before the @'],
    ['ada b@acme.org', 'cannot stand there'],
    ['ada <ada@acme.org>', 'cannot stand there'],
    ['ada@acme.org, bob@acme.org', 'more than one @'],
    ['ada@ac_me.org', 'underscore'],
    ['ada@-acme.org', 'hyphen'],
    ['ada@acme-.org', 'hyphen'],
    ['ada@ac me.org', 'cannot exist'],
    ['ada@acme.org\0', 'control characters'],
    ['ada\r\nBcc: x@acme.org', 'control characters'],
    [`${'a'.repeat(65)}@acme.org`, '64 characters'],
    [`ada@${'a'.repeat(64)}.org`, '63 characters'],
    [`ada@${'ü'.repeat(60)}.org`, '63 characters'],
    [`ada@${long(254)}`, '253 characters'],
    [`ada@${long(251)}`, '254 characters'],
    [`ada@${'a'.repeat(10_000_000)}.org`, 'too long'],
    ['@'.repeat(900), 'more than one @'],
  ])('%#', async (email, problem) => {
    const { verify, server } = await room()
    await expect(verify(email)).rejects.toMatchObject({
      code: 'BAD_REQUEST',
      message: expect.stringContaining(problem),
    })
    expect(server.questions).toEqual([])
  })

  it('but the longest one that can exist is looked up', async () => {
    const { verify } = await room()
    const email = `ada@${long(250)}`
    expect(await verify(email)).toMatchObject({ email, ...MISSING })
  })
})

const log: Log = { debug() {}, info() {}, warn() {}, error() {}, with: () => log }

async function room() {
  const server = await startDnsServer(ZONE)
  servers.push(server)
  const options = { servers: [server.address], timeoutMs: 300, tries: 1, cacheEntries: 0 }
  const { dns, close } = await nodeDns(options).open({ log, clock: { now: () => new Date() } })
  if (close) closing.push(close)
  const verification = roomOn(dns)
  return { dns, server, verify: (email: string) => verification.verify(project(), { email }) }
}

function roomOn(dns: DnsResolver): Verification {
  return new Verification(dns)
}

/** The methods as values, to put others in the place of some. */
function bound(dns: DnsResolver): DnsResolver {
  return {
    mx: (name) => dns.mx(name),
    txt: (name) => dns.txt(name),
    ns: (name) => dns.ns(name),
    cname: (name) => dns.cname(name),
    ipv4: (name) => dns.ipv4(name),
    ptr: (name) => dns.ptr(name),
    ipv6: (name) => dns.ipv6(name),
  }
}

function project(id = 'one'): Project {
  return { id, name: id, disabled: false, trustedDomains: [] as readonly string[] } as Project
}

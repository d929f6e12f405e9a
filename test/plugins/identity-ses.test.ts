import { afterEach, describe, expect, it } from 'vitest'
import { freshDns } from '../../core/domains/fresh-dns.ts'
import { silentLog } from '../../core/ports/log.ts'
import { nodeDns } from '../../plugins/dns-node/index.ts'
import { sesIdentity } from '../../plugins/identity-ses/index.ts'
import { senderIdentityContract } from '../contracts/sender-identity.ts'
import { startDnsServer } from '../support/dns-server.ts'
import { SES_KEY, SES_REGION, startFakeSes } from '../support/fake-ses.ts'
import { sesIdentities, tokensOf } from '../support/fake-ses-identities.ts'

const kit = { log: silentLog, clock: { now: () => new Date() } }
const DOMAIN = 'acme.example'

async function setup() {
  const zone = await startDnsServer()
  const aliases = new Map<string, string>()
  const amazon = sesIdentities((name, host) => aliases.get(name) === host)
  const fake = await startFakeSes(amazon.route)
  const dns = await nodeDns({ servers: [zone.address], timeoutMs: 100, tries: 1 }).open(kit)
  const given = { region: SES_REGION, endpoint: fake.endpoint, credentials: SES_KEY }
  const { identity, close } = await sesIdentity(given).open(kit)
  const set: typeof zone.set = (name, type, records) => {
    if (type === 'CNAME') aliases.set(name, String(records[0]))
    zone.set(name, type, records)
  }
  return {
    ...{ identity, dns: freshDns(dns.dns, 'example'), zone: { ...zone, set }, amazon, fake, aliases },
    close: () => Promise.all([close?.(), dns.close?.(), fake.close(), zone.close()]).then(() => {}),
  }
}

describe('the identity by Amazon SES', () => {
  senderIdentityContract(setup)

  let subject: Awaited<ReturnType<typeof setup>> | undefined
  afterEach(async () => {
    await subject?.close()
    subject = undefined
  })
  /** A domain whose records are in the DNS. */
  const published = async () => {
    subject = await setup()
    const { identity, zone, dns } = subject
    const proof = await identity.make(DOMAIN, [])
    const records = identity.records(DOMAIN, proof)
    for (const { type, name, value } of records) zone.set(name, type, [value] as never)
    const findings = async () => identity.check(DOMAIN, proof, dns)
    return { ...subject, proof, records, findings }
  }

  it('asks for Amazon’s three CNAME records, and a TXT record of its own', async () => {
    const { records, proof } = await published()
    expect(records).toEqual([
      ...tokensOf(DOMAIN).map((token) => ({
        ...{ type: 'CNAME', name: `${token}._domainkey.${DOMAIN}` },
        value: `${token}.dkim.eu-central-1.amazonses.com`,
      })),
      {
        type: 'TXT',
        name: `_mailwright.${DOMAIN}`,
        value: expect.stringMatching(/^mailwright=[0-9a-f]{32}$/),
        purpose: 'ownership',
      },
    ])
    // Amazon signs
    expect(proof).not.toHaveProperty('privateKey')
  })

  it('is not proven by what the owner published for somebody else who has the same account', async () => {
    const { identity, dns } = await published()
    // another project adds the domain that is verified at Amazon and in the DNS already
    const stranger = await identity.make(DOMAIN, [])
    const states = (await identity.check(DOMAIN, stranger, dns)).map(({ state }) => state)
    expect(states).toEqual(['found', 'found', 'found', 'wrong'])
  })

  it.each([
    [{ Status: 'PENDING', Tokens: [...tokensOf('other.example')] }, 'wrong', /wants other records/],
    [{ Status: 'SUCCESS', SigningEnabled: false }, 'wrong', /switched off/],
    [undefined, 'wrong', /was removed at Amazon/],
    [{ Status: 'FAILED' }, 'missing', /was asked again/],
  ] as const)('says what Amazon says when the records are there: %j', async (known, state, advice) => {
    const { amazon, findings } = await published()
    if (known) amazon.domains.set(DOMAIN, known)
    else amazon.domains.delete(DOMAIN)
    for (const finding of (await findings()).slice(0, 3)) {
      expect(finding).toMatchObject({ state, advice: expect.stringMatching(advice) })
    }
    // a user who publishes after Amazon's three days must not be stuck
    if (known?.Status !== 'FAILED') return
    expect(amazon.askedAgain).toEqual([DOMAIN])
    expect((await findings()).map((each) => each.state)).toEqual(['found', 'found', 'found', 'found'])
  })

  it('waits for Amazon, and says "cannot tell" while it does not answer', async () => {
    const { aliases, fake, findings } = await published()
    aliases.clear()
    expect((await findings()).map(({ state }) => state)).toEqual(['missing', 'missing', 'missing', 'found'])
    await fake.close()
    expect((await findings()).map(({ state }) => state)).toEqual(['unknown', 'unknown', 'unknown', 'found'])
  })

  it('asks Amazon once of a domain it has seen, and again when its records were away', async () => {
    const { fake, zone, records, findings } = await published()
    const asked = () => fake.requests.filter((request) => request.startsWith('GET')).length
    for (const _check of [1, 2, 3]) await findings()
    expect(asked()).toBe(1)
    const [first] = records
    zone.set(first!.name, 'CNAME', [])
    expect((await findings())[0]).toMatchObject({ state: 'missing' })
    zone.set(first!.name, 'CNAME', [first!.value])
    await findings()
    expect(asked()).toBe(2)
  })

  it('knows what DNS providers make of a CNAME: addresses of a proxy, a name that is completed twice, another host', async () => {
    const { zone, records, findings } = await published()
    const [first, second, third, text] = records
    zone.set(first!.name, 'CNAME', [])
    zone.set(first!.name, 'A', ['192.0.2.1'])
    zone.set(second!.name, 'CNAME', [])
    zone.set(`${second!.name}.${DOMAIN}`, 'CNAME', [second!.value])
    zone.set(third!.name, 'CNAME', ['elsewhere.example'])
    zone.set(text!.name, 'TXT', [])
    zone.set(`${text!.name}.${DOMAIN}`, 'TXT', [text!.value])
    expect(await findings()).toMatchObject([
      { state: 'wrong', advice: expect.stringContaining('DNS only') },
      { state: 'wrong', advice: expect.stringContaining(`enter only ${second!.name.replace(`.${DOMAIN}`, '')} as`) },
      { state: 'wrong', advice: expect.stringContaining('leads to elsewhere.example') },
      { state: 'wrong', advice: expect.stringContaining('enter only _mailwright as') },
    ])
  })

  it('refuses a domain that Amazon refuses, that has a key of the operator’s there, or when Amazon is away', async () => {
    subject = await setup()
    const { identity, amazon, fake } = subject
    await expect(identity.make('a_b.example', [])).rejects.toMatchObject({
      ...{ code: 'VALIDATION_ERROR', fields: [{ field: 'domain', message: expect.stringContaining('Amazon SES') }] },
    })
    amazon.domains.set('own.example', { Status: 'SUCCESS', SigningAttributesOrigin: 'EXTERNAL', Tokens: ['sel'] })
    await expect(identity.make('own.example', [])).rejects.toMatchObject({ code: 'CONFLICT' })
    fake.always('POST /v2/email/identities', {
      status: 403,
      name: 'AccessDeniedException',
      message: 'arn:aws:iam::1:x',
    })
    const denied = await identity.make(DOMAIN, []).catch((error: Error) => error)
    expect(denied).toMatchObject({
      ...{ code: 'SERVICE_UNAVAILABLE', isTold: true, suggestion: expect.stringContaining('keys at Amazon') },
      message: `Amazon SES could not be asked about ${DOMAIN}: this server`,
    })
    await fake.close()
    await expect(identity.make(DOMAIN, [])).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
  })

  it('has words for a domain that was added with another plugin', async () => {
    subject = await setup()
    const { identity, dns } = subject
    const foreign = { selector: 'mw202603-abcdef', publicData: 'MIIBIjANBgkqhkiG9w0BAQ' }
    expect(identity.records(DOMAIN, foreign)).toHaveLength(1)
    expect(await identity.check(DOMAIN, foreign, dns)).toMatchObject([
      { state: 'wrong', advice: expect.stringContaining('remove it and add it again') },
    ])
  })
})

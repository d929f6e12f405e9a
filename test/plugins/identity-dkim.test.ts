import { createPrivateKey, createPublicKey } from 'node:crypto'
import { afterEach, describe, expect, it } from 'vitest'
import { freshDns } from '../../core/domains/fresh-dns.ts'
import { silentLog } from '../../core/ports/log.ts'
import { nodeDns } from '../../plugins/dns-node/index.ts'
import { dkimIdentity } from '../../plugins/identity-dkim/index.ts'
import { senderIdentityContract } from '../contracts/sender-identity.ts'
import { startDnsServer } from '../support/dns-server.ts'

const kit = { log: silentLog, clock: { now: () => new Date('2026-03-05T10:00:00Z') } }

async function setup() {
  const zone = await startDnsServer()
  const { dns, close } = await nodeDns({ servers: [zone.address], timeoutMs: 100, tries: 1 }).open(kit)
  const { identity } = await dkimIdentity().open(kit)
  // the records of the test change by the moment
  return {
    identity,
    dns: freshDns(dns, 'example'),
    zone,
    close: () => Promise.all([close?.(), zone.close()]).then(() => {}),
  }
}

describe('the identity by DKIM', () => {
  senderIdentityContract(setup)

  let subject: Awaited<ReturnType<typeof setup>> | undefined
  afterEach(async () => {
    await subject?.close()
    subject = undefined
  })
  const proven = async () => {
    subject = await setup()
    const proof = await subject.identity.make('acme.example', [])
    const [record] = subject.identity.records('acme.example', proof)
    const judge = async () => (await subject!.identity.check('acme.example', proof, subject!.dns))[0]
    return { ...subject, proof, record: record!, judge }
  }

  it('makes RSA keys of 2048 bits and publishes their public half, named by the month', async () => {
    const { proof, record } = await proven()
    const key = createPrivateKey(proof.privateKey!)
    expect(key.asymmetricKeyDetails?.modulusLength).toBe(2048)
    const spki = createPublicKey(key).export({ type: 'spki', format: 'der' }).toString('base64')
    expect(record).toEqual({
      type: 'TXT',
      name: `${proof.selector}._domainkey.acme.example`,
      value: `v=DKIM1; k=rsa; p=${spki}`,
    })
    expect(proof.selector).toMatch(/^mw202603-[0-9a-f]{6}$/)
  })

  // what people really publish, and the words that help them
  it.each<[string, (value: string) => readonly (string | readonly string[])[], 'found' | 'wrong', RegExp]>([
    ['with blanks in the key', (value) => [value.replace(/(.{80})/g, '$1 ')], 'found', /in place/],
    ['without a version and with a test flag', (value) => [`t=y; ${value.slice(10)}`], 'found', /t=y/],
    ['cut off', (value) => [value.slice(0, 255)], 'wrong', /ends after 23\d of 392 characters.*two strings/],
    ['in two records', (value) => [value.slice(0, 255), value.slice(255)], 'wrong', /split over 2 TXT records/],
    ['beside another', (value) => [value, 'v=DKIM1; p=AAAA'], 'wrong', /There are 2 TXT records/],
    ['with quotation marks in it', (value) => [`"${value}"`], 'wrong', /quotation marks/],
    ['revoked', () => ['v=DKIM1; p='], 'wrong', /empty p=/],
    [
      'of another key',
      () => ['v=DKIM1; k=rsa; p=AAAABBBBCCCC'],
      'wrong',
      /another key \(from character 1 on it has AAAABBBB, ours MII/,
    ],
    [
      'of another key that begins and ends as ours',
      (value) => [`${value.slice(0, 200)}${value[200] === 'A' ? 'B' : 'A'}${value.slice(201)}`],
      'wrong',
      /on it has ([\w+/]{8}), ours (?!\1)[\w+/]{8}\)/,
    ],
    ['with more behind the key', (value) => [`${value}AAAA`], 'wrong', /on it has AAAA, ours no more/],
    ['that is no key', () => ['hello'], 'wrong', /"hello", which is no DKIM key/],
    ['of another kind', (value) => [value.replace('k=rsa', 'k=ed25519')], 'wrong', /k=rsa/],
    ['for other hashes', (value) => [`${value}; h=sha1`], 'wrong', /h=/],
    ['for another service', (value) => [`${value}; s=tlsrpt`], 'wrong', /s=/],
  ])('judges a record %s', async (_, texts, state, advice) => {
    const { zone, record, judge } = await proven()
    zone.set(record.name, 'TXT', texts(record.value))
    expect(await judge()).toMatchObject({ state, advice: expect.stringMatching(advice) })
  })

  it('sees a CNAME in the way, one that leads to the key, and a name that was completed twice', async () => {
    const { zone, record, judge } = await proven()
    zone.set(record.name, 'CNAME', ['gone.elsewhere.example'])
    expect(await judge()).toMatchObject({ state: 'wrong', advice: expect.stringContaining('CNAME to gone.elsewhere') })
    zone.set('gone.elsewhere.example', 'TXT', [record.value])
    expect(await judge()).toMatchObject({ state: 'found' })
    zone.set(record.name, 'CNAME', [])
    zone.set(`${record.name}.acme.example`, 'TXT', [record.value])
    const short = record.name.replace('.acme.example', '')
    expect(await judge()).toMatchObject({ state: 'wrong', advice: expect.stringContaining(`enter only ${short} as`) })
  })
})

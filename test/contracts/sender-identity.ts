import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import { afterEach, describe, expect, it } from 'vitest'
import type { DnsResolver } from '../../core/ports/dns-resolver.ts'
import type { DnsRecord, SenderIdentity } from '../../core/ports/sender-identity.ts'
import type { Zone } from './dns-resolver.ts'
import { PATIENT } from './patient.ts'
import { reveals, secretsOf } from './revealed-key.ts'

/** The subject of the identity contract: an identity, and a resolver that asks only a name server of the test. */
export interface SenderIdentitySubject {
  readonly identity: SenderIdentity
  readonly dns: DnsResolver
  /** Empty at first. An identity that asks a provider in place of the DNS lets the provider know what is set here. */
  readonly zone: Zone
  close(): Promise<void>
}

const DOMAIN = 'acme.example'

/** The promises of every proof of sender domains. */
export function senderIdentityContract(setup: () => Promise<SenderIdentitySubject>) {
  let subject: SenderIdentitySubject | undefined
  const fresh = async () => {
    subject = await setup()
    return subject
  }
  const publish = (zone: Zone, { type, name, value }: DnsRecord) => {
    if (type === 'TXT') zone.set(name, 'TXT', [value.match(/.{1,255}/g) ?? []])
    else if (type === 'CNAME') zone.set(name, 'CNAME', [value])
    else zone.set(name, 'MX', [{ priority: Number(value.split(' ')[0]), exchange: value.split(' ')[1] ?? '' }])
  }

  afterEach(async () => {
    await subject?.close()
    subject = undefined
  })

  // a resolver may take ten seconds to give up
  describe('a proof', PATIENT, () => {
    it('has records within its domain, always the same ones', async () => {
      const { identity } = await fresh()
      const { privateKey: _, ...proof } = await identity.make(DOMAIN, [])
      const records = identity.records(DOMAIN, proof)
      expect(records.length).toBeGreaterThan(0)
      for (const { type, name, value } of records) {
        expect(name === DOMAIN || name.endsWith(`.${DOMAIN}`), `${name} is of ${DOMAIN}`).toBe(true)
        expect(value).not.toBe('')
        expect(['TXT', 'CNAME', 'MX']).toContain(type)
      }
      expect(identity.records(DOMAIN, { ...proof })).toEqual(records)
    })

    it('that signs here has a private key, which is that of its record', async () => {
      const { identity } = await fresh()
      const { privateKey, ...proof } = await identity.make(DOMAIN, [])
      // a provider that signs keeps its keys
      if (privateKey === undefined) return
      const own = createPublicKey(createPrivateKey(privateKey)).export({ format: 'jwk' })
      const published = identity.records(DOMAIN, proof).flatMap(({ type, value }) => {
        const key = type === 'TXT' ? keyIn(value) : undefined
        return key === undefined ? [] : [key.export({ format: 'jwk' })]
      })
      expect(published).toContainEqual(own)
    })

    it('is another one each time, under a selector that is not taken', async () => {
      const { identity } = await fresh()
      const first = await identity.make(DOMAIN, [])
      const second = await identity.make(DOMAIN, [first.selector])
      expect(second.selector).not.toBe(first.selector)
      expect(second.publicData).not.toBe(first.publicData)
      expect(identity.records(DOMAIN, second)).not.toEqual(identity.records(DOMAIN, first))
    })

    it('is another one for each who asks, also at the same time, and whatever was removed', async () => {
      const { identity } = await fresh()
      const [one, two] = await Promise.all([identity.make(DOMAIN, []), identity.make(DOMAIN, [])])
      expect(identity.records(DOMAIN, one)).not.toEqual(identity.records(DOMAIN, two))
      const made = [one.selector]
      for (let i = 0; i < 4; i++) {
        // the older ones but the last were removed
        const { selector } = await identity.make(DOMAIN, made.slice(-1))
        expect(made.slice(-1)).not.toContain(selector)
        expect(selector).toMatch(/^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/i)
        made.push(selector)
      }
    })

    it('never has a selector that is taken, also after a restart', async () => {
      const { identity, close } = await fresh()
      const taken: string[] = []
      for (let i = 0; i < 3; i++) taken.push((await identity.make(DOMAIN, taken)).selector)
      await close()
      const { identity: restarted } = await fresh()
      for (let i = 0; i < 3; i++) {
        const { selector } = await restarted.make(DOMAIN, taken)
        expect(taken).not.toContain(selector)
        taken.push(selector)
      }
    })

    it('keeps its private key to itself', async () => {
      const { identity } = await fresh()
      const { privateKey, ...proof } = await identity.make(DOMAIN, [])
      if (privateKey === undefined) return
      const shown = JSON.stringify([proof, identity.records(DOMAIN, proof)])
      expect(secretsOf(privateKey).filter((secret) => reveals(shown, secret))).toEqual([])
    })

    it.each<[string, (value: string) => string]>([
      ['cut at its end', (value) => value.slice(0, -12)],
      ['cut in its middle', (value) => value.slice(0, value.length / 2)],
      ['written in small letters', (value) => value.toLowerCase()],
    ])('is not proven by a record of a key that was %s', async (_how, change) => {
      const { identity, dns, zone } = await fresh()
      const proof = await identity.make(DOMAIN, [])
      const records = identity.records(DOMAIN, proof)
      const keys = records.map(
        ({ type, value }) => type === 'TXT' && keyIn(value) !== undefined && change(value) !== value,
      )
      for (const [i, record] of records.entries())
        publish(zone, keys[i] ? { ...record, value: change(record.value) } : record)
      const findings = await identity.check(DOMAIN, proof, dns)
      for (const [i, { state }] of findings.entries()) expect(state).toBe(keys[i] ? 'wrong' : 'found')
    })

    it('is found once all of its records are published, and not before', async () => {
      const { identity, dns, zone } = await fresh()
      const proof = await identity.make(DOMAIN, [])
      const records = identity.records(DOMAIN, proof)
      for (const record of records) {
        const found = await identity.check(DOMAIN, proof, dns)
        expect(found.map(({ advice }) => advice.length > 10)).toEqual(records.map(() => true))
        expect(found.every(({ state }) => state === 'found')).toBe(false)
        expect(found.some(({ state }) => state === 'missing')).toBe(true)
        publish(zone, record)
      }
      expect((await identity.check(DOMAIN, proof, dns)).map(({ state }) => state)).toEqual(records.map(() => 'found'))
    })

    it('is not proven by the records of another', async () => {
      const { identity, dns, zone } = await fresh()
      const proof = await identity.make(DOMAIN, [])
      const other = identity.records(DOMAIN, await identity.make(DOMAIN, [proof.selector]))
      for (const [i, { type, name }] of identity.records(DOMAIN, proof).entries()) {
        publish(zone, { type, name, value: other[i]?.value ?? '' })
      }
      const findings = await identity.check(DOMAIN, proof, dns)
      // a provider's own records may be the same for every project that asks for the domain; one at least is not
      const same = identity.records(DOMAIN, proof).map(({ value }, i) => value === other[i]?.value)
      expect(same).toContain(false)
      for (const [i, { state }] of findings.entries()) expect(state).toBe(same[i] ? 'found' : 'wrong')
    })

    it.each(['SERVFAIL', 'REFUSED', 'drop'] as const)('is unknown when the DNS answers %s', async (how) => {
      const { identity, dns, zone } = await fresh()
      const proof = await identity.make(DOMAIN, [])
      for (const { name } of identity.records(DOMAIN, proof)) zone.fail(name, how)
      for (const { state } of await identity.check(DOMAIN, proof, dns)) expect(state).toBe('unknown')
    })
  })
}

/** The key in a record of DKIM (RFC 6376, RFC 8463); undefined when it has none. */
function keyIn(record: string): KeyObject | undefined {
  const tag = (name: string) => new RegExp(`(?:^|;)\\s*${name}\\s*=\\s*([^;]*)`).exec(record)?.[1]?.replace(/\s/g, '')
  const bytes = Buffer.from(tag('p') ?? '', 'base64')
  if (bytes.length === 0) return undefined
  if (tag('k') === 'ed25519') {
    return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: bytes.toString('base64url') }, format: 'jwk' })
  }
  return createPublicKey({ key: bytes, format: 'der', type: 'spki' })
}

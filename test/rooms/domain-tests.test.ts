import { describe, expect, it } from 'vitest'
import { type TestFacts, testResult } from '../../core/domains/test-checks.ts'
import type { Arrival, DomainTest } from '../../core/ports/store/domain-tests.ts'
import type { Email } from '../../core/ports/store/emails.ts'
import { isOwnNetwork } from '../../core/values/ip-address.ts'
import { isSameAddress, reverseName } from '../../core/values/reverse-name.ts'
import { email, newId, newProjectId } from '../contracts/store/records.ts'

const START = new Date('2026-05-01T12:00:00Z')
const projectId = newProjectId()
const TEST: DomainTest = {
  ...{ id: newId(), projectId, domainId: newId(), to: 'test+0@mx.operator.example' },
  ...{ isOurs: true, isMarketing: true, createdAt: START },
}
const ARRIVAL: Arrival = {
  ...{ at: START.toISOString(), spf: 'pass', dkim: 'pass', dmarc: 'pass', signedBy: ['acme.example'] },
  ...{ sender: 'b+0@bounces.acme.example', remoteAddress: '198.51.100.7', tls: true },
  ...{ names: ['out.acme.example'], leadsBack: true, size: 3000 },
  ...{ listUnsubscribe: '<https://m.example/u>', listUnsubscribePost: 'List-Unsubscribe=One-Click' },
}

function resultOf(
  { test = {}, arrival, mail = {} }: { test?: Partial<DomainTest>; arrival?: Partial<Arrival>; mail?: Partial<Email> },
  seconds = 10,
) {
  const ground: TestFacts = {
    test: { ...TEST, ...test, ...(arrival ? { arrival: { ...ARRIVAL, ...arrival } } : {}) },
    email: email(projectId, { status: 'DELIVERED', transport: 'relay', ...mail }),
    ...{ records: [], domain: 'acme.example', now: new Date(START.getTime() + seconds * 1000) },
  }
  const { state, checks } = testResult(ground)
  return { state, checks: new Map(checks.map((check) => [check.name, check])) }
}

describe('a test of a domain', () => {
  it('waits for its mail for five minutes, then says that it has not come', () => {
    expect(resultOf({}, 299)).toMatchObject({ state: 'waiting' })
    expect(resultOf({}, 299).checks.has('arrived')).toBe(false)
    const { state, checks } = resultOf({}, 300)
    expect(state).toBe('done')
    expect(checks.get('sent')).toMatchObject({ ok: true, advice: '' })
    expect(checks.get('arrived')).toMatchObject({ ok: false, advice: expect.stringContaining('mx.operator.example') })
    expect(checks.has('spf')).toBe(false)
  })

  it('waits while its mail is tried again, and says why', () => {
    const mail = { status: 'QUEUED', error: '421 4.7.28 unusual rate' } as const
    const { state, checks } = resultOf({ mail })
    expect(state).toBe('waiting')
    expect(checks.get('sent')).toEqual({
      ...{ name: 'sent', ok: null, seen: '421 4.7.28 unusual rate', seenCodes: [] },
      ...{
        advice: expect.stringContaining('Postmaster Tools'),
        adviceCodes: [{ code: 'refusal_rate_of_unwanted', params: {} }],
      },
    })
    expect(resultOf({ mail }, 300)).toMatchObject({ state: 'done' })
    expect(resultOf({ mail }, 300).checks.get('sent')).toMatchObject({ ok: false })
    expect(resultOf({ mail: { status: 'SENDING' } }).checks.get('sent')).toMatchObject({ ok: null })
  })

  it.each(['FAILED', 'BOUNCED', 'SKIPPED'] as const)('is done at once when its mail ended as %s', (status) => {
    const { state, checks } = resultOf({ mail: { status, error: '550 5.7.1 no' } })
    expect(state).toBe('done')
    expect(checks.get('sent')).toMatchObject({ ok: false, seen: '550 5.7.1 no' })
    expect(checks.get('arrived')).toMatchObject({ ok: false, advice: expect.stringContaining('line above') })
  })

  it('elsewhere is done with the transport’s answer', () => {
    expect(resultOf({ test: { isOurs: false } })).toMatchObject({ state: 'done' })
    expect(resultOf({ test: { isOurs: false }, mail: { status: 'QUEUED' } })).toMatchObject({ state: 'waiting' })
    const skipped = { status: 'SKIPPED', skipReason: 'suppressed:MANUAL' } as const
    const { checks } = resultOf({ test: { isOurs: false }, mail: skipped })
    expect(checks.get('sent')!.advice).toContain('suppression list')
  })

  it('is all right when everything is', () => {
    const { checks } = resultOf({ arrival: {} })
    for (const check of checks.values()) expect(check).toMatchObject({ ok: true, advice: '' })
    expect(checks.size).toBe(9)
  })

  const BAD: readonly (readonly [string, Partial<Arrival>, boolean | null, RegExp])[] = [
    ['spf', { spf: 'fail' }, false, /198\.51\.100\.7/],
    ['spf', { spf: 'fail', remoteAddress: '10.0.0.9' }, null, /your own network/],
    ['spf', { spf: 'temperror' }, null, /SPF/],
    ['spf', { sender: 'b@relay.example' }, false, /another organisation/],
    ['dkim', { dkim: 'none', signedBy: [] }, false, /not signed/],
    ['dkim', { dkim: 'fail', signedBy: [] }, false, /is not valid/],
    ['dkim', { dkim: 'temperror', signedBy: [] }, null, /is not valid/],
    ['dkim', { signedBy: ['relay.example'] }, false, /None of the signatures/],
    ['dmarc', { dmarc: 'none' }, false, /p=none/],
    ['dmarc', { dmarc: 'fail' }, false, /two lines above/],
    ['tls', { tls: false }, false, /STARTTLS/],
    ['reverse dns', { names: [], leadsBack: false }, false, /PTR/],
    ['reverse dns', { leadsBack: false }, false, /does not resolve back/],
    ['reverse dns', { names: [], leadsBack: false, remoteAddress: '10.0.0.9' }, null, /your own network/],
    ['unsubscribe', { listUnsubscribe: '', listUnsubscribePost: '' }, false, /publicUrl/],
    ['unsubscribe', { listUnsubscribe: '<http://m.example/u>' }, false, /https/],
    ['unsubscribe', { listUnsubscribePost: '' }, false, /One click/],
    ['size', { size: 102_400 }, false, /102 KB/],
  ]
  it.each(BAD)('%s of %j is %j', (name, arrival, ok, advice) => {
    expect(resultOf({ arrival }).checks.get(name)).toMatchObject({ ok, advice: expect.stringMatching(advice) })
  })

  it('cannot tell the names of an address when the DNS says nothing', () => {
    const { names, leadsBack, ...rest } = ARRIVAL
    const { checks } = testResult({
      ...{ test: { ...TEST, arrival: rest }, email: email(projectId, { status: 'DELIVERED' }), records: [] },
      ...{ domain: 'acme.example', now: START },
    })
      .checks.filter((check) => check.name === 'reverse dns')
      .reduce((found, check) => ({ checks: [...found.checks, check.ok] }), { checks: [] as (boolean | null)[] })
    expect(checks).toEqual([null])
  })

  it('sent as other mail is has no way to unsubscribe', () => {
    const { checks } = resultOf({ test: { isMarketing: false }, arrival: {} })
    expect(checks.get('unsubscribe')).toMatchObject({ ok: false, advice: expect.stringContaining('publicUrl') })
  })
})

describe('an address', () => {
  it('has a name in the reverse tree, however it is written', () => {
    expect(reverseName('192.0.2.1')).toBe('1.2.0.192.in-addr.arpa')
    expect(reverseName('::ffff:192.0.2.1')).toBe('1.2.0.192.in-addr.arpa')
    const name = `1.0.0.0.${'0.'.repeat(20)}8.b.d.0.1.0.0.2.ip6.arpa`
    expect(reverseName('2001:db8::1')).toBe(name)
    expect(reverseName('2001:DB8:0:0:0:0:0:1')).toBe(name)
    for (const none of ['', 'mx.example', '1.2.3', '1.2.3.4.5', '256.1.1.1', '1::2::3', '12345::', ':']) {
      expect(reverseName(none), none).toBeUndefined()
    }
    expect(isSameAddress('2001:db8::1', '2001:db8:0::1')).toBe(true)
    expect([isSameAddress('192.0.2.1', '192.0.2.2'), isSameAddress('', '')]).toEqual([false, false])
  })

  it('of a network of one’s own is known', () => {
    const own = [
      '127.0.0.1',
      '::1',
      '10.1.2.3',
      '172.31.0.1',
      '192.168.0.1',
      '100.64.0.1',
      'fd00::1',
      'fe80::1',
      '::ffff:10.0.0.1',
    ]
    expect(own.filter((address) => !isOwnNetwork(address))).toEqual([])
    expect(['198.51.100.7', '172.32.0.1', '100.128.0.1', '2001:db8::1', ''].filter(isOwnNetwork)).toEqual([])
  })
})

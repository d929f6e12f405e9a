import { createHash, createSign, generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { authenticateInDetail, authenticateMessage } from '../../core/inbound/authenticate.ts'
import type { DnsResolver } from '../../core/ports/dns-resolver.ts'

/** Checks a message with this header, and notes the questions to the DNS. */
async function check(header: string) {
  const asked: string[] = []
  const nothing = async () => []
  const dns: DnsResolver = {
    ...{ ns: nothing, mx: nothing, ipv4: nothing, ipv6: nothing, cname: nothing, ptr: nothing },
    txt: async (name) => {
      asked.push(name)
      return []
    },
  }
  const raw = Buffer.from(`${header}\r\n\r\nHello\r\n`)
  const message = { raw, sender: 'a@b.example', remoteAddress: '192.0.2.1', helo: 'b.example' }
  return { asked, authentication: await authenticateMessage(message, dns) }
}

/** The hash of the body: a signature without it asks for no key. */
const BODY = createHash('sha256').update('Hello\r\n').digest('base64')
const signature = (i: number) =>
  `DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=b.example; s=s${i};\r\n h=from; bh=${BODY}; b=AAAA\r\n`
const keysOf = (asked: readonly string[]) => asked.filter((name) => name.includes('_domainkey'))

it('of very many signatures the first ten are looked at', async () => {
  const signatures = Array.from({ length: 500 }, (_, i) => signature(i)).join('')
  const { asked, authentication } = await check(`${signatures}From: a@b.example`)
  expect(keysOf(asked)).toEqual(Array.from({ length: 10 }, (_, i) => `s${i}._domainkey.b.example`))
  expect(authentication.dkim).not.toBe('none')
})

it.each([
  ['2,000 lines', 'To: a@b.example', ',\r\n c@d.example', 2_000],
  ['256 KB', 'To: a@b.example', `,\r\n ${'c'.repeat(900)}@d.example`, 300],
])('a header of more than %s is not looked at', async (_limit, first, line, times) => {
  const few = await check(`${signature(1)}From: a@b.example\r\n${first}${line.repeat(50)}`)
  expect(keysOf(few.asked)).toHaveLength(1)
  const many = await check(`${signature(1)}From: a@b.example\r\n${first}${line.repeat(times)}`)
  expect(many).toEqual({ asked: [], authentication: { spf: 'permerror', dkim: 'permerror', dmarc: 'permerror' } })
})

describe('signatures that must not count', () => {
  const key = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'der' },
  })
  const AUTHOR = 'From: a@b.example'
  /** The message with a signature of these tags, signed by hand; `changed` is what becomes of it on its way. */
  async function judge(tags: Record<string, string> = {}, head = AUTHOR, changed = (raw: string) => raw) {
    const hash = tags.a === 'rsa-sha1' ? 'sha1' : 'sha256'
    const body = 'Hello\r\n'
    const all = {
      ...{ v: '1', a: 'rsa-sha256', c: 'simple/simple', d: 'b.example', s: 'k', h: 'From' },
      ...{ ...tags, bh: createHash(hash).update(body).digest('base64'), b: '' },
    }
    const field = `DKIM-Signature: ${Object.entries(all)
      .map(([name, value]) => `${name}=${value}`)
      .join('; ')}`
    const signed = `${head.split('\r\n').at(-1)}\r\n${field}`
    const b = createSign(hash).update(signed).sign(key.privateKey, 'base64')
    const records = new Map([
      ['k._domainkey.b.example', [`v=DKIM1; k=rsa; p=${key.publicKey.toString('base64')}`]],
      ['_dmarc.b.example', ['v=DMARC1; p=reject']],
    ])
    const nothing = async () => []
    const dns: DnsResolver = {
      ...{ ns: nothing, mx: nothing, ipv4: nothing, ipv6: nothing, cname: nothing, ptr: nothing },
      txt: async (name) => records.get(name) ?? [],
    }
    const raw = Buffer.from(changed(`${field}${b}\r\n${head}\r\n\r\n${body}`))
    const message = { raw, sender: 'a@other.example', remoteAddress: '192.0.2.1', helo: 'mx.other.example' }
    const { dkim, dmarc, signedBy } = await authenticateInDetail(message, dns)
    return [dkim, dmarc, ...signedBy]
  }
  const more = (raw: string) => `${raw}Buy now\r\n`

  it.each<[string, Parameters<typeof judge>, readonly string[]]>([
    ['nothing wrong', [], ['pass', 'pass', 'b.example']],
    ['rsa-sha1 (RFC 8301)', [{ a: 'rsa-sha1' }], ['policy', 'fail']],
    ['an identity outside the domain', [{ i: 'a@evil.example' }], ['permerror', 'fail']],
    ['an identity below the domain', [{ i: 'a@in.b.example' }], ['pass', 'pass', 'b.example']],
    ['a length that covers all', [{ l: '7' }], ['pass', 'pass', 'b.example']],
    ['text beyond its length', [{ l: '7' }, AUTHOR, more], ['policy', 'fail']],
    ['a changed body', [{}, AUTHOR, more], ['fail', 'fail']],
    ['a changed author', [{}, AUTHOR, (raw) => raw.replace('a@b', 'c@b')], ['fail', 'fail']],
    ['an end that has come', [{ t: '1000000000', x: '1000000001' }], ['permerror', 'fail']],
    ['no key', [{ s: 'none' }], ['permerror', 'fail']],
    ['an unknown algorithm', [{ a: 'rsa-md5' }], ['neutral', 'fail']],
    ['two authors in one field', [{}, 'From: a@b.example, c@d.example'], ['pass', 'permerror', 'b.example']],
    ['two fields with authors', [{}, 'From: c@b.example\r\nFrom: a@b.example'], ['pass', 'permerror', 'b.example']],
  ])('%s', async (_what, given, expected) => {
    expect(await judge(...given)).toEqual(expected)
  })
})

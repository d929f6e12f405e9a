import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { authenticateMessage } from '../../core/inbound/authenticate.ts'
import type { DnsResolver } from '../../core/ports/dns-resolver.ts'

/** What is asked of the DNS while a message with this header is checked, and what comes of it. */
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

import { createPrivateKey } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { DomainKeys } from '../../core/mail/dkim/domain-keys.ts'
import { Composing, type MailParts } from '../../core/mail/mime/composing.ts'
import { anyText } from '../support/any-text.ts'
import { dkimKey, signingWith, type TestKey, verdicts, verify } from '../support/dkim.ts'
import { kitOf } from '../support/kit.ts'

const NOW = new Date('2026-03-01T09:08:07.900Z')
const RSA = dkimKey('acme.example', 'rsa')
const ED25519 = dkimKey('acme.example', 'ed', 'ed25519')
const composing = new Composing()
const simple: MailParts = {
  from: { email: 'news@acme.example', name: 'Acme' },
  to: [{ email: 'ada@example.com' }],
  cc: [],
  subject: 'Hello',
  date: NOW,
  messageId: '<0190aaaa-0000-7000-8000-000000000001@acme.example>',
  text: 'Hello Ada',
  html: '<p>Hello Ada</p>',
  headers: [['Feedback-ID', 'a:b:c:mailwright']],
  attachments: [],
}

function signing(...dkim: readonly TestKey[]): DomainKeys {
  const kit = kitOf(() => NOW, { dkim })
  return signingWith(kit)
}

async function signed(change: Partial<MailParts>, ...keys: readonly TestKey[]): Promise<string> {
  const parts = { ...simple, ...change }
  const bytes = await signing(...keys).sign(composing.compose(parts), parts.from.email)
  return Buffer.from(bytes).toString('latin1')
}

/** The tags of the first signature. */
function tagsOf(message: string): ReadonlyMap<string, string> {
  const [field = ''] = message.slice('DKIM-Signature:'.length).split(/\r\n(?![ \t])/)
  const tags = field.split(';').map((tag) => tag.replace(/\s+/g, ''))
  return new Map(tags.map((tag) => [tag.slice(0, tag.indexOf('=')), tag.slice(tag.indexOf('=') + 1)]))
}

function attachment(filename: string, content: Uint8Array) {
  return { filename, contentType: 'application/octet-stream', disposition: 'attachment' as const, content }
}

const MAILS: readonly (readonly [string, Partial<MailParts>])[] = [
  ['is plain', {}],
  ['has no HTML', { text: 'one\ntwo\n' }],
  ['has empty bodies', { text: '', html: '' }],
  ['ends in empty lines', { text: 'a\n\n\n\n', html: '<p>a</p>\n\n \n\t\n' }],
  ['has tabs and runs of blanks', { text: 'a \t b  c\t\n\t d ', html: '<td>\t\ta    b</td>   \n    <td> \t </td>\n' }],
  ['has lines of dots', { text: '.\n..\n.a', html: '.\n<p>\n.\n</p>' }],
  ['has a long subject in encoded-words', { subject: 'Grüße aus München, schöne Grüße '.repeat(8) }],
  ['has a folded plain subject', { subject: 'plain  words with   blanks '.repeat(20).trim() }],
  ['has an empty subject', { subject: '' }],
  [
    'has copies and a reply address',
    { cc: [{ email: 'c@d.example', name: 'Çelik' }], replyTo: [{ email: 'r@acme.example' }] },
  ],
  [
    'has many recipients',
    { to: Array.from({ length: 60 }, (_, i) => ({ email: `r${i}@example.com`, name: `R ${i}` })) },
  ],
  ['names no recipient', { to: [] }],
  [
    'repeats fields',
    {
      headers: [
        ['X-A', '1'],
        ['X-A', '2'],
        ['References', '<1@a.example>'],
        ['References', '<2@a.example>'],
        ['List-Id', 'one <1.acme.example>'],
        ['List-Id', 'two <2.acme.example>'],
      ],
    },
  ],
  [
    'can be unsubscribed from with one click',
    {
      headers: [
        ['List-Unsubscribe', `<https://mail.acme.example/unsubscribe/${'x'.repeat(120)}>`],
        ['List-Unsubscribe-Post', 'List-Unsubscribe=One-Click'],
        ['List-Id', 'News <news.acme.example>'],
        ['Precedence', 'bulk'],
      ],
    },
  ],
  [
    'has attachments',
    { attachments: [attachment('a.bin', Buffer.alloc(200_000, 'abc')), attachment('ü.bin', Buffer.of())] },
  ],
  ['is large', { html: '<p>\t Zeile mit ä und  Leerzeichen </p>\n'.repeat(20_000) }],
]

describe('a signed mail', () => {
  it.each(MAILS)('verifies when it %s', async (_, change) => {
    expect(await verdicts(await signed(change, RSA), [RSA])).toEqual(['pass'])
    expect(await verdicts(await signed(change, ED25519), [ED25519])).toEqual(['pass'])
  })

  it('verifies whatever is in it', async () => {
    const line = fc.oneof(
      anyText({ maxLength: 120 }).map((text) => text.replace(/[\r\n\0]/g, ' ')),
      fc
        .array(fc.constantFrom(' ', '  ', '\t', 'a', '.', '=', 'é', 'From '), { maxLength: 12 })
        .map((all) => all.join('')),
    )
    const body = fc
      .array(fc.oneof(line, fc.constantFrom('', ' ', '\t', '.')), { maxLength: 12 })
      .map((all) => all.join('\n'))
    const values = fc.tuple(fc.constantFrom('X-Note', 'List-Id', 'References', 'List-Unsubscribe', 'Precedence'), line)
    const headers = fc.array(values, { maxLength: 5 })
    const parts = fc.record({ subject: line, text: body, html: body, headers, name: line })
    const signer = signing(RSA, ED25519)
    await fc.assert(
      fc.asyncProperty(parts, async ({ name, ...change }) => {
        const mail = { ...simple, ...change, from: { email: 'news@acme.example', name } }
        const message = await signer.sign(composing.compose(mail), mail.from.email)
        expect(await verdicts(message, [RSA, ED25519])).toEqual(['pass', 'pass'])
      }),
      { numRuns: 120 },
    )
  })

  it('keeps every line of its signature to 76 columns, with both keys a signature each', async () => {
    const message = await signed({ headers: MAILS.flatMap(([, { headers = [] }]) => headers) }, RSA, ED25519)
    const head = message.slice(0, message.indexOf('From: '))
    expect(head.match(/^DKIM-Signature: v=1; a=\S+;/gm)).toEqual([
      'DKIM-Signature: v=1; a=rsa-sha256;',
      'DKIM-Signature: v=1; a=ed25519-sha256;',
    ])
    expect(Math.max(...head.split('\r\n').map((line) => line.length))).toBeLessThanOrEqual(76)
    expect(await verdicts(message, [RSA, ED25519])).toEqual(['pass', 'pass'])
  })

  it('says when and how it was signed, and covers the whole body', async () => {
    const tags = tagsOf(await signed({}, RSA))
    expect([...tags.keys()]).toEqual(['v', 'a', 'c', 'd', 's', 't', 'h', 'bh', 'b'])
    expect(tags.get('c')).toBe('relaxed/relaxed')
    expect(tags.get('d')).toBe('acme.example')
    expect(tags.get('s')).toBe('rsa')
    expect(tags.get('t')).toBe(`${Math.floor(NOW.getTime() / 1000)}`)
  })

  it('names what matters once more than it occurs, other fields as often as they occur, unknown ones not at all', async () => {
    const headers = [
      ['List-Unsubscribe', '<https://acme.example/u>'],
      ['References', '<1@a.example>'],
      ['References', '<2@a.example>'],
      ['X-Order', '42'],
    ] as const
    const names =
      tagsOf(await signed({ headers }, RSA))
        .get('h')
        ?.split(':') ?? []
    const times = (name: string) => names.filter((other) => other === name).length
    for (const name of [
      'from',
      'to',
      'subject',
      'date',
      'message-id',
      'mime-version',
      'content-type',
      'list-unsubscribe',
    ])
      expect([name, times(name)]).toEqual([name, 2])
    for (const name of ['cc', 'reply-to', 'list-id', 'list-unsubscribe-post', 'feedback-id'])
      expect([name, times(name)]).toEqual([name, 1])
    expect([times('references'), times('x-order')]).toEqual([2, 0])
  })

  it('comes as it was composed below its signature', async () => {
    expect((await signed({}, RSA)).endsWith(`\r\n${composing.compose(simple).toString('latin1')}`)).toBe(true)
  })
})

describe('a signed mail that was changed', () => {
  const html = '<p>one  two</p>\n<p>three</p>'

  it('fails, whichever byte of the body or of a signed field it is', async () => {
    const message = await signed({ html, text: 'one two' }, RSA)
    const start = message.indexOf('From: ')
    const isSigned = (at: number) => !/[\s]/.test(message[at] ?? ' ') && !/[\s:]/.test(message[at + 1] ?? ' ')
    const places = Array.from({ length: message.length - start }, (_, i) => start + i).filter(isSigned)
    const failed: string[] = []
    for (const at of places.filter((_, i) => i % 5 === 0)) {
      const other = message[at] === 'Q' ? 'R' : 'Q'
      const [verdict] = await verdicts(`${message.slice(0, at)}${other}${message.slice(at + 1)}`, [RSA])
      if (verdict === 'pass') failed.push(message.slice(at - 10, at + 10))
    }
    expect(places.length).toBeGreaterThan(500)
    expect(failed).toEqual([])
  })

  it.each([
    'Subject: Another',
    'Reply-To: thief@evil.example',
    'To: b@example.com',
    'List-Unsubscribe: <https://evil.example>',
  ])('fails with one more field %s', async (field) => {
    const message = await signed({ html }, RSA)
    for (const place of ['From: ', 'Content-Type: ']) {
      expect(await verdicts(message.replace(place, `${field}\r\n${place}`), [RSA])).toEqual(['fail'])
    }
  })

  it('fails with text behind its end, and passes with blanks and empty lines changed', async () => {
    const message = await signed({ html }, RSA)
    expect(await verdicts(`${message}more\r\n`, [RSA])).toEqual(['fail'])
    expect(await verdicts(`${message}\r\n \r\n`, [RSA])).toEqual(['pass'])
    expect(await verdicts(message.replace('one  two', 'one two'), [RSA])).toEqual(['pass'])
    expect(await verdicts(message.replace('Subject: Hello', 'Subject:\r\n\t Hello '), [RSA])).toEqual(['pass'])
  })

  it('fails with the key of somebody else', async () => {
    const other = { ...dkimKey('acme.example', 'other'), selector: RSA.selector }
    expect(await verdicts(await signed({}, RSA), [other])).toEqual(['fail'])
  })
})

describe('the key of a mail', () => {
  const [child, other] = [dkimKey('shop.acme.example', 's1', 'ed25519'), dkimKey('other.example', 's2', 'ed25519')]
  const all = [ED25519, child, other]

  it.each([
    ['a@acme.example', 'acme.example'],
    ['a@shop.acme.example', 'shop.acme.example'],
    ['a@eu.shop.acme.example', 'shop.acme.example'],
    ['a@blog.acme.example', 'acme.example'],
    ['a@other.example', 'other.example'],
  ])('of %s is that of %s', async (email, domain) => {
    const [result] = await verify(await signed({ from: { email } }, ...all), all)
    expect(result).toMatchObject({ signingDomain: domain, status: { result: 'pass' } })
  })

  it.each(['a@xacme.example', 'a@example', 'a@acme.example.org'])('of %s is none: it stays as it is', async (email) => {
    const message = composing.compose(simple)
    expect(await signing(...all).sign(message, email)).toBe(message)
  })

  it('stands in ASCII for an international domain, however it was written', async () => {
    const published = dkimKey('xn--mller-kva.example', 'ed', 'ed25519')
    for (const domain of ['müller.example', 'XN--MLLER-KVA.example']) {
      const message = await signed({ from: { email: 'a@müller.example' } }, { ...published, domain })
      expect(tagsOf(message).get('d')).toBe('xn--mller-kva.example')
      expect(await verdicts(message, [published])).toEqual(['pass'])
    }
  })

  it('may be written in the old form, and its line ends as \\n', async () => {
    const pkcs1 = createPrivateKey(RSA.privateKey).export({ type: 'pkcs1', format: 'pem' }).toString()
    for (const privateKey of [pkcs1, RSA.privateKey.replaceAll('\n', '\\n'), RSA.privateKey.replaceAll('\n', '\r\n')]) {
      expect(await verdicts(await signed({}, { ...RSA, privateKey }), [RSA])).toEqual(['pass'])
    }
  })
})

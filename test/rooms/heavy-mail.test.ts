import { afterAll, describe, expect, it } from 'vitest'
import { CompiledMail } from '../../core/mail/compiled-mail.ts'
import { CompiledMails } from '../../core/mail/compiled-mails.ts'
import { DomainKeys } from '../../core/mail/dkim/domain-keys.ts'
import { Sealing } from '../../core/mail/dkim/sealing.ts'
import { Links } from '../../core/mail/links/links.ts'
import { WaysBack } from '../../core/mail/links/ways-back.ts'
import { Composing } from '../../core/mail/mime/composing.ts'
import { Rendering } from '../../core/mail/render/rendering.ts'
import { MailThreads } from '../../core/mail/thread/mail-threads.ts'
import type { MailContent } from '../../core/ports/store/contents.ts'
import type { Email } from '../../core/ports/store/emails.ts'
import type { JsonObject } from '../../core/values/json.ts'
import { asProjectId } from '../../core/values/project-id.ts'
import { senderDomain } from '../contracts/store/records.ts'
import { dkimKey } from '../support/dkim.ts'
import { kitOf } from '../support/kit.ts'
import { testStore } from '../support/store.ts'

/*
 * Heavy mail is made in a thread: it must come out as if it had been made on the event loop, and be refused for the same
 * reasons in the same words.
 */

const NOW = new Date('2026-03-01T09:08:07.900Z')
const LINKS = { publicUrl: 'https://mail.example.net', secret: Buffer.from('a secret of sixteen characters') }
const PROJECT_ID = asProjectId('01900000-0000-7000-8000-000000000000')!
const PADDING = '<p>some text, ä 😀</p>\n'.repeat(3_000)
const BUSY = '{% for i in (1..3000) %}{% assign b = a | upcase | downcase | split: "" | join: "" %}{% endfor %}'

const world = await testStore()
const rendering = new Rendering(5)
const composing = new Composing()
const links = new Links(LINKS)
const kit = kitOf(() => NOW, { publicUrl: LINKS.publicUrl, dkim: [dkimKey('example.com', 's')] })
// less than an engine gives it: what takes too long is waited for
const threads = new MailThreads(LINKS, 500)
const link = { host: 'links.example.com', inUse: true, failures: 0 }
await world.store.domains.insert(senderDomain(PROJECT_ID, 'example.com', { link }))
const keys = new DomainKeys(world.store, new Sealing('secret', async () => 'secret'), kit)
const waysBack = new WaysBack(LINKS, keys, kit)
waysBack.unsubscribing.receiveAt('mx.example.com')
const mails = new CompiledMails(world.store, rendering, links, keys, waysBack, LINKS, threads)

afterAll(async () => {
  await threads.close()
  await world.close()
})

let made = 0
function content(fields: Partial<MailContent>): MailContent {
  return {
    ...{ id: `content ${made++}`, projectId: PROJECT_ID, subject: 'Hi {{ name }}', html: '', createdAt: NOW },
    ...{ from: { email: 'hello@example.com', name: 'Acme' }, cc: [{ email: 'c@example.net' }], bcc: [], headers: [] },
    ...{ attachments: [], marketing: true, tracking: true },
    ...fields,
  }
}

function email(variables: JsonObject = { name: 'Zoë & Co', url: 'https://z.example/?q="1"' }): Email {
  return {
    ...{ id: '01900000-0000-7000-8000-000000000001', contactId: '01900000-0000-7000-8000-000000000002' },
    ...{ projectId: PROJECT_ID, contentId: 'x', to: 'ada@example.org', toName: 'Ada', status: 'QUEUED' },
    ...{ sourceType: 'CAMPAIGN', lane: 'campaign', variables, tags: {}, createdAt: NOW, dueAt: NOW, attempts: 0 },
    ...{ accepted: [], opens: 0, clicks: 0, updatedAt: NOW },
  } as Email
}

const ATTACHMENT = { filename: 'ä.bin', contentType: 'application/octet-stream', disposition: 'attachment' } as const

describe('a heavy mail', () => {
  it.each([
    ['many words', content({ html: `<a href="{{ url }}">{{ name }}</a><a href="https://x.example">x</a>${PADDING}` })],
    [
      'many placeholders',
      content({ html: `${'{{ name }} '.repeat(501)}{{ name | upcase }} <a href="{{ url }}">x</a>` }),
    ],
    ['a large attachment', content({ attachments: [{ ...ATTACHMENT, bytes: new Uint8Array(300_000).fill(7) }] })],
    [
      'a long text part',
      content({
        html: '<a href="https://x.example">x</a>',
        text: `{{ name }} ${'text\n'.repeat(20_000)}`,
        marketing: false,
      }),
    ],
  ])('of %s is the same as one made on the event loop', async (_what, heavy) => {
    const to = email()
    const here = new CompiledMail(heavy, { rendering: new Rendering(10_000), composing, links })
    const mail = mails.of(heavy)
    for (let time = 0; time < 2; time++) {
      const outgoing = await mail.outgoing(to, NOW, new Set(['c@example.net']))
      const ways = {
        linkBase: 'https://links.example.com',
        ...(heavy.marketing && { unsubscribeAddress: waysBack.unsubscribing.of(to.id) }),
      }
      const expected = here.fill(to, NOW, { unwanted: new Set(['c@example.net']), ways })
      expect(outgoing.subject).toBe('Hi Zoë & Co')
      const signed = await keys.sign(expected.composed(), 'hello@example.com')
      expect(Buffer.from(await outgoing.raw()).equals(signed)).toBe(true)
    }
    const untracked = await (await mail.outgoing({ ...to, tracking: 'none' }, NOW, new Set())).raw()
    const counting = /https:\/\/links\.example\.com\/t\//
    const without = (bytes: Uint8Array) => Buffer.from(bytes).toString().replace(/=\r\n/g, '')
    expect(without(untracked)).not.toMatch(counting)
    expect(without(await (await mail.outgoing(to, NOW, new Set())).raw())).toMatch(counting)
    expect(await mail.rendered(to)).toEqual(here.render(to, { linkBase: 'https://links.example.com' }))
    expect(await mail.linkTarget(to, 0)).toBe(here.target(to, 0))
    expect(await mail.keys()).toEqual(here.asked)
    // a plugin that is not given the message asks for its parts
    const outgoing = await mail.outgoing(to, NOW, new Set())
    expect(outgoing.text).toBe(here.fill(to, NOW, { ways: { linkBase: 'https://links.example.com' } }).text)
  })

  it('that only turns out to be one is made nevertheless, the second time at once', async () => {
    const mail = mails.of(content({ html: `${BUSY}<p>{{ name }}</p>` }))
    const to = email({ name: 'Ada', a: 'abcdefgh'.repeat(20) })
    const first = await mail.outgoing(to, NOW, new Set())
    expect(Buffer.from(await first.raw()).toString()).toContain('<p>Ada</p>')
    expect((await mail.rendered(to)).text).toContain('Ada')
  })

  it('is refused as a light one is', async () => {
    const broken = content({ html: `{{ name | nofilter }}${PADDING}` })
    await expect(mails.of(broken).rendered(email())).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      fields: [{ field: 'body', code: 'custom', message: expect.stringContaining('line 1, column 1') }],
    })
    const sources = [
      { kind: 'subject', source: '{{', field: 'subject' },
      { kind: 'mail', source: `{% nothing %}${PADDING}`, field: 'body' },
    ] as const
    const refusal = await mails.check(sources).catch((error: unknown) => error)
    expect(refusal).toMatchObject({ fields: [{ field: 'subject' }, { field: 'body' }] })
    const endless = `{% for i in (1..100000) %}{% for j in (1..100000) %}{% endfor %}{% endfor %}`
    // on a busy machine the thread is ended before it has used its share of the processor
    const message = expect.stringMatching(/^takes too (long to render|much time)/)
    // with a footer and tracked links it would have four times as long
    const plain = content({ html: endless, marketing: false, tracking: false })
    await expect(mails.of(plain).rendered(email())).rejects.toMatchObject({
      fields: [{ field: 'body', code: 'too_big', message }],
    })
  })
})

describe('validating a mail', () => {
  const validate = (html: string, all: readonly JsonObject[]) => {
    let takes = 0
    const done = mails.withValidator(content({ subject: 'Hi', html, marketing: false }), async (attempt) => {
      takes++
      attempt(all)
      return takes
    })
    return done
  }

  it('is made on the spot where it is short, and in a thread where it is not', async () => {
    expect(await validate('{{ a }}', [{ a: 'x' }])).toBe(1)
    expect(await validate(PADDING, [])).toBe(1)
    expect(await validate(`{{ a }}${PADDING}`, [{ a: 'x' }])).toBe(2)
    expect(await validate(BUSY, [{ a: 'abcdefgh'.repeat(20) }])).toBe(2)
  })

  it('fails in either place', async () => {
    const large = { a: 'x'.repeat(2 * 1024 * 1024) }
    for (const html of ['{{ a }}{{ a }}', `{{ a }}${PADDING}`, '{{ a | append: a }}']) {
      await expect(validate(html, [{}, large])).rejects.toThrow('renders to more than 2 MB')
    }
    const many = Array.from({ length: 100 }, () => ({ a: 'abcdefgh'.repeat(20) }))
    await expect(validate(BUSY, many)).rejects.toThrow('too long')
  })
})

import { Parser } from 'htmlparser2'
import { simpleParser } from 'mailparser'
import { beforeAll, describe, expect, it } from 'vitest'
import { Links } from '../../core/mail/links/links.ts'
import { asProjectId } from '../../core/values/project-id.ts'
import { type Answer, MAIL, OTHER_SECRET, SECRET, type TestApp, testApp } from '../support/app.ts'
import { GLUED } from '../support/contact-links.ts'
import { atEndOfFile } from '../support/end-of-file.ts'
import { toSink } from '../support/engine.ts'
import { STRICT, type StoreCase } from '../support/matrix.ts'
import { type SmtpSink, startSmtpSink } from '../support/smtp-sink.ts'
import { until } from '../support/until.ts'

// On PostgreSQL, the stricter: what is stored has its contract on both.
const store = STRICT

const PUBLIC_URL = 'https://mail.example.net'
const KEY = 'a secret of sixteen characters and more'
const CHROME =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36'
const GMAIL = 'Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)'
const BODY = [
  '<table background="https://x.example/b.png"></table><p>{{ name }}</p><a href="https://x.example/?a=1&amp;b=2">a</a>',
  `<a href='{{ url }}'>b</a><a href="https://x.example/{{ name }}?u={{ id }}#top">c</a>`,
  '<a href="https://bücher.example/größe?q=日本">d</a><a href="mailto:x@x.example">e</a>',
  '<a data-no-track href="https://plain.example/">f</a>',
].join('')

interface Sent {
  readonly id: string
  readonly contactId: string
  readonly pixel: string
  readonly clicks: readonly string[]
  readonly html: string
}

class Post {
  constructor(
    readonly test: TestApp,
    readonly sink: SmtpSink,
  ) {}

  /** Sends a mail and reads it as its receiver does. */
  async send(change: object = {}, key = SECRET): Promise<Sent> {
    const before = this.sink.messages.length
    const json = { ...MAIL, body: BODY, data: { name: 'Zoë & Co', url: 'https://z.example/?q="1"' }, ...change }
    const { body } = await this.test.ask('POST', '/v1/send', { json, key })
    const { email: id, contact } = body.data.emails[0]
    const raw = (await this.sink.waitFor(before + 1)).at(-1)!.raw
    const { html } = await simpleParser(raw)
    await until('the result is stored', async () => (await this.email({ id }, key)).sentAt)
    return { id, contactId: contact.id, html: html || '', ...linksOf(html || '') }
  }

  /** Follows an address as a person with a browser does, unless header fields are given. */
  async visit(address: string, headers: Record<string, string> = { 'user-agent': CHROME }, method = 'GET') {
    return this.test.ask(method, address.replace(PUBLIC_URL, ''), { key: null, headers })
  }

  async projectId(name: string) {
    const projects = await this.test.engine.projects.list()
    return projects.find((project) => project.name === name)!.id
  }

  async email({ id }: { readonly id: string }, key = SECRET) {
    return (await this.test.ask('GET', `/emails/${id}`, { key })).body
  }

  async events({ id }: { readonly id: string }): Promise<{ name: string; data: object; contactId: string }[]> {
    const { events } = await this.email({ id })
    return events.filter(({ name }: { name: string }) => name === 'email.open' || name === 'email.click')
  }
}

/** Where the picture and the links of a mail lead, as a mail program reads them. */
function linksOf(html: string): { readonly pixel: string; readonly clicks: readonly string[] } {
  const addresses: string[] = []
  const pictures: string[] = []
  const parser = new Parser({
    onopentag(name, { href, src }) {
      if (name === 'a') addresses.push(href ?? '')
      if (name === 'img') pictures.push(src ?? '')
    },
  })
  parser.end(html)
  return { pixel: pictures.at(-1) ?? '', clicks: addresses.filter((href) => href.startsWith(`${PUBLIC_URL}/t/c/`)) }
}

async function postOffice(store: StoreCase, emitRepeats = false): Promise<Post> {
  const sink = await startSmtpSink({ recipients: { 'gone@example.org': { code: 550, message: '5.1.1 No such user' } } })
  const settings = { publicUrl: PUBLIC_URL, secret: KEY, transports: [toSink(sink)], tracking: { emitRepeats } }
  const test = await testApp(store, {}, settings)
  atEndOfFile(() => sink.close())
  await test.engine.start()
  return new Post(test, sink)
}

function expectPixel({ status, headers, text }: Answer): void {
  expect(status).toBe(200)
  expect(text.slice(0, 6)).toBe('GIF89a')
  expect(headers.get('content-type')).toBe('image/gif')
  expect(headers.get('cache-control')).toBe('no-store')
}

describe('tracking', () => {
  let post: Post
  beforeAll(async () => {
    post = await postOffice(store)
  })

  it('answers the picture, counts every opening, and tells of the first', async () => {
    const mail = await post.send()
    const before = await post.email(mail)
    expect(before).toMatchObject({ status: 'DELIVERED', opens: 0, clicks: 0 })
    const response = await post.test.app.request(mail.pixel.replace(PUBLIC_URL, ''), {
      headers: { 'user-agent': CHROME },
    })
    const picture = new Uint8Array(await response.arrayBuffer())
    expect(picture).toHaveLength(43)
    expect([...picture.slice(6, 10)]).toEqual([1, 0, 1, 0])
    for (let i = 0; i < 2; i++) expectPixel(await post.visit(mail.pixel))

    const after = await post.email(mail)
    expect(after).toMatchObject({ status: 'OPENED', opens: 3, clicks: 0, humanOpenedAt: after.openedAt })
    const { openedAt, messageId } = after
    expect(await post.events(mail)).toMatchObject([
      {
        name: 'email.open',
        contactId: mail.contactId,
        emailId: mail.id,
        data: {
          ...{ subject: MAIL.subject, from: MAIL.from, fromName: 'Test', messageId, emailId: mail.id },
          ...{ templateId: null, campaignId: null, sourceType: 'TRANSACTIONAL' },
          ...{ openedAt, opens: 1, isFirstOpen: true },
        },
      },
    ])
    expect(Object.keys((await post.events(mail))[0]!.data).sort()).toEqual(
      [
        ...['subject', 'from', 'fromName', 'messageId', 'emailId', 'templateId', 'campaignId', 'sourceType'],
        ...['openedAt', 'opens', 'isFirstOpen'],
      ].sort(),
    )
  })

  it('leads every link where its writer had it lead, and tells of the first click', async () => {
    const mail = await post.send()
    const targets = [
      'https://x.example/?a=1&b=2',
      'https://z.example/?q="1"',
      `https://x.example/Zoë & Co?u=${mail.contactId}#top`,
      'https://bücher.example/größe?q=日本',
    ]
    expect(mail.clicks).toHaveLength(4)
    expect(mail.html).toContain('href="https://plain.example/"')
    for (const [i, click] of mail.clicks.entries()) {
      const { status, headers, text } = await post.visit(click)
      expect({ status, text, location: headers.get('location') }).toEqual({
        ...{ status: 302, text: '', location: new URL(targets[i]!).href },
      })
      expect(headers.get('cache-control')).toBe('no-store')
      expect(headers.get('referrer-policy')).toBe('no-referrer')
    }

    const { clickedAt, messageId, ...after } = await post.email(mail)
    expect(after).toMatchObject({ status: 'CLICKED', opens: 0, clicks: 4 })
    // no person follows four links at once, so soon after delivery
    expect([clickedAt, after.humanClickedAt]).toEqual([expect.any(String), undefined])
    expect(after.openedAt).toBeUndefined()
    const events = await post.events(mail)
    expect(events.map(({ name, data }) => ({ name, data }))).toEqual([
      {
        name: 'email.click',
        data: {
          ...{ subject: MAIL.subject, from: MAIL.from, fromName: 'Test', messageId, emailId: mail.id },
          ...{ templateId: null, campaignId: null, sourceType: 'TRANSACTIONAL' },
          ...{ link: targets[0], clickedAt, clicks: 1, isFirstClick: true },
        },
      },
    ])
  })

  it('never lets a status fall back', async () => {
    const mail = await post.send()
    await post.visit(mail.clicks[0]!)
    await post.visit(mail.pixel)
    expect(await post.email(mail)).toMatchObject({ status: 'CLICKED', opens: 1, clicks: 1 })
    expect((await post.events(mail)).map(({ name }) => name)).toEqual(['email.click', 'email.open'])
  })

  it('counts for a mail that bounced, and leaves it bounced', async () => {
    const sent = await post.test.ask('POST', '/v1/send', { json: { ...MAIL, to: 'gone@example.org', body: BODY } })
    const id: string = sent.body.data.emails[0].email
    await until('it bounced', async () => (await post.email({ id })).status === 'BOUNCED')
    const links = new Links({ publicUrl: PUBLIC_URL, secret: Buffer.from(KEY) })
    const { pixel, click } = links.ofMail({ projectId: await post.projectId('Test'), emailId: id })!
    await post.visit(pixel)
    expect((await post.visit(`${click}/0`)).status).toBe(302)
    expect(await post.email({ id })).toMatchObject({ status: 'BOUNCED', opens: 1, clicks: 1 })
  })

  it('tells of one first among many at the same time', async () => {
    const mail = await post.send()
    const visits = [mail.pixel, mail.clicks[0]!].flatMap((address) => Array.from({ length: 12 }, () => address))
    await Promise.all(visits.map((address) => post.visit(address)))
    expect(await post.email(mail)).toMatchObject({ opens: 12, clicks: 12 })
    expect((await post.events(mail)).map(({ name }) => name).sort()).toEqual(['email.click', 'email.open'])
  })

  it('marks what machines open and click, and knows the first person', async () => {
    const mail = await post.send()
    await post.visit(mail.pixel, { 'user-agent': GMAIL })
    await post.visit(mail.clicks[1]!, { 'user-agent': 'Mozilla/5.0' })
    const seen = await post.email(mail)
    expect(seen).toMatchObject({ status: 'CLICKED', opens: 1, clicks: 1 })
    expect([seen.humanOpenedAt, seen.humanClickedAt]).toEqual([undefined, undefined])
    const events = await post.events(mail)
    expect(events.map(({ data }) => data)).toMatchObject([
      { machine: true, opens: 1, isFirstOpen: true },
      { machine: true, clicks: 1, isFirstClick: true, link: 'https://z.example/?q="1"' },
    ])
    await post.visit(mail.pixel)
    await post.visit(mail.clicks[0]!)
    const after = await post.email(mail)
    expect(after).toMatchObject({ opens: 2, clicks: 2, openedAt: seen.openedAt, clickedAt: seen.clickedAt })
    expect(Date.parse(after.humanOpenedAt)).toBeGreaterThanOrEqual(Date.parse(seen.openedAt))
    expect(Date.parse(after.humanClickedAt)).toBeGreaterThanOrEqual(Date.parse(seen.clickedAt))
    expect(await post.events(mail)).toEqual(events)
  })

  it.each([
    ['sec-purpose', 'prefetch;prerender'],
    ['purpose', 'prefetch'],
    ['x-moz', 'prefetch'],
    ['x-purpose', 'preview'],
  ])('takes %s: %s for a machine, and still leads on', async (name, value) => {
    const mail = await post.send()
    const answer = await post.visit(mail.clicks[0]!, { 'user-agent': CHROME, [name]: value })
    expect(answer.status).toBe(302)
    const { clicks, clickedAt, humanClickedAt } = await post.email(mail)
    expect({ clicks, clickedAt, humanClickedAt }).toEqual({ clicks: 1, clickedAt: expect.any(String) })
  })

  it('answers HEAD without counting', async () => {
    const mail = await post.send()
    const head = { 'user-agent': CHROME }
    const picture = await post.visit(mail.pixel, head, 'HEAD')
    expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/gif'])
    const click = await post.visit(mail.clicks[0]!, head, 'HEAD')
    expect([click.status, click.headers.get('location')]).toEqual([302, 'https://x.example/?a=1&b=2'])
    expect(await post.email(mail)).toMatchObject({ status: 'DELIVERED', opens: 0, clicks: 0 })
    expect(await post.events(mail)).toEqual([])
  })

  it('leaves alone what mail programs put behind an address', async () => {
    const mail = await post.send()
    const behind = ['?utm_source=a&x=https://evil.example', ...GLUED]
    for (const more of behind) {
      const { status, headers } = await post.visit(mail.clicks[0]! + more)
      expect({ more, status, location: headers.get('location') }).toEqual({
        ...{ more, status: 302, location: 'https://x.example/?a=1&b=2' },
      })
      expectPixel(await post.visit(mail.pixel + more))
    }
    expect(await post.email(mail)).toMatchObject({ opens: behind.length, clicks: behind.length })
  })

  it('gives the picture for any token, and counts nothing for one that is not ours', async () => {
    const mail = await post.send()
    const token = mail.pixel.split('/').at(-1)!
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.%'
    for (let place = 0; place < token.length; place++) {
      const other = alphabet[(place * 7 + 1) % alphabet.length]!
      const changed = token.slice(0, place) + (other === token[place] ? '~' : other) + token.slice(place + 1)
      expectPixel(await post.visit(`/t/o/${changed}`))
      expect((await post.visit(`/t/c/${changed}/0`)).status).toBe(404)
    }
    for (const bad of ['x', token.slice(1), token.slice(0, -1), `${token}A`, `${token}${token}`, '%00', '%FF', '..']) {
      const { status } = await post.visit(`/t/o/${bad}`)
      expect({ bad, status }).toEqual({ bad, status: bad === '..' ? 404 : 200 })
    }
    expect(await post.email(mail)).toMatchObject({ opens: 0, clicks: 0 })
  })

  it('leads nowhere without a link of ours', async () => {
    const mail = await post.send()
    const base = mail.clicks[0]!.slice(0, -1)
    for (const bad of [
      '4',
      '5',
      '-1',
      '00000000',
      'x',
      '1x',
      '0_1',
      '%00',
      'https:%2F%2Fevil.example',
      '99999999999',
    ]) {
      const { status, headers, text } = await post.visit(`${base}${bad}`)
      expect({ bad, status, location: headers.get('location') }).toEqual({ bad, status: 404, location: null })
      expect(headers.get('content-type')).toContain('text/html')
      expect(text).toContain('<html lang="en"')
    }
    const german = await post.visit(`${base}9`, { 'accept-language': 'de-AT,en;q=0.5' })
    expect(german.text).toContain('<html lang="de"')
    expect(await post.email(mail)).toMatchObject({ clicks: 0 })
  })

  it('takes no token of another purpose, project, or secret', async () => {
    const mail = await post.send()
    const [projectId, otherId] = [await post.projectId('Test'), await post.projectId('Other')]
    const { contactId, id: emailId } = mail
    const ours = new Links({ publicUrl: PUBLIC_URL, secret: Buffer.from(KEY) })
    const theirs = new Links({ publicUrl: PUBLIC_URL, secret: Buffer.from('another secret, just as long') })
    const tokens = [
      ours.ofContact({ projectId, contactId })!.manageUrl.split('/').at(-1),
      ours.ofContact({ projectId, contactId, emailId })!.manageUrl.split('/').at(-1),
      ours.ofMail({ projectId: otherId, emailId })!.pixel.split('/').at(-1),
      ours.ofMail({ projectId, emailId: contactId })!.pixel.split('/').at(-1),
      ours
        .ofMail({ projectId: asProjectId(contactId)!, emailId })!
        .pixel.split('/')
        .at(-1),
      theirs.ofMail({ projectId, emailId })!.pixel.split('/').at(-1),
    ]
    await post.visit(mail.pixel)
    for (const token of tokens) {
      expectPixel(await post.visit(`/t/o/${token}`))
      expect((await post.visit(`/t/c/${token}/0`)).status).toBe(404)
    }
    expect(await post.email(mail)).toMatchObject({ opens: 1, clicks: 0 })
    expect((await post.visit(`/manage/${mail.pixel.split('/').at(-1)}`)).status).toBe(404)
  })

  it('belongs to the project that sent the mail', async () => {
    const theirs = await post.send({}, OTHER_SECRET)
    await post.visit(theirs.pixel)
    expect(await post.email(theirs, OTHER_SECRET)).toMatchObject({ opens: 1 })
    const names = async (key: string) => (await post.test.ask('GET', '/events/stats', { key })).body
    const opens = (await names(OTHER_SECRET)).find(({ name }: { name: string }) => name === 'email.open')
    expect(opens).toMatchObject({ count: 1 })
    expect((await post.test.ask('GET', `/emails/${theirs.id}`)).status).toBe(404)
  })

  it('still leads on for a contact that was removed, and counts and tells nothing', async () => {
    const [mail, looked] = [await post.send({ to: 'ann@example.org' }), await post.send({ to: 'ann@example.org' })]
    await post.visit(looked.pixel)
    expect((await post.test.ask('DELETE', `/contacts/${mail.contactId}`)).status).toBe(204)
    for (const each of [mail, looked]) {
      await post.visit(each.pixel)
      const { headers } = await post.visit(each.clicks[0]!)
      expect(headers.get('location')).toBe('https://x.example/?a=1&b=2')
    }
    expect(await post.email(mail)).toMatchObject({ contactId: null, opens: 0, clicks: 0 })
    expect(await post.email(looked)).toMatchObject({ contactId: null, opens: 1, clicks: 0 })
    expect([...(await post.events(mail)), ...(await post.events(looked))]).toEqual([])
  })

  it('has nothing to count in a mail that is not tracked', async () => {
    const mail = await post.send({ tracking: false })
    expect([mail.pixel, mail.clicks]).toEqual(['', []])
    const links = new Links({ publicUrl: PUBLIC_URL, secret: Buffer.from(KEY) })
    const { pixel } = links.ofMail({ projectId: await post.projectId('Test'), emailId: mail.id })!
    expectPixel(await post.visit(pixel))
    expect(await post.email(mail)).toMatchObject({ opens: 0 })
  })

  it('writes no line for a visit but for debugging, and no token', async () => {
    const mail = await post.send()
    const before = post.test.lines.length
    for (const address of [mail.pixel, mail.clicks[0]!, '/t/o/none', '/t/c/none/0']) await post.visit(address)
    const lines = post.test.lines.slice(before)
    expect(lines.map(({ level }) => level)).toEqual(lines.map(() => 'debug'))
    const token = mail.pixel.split('/').at(-1)!
    expect(JSON.stringify(lines)).not.toContain(token)
  })
})

it('repeats have their events when that is wanted', async () => {
  const post = await postOffice(store, true)
  const mail = await post.send()
  for (let i = 0; i < 3; i++) await post.visit(mail.pixel)
  for (const click of mail.clicks.slice(0, 2)) await post.visit(click)
  const told = (await post.events(mail)).map(({ name, data }) => ({ name, ...data }))
  expect(told).toMatchObject([
    { name: 'email.open', opens: 1, isFirstOpen: true },
    { name: 'email.open', opens: 2, isFirstOpen: false },
    { name: 'email.open', opens: 3, isFirstOpen: false },
    { name: 'email.click', clicks: 1, isFirstClick: true, link: 'https://x.example/?a=1&b=2' },
    { name: 'email.click', clicks: 2, isFirstClick: false, link: 'https://z.example/?q="1"' },
  ])
  expect(await post.email(mail)).toMatchObject({ opens: 3, clicks: 2 })
})

import { simpleParser } from 'mailparser'
import { beforeAll, describe, expect, it } from 'vitest'
import { createEngine } from '../../config/library.ts'
import { loadJson } from '../config/config-folder.ts'
import { expectEnvelope, MAIL, PUBLIC, SECRET, type TestApp, testApp } from '../support/app.ts'
import { LINK_SETTINGS } from '../support/contact-links.ts'
import { atEndOfFile } from '../support/end-of-file.ts'
import { toSink } from '../support/engine.ts'
import { freshSqlite } from '../support/fresh-sqlite.ts'
import { QUICK } from '../support/matrix.ts'
import { type SmtpSink, startSmtpSink } from '../support/smtp-sink.ts'
import { until } from '../support/until.ts'

// On PostgreSQL, the stricter: what is stored has its contract on both.
const store = QUICK

const HOUR = 3600 * 1000
const PROJECT = {
  ...{ name: 'Acme & Söhne {{ x }}', secretKey: SECRET, publicKey: PUBLIC, trustedDomains: ['example.com'] },
  doubleOptIn: { from: 'news@example.com' },
}

describe('double opt-in', () => {
  let test: TestApp
  let sink: SmtpSink
  let time = Date.parse('2026-05-01T12:00:00Z')
  let count = 0
  const address = () => `p${++count}@example.org`

  beforeAll(async () => {
    sink = await startSmtpSink()
    atEndOfFile(() => sink.close())
    const settings = { ...LINK_SETTINGS, projects: [PROJECT], transports: [toSink(sink)] }
    test = await testApp(store, { trackPerMinutePerIp: 100_000 }, { ...settings, clock: { now: () => new Date(time) } })
    await test.engine.start()
  })

  const track = (email: string, change: object = {}, key = PUBLIC, headers = {}) =>
    test.ask('POST', '/v1/track', { key, headers, json: { email, event: 'signup', ...change } })
  const contactOf = async (email: string) =>
    (await test.ask('GET', `/contacts?search=${encodeURIComponent(email)}`)).body.data[0]
  const mailsTo = async (email: string) => {
    const { id } = await contactOf(email)
    return (await test.ask('GET', `/emails?contactId=${id}&limit=100`)).body.data as { id: string; status: string }[]
  }
  const post = (url: string, form = '') =>
    test.ask('POST', url.slice(LINK_SETTINGS.publicUrl.length), {
      key: null,
      raw: form,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
  const arrived = async (email: string) => {
    await until(`the mail to ${email}`, () => sink.messages.some(({ to }) => to.includes(email)))
    return simpleParser(sink.messages.findLast(({ to }) => to.includes(email))!.raw)
  }

  it('makes a contact that is subscribed only by the page its one mail links to', async () => {
    const email = address()
    const { status, body } = await track(email, { subscribed: true })
    expect(status).toBe(200)
    expect(await contactOf(email)).toMatchObject({ id: body.data.contact, subscribed: false })
    const mail = await arrived(email)
    expect(mail.subject).toBe('Please confirm your subscription to Acme & Söhne {{ x }}')
    expect(mail.from?.text).toContain('news@example.com')
    expect(mail.headers.has('list-unsubscribe')).toBe(false)
    const html = String(mail.html)
    expect(html).toContain('<html lang="en">')
    expect(html).toContain(`emails from Acme &amp; Söhne {{ x }} at ${email}`)
    const url = /href="([^"]+)"[^>]*>Confirm subscription</.exec(html)![1]!
    expect(url).toMatch(/^https:\/\/mail\.example\.net\/subscribe\/[\w-]+$/)
    expect(mail.text).toContain(url)
    expect(mail.text).toContain(`emails from Acme & Söhne {{ x }} at ${email}`)

    const asked = await test.ask('GET', url.slice(LINK_SETTINGS.publicUrl.length), { key: null })
    expect(asked.text).toContain('<h1>Confirm subscription</h1>')
    expect((await contactOf(email)).subscribed).toBe(false)
    for (let times = 0; times < 2; times++) expect((await post(url, 'subscription=subscribe')).status).toBe(200)
    expect((await contactOf(email)).subscribed).toBe(true)
    const { events } = (await test.ask('GET', `/events/contact/${body.data.contact}`)).body
    const told = events.filter(({ name }: { name: string }) => name.startsWith('contact.'))
    expect(told).toMatchObject([{ name: 'contact.subscribed', data: { subscribed: true, reason: 'link' } }])
    expect(await mailsTo(email)).toHaveLength(1)
  })

  it('speaks the contact’s language', async () => {
    const email = address()
    await track(email, { data: { locale: 'ja-JP' } })
    const mail = await arrived(email)
    expect(mail.subject).toBe('【Acme & Söhne {{ x }}】配信登録のご確認')
    expect(String(mail.html)).toContain('<html lang="ja">')
  })

  it('has the look of the project', async () => {
    const [project] = await test.engine.projects.list()
    const links = [{ name: 'A & B', url: 'https://social.example/?a=1&b=2' }]
    const look = { postalAddress: '{{ x }} <Street>', logoUrl: 'https://cdn.example/l.png?a=1&b=2', color: '#ffe066' }
    await test.engine.projects.change(project!, { look: { ...look, font: 'georgia', links } })
    const email = address()
    await track(email)
    const mail = await arrived(email)
    for (const part of [
      '<img src="https://cdn.example/l.png?a=1&amp;b=2" alt=""',
      'font-family:Georgia,',
      'background:#ffe066;color:#000000',
      '<a href="https://social.example/?a=1&amp;b=2" style="color:#4b5563">A &amp; B</a><br>{{ x }} &lt;Street&gt;</p>',
    ]) {
      expect(String(mail.html)).toContain(part)
    }
    expect(mail.text?.trim().split('\n').slice(-3)).toEqual([
      'A & B: https://social.example/?a=1&b=2',
      '',
      '{{ x }} <Street>',
    ])
    await test.engine.projects.change(project!, { look: null })
  })

  it('asks no more often than once a day, and three times in all, while nobody answers', async () => {
    const email = address()
    await track(email)
    for (let hour = 0; hour < 24; hour += 6) {
      expect(await mailsTo(email)).toHaveLength(1)
      await track(email, { subscribed: true })
      await track(email, { event: 'visit' })
      time += 6 * HOUR
    }
    await track(email, { event: 'visit' })
    expect(await mailsTo(email)).toHaveLength(2)
    for (let day = 0; day < 5; day++) {
      time += 24 * HOUR
      await track(email, { subscribed: true })
    }
    expect(await mailsTo(email)).toHaveLength(3)
    expect((await contactOf(email)).subscribed).toBe(false)
  })

  it('asks once, however many requests come at the same time', async () => {
    const email = address()
    await Promise.all(Array.from({ length: 10 }, () => track(email, { subscribed: true })))
    expect(await mailsTo(email)).toHaveLength(1)
    time += 25 * HOUR
    await Promise.all(Array.from({ length: 10 }, () => track(email, { subscribed: true })))
    expect(await mailsTo(email)).toHaveLength(2)
  })

  it('asks once for a request that is repeated under its key', async () => {
    const email = address()
    const headers = { 'idempotency-key': email }
    const first = await track(email, {}, PUBLIC, headers)
    const again = await track(email, {}, PUBLIC, headers)
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(again.body).toEqual(first.body)
    expect(await mailsTo(email)).toHaveLength(1)
  })

  it('asks who unsubscribed only on the clear wish to subscribe, and lets nobody in without an answer', async () => {
    const email = address()
    await track(email)
    const url = /https:\/\/\S+\/subscribe\/[\w-]+/.exec((await arrived(email)).text!)![0]
    await post(url)
    await post(url, 'subscription=unsubscribe')
    time += 25 * HOUR
    await track(email, { event: 'visit' })
    expect(await mailsTo(email)).toHaveLength(1)
    await track(email, { subscribed: true })
    expect(await mailsTo(email)).toHaveLength(2)
    expect((await contactOf(email)).subscribed).toBe(false)
  })

  it('lets a public key end a subscription, and asks nobody who says no', async () => {
    const email = address()
    await track(email, { subscribed: false })
    expect(await mailsTo(email)).toEqual([])
    await test.ask('PATCH', `/contacts/${(await contactOf(email)).id}`, { json: { subscribed: true } })
    await track(email, { event: 'visit' })
    expect(await mailsTo(email)).toEqual([])
    await track(email, { subscribed: false })
    expect((await contactOf(email)).subscribed).toBe(false)
  })

  it('asks a mailbox once, by whatever spelling and way it is asked for', async () => {
    // Counted by address: a late mail of another test may still be on its way.
    const asked = () => sink.messages.filter(({ to }) => to.some((email) => mailbox.test(email))).length
    const mailbox = /@(?:gmail|googlemail|proton|pm|yahoo)\.|vic\.?tim@example\.org/
    const form = { name: 'F', texts: { title: 'T' }, consent: 'c' }
    const { id } = (await test.ask('POST', '/forms', { json: form })).body
    const spellings = ['v.ictim@gmail.com', 'victim+1@googlemail.com', 'VIC.TIM+x@gmail.com', 'vict.im@gmail.com']
    await Promise.all(spellings.map((email) => track(email, { subscribed: true })))
    for (const email of ['victim@gmail.com', 'v.i.c.t.i.m@gmail.com'])
      expect((await test.ask('POST', `/f/${id}`, { key: null, json: { email } })).status).toBe(200)
    for (const email of ['ada-1@yahoo.de', 'ada-2@yahoo.de', 'a.d.a@proton.me', 'ada+x@pm.me']) await track(email)
    await until('the mails', () => asked() === 3)
    // other people have other mailboxes
    for (const email of ['vic.tim@example.org', 'victim@example.org']) await track(email)
    await until('the mails', () => asked() === 5)
    // whichever spelling came first
    const [one, other] = await Promise.all(
      ['gmail.com', 'googlemail.com'].map((host) => test.ask('GET', `/emails?search=${host}`)),
    )
    expect(one?.body.total + other?.body.total).toBe(1)
  })

  it('lets public keys change the data of known contacts as far as the project allows', async () => {
    const [project] = await test.engine.projects.list()
    expect(project!.publicData).toBe('all')
    const email = address()
    const data = async () => (await contactOf(email)).data
    const change = (publicData: string) =>
      test.ask('PATCH', `/projects/${project!.id}`, { json: { publicData } }).then(({ body }) => body.publicData)
    await track(email, { data: { name: 'Ada\r\n\r\nvisit', locale: 'de', deep: { of: ['a\nb', 1] } } })
    expect(await data()).toEqual({ name: 'Ada visit', locale: 'de', deep: { of: ['a b', 1] } })
    await track(email, { data: { deep: null } }, SECRET)
    await track(email, { data: { name: 'Bob' } })
    expect(await change('new')).toBe('new')
    await track(email, { data: { name: 'Eve', locale: null, timezone: 'UTC' } })
    expect(await data()).toEqual({ name: 'Bob', locale: 'de', timezone: 'UTC' })
    expect(await change('none')).toBe('none')
    const { status } = await track(email, { data: { name: 'Eve', timezone: 'x', more: 1 } })
    expect([status, await data()]).toEqual([200, { name: 'Bob', locale: 'de', timezone: 'UTC' }])
    await track(email, { data: { name: 'Ann' } }, SECRET)
    const fresh = address()
    await track(fresh, { data: { name: 'Eve' } })
    expect([(await data()).name, (await contactOf(fresh)).data]).toEqual(['Ann', { name: 'Eve' }])
    expectEnvelope(
      await test.ask('PATCH', `/projects/${project!.id}`, { json: { publicData: 'some' } }),
      422,
      'VALIDATION_ERROR',
    )
    await change('all')
  })

  it('does not concern secret keys: whoever holds one answers for the consent', async () => {
    const [tracked, made, sent] = [address(), address(), address()]
    await track(tracked, {}, SECRET)
    await test.ask('POST', '/contacts', { json: { email: made } })
    await test.ask('POST', '/v1/send', { json: { ...MAIL, to: sent, subscribed: true } })
    for (const email of [tracked, made, sent]) expect((await contactOf(email)).subscribed).toBe(true)
    expect(await mailsTo(tracked)).toEqual([])
  })

  it('does not mail a suppressed address', async () => {
    const email = address()
    await test.ask('POST', '/suppressions', { json: { email } })
    await track(email)
    await until('it is skipped', async () => (await mailsTo(email))[0]?.status === 'SKIPPED')
    expect(sink.messages.some(({ to }) => to.includes(email))).toBe(false)
  })
})

describe('the settings of double opt-in', () => {
  const start = async (settings: object) => {
    const engine = await createEngine({ store: freshSqlite(), ...settings })
    await engine.stop()
  }

  it('need a public address and a sender of the project', async () => {
    const projects = [{ ...PROJECT, doubleOptIn: { from: 'news@other.example' } }]
    await expect(start({ projects })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      fields: [{ field: 'projects[0].doubleOptIn' }],
    })
    // of which domain its sender may be only the store knows
    await expect(start({ projects, ...LINK_SETTINGS })).rejects.toThrow('projects[0].doubleOptIn.from: must be an')
    await expect(
      start({ projects: [{ name: 'X', doubleOptIn: PROJECT.doubleOptIn }], ...LINK_SETTINGS }),
    ).rejects.toThrow('projects[0].doubleOptIn.from: must be an address of one of')
  })

  it('in a file are checked against the address the server listens on', async () => {
    const projects = [{ name: 'Acme', trustedDomains: ['a.example'], doubleOptIn: { from: 'news@example.com' } }]
    const load = (server: object) => loadJson({ server, projects })
    await expect(load({ port: 0 })).rejects.toMatchObject({ fields: [{ field: 'projects[0].doubleOptIn' }] })
    await expect(load({ port: 8080 })).resolves.toMatchObject({ server: { port: 8080 } })
  })

  it('stay when they are left out, and end with null', async () => {
    const engine = await createEngine({ store: freshSqlite(), ...LINK_SETTINGS, projects: [PROJECT] })
    const setting = async () => (await engine.projects.list())[0]?.doubleOptIn
    await engine.projects.applySettings([{ name: PROJECT.name }])
    expect(await setting()).toEqual(PROJECT.doubleOptIn)
    await engine.projects.applySettings([{ name: PROJECT.name, doubleOptIn: null }])
    expect(await setting()).toBeUndefined()
    await engine.stop()
  })
})

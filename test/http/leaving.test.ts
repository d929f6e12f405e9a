import { simpleParser } from 'mailparser'
import { beforeAll, describe, expect, it } from 'vitest'
import { EngineError } from '../../core/errors.ts'
import { EN } from '../../core/mail/languages/en.ts'
import { LANGUAGES } from '../../core/mail/languages/translations-in.ts'
import { expectEnvelope, OTHER_SECRET, SECRET, type TestApp, testApp } from '../support/app.ts'
import { contactToken, LINK_SETTINGS } from '../support/contact-links.ts'
import { atEndOfFile } from '../support/end-of-file.ts'
import { toSink } from '../support/engine.ts'
import { STRICT } from '../support/matrix.ts'
import { type SmtpSink, startSmtpSink } from '../support/smtp-sink.ts'
import { until } from '../support/until.ts'

const ENCODED = { 'content-type': 'application/x-www-form-urlencoded' }
const UNKNOWN_ID = '01900000-0000-7000-8000-000000000000'
const DAY = 24 * 3600 * 1000

// On PostgreSQL, the stricter: what is stored has its contract on both.
describe('leaving by typing the address', () => {
  let test: TestApp
  let sink: SmtpSink
  let project: string
  let other: string
  let time = Date.parse('2026-05-01T12:00:00Z')

  beforeAll(async () => {
    sink = await startSmtpSink()
    atEndOfFile(() => sink.close())
    const shared = { trustedDomains: ['example.com'] }
    const projects = [
      { ...shared, name: 'Acme & Co', secretKey: SECRET, from: 'Acme <news@example.com>' },
      { ...shared, name: 'Other', secretKey: OTHER_SECRET },
    ]
    const clock = { now: () => new Date(time) }
    test = await testApp(
      STRICT,
      { trustProxy: true },
      { ...LINK_SETTINGS, projects, transports: [toSink(sink)], clock },
    )
    await test.engine.start()
    const all = await test.engine.projects.list()
    project = all.find(({ name }) => name === 'Acme & Co')!.id
    await test.ask('PATCH', `/projects/${project}`, { json: { archiveSlug: 'acme' } })
    other = all.find(({ name }) => name === 'Other')!.id
  })

  const read = (path: string, language = 'en') =>
    test.ask('GET', path, { key: null, headers: { 'accept-language': language } })
  const leave = (email: string, from = '192.0.2.1', id = project) =>
    test.ask('POST', `/leave/${id}`, {
      key: null,
      raw: new URLSearchParams({ email }).toString(),
      headers: { ...ENCODED, 'x-forwarded-for': from, 'accept-language': 'en' },
    })
  const contact = async (email: string, more: object = {}) =>
    (await test.ask('POST', '/contacts', { json: { email, subscribed: true, ...more } })).body.id as string
  const mailsTo = async (id: string) => (await test.ask('GET', `/emails?contactId=${id}`)).body.data

  it('mails the way out, which unsubscribes', async () => {
    const id = await contact('ada@example.org', { data: { locale: 'de' } })
    const page = await read(`/leave/${project}`)
    expect(page).toMatchObject({ status: 200, text: expect.stringContaining('unsubscribe from Acme &#38; Co is sent') })
    expect((await leave(' Ada@Example.org ')).status).toBe(200)
    await until('the mail', () => sink.messages.some(({ to }) => to.includes('ada@example.org')))
    const mail = await simpleParser(sink.messages.find(({ to }) => to.includes('ada@example.org'))!.raw)
    expect(mail.subject).toBe('Abmelden bei Acme')
    const url = /href="([^"]+\/unsubscribe\/[^"]+)"/.exec(String(mail.html))![1]!
    const path = url.slice(LINK_SETTINGS.publicUrl.length)
    await test.ask('POST', path, { key: null, raw: 'subscription=unsubscribe', headers: ENCODED })
    expect((await test.ask('GET', `/contacts/${id}`)).body.subscribed).toBe(false)
  })

  it('answers every address the same, and mails only who is subscribed and takes mail', async () => {
    const left = await contact('left@example.org', { subscribed: false })
    const bounced = await contact('bounced@example.org')
    await test.ask('POST', '/suppressions', { json: { email: 'bounced@example.org', reason: 'BOUNCE' } })
    const known = await contact('known@example.org')
    const answers = await Promise.all(
      ['nobody@example.org', 'left@example.org', 'bounced@example.org', 'known@example.org'].map((each) => leave(each)),
    )
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect(answers[0]!.text).toContain('At most one such mail is sent a day.')
    expect(await mailsTo(left)).toEqual([])
    expect(await mailsTo(bounced)).toEqual([])
    expect(await mailsTo(known)).toHaveLength(1)
    expect((await test.ask('GET', '/contacts?search=nobody')).body.data).toEqual([])
  })

  it('mails a mailbox once a day, whatever spelling', async () => {
    const first = await contact('eve.doe@gmail.com')
    const second = await contact('evedoe+news@gmail.com')
    await leave('eve.doe@gmail.com')
    await leave('evedoe+news@gmail.com')
    await leave('eve.doe@gmail.com')
    expect(await mailsTo(first)).toHaveLength(1)
    expect(await mailsTo(second)).toEqual([])
    time += DAY
    await leave('eve.doe@gmail.com')
    expect(await mailsTo(first)).toHaveLength(2)
  })

  it('takes 20 requests of a client in ten minutes, and 100 for a project', async () => {
    time += DAY
    const of = (from: string) => leave('nobody@example.org', from).then(({ status }) => status)
    for (let i = 0; i < 20; i++) expect(await of('198.51.100.1')).toBe(200)
    const refused = await leave('nobody@example.org', '198.51.100.1')
    expect(refused).toMatchObject({ status: 429, headers: expect.anything() })
    const page = (await test.engine.subscriptions.leaving.look(project))!
    const { leaving } = test.engine.subscriptions
    for (let i = 0; i < 80; i++) await leaving.ask(page, { email: 'nobody@example.org' }, { address: `10.0.${i}.1` })
    const over = leaving.ask(page, { email: 'nobody@example.org' }, { address: '10.1.0.1' })
    await expect(over).rejects.toSatisfy((error) => EngineError.is(error) && error.code === 'RATE_LIMIT_EXCEEDED')
    time += DAY
    expect(await of('198.51.100.1')).toBe(200)
  })

  it('shows what was wrong with an address, and says where nothing can be mailed', async () => {
    for (const wrong of ['', 'ada', `${'a'.repeat(70)}@example.org`, '<b>@example.org']) {
      const answer = await leave(wrong)
      expect(answer.status).toBe(422)
      expect(answer.text).toContain('Please check')
      expect(answer.text).not.toContain('<b>')
    }
    const json = { key: null, json: { email: 'ada' } }
    expectEnvelope(await test.ask('POST', `/leave/${project}`, json), 422, 'VALIDATION_ERROR')
    const invalid = { status: 404, text: expect.stringContaining(EN.invalid.title) }
    for (const none of [UNKNOWN_ID, 'x', '%00']) expect(await read(`/leave/${none}`)).toMatchObject(invalid)
    expect((await leave('ada@example.org', '192.0.2.9', other)).status).toBe(503)
    const refused = await test.ask('POST', `/leave/${other}`, { key: null, json: { email: 'ada@example.org' } })
    // to send it again would not help
    expect(refused).toMatchObject({ status: 503, body: { error: { suggestion: expect.stringContaining('`from`') } } })
    const asked = await test.ask('POST', `/leave/${project}`, { key: null, json: { email: 'no@example.org' } })
    expect(asked.body).toMatchObject({ success: true, data: { title: 'Look into your inbox' } })
  })

  it('is linked from where people look, in ten languages', async () => {
    const link = `href="${LINK_SETTINGS.publicUrl}/leave/${project}"`
    const archive = await read('/archive/acme')
    expect(archive.text).toContain(link)
    const form = { name: 'F', texts: { title: 'News' }, consent: 'Yes.' }
    const { id } = (await test.ask('POST', '/forms', { json: form })).body
    expect((await read(`/f/${id}`)).text).toContain(link)
    const token = contactToken(project, UNKNOWN_ID)
    // deleted, cut off, and signed with another secret
    const paths = [`/unsubscribe/${token}`, `/unsubscribe/${token.slice(0, 30)}`, `/manage/${token.slice(0, -4)}AAAA`]
    const clicked = [`/t/c/${token}/1`, `/view/${token}`]
    for (const path of [...paths, ...clicked]) expect((await read(path)).text, path).toContain(link)
    for (const none of [contactToken(other, UNKNOWN_ID), 'x', contactToken(UNKNOWN_ID, UNKNOWN_ID)])
      expect((await read(`/unsubscribe/${none}`)).text).not.toContain('/leave/')
    const titles = await Promise.all(
      [...LANGUAGES.keys()].map(async (each) => (await read(`/leave/${project}`, each)).text),
    )
    expect(new Set(titles.map((text) => /<h1>(.*)<\/h1>/.exec(text)![1])).size).toBe(LANGUAGES.size)
  })
})

import { beforeAll, describe, expect, it } from 'vitest'
import { MAIL, PUBLIC, type TestApp, testApp } from '../support/app.ts'
import { LINK_SETTINGS, mailToken } from '../support/contact-links.ts'
import { atEndOfFile } from '../support/end-of-file.ts'
import { toSink } from '../support/engine.ts'
import { STRICT } from '../support/matrix.ts'
import { type SmtpSink, startSmtpSink } from '../support/smtp-sink.ts'
import { until } from '../support/until.ts'

/** Two fixed links, and one that is made of the recipient's data between them. */
const LETTER =
  '<p>Dear Ada Lovelace</p><a href="https://shop.example/?a=1&amp;b=2">a</a><a href="https://shop.example/u/{{ name }}">b</a>' +
  '<a href="https://shop.example/{ x">c</a>'
const BROWSER = { 'user-agent': 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/131.0.0.0 Safari/537.36' }

describe.each([STRICT])('a deleted contact, on $name', (store) => {
  let sink: SmtpSink
  let test: TestApp
  let projectId: string
  const emailOf = async (id: string) => (await test.ask('GET', `/emails/${id}`)).body
  const click = (id: string, link: number) =>
    test.ask('GET', `/t/c/${mailToken(projectId, id)}/${link}`, { key: null, headers: BROWSER })
  const send = async (to: string, change: object = {}) => {
    const json = { ...MAIL, to, body: LETTER, data: { name: 'Ada' }, tags: { user: 'ada' }, ...change }
    const { body } = await test.ask('POST', '/v1/send', { json })
    const { email: id, contact } = body.data.emails[0]
    return { id, contactId: contact.id }
  }
  const delivered = ({ id }: { id: string }) =>
    until('the mail is delivered', async () => (await emailOf(id)).status === 'DELIVERED')

  beforeAll(async () => {
    sink = await startSmtpSink()
    test = await testApp(store, {}, { ...LINK_SETTINGS, transports: [toSink(sink)] })
    projectId = (await test.engine.projects.list()).find(({ name }) => name === 'Test')?.id ?? ''
    await test.engine.start()
  })
  atEndOfFile(() => sink.close())

  it('is in no answer any more, while the figures of its mails stay', async () => {
    const mail = await send('ada@example.org', { to: { email: 'ada@example.org', name: 'Ada Lovelace' } })
    const later = await send('ada@example.org', { scheduledFor: new Date(Date.now() + 3_600_000).toISOString() })
    await delivered(mail)
    await click(mail.id, 0)
    await test.ask('POST', '/v1/track', {
      json: { email: 'ada@example.org', event: 'paid', data: { n: 1 } },
      key: PUBLIC,
    })
    expect((await test.ask('DELETE', `/contacts/${mail.contactId}`)).status).toBe(204)

    expect(await emailOf(mail.id)).toMatchObject({
      ...{ to: 'deleted', contactId: null, status: 'CLICKED', clicks: 1, tags: {}, events: [] },
      ...{ subject: null, body: null, text: null, redactedAt: expect.any(String), sentAt: expect.any(String) },
    })
    expect(await emailOf(later.id)).toMatchObject({ to: 'deleted', status: 'SKIPPED', skipReason: 'contact-removed' })
    const paths = [
      '/emails',
      `/emails/${mail.id}`,
      '/events',
      '/events/names',
      '/contacts',
      `/emails?contactId=${mail.contactId}`,
    ]
    // what counts its events follows in the background
    for (const path of paths) {
      const shown = async () => {
        const { status, text } = await test.ask('GET', path)
        return { path, status, found: /"ada|lovelace|paid/i.exec(text)?.[0] }
      }
      await expect.poll(shown).toEqual({ path, status: 200, found: undefined })
    }
  })

  it('follows the fixed links of its mails, which count no more', async () => {
    const mail = await send('bea@example.org')
    await delivered(mail)
    await test.ask('DELETE', `/contacts/${mail.contactId}`)
    const places = await Promise.all([0, 1, 2, 3].map((link) => click(mail.id, link)))
    expect(places.map(({ status, headers }) => [status, headers.get('location')])).toEqual([
      [302, 'https://shop.example/?a=1&b=2'],
      [404, null],
      [302, 'https://shop.example/%7B%20x'],
      [404, null],
    ])
    expect(await emailOf(mail.id)).toMatchObject({ clicks: 0, to: 'deleted', events: [] })
  })

  it('takes nothing from others who got the same words, and may come back as somebody new', async () => {
    const json = {
      ...MAIL,
      to: ['eve@example.org', 'kim@example.org'],
      subject: 'Hi {{ name }}',
      data: { name: 'you' },
    }
    const { body } = await test.ask('POST', '/v1/send', { json })
    const [eve, kim] = body.data.emails
    await delivered({ id: kim.email })
    await test.ask('DELETE', `/contacts/${eve.contact.id}`)
    expect(await emailOf(kim.email)).toMatchObject({ to: 'kim@example.org', subject: 'Hi you', body: '<p>Hello</p>' })
    const again = await send('eve@example.org', { subject: 'Hi {{ name }}', body: '<p>Hello</p>' })
    await delivered(again)
    expect(await emailOf(again.id)).toMatchObject({ to: 'eve@example.org', subject: 'Hi Ada', body: '<p>Hello</p>' })
  })

  it('is erased with all others of a bulk deletion when that is completed', async () => {
    const sent = [await send('x1@example.org'), await send('x2@example.org')]
    for (const mail of sent) await delivered(mail)
    const contactIds = sent.map(({ contactId }) => contactId)
    const { body } = await test.ask('POST', '/contacts/bulk-delete', { json: { contactIds } })
    await until('the job is done', async () => {
      return (await test.ask('GET', `/contacts/bulk/${body.jobId}`)).body.state === 'completed'
    })
    for (const { id } of sent) expect(await emailOf(id)).toMatchObject({ to: 'deleted', subject: null })
  })
})

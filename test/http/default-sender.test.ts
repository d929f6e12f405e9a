import { simpleParser } from 'mailparser'
import { describe, expect, it } from 'vitest'
import { expectEnvelope, MAIL, PUBLIC, SECRET, testApp } from '../support/app.ts'
import { atEndOfFile } from '../support/end-of-file.ts'
import { toSink } from '../support/engine.ts'
import { QUICK } from '../support/matrix.ts'
import { startSmtpSink } from '../support/smtp-sink.ts'

const { from: _from, ...MAIL_WITHOUT } = MAIL
const PROJECT = { name: 'Acme', secretKey: SECRET, trustedDomains: ['example.com'] }
const FROM = 'Acme Shop <shop@example.com>'

for (const store of [QUICK]) {
  describe(`the sender of a project on ${store.name}`, () => {
    it('counts where neither the request nor a template names one', async () => {
      const { ask, engine } = await testApp(store, {}, { projects: [{ ...PROJECT, from: FROM }] })
      const sent = async (json: object) => {
        const { status, body } = await ask('POST', '/v1/send', { json: { ...MAIL_WITHOUT, ...json } })
        expect(status).toBe(200)
        const { from, fromName } = (await ask('GET', `/emails/${body.data.emails[0].email}`)).body
        return [from, fromName]
      }
      expect(await sent({})).toEqual(['shop@example.com', 'Acme Shop'])
      expect(await sent({ name: 'Ada' })).toEqual(['shop@example.com', 'Ada'])
      expect(await sent({ from: 'other@example.com' })).toEqual(['other@example.com', 'Acme'])
      expect(await sent({ from: 'shop@example.com', name: 'Ada' })).toEqual(['shop@example.com', 'Ada'])
      const words = { name: 'T', subject: 'S', body: 'B', type: 'TRANSACTIONAL' }
      const bare = (await ask('POST', '/templates', { json: words })).body.id
      expect(await sent({ template: bare })).toEqual(['shop@example.com', 'Acme Shop'])
      const own = (await ask('POST', '/templates', { json: { ...words, from: 'own@example.com' } })).body.id
      expect(await sent({ template: own })).toEqual(['own@example.com', 'Acme'])

      const campaign = await ask('POST', '/campaigns', { json: { ...words, type: undefined, audienceType: 'ALL' } })
      expect(campaign.body.data).toMatchObject({ from: 'shop@example.com' })
      const workflow = (await ask('POST', '/workflows', { json: { name: 'W', eventName: 'seen' } })).body.id
      const step = { type: 'SEND_EMAIL', templateId: bare }
      await ask('POST', `/workflows/${workflow}/steps`, { json: step })
      expect((await ask('PATCH', `/workflows/${workflow}`, { json: { enabled: true } })).status).toBe(200)

      await engine.projects.applySettings([{ name: 'Acme', trustedDomains: ['example.com'] }])
      expect((await engine.projects.list())[0]?.from).toEqual({ email: 'shop@example.com', name: 'Acme Shop' })
      await engine.projects.applySettings([{ name: 'Acme', from: null }])
      expectEnvelope(await ask('POST', '/v1/send', { json: MAIL_WITHOUT }), 422, 'VALIDATION_ERROR', {
        from: 'required',
      })
    })
  })
}

it('names that are data are printed as they stand, wherever mail of a project comes from', async () => {
  const name = '{% Sale %} {{ email }} Shop'
  const sink = await startSmtpSink()
  atEndOfFile(() => sink.close())
  const { ask, engine } = await testApp(
    QUICK,
    {},
    {
      projects: [
        { ...PROJECT, publicKey: PUBLIC, name, doubleOptIn: { from: 'ask@example.com', fromName: `Ask ${name}` } },
      ],
      transports: [toSink(sink)],
      publicUrl: 'https://mail.example.com',
    },
  )
  await engine.start()
  const { body: ada } = await ask('POST', '/contacts', { json: { email: 'ada@example.org' } })
  const template = { name: 'T', subject: 'S', body: '<p>B</p>', type: 'MARKETING', from: 'hello@example.com' }
  const { body: made } = await ask('POST', '/templates', { json: template })
  const campaign = { name, subject: 'S', body: '<p>B</p>', from: 'hello@example.com', audienceType: 'ALL' }
  const { body: news } = await ask('POST', '/campaigns', { json: campaign })
  const { body: flow } = await ask('POST', '/workflows', { json: { name, eventName: 'seen' } })
  const step = { type: 'SEND_EMAIL', templateId: made.id }
  await ask('POST', `/workflows/${flow.id}/steps`, { json: step })
  await ask('PATCH', `/workflows/${flow.id}`, { json: { enabled: true } })
  const { body: domain } = await ask('POST', '/domains', { json: { domain: 'example.com' } })
  const asked: readonly (readonly [path: string, json: object])[] = [
    ['/v1/send', MAIL],
    ['/v1/send', { to: MAIL.to, template: made.id }],
    [`/campaigns/${news.data.id}/test`, { email: MAIL.to }],
    ['/v1/track', { email: MAIL.to, event: 'seen' }],
    [`/campaigns/${news.data.id}/send`, {}],
    ['/templates/check', { ...template, links: false, contactId: ada.id }],
    [`/domains/${domain.id}/test`, { to: 'seed@example.net' }],
    ['/v1/track', { email: 'new@example.org', event: 'signed-up', subscribed: true }],
  ]
  for (const [path, json] of asked) {
    const key = path === '/v1/track' ? PUBLIC : SECRET
    const { status, text } = await ask('POST', path, { key, json })
    expect([path, status < 300 ? '' : text]).toEqual([path, ''])
  }
  const mails = await Promise.all((await sink.waitFor(7)).map(({ raw }) => simpleParser(raw)))
  expect(mails.map(({ from }) => from?.value[0]?.name).sort()).toEqual([...Array(6).fill(name), `Ask ${name}`].sort())
  const footers = mails.filter(({ text }) => text?.includes('Unsubscribe'))
  expect(footers.length).toBeGreaterThan(3)
  for (const { text, html } of footers) {
    expect(text).toContain(name)
    expect(html).toContain('{% Sale %} {{ email }} Shop')
  }
})

it('a sender of a project must be on one of its domains, and be one address', async () => {
  const store = QUICK
  const start = (from: string) => testApp(store, {}, { projects: [{ ...PROJECT, from }] })
  await expect(start('a@elsewhere.example')).rejects.toThrow(/projects\[0\]\.from: must be an address of one of/)
  await expect(start('a@example.com, b@example.com')).rejects.toThrow(/projects\[0\]\.from: must be an e-mail address/)
})

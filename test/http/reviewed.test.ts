import { beforeAll, describe, expect, it } from 'vitest'
import { expectEnvelope, type TestApp, testApp } from '../support/app.ts'
import { QUICK } from '../support/matrix.ts'

const MAIL = { to: 'ada@example.org', from: 'hello@example.com', subject: 'Hi', body: '<p>Hi</p>' }

/** Faults that a review by use found once. */
for (const store of [QUICK]) {
  describe(`what was once wrong, on ${store.name}`, () => {
    let test: TestApp
    const send = (change: object) => test.ask('POST', '/v1/send', { json: { ...MAIL, ...change } })

    beforeAll(async () => {
      test = await testApp(store)
    })

    it('POST /templates/render fills in as sending would', async () => {
      const { body: contact } = await test.ask('POST', '/contacts', {
        json: { email: 'render@example.org', data: { name: 'Ada', plan: 'free' } },
      })
      const json = {
        subject: 'Hi {{ name }}',
        body: '<p>{{ plan }} &amp; {{ email }}</p>',
        data: { plan: '<pro>' },
        contactId: contact.id,
      }
      const answer = await test.ask('POST', '/templates/render', { json })
      expect(answer.status).toBe(200)
      expect(answer.body).toEqual({
        subject: 'Hi Ada',
        html: '<p>&lt;pro&gt; &amp; render@example.org</p>',
        text: '<pro> & render@example.org',
      })
      const nobody = await test.ask('POST', '/templates/render', { json: { ...json, contactId: 'nobody' } })
      expectEnvelope(nobody, 404, 'CONTACT_NOT_FOUND')
      const broken = await test.ask('POST', '/templates/render', { json: { body: '{% if %}' } })
      expectEnvelope(broken, 422, 'VALIDATION_ERROR', { body: 'custom' })
    })

    it('an international domain is one, however it is written', async () => {
      const first = await test.ask('POST', '/contacts', { json: { email: 'q@münchen.de' } })
      const second = await test.ask('POST', '/contacts', { json: { email: 'q@xn--mnchen-3ya.de' } })
      expect([first.status, second.status]).toEqual([201, 200])
      expect(second.body).toMatchObject({ id: first.body.id, email: 'q@münchen.de' })
      const soft = await test.ask('POST', '/contacts', { json: { email: 'x@exam\u00adple.com' } })
      expect(soft.body.email).toBe('x@example.com')
    })

    it.each([
      '2026-11-31T00:00:00Z',
      '2026-02-29',
      '2026-11-25 10:00 (banana) PM',
      '2026-13-01',
      '2026-01-01T25:00Z',
      'tomorrow',
    ])('%s is no date', async (scheduledFor) => {
      expectEnvelope(await send({ scheduledFor }), 422, 'VALIDATION_ERROR', { scheduledFor: 'invalid_date' })
    })

    it('the deprecated name counts only beside a sender that is a plain string', async () => {
      const from = async (change: object) => {
        const { body } = await send(change)
        return (await test.ask('GET', `/emails/${body.data.emails[0].email}`)).body.fromName
      }
      expect(await from({ name: 'Old' })).toBe('Old')
      expect(await from({ from: { email: 'hello@example.com' }, name: 'Old' })).not.toBe('Old')
    })

    it('a body without placeholders may be larger than 2 MB', async () => {
      expect((await send({ body: 'x'.repeat(3 * 1024 * 1024) })).status).toBe(200)
    })

    it('a list is no object', async () => {
      const { body: contact } = await test.ask('POST', '/contacts', { json: { email: 'list@example.org' } })
      const patched = await test.ask('PATCH', `/contacts/${contact.id}`, { json: [] })
      expectEnvelope(patched, 422, 'VALIDATION_ERROR', { body: 'invalid_type' })
      expectEnvelope(await send({ attachments: [[]] }), 422, 'VALIDATION_ERROR', { 'attachments.0': 'invalid_type' })
    })

    it('a header that cannot be stored is named by its name', async () => {
      expectEnvelope(await send({ headers: { 'X-A': '\ud800' } }), 422, 'VALIDATION_ERROR', {
        'headers.X-A': 'invalid_string',
      })
    })

    it('an empty template id is the id of none', async () => {
      expectEnvelope(await send({ template: '' }), 404, 'TEMPLATE_NOT_FOUND')
    })
  })
}

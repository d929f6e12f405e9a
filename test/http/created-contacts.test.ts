import { beforeAll, describe, expect, it } from 'vitest'
import { PUBLIC, SECRET, type TestApp, testApp } from '../support/app.ts'
import { ended, upload } from '../support/contact-jobs.ts'
import { LINK_SETTINGS } from '../support/contact-links.ts'
import { QUICK } from '../support/matrix.ts'
import { until } from '../support/until.ts'

for (const store of [QUICK]) {
  describe(`contact.created on ${store.name}`, () => {
    let test: TestApp
    const post = async (path: string, json: object) => (await test.ask('POST', path, { json })).body
    const mail = { from: 'a@example.com', subject: 'x', body: 'x' }
    const form = async (email: string, doubleOptIn: boolean) => {
      const { id } = await post('/forms', { name: 'F', texts: { title: 'F' }, consent: 'Yes.', doubleOptIn })
      const headers = { 'content-type': 'application/json' }
      const sent = await test.ask('POST', `/f/${id}`, { key: null, raw: JSON.stringify({ email }), headers })
      expect(sent.status, sent.text).toBe(200)
    }
    /** Each way in, with what the event says of it. */
    const ways: Readonly<Record<string, readonly [source: string, subscribed: boolean, (email: string) => unknown]>> = {
      api: ['api', true, (email) => post('/contacts', { email })],
      off: ['api', false, (email) => post('/contacts', { email, subscribed: false })],
      track: ['track', true, (email) => post('/v1/track', { email, event: 'x' })],
      page: ['track', true, (email) => test.ask('POST', '/v1/track', { json: { email, event: 'x' }, key: PUBLIC })],
      send: ['send', false, (email) => post('/v1/send', { to: email, ...mail })],
      agreed: ['send', true, (email) => post('/v1/send', { to: email, ...mail, subscribed: true })],
      form: ['form', true, (email) => form(email, false)],
      asks: ['form', false, (email) => form(email, true)],
      file: ['import', true, async (email) => ended(test, await upload(test, `email\n${email}\n`), 'import')],
      segment: [
        'segment',
        true,
        async (email) => {
          const { id } = await post('/segments', { name: email, type: 'STATIC' })
          await post(`/segments/${id}/members`, { emails: [email], createMissing: true })
        },
      ],
    }
    const events = async () =>
      (await test.ask('GET', '/events?eventName=contact.created&limit=100')).body.events as {
        contact: { email: string }
        data: object
      }[]

    beforeAll(async () => {
      const project = { name: 'Test', from: 'a@example.com', trustedDomains: ['example.com'] }
      const projects = [{ ...project, secretKey: SECRET, publicKey: PUBLIC }]
      test = await testApp(store, {}, { ...LINK_SETTINGS, projects })
      await test.engine.start()
    })

    it('is stored by no way in while nothing waits for it, and heard all the same', async () => {
      const heard: object[] = []
      const stop = test.engine.on('contact.created', ({ data }) => void heard.push(data))
      for (const [name, [, , come]] of Object.entries(ways)) await come(`${name}@before.example`)
      await test.engine.idle()
      stop()
      expect(await events()).toEqual([])
      expect(heard).toEqual(Object.values(ways).map(([source, subscribed]) => ({ source, subscribed })))
    })

    it('starts a workflow, whichever the way in, once for each contact', async () => {
      const { id } = await post('/workflows', { name: 'Welcome', eventName: 'contact.created' })
      const config = { eventName: 'never', timeout: 3600 }
      await post(`/workflows/${id}/steps`, { type: 'WAIT_FOR_EVENT', config, autoConnect: true })
      const on = await test.ask('PATCH', `/workflows/${id}`, { json: { enabled: true } })
      expect(on.body).toMatchObject({ enabled: true })
      for (const [name, [, , come]] of Object.entries(ways)) await come(`${name}@after.example`)
      // who is there already is not created
      for (const [, , come] of Object.values(ways)) await come('api@after.example')
      await until('all are welcomed', async () => {
        const { total } = (await test.ask('GET', `/workflows/${id}/executions`)).body
        return total >= Object.keys(ways).length || undefined
      })
      const stored = await events()
      const told = Object.fromEntries(stored.map(({ contact, data }) => [contact.email.split('@')[0], data]))
      expect(told).toEqual(
        Object.fromEntries(Object.entries(ways).map(([name, [source, subscribed]]) => [name, { source, subscribed }])),
      )
      expect((await test.ask('GET', `/workflows/${id}/executions`)).body.total).toBe(Object.keys(ways).length)
      // a form without double opt-in still tells of the subscription, too
      const { body } = await test.ask('GET', '/events?eventName=contact.subscribed&limit=100')
      expect(
        body.events.filter(({ data: { reason } }: { data: { reason: string } }) => reason === 'form'),
      ).toHaveLength(2)
    })

    it('may be tracked by programs as an event of their own', async () => {
      expect(await post('/v1/track', { email: 'own@after.example', event: 'contact.created' })).toMatchObject({
        success: true,
      })
    })
  })
}

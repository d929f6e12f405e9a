import { beforeAll, describe, expect, it } from 'vitest'
import { expectEnvelope, OTHER_SECRET, type TestApp, testApp } from '../support/app.ts'
import { fileForm } from '../support/contact-jobs.ts'
import { contactToken, LINK_SETTINGS } from '../support/contact-links.ts'
import { STORES } from '../support/matrix.ts'
import { ID } from './endpoints.ts'

for (const store of STORES) {
  describe(`merging two contacts on ${store.name}`, () => {
    let test: TestApp
    let projectId: string
    let count = 0
    const post = async (path: string, json: object) => (await test.ask('POST', path, { json })).body
    const person = async (json: object = {}) => post('/contacts', { email: `m${++count}@merge.example`, ...json })
    const merge = (id: string, from: unknown) => test.ask('POST', `/contacts/${id}/merge`, { json: { from } })
    const suppress = async (email: string, reason: string) =>
      test.ask('POST', '/suppressions/import', await fileForm(`email,reason\n${email},${reason}\n`))
    const get = async (path: string) => (await test.ask('GET', path)).body

    beforeAll(async () => {
      test = await testApp(store, {}, LINK_SETTINGS)
      projectId = (await test.engine.projects.list()).find(({ name }) => name === 'Test')!.id
    })

    it('keeps what is known of either, what happened to either, and the way out of old mails', async () => {
      const kept = await person({ data: { name: 'Ada', plan: 'pro' } })
      const gone = await person({ data: { plan: 'free', city: 'Ulm' } })
      const segment = await post('/segments', { name: `S${count}`, type: 'STATIC' })
      await post(`/segments/${segment.id}/members`, { contactIds: [gone.id] })
      await post('/v1/track', { email: gone.email, event: 'bought' })
      await post('/v1/send', { to: gone.email, from: 'a@example.com', subject: 'x', body: 'x' })
      const { status, body } = await merge(kept.id, gone.id)
      expect({ status, body }).toMatchObject({
        status: 200,
        body: { id: kept.id, email: kept.email, subscribed: true, data: { name: 'Ada', plan: 'pro', city: 'Ulm' } },
      })
      expectEnvelope(await test.ask('GET', `/contacts/${gone.id}`), 404, 'CONTACT_NOT_FOUND')
      expect((await get(`/events/contact/${kept.id}`)).events.map(({ name }: { name: string }) => name)).toContain(
        'bought',
      )
      expect((await get(`/emails?contactId=${kept.id}`)).data).toMatchObject([{ to: gone.email }])
      expect((await get(`/segments/${segment.id}/contacts`)).data).toMatchObject([{ id: kept.id }])
      // the link in a mail to the other address leads to the one that is left
      const path = `/unsubscribe/${contactToken(projectId, gone.id)}`
      expect((await test.ask('POST', path, { key: null })).status).toBe(200)
      expect(await get(`/contacts/${kept.id}`)).toMatchObject({ subscribed: false, leftBy: 'link' })
      await test.ask('DELETE', `/contacts/${kept.id}`)
      expect((await test.ask('GET', path.replace('unsubscribe', 'manage'), { key: null })).status).toBe(410)
    })

    it('takes the stricter consent of both, whichever is kept', async () => {
      const news = (await post('/topics', { name: `News ${count}` })).slug
      const choose = (id: string, subscribed: boolean) =>
        test.ask('PUT', `/contacts/${id}/topics`, { json: { topics: [{ topic: news, subscribed }] } })
      for (const isKept of [true, false]) {
        const strict = await person({ tracking: 'none' })
        const loose = await person({ tracking: 'full' })
        await test.ask('PATCH', `/contacts/${strict.id}`, {
          json: { subscribed: false, everyDays: 30, pausedUntil: '2099-01-01T00:00:00Z' },
        })
        await test.ask('PATCH', `/contacts/${loose.id}`, { json: { everyDays: 7 } })
        await choose(strict.id, false)
        await choose(loose.id, true)
        await suppress(strict.email, 'COMPLAINT')
        const [kept, gone] = isKept ? [strict, loose] : [loose, strict]
        const { body } = await merge(kept.id, gone.id)
        expect(body).toMatchObject({
          ...{ email: kept.email, subscribed: false, leftBy: 'api', tracking: 'none', everyDays: 30 },
          pausedUntil: '2099-01-01T00:00:00.000Z',
        })
        expect(await get(`/contacts/${kept.id}`)).toMatchObject(body)
        const { topics } = await get(`/contacts/${kept.id}/topics`)
        expect(topics.find(({ topic }: { topic: string }) => topic === news)).toMatchObject({ subscribed: false })
        const listed = (await get('/suppressions?limit=100')).data.map(({ email }: { email: string }) => email)
        expect(listed).toContain(kept.email)
        const told = (await get(`/events/contact/${kept.id}`)).events.filter(
          ({ name, data }: { name: string; data: { topic?: string } }) =>
            name === 'contact.unsubscribed' && !data.topic,
        )
        // the history of the other one comes along
        expect(told).toHaveLength(isKept ? 1 : 2)
      }
    })

    it('takes a bounce for a matter of the address, and no consent from one that never gave it', async () => {
      const kept = await person()
      const old = await person({ subscribed: false })
      await suppress(old.email, 'BOUNCE')
      expect((await merge(kept.id, old.id)).body).toMatchObject({ subscribed: false })
      const listed = (await get('/suppressions?limit=100')).data.map(({ email }: { email: string }) => email)
      expect(listed).not.toContain(kept.email)
      const [silent, agreed] = [await person({ subscribed: false }), await person()]
      expect((await merge(silent.id, agreed.id)).body).toMatchObject({ subscribed: false })
    })

    it('refuses what it cannot do, and changes nothing then', async () => {
      const big = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`a${i}`, i]))
      const other = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`b${i}`, i]))
      const [one, two] = [await person({ data: big }), await person({ data: other })]
      const theirs = (await test.ask('POST', '/contacts', { json: { email: 'x@merge.example' }, key: OTHER_SECRET }))
        .body
      for (const from of [one.id, ID, theirs.id, 'x', two.id]) {
        expectEnvelope(await merge(one.id, from), 422, 'VALIDATION_ERROR', { from: expect.any(String) })
      }
      expectEnvelope(await merge(one.id, undefined), 422, 'VALIDATION_ERROR', { from: 'required' })
      for (const id of [ID, theirs.id, 'x']) expectEnvelope(await merge(id, one.id), 404, 'CONTACT_NOT_FOUND')
      expect(Object.keys((await get(`/contacts/${one.id}`)).data)).toHaveLength(300)
      expect(await get(`/contacts/${two.id}`)).toMatchObject({ email: two.email })
    })
  })
}

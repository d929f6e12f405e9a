import { beforeAll, describe, expect, it } from 'vitest'
import {
  type Answer,
  expectEnvelope,
  MAIL,
  OTHER_SECRET,
  PUBLIC,
  SECRET,
  type TestApp,
  testApp,
} from '../support/app.ts'
import { ended, fileForm, upload } from '../support/contact-jobs.ts'
import { contactToken, LINK_SETTINGS } from '../support/contact-links.ts'
import { STRICT } from '../support/matrix.ts'
import { ID } from './endpoints.ts'

for (const store of [STRICT]) {
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
      await test.engine.start()
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

    /** A person of two addresses, who is one contact now. */
    const twoInOne = async (json: object = {}) => {
      const [kept, gone] = [await person(json), await person(json)]
      expect((await merge(kept.id, gone.id)).status).toBe(200)
      return { kept, gone, id: kept.id as string, old: gone.email as string }
    }
    const left = async (json: object = {}) => {
      const both = await twoInOne(json)
      // by the link in a mail to the other address
      await test.ask('POST', `/unsubscribe/${contactToken(projectId, both.gone.id)}`, { key: null })
      expect(await get(`/contacts/${both.id}`)).toMatchObject({ subscribed: false, leftBy: 'link' })
      return both
    }
    const listed = async (search: string) => (await get(`/contacts?search=${search}`)).data
    const track = (email: string, json: object, key = SECRET) =>
      test.ask('POST', '/v1/track', { key, json: { email, event: 'seen', ...json } })

    it('takes a row of a file with the other address for one about the contact, who stays away', async () => {
      const { kept, id, old } = await left()
      const { old: other, id: otherId } = await twoInOne()
      const file = `email,subscribed,city\n${old},true,Ulm\n${kept.email},true,Bonn\n${old.toUpperCase()},,Jena\n${other},false,\n`
      const { body: preview } = await test.ask('POST', '/contacts/import/preview', await fileForm(file))
      expect(preview).toMatchObject({ createdCount: 0, updatedCount: 4, keptUnsubscribed: 1, unsubscribedCount: 1 })
      const { result } = await ended(test, await upload(test, file), 'import')
      expect(result).toMatchObject({ createdCount: 0, updatedCount: 4, failureCount: 0, keptUnsubscribed: 1 })
      expect(await listed(old)).toEqual([])
      expect(await get(`/contacts/${id}`)).toMatchObject({ subscribed: false, data: { city: 'Jena' } })
      expect(await get(`/contacts/${otherId}`)).toMatchObject({ subscribed: false, leftBy: 'import' })
      const form = await fileForm(`email,subscribed\n${old},true\n`)
      const back = await test.ask('POST', '/contacts/import?resubscribe=true', form)
      expect((await ended(test, back, 'import')).result).toMatchObject({ resubscribed: 1, createdCount: 0 })
      expect(await get(`/contacts/${id}`)).toMatchObject({ subscribed: true, email: kept.email })
    })

    it('does the same with the other address as with its own, whichever way it comes in', async () => {
      const form = await post('/forms', { name: 'F', texts: { title: 'F' }, consent: 'Yes.', doubleOptIn: false })
      const list = await post('/segments', { name: `L${++count}`, type: 'STATIC' })
      const ways: ((email: string) => Promise<Answer>)[] = [
        (email) => test.ask('POST', '/contacts', { json: { email, data: { a: 1 } } }),
        (email) => track(email, {}),
        (email) => track(email, { subscribed: true, tracking: 'full', data: { name: 'Eve' } }, PUBLIC),
        (email) => test.ask('POST', `/f/${form.id}`, { key: null, json: { email } }),
        (email) => test.ask('POST', `/segments/${list.id}/members`, { json: { emails: [email], createMissing: true } }),
        (email) => test.ask('POST', '/v1/send', { json: { ...MAIL, to: email } }),
        (email) => test.ask('POST', '/v1/send/batch', { json: { messages: [{ ...MAIL, to: email }] } }),
      ]
      for (const [place, way] of ways.entries()) {
        const [one, two] = [await left({ tracking: 'none' }), await left({ tracking: 'none' })]
        const answers = [await way(one.kept.email), await way(two.old)]
        expect(
          answers.map(({ status }) => status),
          `${place}`,
        ).toEqual([200, 200])
        expect(await listed(two.old), `${place}`).toEqual([])
        const [{ id: _1, email: _2, updatedAt: _3, createdAt: _4, ...own }, other] = [
          await get(`/contacts/${one.id}`),
          await get(`/contacts/${two.id}`),
        ]
        expect(other, `${place}`).toMatchObject({ ...own, email: two.kept.email, subscribed: false })
      }
      expect((await get(`/segments/${list.id}/contacts`)).data).toHaveLength(2)
      const { gone: _, old, id } = await left()
      const { body } = await test.ask('POST', '/contacts/lookup', { json: { emails: [old, 'none@merge.example'] } })
      expect(body).toEqual({ found: [old], notFound: ['none@merge.example'] })
      const removed = await post(`/segments/${list.id}/members`, {
        emails: [old, (await get(`/contacts/${id}`)).email],
      })
      expect(removed).toMatchObject({ added: 1, notFound: [] })
    })

    it('subscribes the contact by the other address on the word of a secret key, and warns', async () => {
      const { kept, id, old } = await left()
      const { status, body, headers } = await test.ask('POST', '/contacts', { json: { email: old, subscribed: true } })
      expect({ status, body }).toMatchObject({ status: 200, body: { id, email: kept.email, subscribed: true } })
      expect(headers.get('mailwright-warning')).toContain(`email: was merged into the contact ${kept.email}`)
      expect(headers.get('mailwright-warning')).toContain('who had left (link)')
      const tracked = await track(old, { subscribed: false })
      expect(tracked.body.warnings).toMatchObject([
        { field: 'email', message: expect.stringContaining('was merged into') },
      ])
      // a stranger learns no address
      const strange = await track(old, {}, PUBLIC)
      expect(JSON.stringify(strange.body)).not.toContain('@')
    })

    it('sends to the address that was named, once to each, and keeps one contact', async () => {
      const { kept, id, old } = await twoInOne()
      const json = { ...MAIL, to: [old, kept.email], data: { n: 1 } }
      const { emails } = (await test.ask('POST', '/v1/send', { json })).body.data
      expect(emails.map(({ contact }: { contact: object }) => contact)).toEqual([
        { id, email: old },
        { id, email: kept.email },
      ])
      const mails = (await get(`/emails?contactId=${id}`)).data.map(({ to }: { to: string }) => to)
      expect(mails.toSorted()).toEqual([kept.email, old].toSorted())
      const messages = [
        { ...MAIL, to: old, data: { a: 1 } },
        { ...MAIL, to: kept.email, data: { b: 2 } },
      ]
      await test.ask('POST', '/v1/send/batch', { json: { messages } })
      expect((await get(`/contacts/${id}`)).data).toEqual({ n: 1, a: 1, b: 2 })
      expect(await listed(old)).toEqual([])
    })

    it('leads on by way of a third contact, and is forgotten with the person', async () => {
      const { id, old, kept } = await twoInOne()
      const third = await person()
      await merge(third.id, id)
      expect(await post('/contacts', { email: old })).toMatchObject({ id: third.id, email: third.email })
      const events = (await get(`/events/contact/${third.id}`)).events
      expect(
        events.flatMap(({ name, data }: { name: string; data: object }) => (name === 'contact.merged' ? data : [])),
      ).toEqual(
        expect.arrayContaining([
          { keptId: third.id, keptEmail: third.email, mergedId: id, mergedEmail: kept.email },
          expect.objectContaining({ keptId: id, mergedEmail: old }),
        ]),
      )
      await test.ask('DELETE', `/contacts/${third.id}`)
      const { status, body } = await test.ask('POST', '/contacts', { json: { email: old } })
      expect({ status, body }).toMatchObject({ status: 201, body: { email: old, subscribed: true } })
    })

    it('lets another contact take the address, with the stricter consent unless the call says otherwise', async () => {
      const patch = (id: string, json: object) => test.ask('PATCH', `/contacts/${id}`, { json })
      for (const subscribed of [undefined, true]) {
        const { id, old, kept } = await left()
        const other = await person()
        const { body, headers } = await patch(other.id, { email: old, subscribed })
        expect(body).toMatchObject({ id: other.id, email: old, subscribed: subscribed ?? false })
        if (!subscribed) expect(body.leftBy).toBe('link')
        expect(String(headers.get('mailwright-warning')).includes('who had left')).toBe(subscribed === true)
        expect(await post('/contacts', { email: old })).toMatchObject({ id: other.id })
        expect(await get(`/contacts/${id}`)).toMatchObject({ email: kept.email, subscribed: false })
      }
      // its own earlier address
      const { id, old } = await twoInOne()
      expect((await patch(id, { email: old })).body).toMatchObject({ id, email: old, subscribed: true })
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

import { beforeAll, describe, expect, it } from 'vitest'
import { DISABLED_SECRET, expectEnvelope, OTHER_SECRET, PUBLIC, SECRET, type TestApp, testApp } from '../support/app.ts'
import { STRICT } from '../support/matrix.ts'

/** Names that a path could stumble over; those of other endpoints among them. */
const ODD_NAMES = [
  'names',
  'stats',
  'track',
  'contact',
  'usage',
  'a/b',
  'shop/cart/add',
  'with space',
  'größe 🙂',
  '100%25',
  'a+b?c=d#e',
  "o'hara",
  'say "hi"',
  'back\\slash',
  'order.paid',
  'email',
  'segment.vip',
  '__proto__',
  'x'.repeat(255),
]

for (const store of [STRICT]) {
  describe(`the names of events on ${store.name}`, () => {
    let test: TestApp
    const track = (event: string, email = 'ada@example.org', key = SECRET) =>
      test.ask('POST', '/events/track', { json: { email, event }, key })
    const usage = (name: string, key = SECRET) => test.ask('GET', `/events/${encodeURIComponent(name)}/usage`, { key })
    const remove = (name: string, key = SECRET) => test.ask('DELETE', `/events/${encodeURIComponent(name)}`, { key })
    const names = async (key = SECRET) => (await test.ask('GET', '/events/names', { key })).body.eventNames
    const unused = { usedInSegments: [], usedInWorkflows: [] }

    beforeAll(async () => {
      test = await testApp(store)
      for (const name of ['ada', 'ada', 'bob']) await track('signed-up', `${name}@example.org`)
      await track('paid')
      await track('signed-up', 'theirs@example.org', OTHER_SECRET)
    })

    it('are listed by how often they occur', async () => {
      expect(await names()).toEqual(['signed-up', 'paid'])
      expect(await names(OTHER_SECRET)).toEqual(['signed-up'])
    })

    it('tell where they are used, how often and by how many contacts', async () => {
      const answer = { ...unused, totalCount: 3, uniqueContacts: 2, canDelete: true }
      const { status, body } = await usage('signed-up')
      expect({ status, body }).toEqual({ status: 200, body: answer })
      expect((await usage('nothing')).body).toEqual({ ...answer, totalCount: 0, uniqueContacts: 0 })
      expect((await usage('email.open')).body).toMatchObject({ totalCount: 0, canDelete: false })
    })

    it('are deleted with all their events, those of the project alone', async () => {
      for (const name of ['ada', 'bob', 'cyd']) await track('gone', `${name}@example.org`)
      await track('gone', 'theirs@example.org', OTHER_SECRET)
      expect(await remove('gone')).toMatchObject({ status: 200, body: { deletedCount: 3 } })
      expect(await names()).toEqual(['signed-up', 'paid'])
      expect((await test.ask('GET', '/events?eventName=gone')).body.events).toEqual([])
      expect((await usage('gone')).body).toMatchObject({ totalCount: 0, uniqueContacts: 0 })
      expect((await usage('gone', OTHER_SECRET)).body.totalCount).toBe(1)
      expect(await remove('gone')).toMatchObject({ status: 200, body: { deletedCount: 0 } })
    })

    it('are deleted when there are more events than one batch has', async () => {
      await Promise.all(Array.from({ length: 1001 }, () => track('often')))
      expect((await usage('often')).body).toMatchObject({ totalCount: 1001, uniqueContacts: 1 })
      expect(await remove('often')).toMatchObject({ status: 200, body: { deletedCount: 1001 } })
      expect((await usage('often')).body).toMatchObject({ totalCount: 0, uniqueContacts: 0 })
      expect(await names()).toEqual(['signed-up', 'paid'])
    })

    it.each(ODD_NAMES)('work when an event is named %s', async (name) => {
      const other = await track('beside')
      await track(name)
      expect(await names()).toContain(name)
      expect((await usage(name)).body).toEqual({ ...unused, totalCount: 1, uniqueContacts: 1, canDelete: true })
      expect(await remove(name)).toMatchObject({ status: 200, body: { deletedCount: 1 } })
      expect(await names()).not.toContain(name)
      expect(await remove('beside')).toMatchObject({ body: { deletedCount: 1 } })
      expect(other.status).toBe(200)
    })

    it('leave the endpoints of events where they are', async () => {
      const { body } = await track('paid')
      expect((await test.ask('GET', '/events/stats')).body).toEqual(expect.any(Array))
      expect(await names()).toEqual(expect.any(Array))
      const ofContact = await test.ask('GET', `/events/contact/${body.data.contact}`)
      expect(ofContact.body.events[0]).toMatchObject({ id: body.data.event })
      expectEnvelope(await test.ask('GET', '/events/contact/nobody'), 404, 'CONTACT_NOT_FOUND')
    })

    it.each([
      'email.open',
      'email.anything',
      'contact.subscribed',
      'contact.unsubscribed',
      'segment.vip.entry',
      'segment.a/b.exit',
    ])('that the service itself uses stay: %s is refused with 422', async (name) => {
      expectEnvelope(await remove(name), 422, 'VALIDATION_ERROR', { eventName: 'reserved_event' })
    })

    it('are told from those that cannot be', async () => {
      expectEnvelope(await remove('x'.repeat(256)), 422, 'VALIDATION_ERROR', { eventName: 'too_big' })
      expectEnvelope(await usage('x'.repeat(256)), 422, 'VALIDATION_ERROR', { eventName: 'too_big' })
      for (const path of ['%00', '%E0%A4%A', '%ED%A0%80']) {
        const asked = [test.ask('GET', `/events/${path}/usage`), test.ask('DELETE', `/events/${path}`)]
        for (const answer of await Promise.all(asked)) {
          expectEnvelope(answer, 422, 'VALIDATION_ERROR', { eventName: 'too_small' })
        }
      }
    })

    it('of a disabled project can be read, not deleted', async () => {
      expectEnvelope(await remove('paid', DISABLED_SECRET), 403, 'PROJECT_DISABLED')
      expect((await usage('paid', DISABLED_SECRET)).status).toBe(200)
    })

    it('refuse public keys and none', async () => {
      expectEnvelope(await remove('paid', PUBLIC), 403, 'FORBIDDEN')
      expectEnvelope(await usage('paid', PUBLIC), 403, 'FORBIDDEN')
      expectEnvelope(await test.ask('DELETE', '/events/paid', { key: null }), 401, 'MISSING_AUTH')
    })
  })
}

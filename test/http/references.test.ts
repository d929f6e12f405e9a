import { beforeAll, describe, expect, it } from 'vitest'
import { expectEnvelope, OTHER_SECRET, SECRET, type TestApp, testApp } from '../support/app.ts'
import { QUICK } from '../support/matrix.ts'

for (const store of [QUICK]) {
  describe(`what segments use on ${store.name}`, () => {
    let test: TestApp
    const segment = async (name: string, conditions: readonly object[], key = SECRET) => {
      const json = { name, filters: { operator: 'AND', conditions } }
      const answer = await test.ask('POST', '/segments', { json, key })
      expect(answer.status).toBe(201)
      return { id: answer.body.id, name }
    }
    const get = async (path: string) => (await test.ask('GET', path)).body
    const remove = (path: string, key = SECRET) => test.ask('DELETE', path, { key })

    beforeAll(async () => {
      test = await testApp(store)
      const data = { plan: 'pro', city: 'Rom', address: { street: 'x' } }
      await test.ask('POST', '/contacts', { json: { email: 'ada@example.org', data } })
      await test.ask('POST', '/v1/track', { json: { email: 'ada@example.org', event: 'paid' } })
    })

    it('a field cannot be deleted while a segment asks for it, and can be after', async () => {
      const pro = await segment('Pro users', [{ field: 'data.plan', operator: 'equals', value: 'pro' }])
      const nested = await segment('Nested "ones"', [
        { operator: 'OR', conditions: [{ field: 'plan', operator: 'exists' }] },
      ])
      expect(await get('/contacts/fields/plan/usage')).toEqual({
        usedInSegments: expect.arrayContaining([pro, nested]),
        usedInCampaigns: [],
        usedInWorkflows: [],
        usedInForms: [],
        contactCount: 1,
        canDelete: false,
      })
      const refused = await remove('/contacts/fields/data.plan')
      expectEnvelope(refused, 409, 'CONFLICT')
      for (const { name } of [pro, nested]) expect(refused.body.message).toContain(`the segment "${name}"`)
      expect((await get('/contacts/fields/plan/values')).values).toEqual(['pro'])
      for (const { id } of [pro, nested]) await remove(`/segments/${id}`)
      expect(await remove('/contacts/fields/data.plan')).toMatchObject({ status: 200, body: { deletedFrom: 1 } })
    })

    it('of a path into the data the first key counts', async () => {
      const { id } = await segment('Street', [{ field: 'data.address.street', operator: 'exists' }])
      expect((await get('/contacts/fields/address/usage')).canDelete).toBe(false)
      expect((await get('/contacts/fields/street/usage')).canDelete).toBe(true)
      await remove(`/segments/${id}`)
    })

    it('a standard field is used too', async () => {
      const used = await segment('Subscribed', [{ field: 'subscribed', operator: 'equals', value: true }])
      expect((await get('/contacts/fields/subscribed/usage')).usedInSegments).toEqual([used])
      expect((await get('/contacts/fields/email/usage')).usedInSegments).toEqual([])
      await remove(`/segments/${used.id}`)
    })

    it('an event cannot be deleted while a segment asks for it, and can be after', async () => {
      const used = await segment('Paid', [{ field: 'event.paid', operator: 'triggered' }])
      expect(await get('/events/paid/usage')).toEqual({
        ...{ usedInSegments: [used], usedInWorkflows: [] },
        ...{ totalCount: 1, uniqueContacts: 1, canDelete: false },
      })
      const refused = await remove('/events/paid')
      expectEnvelope(refused, 409, 'CONFLICT')
      expect(refused.body.message).toContain('the segment "Paid"')
      await remove(`/segments/${used.id}`)
      expect(await remove('/events/paid')).toMatchObject({ status: 200, body: { deletedCount: 1 } })
    })

    it('activities of mail and entries into segments are events', async () => {
      const used = await segment('Engaged', [
        { field: 'email.open', operator: 'triggeredWithin', value: 7, unit: 'days' },
        { field: 'event.segment.vip.entry', operator: 'triggered' },
      ])
      for (const name of ['email.open', 'segment.vip.entry']) {
        expect(await get(`/events/${name}/usage`)).toMatchObject({ usedInSegments: [used], canDelete: false })
      }
      expect((await get('/events/email.click/usage')).usedInSegments).toEqual([])
      await remove(`/segments/${used.id}`)
    })

    it('another project’s segments do not count', async () => {
      await segment('Theirs', [{ field: 'data.city', operator: 'exists' }], OTHER_SECRET)
      expect(await get('/contacts/fields/city/usage')).toMatchObject({ usedInSegments: [], canDelete: true })
      expectEnvelope(await remove('/contacts/fields/city', OTHER_SECRET), 409, 'CONFLICT')
      expect(await remove('/contacts/fields/city')).toMatchObject({ status: 200 })
    })

    it('a template that names a field does not keep it', async () => {
      await test.ask('POST', '/contacts', { json: { email: 'ada@example.org', data: { nick: 'A' } } })
      const json = { name: 'T', subject: '{{ nick }}', body: '{{ data.nick }}', type: 'TRANSACTIONAL' }
      await test.ask('POST', '/templates', { json })
      expect(await remove('/contacts/fields/nick')).toMatchObject({ status: 200, body: { deletedFrom: 1 } })
    })
  })
}

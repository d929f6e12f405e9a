import { beforeAll, describe, expect, it } from 'vitest'
import { DISABLED_SECRET, expectEnvelope, OTHER_SECRET, PUBLIC, SECRET, type TestApp, testApp } from '../support/app.ts'
import { contactsOf, ended, eventCount, upload } from '../support/contact-jobs.ts'
import { STRICT } from '../support/matrix.ts'
import { ID } from './endpoints.ts'

const ALL = { operator: 'AND', conditions: [{ field: 'email', operator: 'contains', value: '@' }] }
const OPERATIONS = ['subscribe', 'unsubscribe', 'delete'] as const

for (const store of [STRICT]) {
  describe(`bulk changes of contacts on ${store.name}`, () => {
    let test: TestApp
    beforeAll(async () => {
      test = await testApp(store)
      await test.engine.start()
    })
    const make = async (email: string, fields: object = {}, key = SECRET): Promise<string> =>
      (await test.ask('POST', '/contacts', { json: { email, ...fields }, key })).body.id
    const call = (operation: string, json: unknown, headers: Record<string, string> = {}) =>
      test.ask('POST', `/contacts/bulk-${operation}`, { json, headers })
    const run = async (operation: string, json: unknown) => ended(test, await call(operation, json), 'bulk')
    const get = (id: string) => test.ask('GET', `/contacts/${id}`)

    it('subscribe and unsubscribe, with events of those that really changed', async () => {
      const off = await make('off@b.example', { subscribed: false })
      const on = await make('on@b.example')
      const foreign = await make('theirs@b.example', { subscribed: false }, OTHER_SECRET)
      const before = await eventCount(test, 'contact.subscribed')
      const accepted = await call('subscribe', { contactIds: [off, on, off, foreign, ID, 'x'] })
      const job = await ended(test, accepted, 'bulk')
      expect(job).toEqual({
        ...{ id: accepted.body.jobId, type: 'bulk-subscribe', state: 'completed', progress: 100, failedReason: null },
        ...{ createdAt: expect.any(String), updatedAt: expect.any(String) },
        result: {
          ...{ operation: 'subscribe', totalRequested: 5, successCount: 1, unchangedCount: 1, failureCount: 3 },
          ...{ keptUnsubscribed: 0, changedIds: [off] },
          errors: [foreign, ID, 'x'].map((id) => ({ id, error: expect.any(String) })),
        },
      })
      expect((await get(off)).body.subscribed).toBe(true)
      expect(await eventCount(test, 'contact.subscribed')).toBe(before + 1)
      const events = (await test.ask('GET', `/events/contact/${off}`)).body.events
      expect(events).toMatchObject([{ name: 'contact.subscribed', data: { subscribed: true, reason: 'bulk' } }])
      expect((await test.ask('GET', `/contacts/${foreign}`, { key: OTHER_SECRET })).body.subscribed).toBe(false)

      const back = await run('unsubscribe', { contactIds: [off, on] })
      expect(back.result).toMatchObject({ operation: 'unsubscribe', successCount: 2, unchangedCount: 0 })
      expect(back.result.changedIds.toSorted()).toEqual([off, on].toSorted())
      expect((await test.ask('GET', `/events/contact/${off}`)).body.events[0]).toMatchObject({
        ...{ name: 'contact.unsubscribed', data: { subscribed: false, reason: 'bulk' } },
      })
    })

    it('subscribe takes back its counterpart, but not what people chose, unless it is told to', async () => {
      const email = { field: 'email', operator: 'endsWith', value: '@back.example' }
      const query = { mode: 'query', filter: { operator: 'AND', conditions: [email] } }
      await make('bulk@back.example')
      expect((await run('unsubscribe', query)).result).not.toHaveProperty('keptUnsubscribed')
      const left = await make('left@back.example')
      await test.ask('PATCH', `/contacts/${left}`, { json: { subscribed: false } })
      expect((await get(left)).body.leftBy).toBe('api')
      const listed = await make('listed@back.example', { subscribed: false })
      await test.ask('POST', '/suppressions', { json: { email: 'listed@back.example', reason: 'BOUNCE' } })
      const kept = { successCount: 1, unchangedCount: 0, keptUnsubscribed: 2 }
      expect((await run('subscribe', query)).result).toMatchObject(kept)
      const back = { contactIds: [left, listed], resubscribe: true }
      expect((await run('subscribe', back)).result).toMatchObject({ successCount: 2, keptUnsubscribed: 0 })
      expect((await get(left)).body).not.toHaveProperty('leftBy')
      expectEnvelope(await call('subscribe', { ...back, resubscribe: 'x' }), 422, 'VALIDATION_ERROR')
    })

    it('delete contacts for good', async () => {
      const gone = await make('gone@b.example')
      const job = await run('delete', { contactIds: [gone, ID] })
      expect(job.result).toMatchObject({
        ...{ operation: 'delete', totalRequested: 2, successCount: 1, unchangedCount: 0, failureCount: 1 },
        errors: [{ id: ID, error: expect.any(String) }],
      })
      expect((await get(gone)).status).toBe(404)
    })

    it('take a thousand ids, and tell the first 100 failures', async () => {
      const ids = Array.from({ length: 1000 }, (_, i) => `01900000-0000-7000-8000-${String(i).padStart(12, '0')}`)
      const job = await run('delete', { contactIds: ids })
      expect(job).toMatchObject({ state: 'completed', result: { totalRequested: 1000, failureCount: 1000 } })
      expect(job.result.errors).toHaveLength(100)
      expectEnvelope(await call('delete', { contactIds: [...ids, ID] }), 422, 'VALIDATION_ERROR', {
        contactIds: 'too_big',
      })
    })

    it('take all contacts that match a filter, without those left out and those made later', async () => {
      const csv = Array.from({ length: 1_203 }, (_, i) => `q${i}@q.example,${i % 2 ? 'odd' : 'even'}`).join('\n')
      await ended(test, await upload(test, `email,parity\n${csv}\n`), 'import')
      const all = await contactsOf(test)
      const spared = all.get('q2@q.example')!.id
      const filter = { operator: 'AND', conditions: [{ field: 'data.parity', operator: 'equals', value: 'even' }] }
      const job = await run('unsubscribe', { mode: 'query', filter, excludeIds: [spared] })
      expect(job).toMatchObject({
        ...{ state: 'completed', progress: 100 },
        result: { totalRequested: 601, successCount: 601, unchangedCount: 0, failureCount: 0, errors: [] },
      })
      expect(job.result).not.toHaveProperty('changedIds')
      const again = await run('unsubscribe', { mode: 'query', filter })
      expect(again.result).toMatchObject({ totalRequested: 602, successCount: 1, unchangedCount: 601 })
      const left = await contactsOf(test)
      const subscribed = [...left].filter(([email, contact]) => email.endsWith('@q.example') && contact.subscribed)
      expect(subscribed).toHaveLength(601)
      const removed = await run('delete', { mode: 'query', filter })
      expect(removed.result).toMatchObject({ totalRequested: 602, successCount: 602 })
      expect((await test.ask('GET', '/contacts?search=@q.example')).body.total).toBe(601)
    })

    it.each([
      ['no ids', {}, { contactIds: 'required' }],
      ['an empty list', { contactIds: [] }, { contactIds: 'too_small' }],
      ['ids that are no list', { contactIds: ID }, { contactIds: 'invalid_type' }],
      ['an id that is no text', { contactIds: [1] }, { 'contactIds.0': 'invalid_type' }],
      ['another mode', { mode: 'all', contactIds: [ID] }, { mode: 'invalid_enum_value' }],
      ['a query without a filter', { mode: 'query' }, { filter: 'required' }],
      ['a filter that is no object', { mode: 'query', filter: 'x' }, { filter: 'invalid_type' }],
      [
        'a filter with an unknown operator',
        { mode: 'query', filter: { operator: 'AND', conditions: [{ field: 'email', operator: 'like', value: 'x' }] } },
        { 'filter.conditions.0.operator': 'invalid_enum_value' },
      ],
      ['ids and a filter', { contactIds: [ID], filter: ALL }, { filter: 'custom' }],
      ['ids with some left out', { contactIds: [ID], excludeIds: [ID] }, { excludeIds: 'custom' }],
      ['a query with ids', { mode: 'query', filter: ALL, contactIds: [ID] }, { contactIds: 'custom' }],
      ['a query narrowed as lists are', { mode: 'query', filter: ALL, subscribed: 'true' }, { subscribed: 'custom' }],
      ['a search', { mode: 'query', filter: ALL, search: 'x' }, { search: 'custom' }],
    ])('are refused with 422 for %s', async (_what, json, fields) => {
      for (const operation of OPERATIONS) {
        expectEnvelope(await call(operation, json), 422, 'VALIDATION_ERROR', fields)
      }
    })

    it('are refused with 400 for no JSON, 415 for another type, 401 and 403 for other callers', async () => {
      for (const operation of OPERATIONS) {
        const path = `/contacts/bulk-${operation}`
        const json = { contactIds: [ID] }
        const post = (raw: string, type: string) => test.ask('POST', path, { raw, headers: { 'content-type': type } })
        expectEnvelope(await post('{', 'application/json'), 400, 'INVALID_JSON')
        expectEnvelope(await post('x', 'text/csv'), 415, 'UNSUPPORTED_MEDIA_TYPE')
        expectEnvelope(await test.ask('POST', path, { json, key: null }), 401, 'MISSING_AUTH')
        expectEnvelope(await test.ask('POST', path, { json, key: PUBLIC }), 403, 'FORBIDDEN')
        expectEnvelope(await test.ask('POST', path, { json, key: DISABLED_SECRET }), 403, 'PROJECT_DISABLED')
      }
    })

    it('are accepted once under an idempotency key, whatever became of the contacts', async () => {
      const id = await make('once@b.example')
      const headers = { 'idempotency-key': 'bulk-1' }
      const first = await call('delete', { contactIds: [id] }, headers)
      await ended(test, first, 'bulk')
      const again = await call('delete', { contactIds: [id] }, headers)
      expect({ status: again.status, body: again.body }).toEqual({ status: 202, body: first.body })
      expect(again.headers.get('idempotent-replayed')).toBe('true')
      expectEnvelope(await call('delete', { contactIds: [ID] }, headers), 422, 'IDEMPOTENCY_KEY_REUSED')
      // another path has keys of its own
      expect((await call('subscribe', { contactIds: [id] }, headers)).status).toBe(202)
    })

    it('are seen by their project alone, and as bulk changes alone', async () => {
      const accepted = await call('subscribe', { contactIds: [ID] })
      await ended(test, accepted, 'bulk')
      const { jobId } = accepted.body
      const job = (path: string, key = SECRET) => test.ask('GET', path, { key })
      expectEnvelope(await job(`/contacts/bulk/${jobId}`, OTHER_SECRET), 404, 'JOB_NOT_FOUND')
      expectEnvelope(await job(`/contacts/import/${jobId}`), 404, 'JOB_NOT_FOUND')
      for (const id of [ID, 'x']) expectEnvelope(await job(`/contacts/bulk/${id}`), 404, 'JOB_NOT_FOUND')
    })
  })
}

import { beforeAll, describe, expect, it } from 'vitest'
import {
  DISABLED_SECRET,
  expectEnvelope,
  MAIL,
  OTHER_SECRET,
  ownProject,
  PUBLIC,
  SECRET,
  type TestApp,
  testApp,
} from '../support/app.ts'
import { STRICT } from '../support/matrix.ts'
import { until } from '../support/until.ts'

// On PostgreSQL, the stricter: what is stored has its contract on both.
const store = STRICT

const UNKNOWN_ID = '01900000-0000-7000-8000-000000000000'

describe('e-mails', () => {
  let test: TestApp
  const emails = async (query = '') => (await test.ask('GET', `/emails${query}`)).body
  const idOf = (email: { id: string }) => email.id

  beforeAll(async () => {
    test = await testApp(store)
    for (const to of ['a@example.org', 'b@example.org', 'c@example.org']) {
      await test.ask('POST', '/v1/send', { json: { ...MAIL, to, data: { name: 'Ada' }, tags: { kind: 'test' } } })
    }
  })

  it('are listed newest first, with null only for ids that may be missing', async () => {
    const { data, ...page } = await emails('?limit=2')
    expect(page).toEqual({ cursor: expect.any(String), hasMore: true, total: 3 })
    expect(data[0]).toEqual({
      ...{ id: expect.any(String), contactId: expect.any(String), to: 'c@example.org', status: 'QUEUED' },
      ...{ sourceType: 'TRANSACTIONAL', templateId: null, campaignId: null, tags: { kind: 'test' } },
      ...{ attempts: 0, opens: 0, clicks: 0, subject: 'Hi', from: 'hello@example.com', fromName: 'Test' },
      ...{ createdAt: expect.any(String), updatedAt: expect.any(String), dueAt: expect.any(String) },
    })
    const rest = await emails(`?limit=2&cursor=${page.cursor}`)
    expect(rest).toMatchObject({ cursor: null, hasMore: false, total: 0 })
    expect([...data, ...rest.data].map(({ to }) => to)).toEqual(['c', 'b', 'a'].map((name) => `${name}@example.org`))
  })

  it('are picked by status, contact and campaign', async () => {
    const all = await emails()
    const [first] = all.data
    expect((await emails('?status=QUEUED')).total).toBe(3)
    expect(await emails('?status=SENT')).toMatchObject({ data: [], total: 0 })
    expect((await emails(`?contactId=${first.contactId}`)).data.map(idOf)).toEqual([first.id])
    expect((await emails(`?contactId=${UNKNOWN_ID}`)).data).toEqual([])
    expect((await emails('?contactId=nobody')).data).toEqual([])
    expect((await emails(`?campaignId=${UNKNOWN_ID}`)).data).toEqual([])
  })

  it('come one by one with their words filled in and their events, also once delivered', async () => {
    const own = await testApp(store)
    const json = { ...MAIL, subject: 'Hi {{ name }}', body: '<p>Dear {{ name }}</p>', data: { name: 'Ada <3' } }
    const sent = await own.ask('POST', '/v1/send', { json })
    const [{ email: id }] = sent.body.data.emails
    const queued = await own.ask('GET', `/emails/${id}`)
    expect(queued.body).toMatchObject({
      id,
      status: 'QUEUED',
      subject: 'Hi Ada <3',
      from: 'hello@example.com',
      fromName: 'Test',
      events: [],
    })
    expect((await own.ask('GET', '/emails')).body.data).toMatchObject([
      { id, subject: 'Hi Ada <3', from: 'hello@example.com', fromName: 'Test' },
    ])
    expect(queued.body.body).toContain('Dear Ada &lt;3')
    expect(queued.body.text).toContain('Dear Ada <3')
    expect(queued.body.messageId).toBe(`<${id}@example.com>`)
    await own.engine.start()
    const delivered = await until('the mail is delivered', async () => {
      const { body } = await own.ask('GET', `/emails/${id}`)
      return body.status === 'DELIVERED' && body
    })
    expect(delivered).toMatchObject({ attempts: 1, sentAt: expect.any(String), deliveredAt: expect.any(String) })
    expect(delivered).not.toHaveProperty('dueAt')
    expect(delivered.events.map(({ name }: { name: string }) => name)).toEqual(['email.sent', 'email.delivery'])
    expect(delivered.events[0]).toMatchObject({
      emailId: id,
      data: { emailId: id, subject: 'Hi Ada <3', templateId: null },
    })
  })

  it('stay when their contact is deleted', async () => {
    const own = await ownProject(test)
    const sent = await own.ask('POST', '/v1/send', { json: MAIL })
    const [{ email, contact }] = sent.body.data.emails
    await own.ask('DELETE', `/contacts/${contact.id}`)
    expect((await own.ask('GET', `/emails/${email}`)).body).toMatchObject({ id: email, contactId: null })
    // its subject may have had the person's name
    expect((await own.ask('GET', '/emails')).body.data).toMatchObject([{ id: email, subject: null }])
  })

  it.each([
    ['an unknown id', UNKNOWN_ID],
    ['no id', 'x'],
    ['NUL', '%00'],
  ])('answer 404 for %s', async (_what, id) => {
    expectEnvelope(await test.ask('GET', `/emails/${id}`), 404, 'EMAIL_NOT_FOUND')
  })

  it('of another project are not there', async () => {
    const [first] = (await emails()).data
    expectEnvelope(await test.ask('GET', `/emails/${first.id}`, { key: OTHER_SECRET }), 404, 'EMAIL_NOT_FOUND')
    expect((await test.ask('GET', '/emails', { key: OTHER_SECRET })).body.total).toBe(0)
  })

  it.each([
    ['?status=LOST', 'status', 'invalid_enum_value'],
    ['?limit=0', 'limit', 'too_small'],
    ['?limit=101', 'limit', 'too_big'],
  ])('refuse %s with 422', async (query, field, code) => {
    expectEnvelope(await test.ask('GET', `/emails${query}`), 422, 'VALIDATION_ERROR', { [field]: code })
  })

  it('refuse a damaged cursor with 400 and a public key with 403', async () => {
    expectEnvelope(await test.ask('GET', '/emails?cursor=x'), 400, 'BAD_REQUEST')
    expectEnvelope(await test.ask('GET', '/emails', { key: PUBLIC }), 403, 'FORBIDDEN')
  })
})

describe('suppressions', () => {
  let test: TestApp
  const add = (json: object, key = SECRET) => test.ask('POST', '/suppressions', { json, key })
  const list = async (query = '') => (await test.ask('GET', `/suppressions${query}`)).body
  const drop = (what: string, key = SECRET) => test.ask('DELETE', `/suppressions/${what}`, { key })

  beforeAll(async () => {
    test = await testApp(store)
  })

  it('are added with 201 and listed newest first', async () => {
    const own = await ownProject(test)
    const first = await own.ask('POST', '/suppressions', { json: { email: ' A@Example.org' } })
    expect(first.status).toBe(201)
    expect(first.body).toEqual({
      ...{ id: expect.any(String), email: 'a@example.org', reason: 'MANUAL', detail: null },
      ...{ createdAt: expect.stringMatching(/Z$/), expiresAt: null },
    })
    const json = { email: 'b@example.org', detail: 'asked by phone', expiresAt: '2099-01-31T00:00:00+01:00' }
    const second = await own.ask('POST', '/suppressions', { json })
    expect(second.body).toMatchObject({ detail: 'asked by phone', expiresAt: '2099-01-30T23:00:00.000Z' })
    const page = await own.ask('GET', '/suppressions?limit=1')
    expect(page.body).toEqual({ data: [second.body], cursor: expect.any(String), hasMore: true, total: 2 })
    const rest = await own.ask('GET', `/suppressions?limit=1&cursor=${page.body.cursor}`)
    expect(rest.body).toEqual({ data: [first.body], cursor: null, hasMore: false, total: 0 })
  })

  it('are one per address', async () => {
    const first = await add({ email: 'same@example.org' })
    const again = await add({ email: 'same@example.org', detail: 'again' })
    expect(again.body).toMatchObject({ id: first.body.id, detail: 'again' })
    expect((await list()).data.filter(({ email }: { email: string }) => email === 'same@example.org')).toHaveLength(1)
  })

  it('that have ended are not listed', async () => {
    await add({ email: 'ended@example.org', expiresAt: '2020-01-01' })
    expect(JSON.stringify(await list())).not.toContain('ended@example.org')
  })

  it('are taken off by id or address with 204', async () => {
    const { body } = await add({ email: 'off@example.org' })
    expect((await drop(body.id)).status).toBe(204)
    expectEnvelope(await drop(body.id), 404, 'SUPPRESSION_NOT_FOUND')
    await add({ email: 'o+f@example.org' })
    expect((await drop('O%2Bf%40Example.org')).status).toBe(204)
    await add({ email: 'plain@example.org' })
    expect((await drop('plain@example.org')).status).toBe(204)
  })

  it.each([
    ['an unknown id', UNKNOWN_ID],
    ['an unknown address', 'x@y.example'],
    ['NUL', '%00'],
    ['broken escapes', '%ZZ'],
    ['half a character', '%ff'],
  ])('answer 404 for %s', async (_what, id) => {
    expectEnvelope(await drop(id), 404, 'SUPPRESSION_NOT_FOUND')
  })

  it('of another project are not there', async () => {
    const { body } = await add({ email: 'mine@example.org' })
    expectEnvelope(await drop(body.id, OTHER_SECRET), 404, 'SUPPRESSION_NOT_FOUND')
    expectEnvelope(await drop('mine@example.org', OTHER_SECRET), 404, 'SUPPRESSION_NOT_FOUND')
    expect((await test.ask('GET', '/suppressions', { key: OTHER_SECRET })).body.data).toEqual([])
  })

  it.each([
    ['no address', {}, { email: 'required' }],
    ['a bad address', { email: 'x' }, { email: 'invalid_string' }],
    ['a detail that is no string', { email: 'r@example.org', detail: 1 }, { detail: 'invalid_type' }],
    ['a detail of 1001 characters', { email: 'r@example.org', detail: 'x'.repeat(1001) }, { detail: 'too_big' }],
    ['NUL in the detail', { email: 'r@example.org', detail: '\0' }, { detail: 'invalid_string' }],
    ['a date that is none', { email: 'r@example.org', expiresAt: 'soon' }, { expiresAt: 'invalid_date' }],
  ])('refuse %s with 422 and store nothing', async (_what, json, fields) => {
    const before = (await list()).total
    expectEnvelope(await add(json), 422, 'VALIDATION_ERROR', fields)
    expect((await list()).total).toBe(before)
  })

  it('refuse disabled projects and public keys', async () => {
    expectEnvelope(await add({ email: 'a@example.org' }, DISABLED_SECRET), 403, 'PROJECT_DISABLED')
    expectEnvelope(await drop('a@example.org', DISABLED_SECRET), 403, 'PROJECT_DISABLED')
    expectEnvelope(await add({ email: 'a@example.org' }, PUBLIC), 403, 'FORBIDDEN')
  })

  it('keep mail from being sent', async () => {
    const own = await testApp(store)
    await own.ask('POST', '/suppressions', { json: { email: MAIL.to } })
    const sent = await own.ask('POST', '/v1/send', { json: MAIL })
    await own.engine.start()
    const skipped = await until('the mail is skipped', async () => {
      const { body } = await own.ask('GET', `/emails/${sent.body.data.emails[0].email}`)
      return body.status === 'SKIPPED' && body
    })
    expect(skipped.skipReason).toBe('suppressed:MANUAL')
  })
})

import { beforeAll, describe, expect, it } from 'vitest'
import { DISABLED_SECRET, expectEnvelope, MAIL, ownProject, type TestApp, testApp } from '../support/app.ts'
import { QUICK } from '../support/matrix.ts'

describe.each([QUICK])('a batch of messages, on $name', (store) => {
  let test: TestApp
  const batch = (messages: unknown, headers: Record<string, string> = {}, key?: string) =>
    test.ask('POST', '/v1/send/batch', { json: { messages }, headers, ...(key ? { key } : {}) })

  beforeAll(async () => {
    test = await testApp(store, {}, { publicUrl: 'https://mail.example.com' })
  })

  it('is sent as a whole or not at all, if it asks for that', async () => {
    const { ask, counts } = await ownProject(test)
    const template = { name: 'News', subject: 'News', body: '<p>News</p>', type: 'MARKETING' }
    const { body: news } = await ask('POST', '/templates', { json: template })
    const send = (messages: unknown, allOrNone = true) =>
      ask('POST', '/v1/send/batch', { json: { messages, allOrNone }, headers: { 'idempotency-key': 'whole' } })
    for (const [wrong, status, field] of [
      [{ ...MAIL, subject: undefined }, 422, 'messages.1.subject'],
      [{ ...MAIL, from: 'hello@unknown.example' }, 403, undefined],
      [{ template: news.id, from: 'hello@example.com', to: 'new@example.org' }, 400, 'messages.1.to'],
    ] as const) {
      const answer = await send([MAIL, wrong, MAIL])
      expect(answer.status).toBe(status)
      expect(answer.body.error.errors?.[0]?.field).toBe(field)
      expect(await counts()).toMatchObject({ contacts: 0, emails: 0 })
    }
    expect((await send([MAIL, MAIL])).status).toBe(200)
    expect((await send([MAIL, MAIL], false)).status).toBe(422)
    expect((await counts()).emails).toBe(2)
  })

  it('is accepted message by message, with a result for each in its order', async () => {
    const { ask, counts } = await ownProject(test)
    const template = { name: 'News', subject: 'News', body: '<p>News</p>', type: 'MARKETING' }
    const { body: news } = await ask('POST', '/templates', { json: template })
    const answer = await ask('POST', '/v1/send/batch', {
      json: {
        messages: [
          { ...MAIL, to: ['a@example.org', 'b@example.org'], subject: 'Hi {{ name }}', data: { name: 'Ada' } },
          { ...MAIL, subject: undefined },
          null,
          { ...MAIL, template: 'none' },
          { ...MAIL, from: 'hello@unknown.example' },
          // sees the contact of the first as it left it
          { ...MAIL, to: 'a@example.org', subject: 'Again {{ name }}', data: { name: 'Eve' }, subscribed: true },
          { template: news.id, from: 'hello@example.com', to: 'a@example.org' },
          { template: news.id, from: 'hello@example.com', to: 'new@example.org' },
          { ...MAIL, to: 'c@example.org', subjct: 'x' },
        ],
      },
    })
    expect(answer.status).toBe(200)
    const { results } = answer.body.data
    expect(results.map((each: { success: boolean }) => each.success)).toEqual([
      ...[true, false, false, false, false],
      ...[true, true, false, true],
    ])
    expect(results[1].error).toEqual({
      code: 'VALIDATION_ERROR',
      message: 'subject: is required when there is no template',
      statusCode: 422,
      errors: [{ field: 'subject', code: 'required', message: 'is required when there is no template' }],
    })
    const errors = [2, 3, 4, 7].map((i) => [results[i].error.code, results[i].error.statusCode])
    expect(errors).toEqual([
      ['VALIDATION_ERROR', 422],
      ['TEMPLATE_NOT_FOUND', 404],
      ['DOMAIN_NOT_VERIFIED', 403],
      ['BAD_REQUEST', 400],
    ])
    expect(results[0].data.emails.map(({ contact }: { contact: { email: string } }) => contact.email)).toEqual([
      'a@example.org',
      'b@example.org',
    ])
    expect(answer.body.warnings).toEqual([{ field: 'messages.8.subjct', message: expect.any(String) }])
    expect(await counts()).toMatchObject({ contacts: 3, emails: 5 })
    const subjectOf = async (i: number) => (await ask('GET', `/emails/${results[i].data.emails[0].email}`)).body.subject
    expect([await subjectOf(0), await subjectOf(5)]).toEqual(['Hi Ada', 'Again Eve'])
    // only checked
    const two = { messages: [MAIL, MAIL] }
    const keyed = { headers: { 'idempotency-key': 'dry' } }
    const dry = await ask('POST', '/v1/send/batch', { json: { ...two, dryRun: true }, ...keyed })
    expect(dry.body.data.results).toMatchObject([{ success: true }, { success: true }])
    const unsaid = { dryRun: true, messages: [{ ...MAIL, to: 'x' }, MAIL] }
    expect((await ask('POST', '/v1/send/batch', { json: unsaid })).body.data.results).toMatchObject([
      { success: false },
      { success: true },
    ])
    expect(await counts()).toMatchObject({ contacts: 3, emails: 5 })
    expect((await ask('POST', '/v1/send/batch', { json: two, ...keyed })).status).toBe(200)
    expect(await counts()).toMatchObject({ emails: 7 })
    const [first, again] = [results[0], results[5]].map(({ data }) => data.emails[0].contact.id)
    expect(first).toBe(again)
    const { body: contact } = await ask('GET', `/contacts/${first}`)
    expect(contact).toMatchObject({ subscribed: true, data: { name: 'Eve' } })
  })

  it('refuses alone the message that breaks a limit with its own values, however heavy it is', async () => {
    const { ask, counts } = await ownProject(test)
    const heavy = `{% for a in list %}{% for b in list %}{% for c in list %}{{ a }}{{ b }}{{ c }}{% endfor %}{% endfor %}{% endfor %}`
    const list = Array.from({ length: 300 }, (_, i) => `${i}`)
    const messages = [
      { ...MAIL, to: 'a@example.org', body: '<p>{{ name }}</p>' },
      { ...MAIL, to: 'b@example.org', body: heavy, data: { list: { value: list, persistent: false } } },
      { ...MAIL, to: 'c@example.org', body: '{{ unclosed' },
      { ...MAIL, to: 'd@example.org', body: `${heavy}<p>ok</p>`, data: { list: { value: ['1'], persistent: false } } },
    ]
    const { body } = await ask('POST', '/v1/send/batch', { json: { messages } })
    const seen = body.data.results.map(
      (each: { error?: { errors: { field: string }[] } }) => each.error?.errors[0]?.field,
    )
    expect(seen).toEqual([undefined, 'body', 'body', undefined])
    expect(await counts()).toMatchObject({ contacts: 2, emails: 2 })
  })

  it('has 1 to 500 messages and 1,000 recipients in total', async () => {
    const { ask, counts } = await ownProject(test)
    const own = (messages: unknown) => ask('POST', '/v1/send/batch', { json: { messages } })
    const many = (count: number, each = 1) =>
      Array.from({ length: count }, (_, i) => ({
        ...MAIL,
        to: Array.from({ length: each }, (_, k) => `p${i}-${k}@example.org`),
      }))
    const refusals = [
      [[], 'too_small'],
      [many(501), 'too_big'],
      [many(11, 91), 'too_big'],
      ['x', 'invalid_type'],
      [undefined, 'required'],
    ] as const
    for (const [messages, code] of refusals) {
      const answer = await own(messages)
      expectEnvelope(answer, 422, 'VALIDATION_ERROR')
      expect(answer.body.error.errors).toMatchObject([{ field: 'messages', code }])
    }
    expect(await counts()).toMatchObject({ contacts: 0, emails: 0 })
    expect((await own(many(10, 100))).body.data.results).toHaveLength(10)
    const all = (await own(many(500))).body.data.results
    expect(all.filter((each: { success: boolean }) => each.success)).toHaveLength(500)
    expect(await counts()).toMatchObject({ emails: 1500 })
  })

  it('is sent once per key as a whole, refused messages included', async () => {
    const { ask, counts } = await ownProject(test)
    const key = { 'idempotency-key': 'batch-1' }
    const own = (messages: unknown) => ask('POST', '/v1/send/batch', { json: { messages }, headers: key })
    const messages = [
      { ...MAIL, to: 'a@example.org' },
      { ...MAIL, to: 'nobody' },
    ]
    const [one, two] = await Promise.all([own(messages), own(messages)])
    expect(one.body).toEqual(two.body)
    // the same JSON in another order of keys is the same request
    const third = await own(messages.map((message) => Object.fromEntries(Object.entries(message).reverse())))
    expect([third.body, third.headers.get('idempotent-replayed')]).toEqual([one.body, 'true'])
    expect(await counts()).toMatchObject({ emails: 1 })
    expectEnvelope(await own(messages.toReversed()), 422, 'IDEMPOTENCY_KEY_REUSED')
    // the key of a batch is not that of a send
    expect((await ask('POST', '/v1/send', { json: MAIL, headers: key })).status).toBe(200)
  })

  it('is refused as a whole for a disabled project', async () => {
    expectEnvelope(await batch([MAIL], {}, DISABLED_SECRET), 403, 'PROJECT_DISABLED')
  })
})

describe('the cost of a batch', () => {
  it('is a request for each message, and nothing when it is refused', async () => {
    const test = await testApp(QUICK, { requestsPerMinute: 11 })
    const batch = (count: number) =>
      test.ask('POST', '/v1/send/batch', { json: { messages: Array.from({ length: count }, () => MAIL) } })
    expectEnvelope(await batch(501), 422, 'VALIDATION_ERROR')
    const first = await batch(6)
    expect([first.status, first.headers.get('ratelimit-remaining')]).toEqual([200, '4'])
    const refused = await batch(5)
    expectEnvelope(refused, 429, 'RATE_LIMIT_EXCEEDED')
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    // 6 messages, and the request that was refused
    const third = await batch(3)
    expect([third.status, third.headers.get('ratelimit-remaining')]).toEqual([200, '0'])
    expect(await test.counts().catch(() => 'none left')).toBe('none left')
  })

  it('is at most 20 MB', async () => {
    const test = await testApp(QUICK)
    const within = (bytes: number) => {
      const empty = JSON.stringify({ messages: [{ ...MAIL, body: '' }] }).length
      return test.ask('POST', '/v1/send/batch', { json: { messages: [{ ...MAIL, body: 'x'.repeat(bytes - empty) }] } })
    }
    expect((await within(20 * 1024 * 1024)).body.data.results).toMatchObject([{ success: true }])
    expectEnvelope(await within(20 * 1024 * 1024 + 1), 413, 'PAYLOAD_TOO_LARGE')
  })
})

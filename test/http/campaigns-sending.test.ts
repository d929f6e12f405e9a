import { beforeAll, describe, expect, it } from 'vitest'
import { expectEnvelope, type TestApp, testApp } from '../support/app.ts'
import { STRICT } from '../support/matrix.ts'
import { until } from '../support/until.ts'

// On PostgreSQL, the stricter: what is stored has its contract on both.
const store = STRICT

const CAMPAIGN = {
  name: 'News',
  subject: 'Hi {{ name }}',
  body: '<p>Hi {{ name }}</p>',
  from: 'hello@example.com',
  audienceType: 'ALL',
}
const PRO = { operator: 'AND', conditions: [{ field: 'data.plan', operator: 'equals', value: 'pro' }] }
const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString()

describe('sending campaigns', () => {
  /** Its engine is not started: what is SENDING stays so. */
  let still: TestApp
  let running: TestApp
  const made = async (test: TestApp, change: object = {}): Promise<string> =>
    (await test.ask('POST', '/campaigns', { json: { ...CAMPAIGN, ...change } })).body.data.id
  const act = (test: TestApp, id: string, action: string, json?: unknown) =>
    test.ask('POST', `/campaigns/${id}/${action}`, json === undefined ? {} : { json })
  const get = async (test: TestApp, id: string) => (await test.ask('GET', `/campaigns/${id}`)).body
  const reached = (id: string, status: string) =>
    until(`it is ${status}`, async () => (await get(running, id)).status === status, 60_000)

  beforeAll(async () => {
    still = await testApp(store)
    running = await testApp(store)
    for (const test of [still, running]) {
      for (const [email, subscribed, plan] of [
        ['ada@example.org', true, 'pro'],
        ['bob@example.org', true, 'free'],
        ['no@example.org', false, 'none'],
      ]) {
        await test.ask('POST', '/contacts', { json: { email, subscribed, data: { plan, name: 'N' } } })
      }
    }
    await running.engine.start()
  })

  it.each([
    ['no body', {}],
    ['an empty body', { raw: '' }],
    ['an empty form', { raw: '', headers: { 'content-type': 'application/x-www-form-urlencoded' } }],
    ['{}', { json: {} }],
    ['null', { json: { scheduledFor: null } }],
  ])('begins at once with %s: 200 without a body', async (_what, options) => {
    const id = await made(still)
    const { status, text } = await still.ask('POST', `/campaigns/${id}/send`, options)
    expect({ status, text }).toEqual({ status: 200, text: '' })
    expect(await get(still, id)).toMatchObject({
      status: 'SENDING',
      startedAt: expect.any(String),
      scheduledAt: null,
    })
  })

  it('sends its files and header fields, and links with the parameters of the campaign or the project', async () => {
    const project = (await running.engine.projects.list()).find(({ name }) => name === 'Test')!
    await running.engine.projects.change(project, { utm: { source: 'house', medium: 'email' } })
    const body = '<p><a href="https://shop.example/?a=1">Shop</a></p>'
    const filter = { operator: 'AND', conditions: [{ field: 'email', operator: 'equals', value: 'ada@example.org' }] }
    const only = { body, audienceType: 'FILTERED', audienceFilter: filter, headers: { 'X-Kind': 'news' } }
    const ids = [await made(running, only), await made(running, { ...only, utm: { source: 'own' } })]
    const file = { filename: 'a.txt', contentType: 'text/plain', content: Buffer.from('one').toString('base64') }
    for (const id of ids) {
      await running.ask('POST', `/campaigns/${id}/attachments`, { json: file })
      expect((await act(running, id, 'send')).status).toBe(200)
      await reached(id, 'SENT')
    }
    const mails = []
    for (const id of ids) {
      const [mail] = (await running.ask('GET', `/emails?campaignId=${id}`)).body.data
      const { body: whole } = await running.ask('GET', `/emails/${mail.id}`)
      const { text: raw } = await running.ask('GET', `/emails/${mail.id}/raw`)
      mails.push({ text: whole.text, raw })
    }
    expect(mails[0]?.text).toContain('https://shop.example/?a=1&utm_source=house&utm_medium=email&utm_campaign=News')
    expect(mails[1]?.text).toContain('https://shop.example/?a=1&utm_source=own&utm_campaign=News')
    for (const { raw } of mails) {
      expect(raw).toContain('X-Kind: news')
      expect(raw).toMatch(/filename="?a\.txt"?[\s\S]*\r\n\r\nb25l/)
    }
    await running.engine.projects.change(project, { utm: null })
    const [first = ''] = ids
    expectEnvelope(await running.ask('POST', `/campaigns/${first}/attachments`, { json: file }), 409, 'CONFLICT')
  })

  it('schedules, and schedules anew', async () => {
    const id = await made(still)
    const [first, second] = [inMinutes(10), inMinutes(20)]
    for (const scheduledFor of [first, second]) {
      const { status, text } = await act(still, id, 'send', { scheduledFor })
      expect({ status, text }).toEqual({ status: 200, text: '' })
      const expected = { status: 'SCHEDULED', scheduledAt: scheduledFor, scheduledFor }
      expect(await get(still, id)).toMatchObject(expected)
    }
    const changed = await still.ask('PUT', `/campaigns/${id}`, { json: { ...CAMPAIGN, name: 'New' } })
    expect(changed.body).toMatchObject({ name: 'New', status: 'SCHEDULED', scheduledFor: second })
    const { campaigns } = (await still.ask('GET', '/campaigns?status=SCHEDULED')).body
    expect(campaigns).toMatchObject([{ id, scheduledAt: second }])
    expect((await act(still, id, 'send')).status).toBe(200)
    expect(await get(still, id)).toMatchObject({ status: 'SENDING', scheduledAt: null })
  })

  it.each(['PUT', 'PATCH'])('moves to the time that %s names, and stays whole', async (method) => {
    const id = await made(still, { description: 'D' })
    const change = (json: object) => still.ask(method, `/campaigns/${id}`, { json })
    expect((await change({ scheduledFor: null })).status).toBe(200)
    expectEnvelope(await change({ scheduledFor: inMinutes(9) }), 422, 'VALIDATION_ERROR', { scheduledFor: 'custom' })
    const [first, second, third] = [inMinutes(10), inMinutes(20), inMinutes(30)]
    await act(still, id, 'send', { scheduledFor: first })
    const moved = await change({ scheduledFor: second })
    expect(moved.body).toMatchObject({
      status: 'SCHEDULED',
      scheduledFor: second,
      scheduledAt: second,
      description: 'D',
    })
    expect(moved.headers.get('mailwright-warning') ?? '').not.toContain('scheduledFor')
    const whole = await change({ ...CAMPAIGN, scheduledFor: third })
    expect(whole.body).toMatchObject({ status: 'SCHEDULED', scheduledFor: third })
    expect([whole.body.description, whole.headers.get('mailwright-warning')]).toEqual([
      method === 'PUT' ? undefined : 'D',
      null,
    ])
    // a record that was read before is sent back
    expect((await change(whole.body)).body).toMatchObject({ scheduledFor: third })
    for (const [scheduledFor, code] of [
      [inMinutes(-1), 'too_small'],
      ['soon', 'invalid_date'],
      [null, 'custom'],
    ])
      expectEnvelope(await change({ scheduledFor, name: 'X' }), 422, 'VALIDATION_ERROR', { scheduledFor: code })
    const day = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10)
    const { headers, body } = await change({ scheduledFor: day })
    expect(headers.get('mailwright-warning')).toContain('scheduledFor: is a day without a time')
    expect([body.name, body.scheduledFor]).toEqual(['News', `${day}T00:00:00.000Z`])
    // the record's own name of it, alone and in a record that is sent back
    const [sooner, later] = [inMinutes(100), inMinutes(200)]
    expect((await change({ scheduledAt: sooner })).body.scheduledFor).toBe(sooner)
    expect((await change({ scheduledFor: sooner, scheduledAt: later })).body.scheduledAt).toBe(later)
    expect((await change({ scheduledFor: sooner, scheduledAt: later })).body.scheduledAt).toBe(sooner)
    const unclear = await change({ scheduledFor: later, scheduledAt: inMinutes(300) })
    expectEnvelope(unclear, 422, 'VALIDATION_ERROR', { scheduledAt: 'custom' })
  })

  it('goes once, at the new time, sooner or later', async () => {
    let now = Date.now()
    const test = await testApp(store, {}, { clock: { now: () => new Date(now) } })
    await test.ask('POST', '/contacts', { json: { email: 'ada@example.org' } })
    const at = (minutes: number) => new Date(now + minutes * 60_000).toISOString()
    const ids = await Promise.all([made(test), made(test)])
    const [early = '', late = ''] = ids
    for (const id of ids) await act(test, id, 'send', { scheduledFor: at(60) })
    await test.ask('PUT', `/campaigns/${early}`, { json: { scheduledFor: at(5) } })
    await test.ask('PATCH', `/campaigns/${late}`, { json: { scheduledFor: at(90) } })
    now += 10 * 60_000
    await test.engine.start()
    const sent = (id: string) => until('it is sent', async () => (await get(test, id)).status === 'SENT')
    await sent(early)
    now += 55 * 60_000
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    expect(await get(test, late)).toMatchObject({ status: 'SCHEDULED' })
    now += 30 * 60_000
    await sent(late)
    expect((await test.counts()).emails).toBe(2)
  })

  it.each([
    ['past', inMinutes(-1), 'too_small'],
    ['no date', 'soon', 'invalid_date'],
    ['no day there is', '2030-02-30T10:00:00Z', 'invalid_date'],
    ['a number', 1, 'invalid_type'],
  ])('is refused with a time that is %s', async (_what, scheduledFor, code) => {
    const id = await made(still)
    expectEnvelope(await act(still, id, 'send', { scheduledFor }), 422, 'VALIDATION_ERROR', { scheduledFor: code })
    expect(await get(still, id)).toMatchObject({ status: 'DRAFT', scheduledAt: null })
  })

  it('is refused with bodies that are no JSON', async () => {
    const path = `/campaigns/${await made(still)}/send`
    const json = { 'content-type': 'application/json' }
    expectEnvelope(await still.ask('POST', path, { raw: '{', headers: json }), 400, 'INVALID_JSON')
    expectEnvelope(await still.ask('POST', path, { json: [] }), 422, 'VALIDATION_ERROR')
    const form = { raw: 'a=b', headers: { 'content-type': 'application/x-www-form-urlencoded' } }
    expectEnvelope(await still.ask('POST', path, form), 415, 'UNSUPPORTED_MEDIA_TYPE')
  })

  it('is refused with 400 when nobody would get it, and changes nothing', async () => {
    const filter = (value: string) => ({ ...PRO, conditions: [{ ...PRO.conditions[0], value }] })
    for (const value of ['nobody', 'none']) {
      const id = await made(still, { audienceType: 'FILTERED', audienceFilter: filter(value) })
      expectEnvelope(await act(still, id, 'send'), 400, 'BAD_REQUEST')
      expect(await get(still, id)).toMatchObject({ status: 'DRAFT' })
      expect((await act(still, id, 'send', { scheduledFor: inMinutes(5) })).status).toBe(200)
    }
  })

  it('keeps its segment until it is over, also as a draft', async () => {
    const { id: segmentId } = (await still.ask('POST', '/segments', { json: { name: 'Gone', filters: PRO } })).body
    const id = await made(still, { audienceType: 'SEGMENT', segmentId })
    await act(still, id, 'send', { scheduledFor: inMinutes(5) })
    expectEnvelope(await still.ask('DELETE', `/segments/${segmentId}`), 409, 'CONFLICT')
    await act(still, id, 'cancel')
    const other = await made(still, { audienceType: 'SEGMENT', segmentId })
    expectEnvelope(await still.ask('DELETE', `/segments/${segmentId}`), 409, 'CONFLICT')
    await still.ask('DELETE', `/campaigns/${other}`)
    expect((await still.ask('DELETE', `/segments/${segmentId}`)).status).toBe(204)
  })

  it('is done once under one Idempotency-Key', async () => {
    const id = await made(still)
    const send = (json: unknown, key = 'once', which = id) =>
      still.ask('POST', `/campaigns/${which}/send`, { json, headers: { 'idempotency-key': key } })
    const answers = await Promise.all([send({}), send({}), send({})])
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    const replays = answers.filter(({ headers }) => headers.get('idempotent-replayed') === 'true')
    expect(replays.length).toBe(2)
    const again = await send({})
    expect([again.status, again.text, again.headers.get('idempotent-replayed')]).toEqual([200, '', 'true'])
    expectEnvelope(await send({ scheduledFor: inMinutes(5) }), 422, 'IDEMPOTENCY_KEY_REUSED')
    // another path has keys of its own
    expect((await send({}, 'once', await made(still))).headers.get('idempotent-replayed')).toBe(null)
    expectEnvelope(await send({}, 'other'), 409, 'CONFLICT')
    expectEnvelope(await send({}, 'é'), 400, 'BAD_REQUEST')
    const refused = await made(still, {
      audienceType: 'FILTERED',
      audienceFilter: { ...PRO, conditions: [{ ...PRO.conditions[0], value: 'x' }] },
    })
    expectEnvelope(await send({}, 'refused', refused), 400, 'BAD_REQUEST')
    // a refusal is not kept
    expect((await send({}, 'refused', await made(still))).status).toBe(200)
  })

  it('ends with every mail on record', async () => {
    const id = await made(running)
    await act(running, id, 'send')
    await reached(id, 'SENT')
    const record = await get(running, id)
    expect(record).toMatchObject({ totalRecipients: 2, queued: 0, sent: 2, delivered: 2, sentCount: 2, failed: 0 })
    expect(record.sentAt).toMatch(/^\d{4}-.*Z$/)
    const stats = (await running.ask('GET', `/campaigns/${id}/stats`)).body
    expect(stats).toMatchObject({ totalRecipients: 2, sent: 2, deliveryRate: 100, skipped: { unsubscribed: 1 } })
    expect(stats.data).toMatchObject({ deliveredCount: 2 })
    const { body } = await running.ask('GET', `/campaigns/${id}/recipients?status=DELIVERED&limit=1`)
    expect(body).toEqual({
      data: [
        {
          ...{ id: expect.any(String), contactId: expect.any(String), email: 'bob@example.org', status: 'DELIVERED' },
          ...{ sentAt: expect.any(String), deliveredAt: expect.any(String), toFolder: true },
        },
      ],
      ...{ cursor: expect.any(String), hasMore: true, total: 2 },
    })
    const rest = (await running.ask('GET', `/campaigns/${id}/recipients?limit=1&cursor=${body.cursor}`)).body
    expect(rest).toMatchObject({ data: [{ email: 'ada@example.org' }], cursor: null, hasMore: false, total: 0 })
    const emails = (await running.ask('GET', `/emails?campaignId=${id}`)).body
    expect(emails.total).toBe(2)
    expect((await running.ask('DELETE', `/campaigns/${id}`)).status).toBe(204)
    expect((await running.ask('GET', `/emails?campaignId=${id}`)).body.total).toBe(2)
    expect((await running.ask('GET', `/emails/${emails.data[0].id}`)).body.subject).toBe('Hi N')
  })

  describe('state by state', () => {
    const states = ['DRAFT', 'SCHEDULED', 'SENDING', 'PAUSED', 'CANCELLED', 'SENT'] as const
    const ACTIONS = {
      PUT: ['DRAFT', 'SCHEDULED'],
      send: ['DRAFT', 'SCHEDULED', 'PAUSED'],
      'send later': ['DRAFT', 'SCHEDULED'],
      cancel: ['SCHEDULED', 'SENDING', 'PAUSED'],
      pause: ['SENDING'],
      resume: ['PAUSED'],
      'retry-failed': ['SENT'],
      duplicate: states,
      preview: states,
      test: states,
      // the last one: it takes the finished one away
      DELETE: ['DRAFT', 'SCHEDULED', 'PAUSED', 'CANCELLED', 'SENT'],
    } as const satisfies Record<string, readonly string[]>
    const BECOMES: Readonly<Record<string, string>> = {
      ...{ send: 'SENDING', 'send later': 'SCHEDULED', cancel: 'CANCELLED', pause: 'PAUSED', resume: 'SENDING' },
    }
    let finished: string

    async function inState(state: (typeof states)[number]): Promise<string> {
      if (state === 'SENT') return finished
      const id = await made(still)
      if (state === 'SCHEDULED') await act(still, id, 'send', { scheduledFor: inMinutes(30) })
      if (['SENDING', 'PAUSED', 'CANCELLED'].includes(state)) await act(still, id, 'send')
      if (state === 'PAUSED') await act(still, id, 'pause')
      if (state === 'CANCELLED') await act(still, id, 'cancel')
      return id
    }

    // no action but the last changes it
    beforeAll(async () => {
      finished = await made(running)
      await act(running, finished, 'send')
      await reached(finished, 'SENT')
    })

    it.each(Object.entries(ACTIONS))(
      '%s is possible only when %s',
      async (action, allowed) => {
        for (const state of states) {
          const test = state === 'SENT' ? running : still
          const id = await inState(state)
          expect((await get(test, id)).status).toBe(state)
          const answer = await perform(test, id, action)
          const now = await test.ask('GET', `/campaigns/${id}`)
          if (!(allowed as readonly string[]).includes(state)) {
            expectEnvelope(answer, 409, 'CONFLICT')
            expect(now.body.status).toBe(state)
          } else {
            expect({ state, status: answer.status }).toMatchObject({ state, status: SUCCESS[action] ?? 200 })
            if (action !== 'DELETE') expect(now.body.status).toBe(BECOMES[action] ?? state)
            if (['cancel', 'pause', 'resume'].includes(action)) expect(answer.body).toEqual(now.body)
          }
        }
      },
      60_000,
    )

    const SUCCESS: Readonly<Record<string, number>> = { DELETE: 204, duplicate: 201 }

    function perform(test: TestApp, id: string, action: string) {
      if (action === 'PUT') return test.ask('PUT', `/campaigns/${id}`, { json: CAMPAIGN })
      if (action === 'DELETE') return test.ask('DELETE', `/campaigns/${id}`)
      if (action === 'send later') return act(test, id, 'send', { scheduledFor: inMinutes(40) })
      return act(test, id, action, action === 'test' ? { email: 'a@example.org' } : undefined)
    }
  })
})

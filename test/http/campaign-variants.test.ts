import { beforeAll, describe, expect, it } from 'vitest'
import { expectEnvelope, ownProject, type TestApp, testApp } from '../support/app.ts'
import { STRICT } from '../support/matrix.ts'
import { until } from '../support/until.ts'

// On PostgreSQL, the stricter: what is stored has its contract on both.
const store = STRICT

const CAMPAIGN = {
  ...{ name: 'News', subject: 'A {{ name }}', body: '<p>A</p>', from: 'hello@example.com', audienceType: 'ALL' },
}
const DEFAULTS = {
  ...{ share: 20, holdOut: 0, metric: 'clicks', hours: 4, winner: 'automatic', whenUnclear: 'wait' },
}
const B = { subject: 'B {{ name }}' }

describe('variants of a campaign', () => {
  /** Its engine is not started: what is SENDING stays so. */
  let still: TestApp
  let running: TestApp
  const make = (change: object, test = still) => test.ask('POST', '/campaigns', { json: { ...CAMPAIGN, ...change } })
  const made = async (change: object, test = still): Promise<string> => (await make(change, test)).body.data.id
  const put = (id: string, json: object) => still.ask('PUT', `/campaigns/${id}`, { json })

  beforeAll(async () => {
    still = await testApp(store)
    running = await testApp(store)
    for (const test of [still, running])
      for (let i = 0; i < 30; i++)
        await test.ask('POST', '/contacts', { json: { email: `p${i}@example.org`, data: { name: 'N' } } })
    await running.engine.start()
  })

  it('are stored with what differs, are named by their place, and have a test of defaults', async () => {
    const variants = [
      { variant: 'B', subject: 'B', preheader: null, fromName: '' },
      { from: 'Ada <ada@example.com>', body: '<p>C</p>', design: { drawn: true } },
      { source: { format: 'MARKDOWN', text: '# D' } },
    ]
    const { body } = await make({ variants, test: { metric: 'event', event: 'bought', share: 100, holdOut: 50 } })
    const expected = [
      { variant: 'B', subject: 'B', preheader: null, fromName: null },
      { variant: 'C', from: 'ada@example.com', fromName: 'Ada', body: '<p>C</p>', design: { drawn: true } },
      { variant: 'D', source: { format: 'MARKDOWN', text: '# D' }, body: expect.stringContaining('<h1') },
    ]
    const test = { ...DEFAULTS, metric: 'event', event: 'bought', share: 100, holdOut: 50 }
    expect(body.data).toMatchObject({ variants: expected, test })
    expect(body.data.testing).toBeUndefined()
    const copy = (await still.ask('POST', `/campaigns/${body.data.id}/duplicate`)).body
    expect(copy).toMatchObject({ variants: expected, test, status: 'DRAFT' })
    const listed = (await still.ask('GET', '/campaigns')).body.campaigns[0]
    expect([listed.test, listed.variants]).toEqual([test, undefined])
    expect((await make({ variants: [B] })).body.data.test).toEqual(DEFAULTS)
  })

  it('stay when a change does not name them, and go with null, an empty list or a whole new campaign', async () => {
    for (const change of [{ variants: null }, { variants: [] }, { ...CAMPAIGN, name: 'New' }]) {
      const id = await made({ variants: [B], test: { share: 50 } })
      expect((await put(id, { subject: 'Other' })).body).toMatchObject({ variants: [B], test: { share: 50 } })
      expect((await put(id, { test: { hours: 9 } })).body.test).toEqual({ ...DEFAULTS, hours: 9 })
      expect((await put(id, { test: null })).body.test).toEqual(DEFAULTS)
      const { body } = await put(id, change)
      expect([body.variants, body.test]).toEqual([undefined, undefined])
    }
    const id = await made({ variants: [B], test: { holdOut: 10 } })
    expect((await put(id, { variants: null })).body.test).toEqual({ ...DEFAULTS, holdOut: 10 })
  })

  it.each([
    ['a fifth one', { variants: [B, B, B, B, B] }, { variants: 'too_big' }],
    ['no list', { variants: {} }, { variants: 'invalid_type' }],
    ['one that differs in nothing', { variants: [B, { subject: null }] }, { 'variants.1': 'required' }],
    ['one by another name', { variants: [{ ...B, variant: 'C' }] }, { 'variants.0.variant': 'custom' }],
    ['a body that does not parse', { variants: [B, { body: '{{ a' }] }, { 'variants.1.body': 'custom' }],
    [
      'a source that does not parse',
      { variants: [{ source: { format: 'MARKDOWN', text: '{{ a' } }] },
      { 'variants.0.source.text': 'custom' },
    ],
    ['a design without its body', { variants: [{ design: {} }] }, { 'variants.0.body': 'required' }],
    ['a snippet there is not', { variants: [{ body: "{% render 'gone' %}" }] }, { 'variants.0.body': 'custom' }],
    ['a share of nothing', { variants: [B], test: { share: 0 } }, { 'test.share': 'too_small' }],
    ['a share of more than all', { variants: [B], test: { share: 101 } }, { 'test.share': 'too_big' }],
    ['too many who get nothing', { variants: [B], test: { holdOut: 51 } }, { 'test.holdOut': 'too_big' }],
    ['too short a time', { variants: [B], test: { hours: 0 } }, { 'test.hours': 'too_small' }],
    ['too long a time', { variants: [B], test: { hours: 337 } }, { 'test.hours': 'too_big' }],
    ['no event', { variants: [B], test: { metric: 'event' } }, { 'test.event': 'required' }],
    ['an event that is not compared', { variants: [B], test: { event: 'bought' } }, { 'test.event': 'custom' }],
    [
      'an event of the service',
      { variants: [B], test: { metric: 'event', event: 'email.open' } },
      { 'test.event': 'reserved_event' },
    ],
    ['a test of nothing', { test: { share: 50 } }, { variants: 'required' }],
  ])('are refused with %s', async (_what, change, fields) => {
    expectEnvelope(await make(change), 422, 'VALIDATION_ERROR', fields)
    const id = await made({})
    expectEnvelope(await put(id, change), 422, 'VALIDATION_ERROR', fields)
  })

  it('take all that is allowed', async () => {
    const { status } = await make({ variants: [B, B, B, B], test: { share: 1, holdOut: 50, hours: 336 } })
    expect(status).toBe(201)
    const layout = { variants: [{ layoutId: '01990000-0000-7000-8000-000000000001' }] }
    expectEnvelope(await make(layout), 404, 'LAYOUT_NOT_FOUND')
    expectEnvelope(await make({ variants: [{ from: 'a@elsewhere.example' }] }), 403, 'DOMAIN_NOT_VERIFIED')
  })

  it('keep the snippet and the layout they use', async () => {
    const snippet = (await still.ask('POST', '/snippets', { json: { name: 'kept', body: 'K' } })).body
    const layout = (await still.ask('POST', '/layouts', { json: { name: 'Kept', body: '{{ content }}' } })).body
    await made({ variants: [{ body: "{% render 'kept' %}" }, { layoutId: layout.id }] })
    expectEnvelope(await still.ask('DELETE', `/snippets/${snippet.id}`), 409, 'CONFLICT')
    expectEnvelope(await still.ask('DELETE', `/layouts/${layout.id}`), 409, 'CONFLICT')
  })

  it('are previewed and tested one by one', async () => {
    const id = await made({ variants: [B], test: { share: 50 } }, running)
    const preview = async (query: string) => running.ask('POST', `/campaigns/${id}/preview${query}`)
    expect((await preview('')).body.sample.subject).toBe('A N')
    expect((await preview('?variant=B')).body.sample.subject).toBe('B N')
    expectEnvelope(await preview('?variant=C'), 422, 'VALIDATION_ERROR', { variant: 'custom' })
    const test = (variant: string) =>
      running.ask('POST', `/campaigns/${id}/test`, { json: { email: `${variant}@example.org`, variant } })
    for (const variant of ['A', 'B']) expect((await test(variant)).status).toBe(200)
    expectEnvelope(await test('C'), 422, 'VALIDATION_ERROR', { variant: 'custom' })
    for (const variant of ['A', 'B']) {
      const [mail] = (await running.ask('GET', `/emails?search=to:${variant}@example.org`)).body.data
      expect(mail.subject).toMatch(new RegExp(`^\\[TEST\\] ${variant}`))
    }
  })

  it('are compared, wait for their winner, and get one once', async () => {
    const id = await made({ variants: [B], test: { share: 50, winner: 'manual' } }, running)
    const ask = (method: string, path: string, json?: object) =>
      running.ask(method, `/campaigns/${id}${path}`, json ? { json } : {})
    const choose = (variant: string) => ask('POST', '/winner', { variant })
    expect((await ask('GET', '/variants')).body).toMatchObject({
      ...{ phase: null, metric: 'clicks', winner: null, best: null, isClear: false, rest: null, heldOut: null },
      variants: [
        { variant: 'A', subject: 'A {{ name }}', sent: 0, rate: 0, low: 0, high: 100, pValue: null },
        { variant: 'B', subject: 'B {{ name }}', from: 'hello@example.com' },
      ],
    })
    expectEnvelope(await choose('B'), 409, 'CONFLICT')
    await ask('POST', '/send')
    const waiting = await until('it waits', async () => {
      const { body } = await ask('GET', '')
      return body.testing?.phase === 'waiting' && body.queued === 0 ? body : undefined
    })
    expect(waiting).toMatchObject({
      ...{ status: 'SENDING', statusReason: expect.stringContaining('you choose') },
      testing: { endsAt: expect.any(String), unclear: false, winner: null, chosenBy: null, chosenAt: null },
    })
    expectEnvelope(await ask('PUT', '', { variants: [] }), 409, 'CONFLICT')
    expectEnvelope(await choose('C'), 400, 'BAD_REQUEST')
    expectEnvelope(await choose('F'), 422, 'VALIDATION_ERROR', { variant: 'invalid_enum_value' })
    const { body } = await choose('B')
    expect(body).toMatchObject({ status: 'SENDING', testing: { phase: 'rest', winner: 'B', chosenBy: 'person' } })
    expectEnvelope(await choose('B'), 409, 'CONFLICT')
    await until('it is SENT', async () => (await ask('GET', '')).body.status === 'SENT')
    const { rest, variants } = (await ask('GET', '/variants')).body
    expect(rest.sent + variants[0].sent + variants[1].sent).toBe(30)
    const listed = (await ask('GET', '/recipients?variant=rest&limit=100')).body
    expect([listed.total, listed.data[0].variant]).toEqual([rest.sent, 'rest'])
    expect((await ask('GET', '/recipients?variant=A&clicked=true')).body.total).toBe(0)
  })

  it.each([
    ['ALL', 3, 20],
    ['two', 9, 20],
    ['a share of one percent', 30, 1],
  ])('go out whole and at once, as was warned, when the share is too small: %s', async (_what, people, share) => {
    const own = await ownProject(running)
    for (let i = 0; i < people; i++) await own.ask('POST', '/contacts', { json: { email: `p${i}@example.org` } })
    const json = { ...CAMPAIGN, variants: [B], test: { share } }
    const { id } = (await own.ask('POST', '/campaigns', { json })).body.data
    const { body: preview } = await own.ask('POST', `/campaigns/${id}/preview`)
    const said = `${share} % of ${people} recipients are too few for 2 variants`
    expect(preview.warnings).toEqual([{ field: 'test.share', message: expect.stringContaining(said) }])
    const { headers } = await own.ask('POST', `/campaigns/${id}/send`, { json: {} })
    expect(headers.get('mailwright-warning')).toContain(said)
    const sent = await until('it is SENT', async () => {
      const { body } = await own.ask('GET', `/campaigns/${id}`)
      return body.status === 'SENT' ? body : undefined
    })
    expect(sent.testing).toMatchObject({ whole: true, winner: null, endsAt: null })
    const { variants, rest } = (await own.ask('GET', `/campaigns/${id}/variants`)).body
    expect([variants[0].sent + variants[1].sent, rest]).toEqual([people, null])
  })

  it('are warned of when chance may hold out everyone, since the campaign would go to nobody', async () => {
    const own = await ownProject(running)
    await own.ask('POST', '/contacts', { json: { email: 'p@example.org' } })
    const json = { ...CAMPAIGN, variants: [B], test: { share: 20, holdOut: 50 } }
    const warned = async () => {
      const { id } = (await own.ask('POST', '/campaigns', { json })).body.data
      return (await own.ask('POST', `/campaigns/${id}/preview`)).body.warnings
    }
    const chance = {
      field: 'test.holdOut',
      message: '50 % of 1 get nothing, as chance has it: that may be all of them',
    }
    const small = { field: 'test.share', message: expect.stringContaining('to all but the 50 % that get nothing,') }
    expect(await warned()).toEqual([small, chance])
    for (let i = 0; i < 10; i++) await own.ask('POST', '/contacts', { json: { email: `p${i}@example.org` } })
    expect(await warned()).toEqual([small])
  })

  it('go out whole when chance has left one of them without a recipient, and nobody gets two', async () => {
    // with 2 of 10 expected, the parts follow from the ids: both in one variant, or none in the test, happens often
    for (let tries = 0; ; tries++) {
      const own = await ownProject(running)
      for (let i = 0; i < 10; i++) await own.ask('POST', '/contacts', { json: { email: `p${i}@example.org` } })
      const json = { ...CAMPAIGN, variants: [B], test: { share: 20, winner: 'manual' } }
      const { id } = (await own.ask('POST', '/campaigns', { json })).body.data
      expect((await own.ask('POST', `/campaigns/${id}/preview`)).body.warnings).toBeUndefined()
      await own.ask('POST', `/campaigns/${id}/send`, { json: {} })
      const { body } = await until('the test is written', async () => {
        const answer = await own.ask('GET', `/campaigns/${id}`)
        const { status, testing, queued } = answer.body
        return status === 'SENT' || (testing?.phase === 'waiting' && queued === 0) ? answer : undefined
      })
      const { variants, rest } = (await own.ask('GET', `/campaigns/${id}/variants`)).body
      const sent = variants.map((each: { sent: number }) => each.sent)
      if (body.status !== 'SENT') {
        expect(Math.min(...sent)).toBeGreaterThan(0)
        expect(tries).toBeLessThan(20)
        continue
      }
      expect([sent[0] + sent[1], rest, body.testing.whole]).toEqual([10, null, true])
      return
    }
  })

  it('list nobody by a metric that a campaign does not have', async () => {
    const id = await made({})
    const { status } = await still.ask('GET', `/campaigns/${id}/recipients?variant=B`)
    expect(status).toBe(200)
    expectEnvelope(await still.ask('GET', `/campaigns/${id}/recipients?metric=true`), 422, 'VALIDATION_ERROR', {
      metric: 'custom',
    })
  })
})

import { beforeEach, describe, expect, it } from 'vitest'
import type { Campaigns } from '../../core/campaigns/campaigns.ts'
import type { Store } from '../../core/ports/store/store.ts'
import { roomBehind } from '../../core/start/asked-doors.ts'
import { digestOf } from '../../core/values/digest.ts'
import { expectEnvelope, PROJECT, type TestApp, testApp } from '../support/app.ts'
import { STRICT } from '../support/matrix.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { SettableClock } from '../support/store.ts'

const DAILY = { every: 'day', at: '09:00', timezone: 'Europe/Berlin' }
const LOOP = '{% for item in items %}<p><a href="{{ item.link }}">{{ item.title }}</a> {{ name }}</p>{% endfor %}'
const CAMPAIGN = {
  name: 'P',
  subject: 'News',
  body: '<p>Hi {{ name }}</p>',
  from: 'hello@example.com',
  audienceType: 'ALL',
}

describe.each([STRICT])('campaign series on $name', (store) => {
  let test: TestApp
  let clock: SettableClock
  let feed: string
  let status: number
  let server: Receiver

  const items = (...names: readonly string[]) =>
    `<rss version="2.0"><channel><title>Blog</title>${names
      .map((name) => `<item><guid>${name}</guid><title>${name}</title><link>https://blog.example/${name}</link></item>`)
      .join('')}</channel></rss>`
  const ask = (method: string, path: string, json?: object) => test.ask(method, path, json ? { json } : {})
  const pattern = async (fields: object = {}) =>
    (await ask('POST', '/campaigns', { ...CAMPAIGN, ...fields })).body.data.id as string
  const create = (fields: object) => ask('POST', '/campaign-series', { name: 'Weekly', rhythm: DAILY, ...fields })
  const get = async (id: string) => (await ask('GET', `/campaign-series/${id}`)).body
  const issues = async (id: string) => (await ask('GET', `/campaigns?seriesId=${id}`)).body.data
  const tick = async (at: string) => {
    clock.set(at)
    const campaigns = roomBehind<Campaigns>(test.engine.campaigns)
    const task = campaigns.tasks().find(({ name }) => name === 'campaign-series')
    await Promise.all([task?.run(new AbortController().signal), task?.run(new AbortController().signal)])
  }

  beforeEach(async () => {
    clock = new SettableClock('2026-06-01T12:00:00.000Z')
    test = await testApp(store, {}, { clock, egress: { allow: ['127.0.0.0/8'] } })
    feed = items('old')
    status = 200
    server = await startReceiver(({ headers }, response) => {
      const etag = `"${digestOf(feed)}"`
      const isSame = headers['if-none-match'] === etag
      response.writeHead(isSame ? 304 : status, { etag, 'content-type': 'application/rss+xml; charset=iso-8859-1' })
      response.end(isSame ? '' : Buffer.from(feed, 'latin1'))
    })
  })

  it('give an issue the postal address that the project has then', async () => {
    const place = '<p class="quiet">{{ mailwright_postal }}</p>'
    const { status: made, body } = await create({
      campaignId: await pattern({ body: `<p>Hi</p>${place}${LOOP}` }),
      feedUrl: server.url,
    })
    expect(made).toBe(201)
    feed = items('new', 'old')
    await tick('2026-06-02T07:00:00.000Z')
    const [issue] = await issues(body.id)
    const look = { postalAddress: '1 New Street' }
    await test.engine.projects.change(await test.engine.projects.get(PROJECT), { look })
    const { sample } = (await ask('POST', `/campaigns/${issue.id}/preview`)).body
    expect(sample.html).toContain('<p>Hi</p><p class="quiet">1 New Street</p>')
  })

  it('make one issue at each time, though two ask at once and times were missed', async () => {
    const campaignId = await pattern()
    const { status: made, body } = await create({
      campaignId,
      rhythm: { every: 'day', at: '09:00', timezone: 'Europe/Berlin' },
    })
    expect({ made, body }).toMatchObject({
      made: 201,
      body: {
        ...{ name: 'Weekly', campaignId, sends: false, status: 'ON', issues: 0, nextAt: '2026-06-02T07:00:00.000Z' },
        upcoming: ['2026-06-02T07:00:00.000Z', '2026-06-03T07:00:00.000Z', '2026-06-04T07:00:00.000Z'],
      },
    })
    await tick('2026-06-02T06:59:59.000Z')
    expect(await issues(body.id)).toEqual([])
    await tick('2026-06-02T07:00:00.000Z')
    expect(await issues(body.id)).toMatchObject([
      { name: 'Weekly 2026-06-02', status: 'DRAFT', seriesId: body.id, subject: 'News' },
    ])
    await tick('2026-06-05T12:00:00.000Z')
    await tick('2026-06-05T12:00:01.000Z')
    expect(await issues(body.id)).toHaveLength(2)
    expect(await get(body.id)).toMatchObject({
      ...{ issues: 2, lastAt: '2026-06-05T12:00:00.000Z', nextAt: '2026-06-06T07:00:00.000Z' },
    })
  })

  it('send by themselves, and pause, resume, skip, change and end', async () => {
    const { body } = await create({ campaignId: await pattern(), sends: true })
    const act = async (action: string) => (await ask('POST', `/campaign-series/${body.id}/${action}`)).body
    expect((await act('skip')).nextAt).toBe('2026-06-03T07:00:00.000Z')
    expect(await act('pause')).toMatchObject({ status: 'PAUSED', nextAt: null, upcoming: [] })
    expectEnvelope(await ask('POST', `/campaign-series/${body.id}/skip`), 409, 'CONFLICT')
    await tick('2026-06-10T12:00:00.000Z')
    expect(await issues(body.id)).toEqual([])
    expect((await act('resume')).nextAt).toBe('2026-06-11T07:00:00.000Z')
    const hourly = { rhythm: { every: 'week', days: ['fri', 'mon', 'fri'], at: '10:00' }, name: 'Other' }
    const { body: changed } = await ask('PATCH', `/campaign-series/${body.id}`, hourly)
    expect(changed).toMatchObject({
      ...{ name: 'Other', nextAt: '2026-06-12T10:00:00.000Z', sends: true },
      rhythm: { every: 'week', days: ['mon', 'fri'], at: '10:00', timezone: 'UTC' },
    })
    await tick('2026-06-12T10:00:00.000Z')
    expect(await issues(body.id)).toMatchObject([{ status: 'SCHEDULED', scheduledAt: '2026-06-12T10:00:00.000Z' }])
    expect((await ask('GET', '/campaign-series')).body.total).toBe(1)
    expect((await ask('DELETE', `/campaign-series/${body.id}`)).status).toBe(204)
    expectEnvelope(await ask('GET', `/campaign-series/${body.id}`), 404, 'RESOURCE_NOT_FOUND')
    expectEnvelope(await ask('DELETE', `/campaign-series/${body.id}`), 404, 'RESOURCE_NOT_FOUND')
    expect(await issues(body.id)).toHaveLength(1)
  })

  it('mail what is new in a feed once, with placeholders for recipients, and nothing when nothing is new', async () => {
    const campaignId = await pattern({ subject: '{{ items.size }} new: {{ items[0].title }}', body: LOOP })
    const { body } = await create({ campaignId, feedUrl: server.url })
    expect(body).toMatchObject({ feedUrl: server.url, feedTitle: 'Blog', feedReadAt: '2026-06-01T12:00:00.000Z' })
    await tick('2026-06-02T07:00:00.000Z')
    expect(await issues(body.id)).toEqual([])
    // asked for a newer version, which there was not
    expect(server.requests.at(-1)?.headers['if-none-match']).toBeDefined()
    expect((await get(body.id)).nextAt).toBe('2026-06-03T07:00:00.000Z')

    feed = items('zwei ü {{ email }}', 'eins', 'old')
    const { body: preview } = await ask('POST', `/campaign-series/${body.id}/preview`)
    expect({ ...preview, items: preview.items.length }).toMatchObject({ isSample: false, items: 2 })
    await tick('2026-06-03T07:00:00.000Z')
    const [issue] = await issues(body.id)
    const whole = (await ask('GET', `/campaigns/${issue.id}`)).body
    expect(whole.subject).toBe('2 new: zwei ü { { email }}')
    expect(whole.body).toContain('<a href="https://blog.example/eins">eins</a> {{ name }}</p>')
    expect(whole.body).toContain('zwei ü &#123;&#123; email }}')
    expect(whole.body).not.toContain('old')
    feed = items('drei', 'zwei ü {{ email }}', 'eins')
    await tick('2026-06-04T07:00:00.000Z')
    expect((await issues(body.id)).map(({ subject }: { subject: string }) => subject)).toEqual([
      '1 new: drei',
      '2 new: zwei ü { { email }}',
    ])
  })

  it('have at most 50 items in an issue, the oldest first, and the others in the next', async () => {
    const { body } = await create({
      campaignId: await pattern({ subject: '{{ items.size }}', body: LOOP }),
      feedUrl: server.url,
    })
    feed = items(...Array.from({ length: 60 }, (_, i) => `item-${59 - i}`))
    await tick('2026-06-02T07:00:00.000Z')
    await tick('2026-06-03T07:00:00.000Z')
    await tick('2026-06-04T07:00:00.000Z')
    const found = (await issues(body.id)).map(({ subject }: { subject: string }) => subject)
    expect(found).toEqual(['10', '50'])
  })

  it('say of a broken feed what is wrong, keep what they knew, and ask again soon', async () => {
    const { body } = await create({ campaignId: await pattern({ body: LOOP }), feedUrl: server.url })
    feed = items('new', 'old')
    status = 500
    await tick('2026-06-02T07:00:00.000Z')
    expect(await get(body.id)).toMatchObject({
      problem: 'The feed cannot be read: its server answers with status 500.',
      ...{ feedTitle: 'Blog', feedReadAt: '2026-06-01T12:00:00.000Z', nextAt: '2026-06-02T07:15:00.000Z', issues: 0 },
    })
    expectEnvelope(await ask('POST', `/campaign-series/${body.id}/preview`), 409, 'CONFLICT')
    status = 200
    await tick('2026-06-02T07:15:00.000Z')
    const after = await get(body.id)
    expect(after).toMatchObject({ issues: 1, nextAt: '2026-06-03T07:00:00.000Z' })
    expect(after.problem).toBeUndefined()
  })

  it('say when an issue cannot be made, and hold their pattern', async () => {
    const campaignId = await pattern()
    const { body } = await create({ campaignId, sends: true })
    const other = (await test.engine.projects.list()).find(({ name }) => name === 'Test')!
    await test.engine.projects.applySettings([{ id: other.id, name: 'Test', trustedDomains: ['other.example'] }])
    await tick('2026-06-02T07:00:00.000Z')
    const problem = (await get(body.id)).problem
    expect(problem).toContain('example.com')
    expectEnvelope(await ask('DELETE', `/campaigns/${campaignId}`), 409, 'CONFLICT')
    await ask('DELETE', `/campaign-series/${body.id}`)
    expect((await ask('DELETE', `/campaigns/${campaignId}`)).status).toBe(204)
  })

  it('pause where an older version let their pattern be deleted', async () => {
    const campaignId = await pattern()
    const { body } = await create({ campaignId, sends: true })
    const project = (await test.engine.projects.list()).find(({ name }) => name === 'Test')!
    // no request does this any more
    const opened: Store = Reflect.get(test.engine.campaigns, 'store')
    await opened.transaction((tx) => tx.campaigns.remove(project.id, campaignId))
    await tick('2026-06-02T07:00:00.000Z')
    const paused = { status: 'PAUSED', problem: expect.stringContaining('Choose another one'), issues: 0 }
    expect(await get(body.id)).toMatchObject(paused)
    const other = await ask('PATCH', `/campaign-series/${body.id}`, { campaignId: await pattern() })
    expect(other).toMatchObject({ status: 200, body: { status: 'PAUSED' } })
    expect(other.body.problem).toBeUndefined()
    expect((await ask('POST', `/campaign-series/${body.id}/resume`)).body.status).toBe('ON')
    await tick('2026-06-03T07:00:00.000Z')
    expect(await get(body.id)).toMatchObject({ status: 'ON', issues: 1 })
  })

  it('have an issue wait for the domain of its sender, and lose neither it nor its items', async () => {
    const { body } = await create({ campaignId: await pattern({ body: LOOP }), feedUrl: server.url, sends: true })
    const plain = (await create({ campaignId: await pattern(), sends: true })).body
    const project = (await test.engine.projects.list()).find(({ name }) => name === 'Test')!
    const trust = (domain: string) =>
      test.engine.projects.applySettings([{ id: project.id, name: 'Test', trustedDomains: [domain] }])
    await trust('other.example')
    feed = items('first', 'old')
    await tick('2026-06-02T07:00:00.000Z')
    const waiting = {
      problem: 'The domain example.com is not verified for this project. The issue waits until it is.',
      ...{ status: 'ON', issues: 0, nextAt: '2026-06-02T07:15:00.000Z' },
    }
    for (const { id } of [body, plain]) expect(await get(id)).toMatchObject(waiting)
    // the next item, and the next time, while it waits
    feed = items('second', 'first', 'old')
    await tick('2026-06-03T07:00:00.000Z')
    expect((await get(body.id)).problem).toBe(waiting.problem)
    await trust('example.com')
    await tick('2026-06-03T07:15:00.000Z')
    for (const { id } of [body, plain]) {
      const after = await get(id)
      expect(after).toMatchObject({ issues: 1, nextAt: '2026-06-04T07:00:00.000Z' })
      expect(after.problem).toBeUndefined()
    }
    const [issue] = await issues(body.id)
    expect((await ask('GET', `/campaigns/${issue.id}`)).body.body).toMatch(/second.*first|first.*second/s)
  })

  it('are refused with the field and the reason', async () => {
    const campaignId = await pattern()
    const refused = async (fields: object, problems: Readonly<Record<string, string>>) =>
      expectEnvelope(await create({ campaignId, ...fields }), 422, 'VALIDATION_ERROR', problems)
    await refused({ name: 'x'.repeat(201) }, { name: 'too_big' })
    await refused({ campaignId: 'x' }, { campaignId: 'custom' })
    await refused({ rhythm: { every: 'week' } }, { 'rhythm.days': 'required' })
    await refused({ rhythm: { every: 'month' } }, { 'rhythm.day': 'required' })
    await refused({ rhythm: { every: 'hour' } }, { 'rhythm.every': 'custom' })
    await refused({ rhythm: { ...DAILY, at: '24:00' } }, { 'rhythm.at': 'custom' })
    await refused({ rhythm: { ...DAILY, timezone: 'Mars' } }, { 'rhythm.timezone': 'custom' })
    await refused({ feedUrl: 'ftp://x.example' }, { feedUrl: 'invalid_string' })
    await refused({ feedUrl: 'http://a:b@x.example' }, { feedUrl: 'invalid_string' })
    await refused({ feedUrl: 'http://10.0.0.1/feed' }, { feedUrl: 'custom' })
    await refused({ feedUrl: `${server.url}${'x'.repeat(2048)}` }, { feedUrl: 'too_big' })
    feed = '<html></html>'
    await refused({ feedUrl: server.url }, { feedUrl: 'custom' })
    feed = items('x'.repeat(2 * 1024 * 1024))
    await refused({ feedUrl: server.url }, { feedUrl: 'custom' })
    feed = items('old')
    const mixed = await pattern({ body: '{% for item in items %}{% if plan %}x{% endif %}{% endfor %}' })
    await refused({ campaignId: mixed, feedUrl: server.url }, { campaignId: 'custom' })
    const { body } = await create({ campaignId, feedUrl: server.url, rhythm: { every: 'hour' } })
    expectEnvelope(await ask('PATCH', `/campaign-series/${body.id}`, { feedUrl: null }), 422, 'VALIDATION_ERROR', {
      'rhythm.every': 'custom',
    })
    const project = (await test.engine.projects.list()).find(({ name }) => name === 'Test')!
    for (let made = 1; made < 100; made++)
      await test.engine.campaigns.series.create(project, { name: 'x', campaignId, rhythm: { every: 'day' } })
    expectEnvelope(await create({ campaignId }), 409, 'CONFLICT')
  })
})

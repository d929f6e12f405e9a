import { beforeAll, describe, expect, it } from 'vitest'
import { warningsOf } from '../../config/library.ts'
import { installationSettings } from '../../config/mail-server.ts'
import { ROUTES } from '../../server/app.ts'
import { areaOf } from '../../server/http/route.ts'
import { type Answer, MAIL, PUBLIC, type TestApp, testApp } from '../support/app.ts'
import { QUICK } from '../support/matrix.ts'
import { ID } from './endpoints.ts'

const DYNAMIC = { operator: 'AND', conditions: [{ field: 'email', operator: 'contains', value: '@' }] }
const CAMPAIGN = { name: 'C', subject: 'S', body: 'B', from: MAIL.from, audienceType: 'ALL' }
/** The warnings in the body, or in the header field as `field: message`. */
const warnings = ({ body, headers }: Answer): readonly string[] => {
  const header = headers.get('mailwright-warning')
  expect(body?.warnings !== undefined && header !== null).toBe(false)
  if (header !== null) return header.split(', ')
  return (body?.warnings ?? []).map(({ field, message }: { field: string; message: string }) => `${field}: ${message}`)
}
const IGNORED = 'is not a known key and was ignored'

describe('what is accepted but was probably meant otherwise', () => {
  let test: TestApp
  const soon = (offset: string) => new Date(Date.now() + 3_600_000).toISOString().slice(0, 19) + offset
  const NO_OFFSET = /has no offset from UTC and was taken as .*Z: end it with Z or an offset such as \+02:00/

  beforeAll(async () => {
    test = await testApp(QUICK)
  })

  it.each([
    ['POST', '/v1/send', 'scheduledFor', (at: string) => ({ ...MAIL, scheduledFor: at })],
    ['POST', '/v1/send', 'expiresAt', (at: string) => ({ ...MAIL, expiresAt: at })],
    [
      'POST',
      '/v1/send/batch',
      'messages.0.scheduledFor',
      (at: string) => ({ messages: [{ ...MAIL, scheduledFor: at }] }),
    ],
    ['POST', '/suppressions', 'expiresAt', (at: string) => ({ email: 'a@example.org', expiresAt: at })],
    [
      'POST',
      '/segments',
      'filters.conditions.0.value',
      (at: string) => ({
        name: `S ${at}`,
        filters: { operator: 'AND', conditions: [{ field: 'createdAt', operator: 'greaterThan', value: at }] },
      }),
    ],
    ['GET', '/events/stats', 'startDate', (at: string) => at],
    ['GET', '/activity', 'startDate', (at: string) => at],
    ['GET', '/analytics/timeseries', 'startDate', () => new Date(Date.now() - 86_400_000).toISOString().slice(0, 19)],
  ] as const)('%s %s: a time without an offset in %s', async (method, path, field, make) => {
    const ask = (at: string) => {
      const given = make(at)
      return typeof given === 'string'
        ? test.ask(method, `${path}?${field}=${encodeURIComponent(given)}`)
        : test.ask(method, path, { json: given })
    }
    const told = await ask(soon(''))
    expect(told.status).toBeLessThan(300)
    expect(warnings(told)).toEqual([expect.stringMatching(new RegExp(`^${field}: ${NO_OFFSET.source}`))])
    if (path === '/analytics/timeseries') return
    for (const offset of ['Z', '+02:00', '.500-0330']) expect(warnings(await ask(soon(offset)))).toEqual([])
  })

  it.each([
    ['/v1/send', (scheduledFor: string) => ({ ...MAIL, scheduledFor }), 'scheduledFor'],
    ['/suppressions', (expiresAt: string) => ({ email: 'day@example.org', expiresAt }), 'expiresAt'],
    ['/v1/send', (expiresAt: string) => ({ ...MAIL, expiresAt }), 'expiresAt'],
  ] as const)('a day where a moment is meant, in %s', async (path, make, field) => {
    const day = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10)
    const told = await test.ask('POST', path, { json: make(day) })
    expect(told.status).toBeLessThan(300)
    const said = `${field}: is a day without a time and was taken as ${day}T00:00:00.000Z which is midnight in UTC`
    expect(warnings(told)).toEqual([expect.stringContaining(said)])
  })

  it('an address that stands twice in to, whatever its case: one mail, one record', async () => {
    const to = [
      'Twice@Example.org ',
      { email: 'twice@example.org', name: 'Ada' },
      'bob@example.org',
      'Ada <TWICE@example.ORG>',
    ]
    const { body } = await test.ask('POST', '/v1/send', { json: { ...MAIL, to } })
    expect(body.data.emails.map((each: { contact: { email: string } }) => each.contact.email)).toEqual([
      'twice@example.org',
      'bob@example.org',
    ])
    expect(body.warnings).toEqual([
      { field: 'to', message: 'has twice@example.org more than once: each address counts once' },
    ])
    const message = { ...MAIL, to: ['eve@example.org', 'EVE@example.org'], cc: ['c@example.org', 'C@EXAMPLE.org'] }
    const batch = await test.ask('POST', '/v1/send/batch', { json: { messages: [message, message] } })
    expect(batch.body.data.results.map((each: { data: { emails: unknown[] } }) => each.data.emails.length)).toEqual([
      1, 1,
    ])
    expect(warnings(batch).map((each) => each.split(': ')[0])).toEqual([
      'messages.0.to',
      'messages.0.cc',
      'messages.1.to',
      'messages.1.cc',
    ])
    const sent = await test.ask('GET', `/emails?search=${encodeURIComponent('to:twice@example.org')}`)
    expect(sent.body.data).toMatchObject([{ to: 'twice@example.org' }])
  })

  // catches a query that is read twice, by schemas that do not know each other's keys
  it.each(
    ROUTES.flatMap((route) =>
      route.method === 'GET' && route.access === 'secret'
        ? (route.examples ?? []).map(({ query = {} }) => [route.path, query] as const)
        : [],
    ),
  )('no key that a route knows: %s %j', async (path, query) => {
    const asked = new URLSearchParams(
      Object.entries(query).map(([key, value]): [string, string] => [key, String(value)]),
    )
    const answer = await test.ask('GET', `${path.replace(/:\w+/g, ID)}?${asked}`)
    expect(warnings(answer)).toEqual([])
  })

  it('a key in a query that nothing is called', async () => {
    expect(warnings(await test.ask('GET', '/contacts?subscribd=true'))).toEqual([
      `subscribd: ${IGNORED} (did you mean subscribed?)`,
    ])
  })

  it.each([
    ['/segments?search=x', [`search: ${IGNORED}`]],
    ['/contacts/fields?limit=3&page=2', [`limit: ${IGNORED}`, `page: ${IGNORED}`]],
    ['/contacts/export?subscribe=true', [`subscribe: ${IGNORED} (did you mean subscribed?)`]],
    ['/suppressions?adress=x', [`adress: ${IGNORED}`]],
    ['/contacts?subscribed=true&subscribed=false', ['subscribed: is given several times: the last one counts']],
    ['/contacts?subscribed=true', []],
  ])('what narrows nothing in a query: %s', async (path, told) => {
    expect(warnings(await test.ask('GET', path))).toEqual(told)
  })

  it('a key of a query that goes with a body, too', async () => {
    expect(warnings(await test.ask('POST', '/contacts?upsert=1', { json: { email: 'q@example.org' } }))).toEqual([
      `upsert: ${IGNORED}`,
    ])
  })

  it('a type of template that is Plunk’s', async () => {
    const json = { name: 'H', subject: 'S', body: 'B', type: 'HEADLESS' }
    const made = await test.ask('POST', '/templates', { json })
    expect(made).toMatchObject({ status: 201, body: { type: 'MARKETING' } })
    expect(warnings(made)).toEqual([expect.stringMatching(/^type: HEADLESS was taken as MARKETING/)])
  })
})

for (const store of [QUICK]) {
  describe(`filters by fields that no contact has, on ${store.name}`, () => {
    let test: TestApp
    const and = (...conditions: object[]) => ({ operator: 'AND', conditions })
    const on = (field: string) => ({ field, operator: 'equals', value: 'x' })
    const NONE = 'is a field that no contact has'

    beforeAll(async () => {
      test = await testApp(store)
    })

    it('are taken, and told with what was probably meant, wherever there is a filter', async () => {
      const early = await test.ask('POST', '/segments', { json: { name: 'Early', filters: and(on('data.plan')) } })
      expect(early.status).toBe(201)
      expect(warnings(early)).toEqual([`filters.conditions.0.field: ${NONE} yet`])
      const data = { Plan: 'x', 'First Name': 'Ada', 'e-mail': 'x', 'a.b': 'x', address: { city: 'x' } }
      await test.ask('POST', '/contacts', { json: { email: 'ada@example.org', data } })
      const known = and(on('data.First Name'), on('e-mail'), on('data.a.b'), on('address.city'), on('email'))
      const lower = and(on('data.plan'), and(on('adress.city')))
      const told = (place: string) => [
        `${place}.conditions.0.field: ${NONE} (did you mean data.Plan?)`,
        `${place}.conditions.1.conditions.0.field: ${NONE} (did you mean data.address.city?)`,
      ]
      const made = await test.ask('POST', '/segments', { json: { name: 'Known', filters: known } })
      expect(warnings(made)).toEqual([])
      expect(made.body.memberCount).toBe(0)
      const { id } = made.body
      expect(warnings(await test.ask('PATCH', `/segments/${id}`, { json: { filters: lower } }))).toEqual(
        told('filters'),
      )
      const group = await test.ask('PATCH', `/segments/${id}`, {
        json: { condition: { logic: 'OR', groups: [{ filters: [on('Plann')] }] } },
      })
      expect(warnings(group)).toEqual([`condition.groups.0.filters.0.field: ${NONE} (did you mean data.Plan?)`])
      const campaign = await test.ask('POST', '/campaigns', {
        json: { ...CAMPAIGN, audienceType: 'FILTERED', audienceFilter: lower },
      })
      expect(campaign.status).toBe(201)
      expect(warnings(campaign)).toEqual(told('audienceFilter'))
      const changed = await test.ask('PUT', `/campaigns/${campaign.body.data.id}`, {
        json: { ...CAMPAIGN, audienceType: 'FILTERED', audienceFilter: and(on('data.Email')) },
      })
      expect(warnings(changed)).toEqual([`audienceFilter.conditions.0.field: ${NONE} (did you mean email?)`])
      const query = (filter: object) => `?filter=${encodeURIComponent(JSON.stringify(filter))}`
      expect(warnings(await test.ask('GET', `/contacts${query(lower)}`))).toEqual(told('filter'))
      expect(warnings(await test.ask('GET', `/contacts${query(known)}`))).toEqual([])
      expect(warnings(await test.ask('GET', `/contacts/export${query(lower)}`))).toEqual(told('filter'))
      const bulk = await test.ask('POST', '/contacts/bulk-subscribe', { json: { mode: 'query', filter: lower } })
      expect(bulk.status).toBe(202)
      expect(warnings(bulk)).toEqual(told('filter'))
      const workflow = await test.ask('POST', '/workflows', { json: { name: 'W', eventName: 'seen' } })
      const add = (config: object) =>
        test.ask('POST', `/workflows/${workflow.body.id}/steps`, { json: { type: 'CONDITION', config } })
      expect(warnings(await add(on('contact.data.plan')))).toEqual([`config.field: ${NONE} (did you mean data.Plan?)`])
      expect(warnings(await add({ filter: lower }))).toEqual(told('config.filter'))
      expect(warnings(await add(and(on('event.plan'), on('context.plan'), on('data.Plan'))))).toEqual([])
    })

    it('say how times without an offset were read', async () => {
      const filters = and({ field: 'data.Plan', operator: 'greaterThan', value: '2026-01-31T09:00' })
      const { body, headers } = await test.ask('POST', '/segments', { json: { name: 'T', filters } })
      expect(body.name).toBe('T')
      expect(headers.get('mailwright-warning')).toContain('filters.conditions.0.value: has no offset from UTC')
      const dated = and({ field: 'data.Plan', operator: 'greaterThan', value: '2026-01-31' })
      expect(warnings(await test.ask('POST', '/segments', { json: { name: 'D', filters: dated } }))).toEqual([])
    })

    it('are many and odd without harm', async () => {
      const many = Array.from({ length: 50 }, (_, i) => on(`data.${'ü'.repeat(60)}${i}`))
      const answer = await test.ask('POST', '/segments', { json: { name: 'Many', filters: and(...many) } })
      expect(answer.status).toBe(201)
      expect(answer.headers.get('mailwright-warning')?.length).toBeLessThan(1600)
    })
  })
}

describe('unknown keys in a body', () => {
  let test: TestApp
  const post = (path: string, json: unknown, headers: Record<string, string> = {}) =>
    test.ask('POST', path, { json, headers })

  beforeAll(async () => {
    test = await testApp(QUICK, {}, { installation: installationSettings({}) })
  })

  // catches an endpoint whose body is read past `parse`
  it.each(
    ROUTES.filter(
      // those of a user and those of members alone ask for a session before they read anything
      (route) =>
        'body' in route &&
        route.body !== undefined &&
        route.body !== 'multipart' &&
        route.access !== 'user' &&
        !(route.access === 'secret' && ['approvals', 'grants'].includes(areaOf(route))),
    ).map(({ method, path }) => [method, path.replace(/:\w+/g, ID)] as const),
  )('%s %s tells them, in its errors too', async (method, path) => {
    const answer = await test.ask(method, path, { json: { noSuchKey: 1 } })
    if (answer.status === 404) return
    const told = [...warnings(answer), answer.body?.error?.suggestion ?? '']
    expect(told.join()).toContain('noSuchKey')
  })

  it('stand beside success in an envelope, each with what was probably meant', async () => {
    const answer = await post('/v1/send', {
      ...{ ...MAIL, subjct: 'x', templateId: ID, wholly: 1, data: { any: { thing: 1 } }, headers: { 'X-Any': '1' } },
      ...{ from: { email: MAIL.from, mail: 'x' }, tags: { any: '1' } },
      attachments: [{ filename: 'a.txt', content: 'QQ==', contentType: 'text/plain', fileName: 'b.txt' }],
    })
    expect(answer.status).toBe(200)
    expect(Object.keys(answer.body)).toEqual(['success', 'warnings', 'data'])
    expect(warnings(answer).toSorted()).toEqual([
      `attachments.0.fileName: ${IGNORED} (did you mean filename?)`,
      `from.mail: ${IGNORED} (did you mean email?)`,
      `subjct: ${IGNORED} (did you mean subject?)`,
      `templateId: ${IGNORED} (did you mean template?)`,
      `wholly: ${IGNORED}`,
    ])
  })

  it('stand in a header field where the answer is the record itself, or nothing', async () => {
    const contact = await post('/contacts', { email: 'ada@example.org', subscribd: true, first_name: 'Ada' })
    expect(contact.body).not.toHaveProperty('warnings')
    expect(warnings(contact)).toEqual([`subscribd: ${IGNORED} (did you mean subscribed?)`, `first_name: ${IGNORED}`])
    const segment = await post('/segments', {
      name: 'S',
      filters: { ...DYNAMIC, logic: 'OR', conditions: [{ ...DYNAMIC.conditions[0], vlaue: 1 }] },
    })
    expect(warnings(segment)).toEqual([
      `filters.conditions.0.vlaue: ${IGNORED} (did you mean value?)`,
      `filters.logic: ${IGNORED}`,
    ])
    const plunks = { logic: 'AND', groups: [{ filters: [{ ...DYNAMIC.conditions[0], op: 'is' }], name: 'x' }] }
    const other = await post('/segments', { name: 'T', condition: plunks })
    expect(warnings(other)).toEqual([
      `condition.groups.0.filters.0.op: ${IGNORED}`,
      `condition.groups.0.name: ${IGNORED}`,
    ])
    await post('/contacts', { email: 'bob@example.org' })
    const campaign = await post('/campaigns', { ...CAMPAIGN, htmlBody: 'x' })
    expect(campaign.body).toMatchObject({ success: true, warnings: [{ field: 'htmlBody' }] })
    const sent = await post(`/campaigns/${campaign.body.data.id}/send`, { scheduledFro: 'soon', a: 1 })
    expect(sent).toMatchObject({ status: 200, text: '' })
    expect(warnings(sent)).toEqual([`scheduledFro: ${IGNORED} (did you mean scheduledFor?)`, `a: ${IGNORED}`])
  })

  it('are told of the config of a step of each type, too', async () => {
    await post('/contacts', { email: 'plan@example.org', data: { plan: 'pro' } })
    const workflow = await post('/workflows', { name: 'W', eventName: 'seen' })
    const add = (json: object) => post(`/workflows/${workflow.body.id}/steps`, json)
    const delay = await add({ type: 'DELAY', config: { amount: 1, unit: 'days', units: 'x' }, nmae: 'x' })
    expect(warnings(delay)).toEqual([
      `nmae: ${IGNORED} (did you mean name?)`,
      `config.units: ${IGNORED} (did you mean unit?)`,
    ])
    const condition = { field: 'data.plan', operator: 'equals', value: 'pro', oprator: 1 }
    expect(warnings(await add({ type: 'CONDITION', config: condition }))).toEqual([
      `config.oprator: ${IGNORED} (did you mean operator?)`,
    ])
    const changed = await test.ask('PATCH', `/workflows/${workflow.body.id}/steps/${delay.body.id}`, {
      json: { config: { amount: 1, unit: 'days', delay: 1 } },
    })
    expect(warnings(changed)).toEqual([`config.delay: ${IGNORED}`])
  })

  it.each([
    ['/v1/send', { ...MAIL, subjct: 'x' }],
    ['/v1/track', { email: 'ada@example.org', event: 'seen', subjct: 'x' }],
    ['/contacts/bulk-subscribe', { contactIds: [ID], subjct: 'x' }],
  ])('are told again when the answer of %s is a replay', async (path, json) => {
    const first = await post(path, json, { 'idempotency-key': path })
    const again = await post(path, json, { 'idempotency-key': path })
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(warnings(again)).toHaveLength(1)
    expect(warnings(again)).toEqual(warnings(first))
    expect(again.text).toBe(first.text)
  })

  it('are told to web pages', async () => {
    const answer = await test.ask('POST', '/v1/track', {
      key: PUBLIC,
      json: { email: 'a@b.example', event: 'e', x: 1 },
    })
    expect(answer.body.warnings).toHaveLength(1)
    expect(answer.headers.get('access-control-expose-headers')).toContain('Mailwright-Warning')
  })

  it('are bounded, and harmless in a header field', async () => {
    const long = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`${'k'.repeat(100)}${i}`, i]))
    const body = (await post('/v1/send', { ...MAIL, ...long })).body.warnings
    expect(body).toHaveLength(20)
    expect(body[0].field).toBe(`${'k'.repeat(60)}…`)
    const hostile = { email: 'ada@example.org', 'a\r\nSet-Cookie: x=1, b': 1, ключ: 1, '__proto__\0': 1, ...long }
    const header = (await post('/contacts', hostile)).headers.get('mailwright-warning') ?? ''
    expect(header).toMatch(/^[\x20-\x7e]{100,1510}$/)
    expect(header).toMatch(/, and more$/)
    const started = performance.now()
    await post('/contacts', { email: 'ada@example.org', ['x'.repeat(900_000)]: 1 })
    expect(performance.now() - started).toBeLessThan(1000)
  })

  it('of the right names there are none', async () => {
    const answers = [
      await post('/v1/send', { ...MAIL, reply: 'r@example.org', type: 'html', cc: [{ email: 'c@example.org' }] }),
      await post('/campaigns', { ...CAMPAIGN, audienceType: 'FILTERED', audienceFilter: DYNAMIC }),
      await post('/contacts', { email: 'ada@example.org', data: { a: { b: 1 } } }),
    ]
    for (const answer of answers) expect([answer.status < 300, ...warnings(answer)]).toEqual([true])
  })

  it('are told to embedders, who ask with the input they gave', async () => {
    const [project] = await test.engine.projects.list()
    const input = { ...MAIL, replyto: 'x' }
    await test.engine.sending.send(project!, input)
    expect(warningsOf(input)).toEqual([{ field: 'replyto', message: `${IGNORED} (did you mean replyTo?)` }])
    expect(warningsOf({ ...input })).toEqual([])
  })
})

describe('keys that would be misunderstood', () => {
  let test: TestApp
  const refused = async (path: string, json: object) => {
    const { status, body } = await test.ask('POST', path, { json })
    expect(status).toBe(422)
    return body.error.errors.map(({ field, message }: { field: string; message: string }) => `${field}: ${message}`)
  }

  beforeAll(async () => {
    test = await testApp(QUICK)
  })

  it.each([
    ...['scheduledAt', 'sendAt', 'send_at', 'scheduled_at', 'scheduled-for', 'schedule', 'ScheduledFor'],
  ])('%s is refused, and nothing is sent', async (key) => {
    const instead = [`${key}: is not a key here: use scheduledFor`]
    expect(await refused('/v1/send', { ...MAIL, [key]: '2030-01-01T00:00:00Z' })).toEqual(instead)
    const { body } = await test.ask('POST', '/campaigns', { json: CAMPAIGN })
    expect(await refused(`/campaigns/${body.data.id}/send`, { [key]: '2030-01-01T00:00:00Z' })).toEqual(instead)
    expect((await test.ask('GET', `/campaigns/${body.data.id}`)).body.status).toBe('DRAFT')
    expect(await test.counts()).toMatchObject({ contacts: 0, emails: 0 })
  })

  it('a time of any name is refused where a campaign would go at once, and said to schedule no new one', async () => {
    const made = await test.ask('POST', '/campaigns', { json: { ...CAMPAIGN, scheduled_at: '2030-01-01T00:00:00Z' } })
    const message = 'schedules nothing here: POST /campaigns/{id}/send with scheduledFor does'
    expect(made.body.warnings).toContainEqual({ field: 'scheduled_at', message })
    for (const time of ['2030-01-01T00:00:00Z', 1_893_456_000])
      expect(await refused(`/campaigns/${made.body.data.id}/send`, { when: time })).toEqual([
        'when: is not a key here: use scheduledFor',
      ])
    const { status } = await test.ask('PATCH', `/campaigns/${made.body.data.id}`, { json: { send_at: 'soon' } })
    expect(status).toBe(422)
    const json = { scheduledFor: '2030-01-01T00:00:00Z', updatedAt: '2026-01-01T00:00:00Z' }
    expect((await test.ask('POST', `/campaigns/${made.body.data.id}/send`, { json })).status).toBe(200)
  })

  it('html without a body is refused, also beside a template; with one it is only told', async () => {
    const { body: own, ...rest } = MAIL
    expect(await refused('/v1/send', { ...rest, html: '<p>Hi</p>' })).toEqual([
      'body: is required when there is no template',
      'html: is not a key here: put the HTML into body',
    ])
    expect(await refused('/v1/send', { to: MAIL.to, template: ID, html: '<p>Hi</p>' })).toHaveLength(1)
    const sent = await test.ask('POST', '/v1/send', { json: { ...rest, body: own, html: '<p>Hi</p>' } })
    expect(warnings(sent)).toEqual([`html: ${IGNORED} (did you mean body?)`])
  })

  it('a type other than html is refused', async () => {
    const [problem] = await refused('/v1/send', { ...MAIL, type: 'markdown' })
    expect(problem).toMatch(/^type: must be html/)
  })

  it.each(['replyTo', 'reply_to'])('%s means reply', async (key) => {
    const sent = await test.ask('POST', '/v1/send', { json: { ...MAIL, [key]: 'answers@example.org' } })
    expect([sent.status, ...warnings(sent)]).toEqual([200])
    expect(await refused('/v1/send', { ...MAIL, reply: 'other@example.org', [key]: 'answers@example.org' })).toEqual([
      `${key}: means reply, which has another value`,
    ])
  })
})

describe('problems of a request are told together', () => {
  let test: TestApp
  beforeAll(async () => {
    test = await testApp(QUICK)
  })

  // catches rules between fields that wait until each field is right by itself
  it.each<[path: string, json: object, fields: string[]]>([
    ['/v1/send', {}, ['to', 'from', 'subject', 'body']],
    [
      '/v1/send',
      { to: 'nobody', subject: '', scheduledFor: '2099-01-01' },
      ['to', 'subject', 'from', 'body', 'scheduledFor'],
    ],
    [
      '/v1/send',
      { ...MAIL, attachments: [{ disposition: 'inline' }] },
      ['filename', 'content', 'contentType', 'contentId'].map((field) => `attachments.0.${field}`),
    ],
    ['/campaigns', {}, ['name', 'audienceType', 'subject', 'body', 'from']],
    ['/campaigns', { audienceType: 'SEGMENT' }, ['name', 'subject', 'body', 'from', 'segmentId']],
    ['/campaigns', { audienceType: 'FILTERED', template: ID }, ['name', 'audienceFilter']],
    [
      '/campaigns',
      { audienceType: 'FILTERED', template: ID, audienceFilter: {} },
      ['name', 'audienceFilter.operator', 'audienceFilter.conditions'],
    ],
    ['/segments', {}, ['name', 'filters']],
    ['/segments', { condition: { logic: 'AND' } }, ['name', 'condition.groups']],
    ['/workflows', {}, ['name', 'eventName']],
    ['/events/track', { name: 'seen', subscribed: 'x' }, ['subscribed', 'contactId']],
  ])('%s %j', async (path, json, fields) => {
    const { status, body } = await test.ask('POST', path, { json })
    expect(status).toBe(422)
    expect(body.error.errors.map(({ field }: { field: string }) => field)).toEqual(fields)
    // all that old clients read
    for (const field of fields.slice(0, 6)) expect(body.message).toContain(field)
  })

  it('and a required key that is spelled wrong is named', async () => {
    const { subject, ...rest } = MAIL
    const { body } = await test.ask('POST', '/v1/send', { json: { ...rest, subjct: subject } })
    expect(body.error.suggestion).toBe('"subjct" is not a known key (did you mean subject?).')
  })
})

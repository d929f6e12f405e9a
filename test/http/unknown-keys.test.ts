import { beforeAll, describe, expect, it } from 'vitest'
import { warningsOf } from '../../config/library.ts'
import { ROUTES } from '../../server/app.ts'
import { type Answer, MAIL, PUBLIC, type TestApp, testApp } from '../support/app.ts'
import { STORES } from '../support/matrix.ts'
import { ID } from './endpoints.ts'

const DYNAMIC = { operator: 'AND', conditions: [{ field: 'email', operator: 'contains', value: '@' }] }
const CAMPAIGN = { name: 'C', subject: 'S', body: 'B', from: MAIL.from, audienceType: 'ALL' }
const [SQLITE] = STORES

/** The warnings in the body, or in the header field as `field: message`. */
const warnings = ({ body, headers }: Answer): readonly string[] => {
  const header = headers.get('mailwright-warning')
  expect(body?.warnings !== undefined && header !== null).toBe(false)
  if (header !== null) return header.split(', ')
  return (body?.warnings ?? []).map(({ field, message }: { field: string; message: string }) => `${field}: ${message}`)
}
const IGNORED = 'is not a known key and was ignored'

describe('unknown keys in a body', () => {
  let test: TestApp
  const post = (path: string, json: unknown, headers: Record<string, string> = {}) =>
    test.ask('POST', path, { json, headers })

  beforeAll(async () => {
    test = await testApp(SQLITE)
  })

  // catches an endpoint whose body is read past `parse`
  it.each(
    ROUTES.filter(
      // those of a user ask for a session before they read anything
      (route) => 'body' in route && route.body !== undefined && route.body !== 'multipart' && route.access !== 'user',
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
    const sent = await post(`/campaigns/${campaign.body.data.id}/send`, { scheduledfor: '2030-01-01T00:00:00Z', a: 1 })
    expect(sent).toMatchObject({ status: 200, text: '' })
    expect(warnings(sent)).toEqual([`scheduledfor: ${IGNORED} (did you mean scheduledFor?)`, `a: ${IGNORED}`])
  })

  it('are told of the config of a step of each type, too', async () => {
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
    test = await testApp(SQLITE)
  })

  it.each(['scheduledAt', 'sendAt', 'send_at'])('%s is refused, and nothing is sent', async (key) => {
    const instead = [`${key}: is not a key here: use scheduledFor`]
    expect(await refused('/v1/send', { ...MAIL, [key]: '2030-01-01T00:00:00Z' })).toEqual(instead)
    const { body } = await test.ask('POST', '/campaigns', { json: CAMPAIGN })
    expect(await refused(`/campaigns/${body.data.id}/send`, { [key]: '2030-01-01T00:00:00Z' })).toEqual(instead)
    expect((await test.ask('GET', `/campaigns/${body.data.id}`)).body.status).toBe('DRAFT')
    expect(await test.counts()).toMatchObject({ contacts: 0, emails: 0 })
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
      `${key}: means reply, which says something else`,
    ])
  })
})

describe('problems of a request are told together', () => {
  let test: TestApp
  beforeAll(async () => {
    test = await testApp(SQLITE)
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

import { randomUUID } from 'node:crypto'
import { Client } from 'pg'
import { beforeAll, describe, expect, it } from 'vitest'
import { postgres } from '../../plugins/store-postgres/index.ts'
import { MAIL, type TestApp, testApp } from '../support/app.ts'
import { atEndOfFile } from '../support/end-of-file.ts'
import { freshDatabase } from '../support/fresh-database.ts'

const deep = (levels: number): unknown => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`)
/** Values that are wrong almost everywhere; where one is right, the answer is a 2xx. */
const VALUES: readonly (readonly [what: string, value: unknown])[] = [
  ['null', null],
  ['true', true],
  ['zero', 0],
  ['a negative number', -1],
  ['a fraction', 1.5],
  ['the largest number', Number.MAX_VALUE],
  ['an empty text', ''],
  ['a space', ' '],
  ['a text', 'x'],
  ['NUL', 'a\0b'],
  ['half a surrogate pair', 'a\ud800b'],
  ['a line break', 'a\r\nb'],
  ['a long text', 'x'.repeat(100_000)],
  ['an empty list', []],
  ['a list of null', [null]],
  ['a list of lists', [[[]]]],
  ['a list of numbers', [1, 2]],
  ['a long list', Array(1001).fill('x')],
  ['an empty object', {}],
  ['an object of null', { email: null, value: null }],
  ['an object with members of functions', { length: 1, toString: 'x', valueOf: 'y', constructor: { name: 'z' } }],
  ['an object nested 200 deep', deep(200)],
  ['an object with a NUL in a key', { 'a\0': 1 }],
  ['an object with half a surrogate pair in a key', { '\udc00': 1 }],
]

const attachment = { filename: 'a.txt', content: 'QQ==', contentType: 'text/plain' }
const TEMPLATE = { name: 'T', subject: 'S', body: 'B', type: 'TRANSACTIONAL' }
const CONTACT = { email: 'ada@example.org' }
const EVENT = { ...CONTACT, event: 'seen' }
const HOOK = { url: 'https://a.example/', events: ['seen'], enabled: false }
const CONDITION = { field: 'data.plan', operator: 'equals', value: 'pro' }
const segment = (filters: unknown, more: object = {}) => ({ name: randomUUID(), filters, ...more })
const condition = (change: object) => segment({ operator: 'AND', conditions: [{ ...CONDITION, ...change }] })

/** Every field of every body: the request that is right, and how to put a value into the field. */
const FIELDS: readonly (readonly [method: string, path: string, fields: Record<string, (value: unknown) => object>])[] =
  [
    [
      'POST',
      '/v1/send',
      {
        to: (to) => ({ ...MAIL, to }),
        'to[]': (one) => ({ ...MAIL, to: [one] }),
        'to.email': (email) => ({ ...MAIL, to: { email } }),
        'to.name': (name) => ({ ...MAIL, to: { name, email: MAIL.to } }),
        cc: (cc) => ({ ...MAIL, cc }),
        bcc: (bcc) => ({ ...MAIL, bcc }),
        subject: (subject) => ({ ...MAIL, subject }),
        body: (body) => ({ ...MAIL, body }),
        text: (text) => ({ ...MAIL, text }),
        template: (template) => ({ ...MAIL, template }),
        from: (from) => ({ ...MAIL, from }),
        'from.email': (email) => ({ ...MAIL, from: { email } }),
        'from.name': (name) => ({ ...MAIL, from: { name, email: MAIL.from } }),
        name: (name) => ({ ...MAIL, name }),
        reply: (reply) => ({ ...MAIL, reply }),
        subscribed: (subscribed) => ({ ...MAIL, subscribed }),
        data: (data) => ({ ...MAIL, data }),
        'data.key': (key) => ({ ...MAIL, data: { key } }),
        'data.key.value': (value) => ({ ...MAIL, data: { key: { value, persistent: false } } }),
        'data.key.persistent': (persistent) => ({ ...MAIL, data: { key: { value: 1, persistent } } }),
        headers: (headers) => ({ ...MAIL, headers }),
        'headers.X-A': (value) => ({ ...MAIL, headers: { 'X-A': value } }),
        attachments: (attachments) => ({ ...MAIL, attachments }),
        'attachments[]': (one) => ({ ...MAIL, attachments: [one] }),
        'attachments.filename': (filename) => ({ ...MAIL, attachments: [{ ...attachment, filename }] }),
        'attachments.content': (content) => ({ ...MAIL, attachments: [{ ...attachment, content }] }),
        'attachments.contentType': (contentType) => ({ ...MAIL, attachments: [{ ...attachment, contentType }] }),
        'attachments.contentId': (contentId) => ({ ...MAIL, attachments: [{ ...attachment, contentId }] }),
        'attachments.disposition': (disposition) => ({ ...MAIL, attachments: [{ ...attachment, disposition }] }),
        tags: (tags) => ({ ...MAIL, tags }),
        'tags.a': (a) => ({ ...MAIL, tags: { a } }),
        tracking: (tracking) => ({ ...MAIL, tracking }),
        scheduledFor: (scheduledFor) => ({ ...MAIL, scheduledFor }),
      },
    ],
    [
      'POST',
      '/v1/track',
      {
        email: (email) => ({ ...EVENT, email }),
        event: (event) => ({ ...EVENT, event }),
        subscribed: (subscribed) => ({ ...EVENT, subscribed }),
        data: (data) => ({ ...EVENT, data }),
        'data.key': (key) => ({ ...EVENT, data: { key } }),
        name: (name) => ({ ...CONTACT, name }),
        contactId: (contactId) => ({ name: 'seen', contactId }),
      },
    ],
    [
      'POST',
      '/contacts',
      {
        email: (email) => ({ email }),
        subscribed: (subscribed) => ({ ...CONTACT, subscribed }),
        data: (data) => ({ ...CONTACT, data }),
        'data.key': (key) => ({ ...CONTACT, data: { key } }),
      },
    ],
    [
      'POST',
      '/templates',
      {
        name: (name) => ({ ...TEMPLATE, name }),
        description: (description) => ({ ...TEMPLATE, description }),
        subject: (subject) => ({ ...TEMPLATE, subject }),
        body: (body) => ({ ...TEMPLATE, body }),
        type: (type) => ({ ...TEMPLATE, type }),
        from: (from) => ({ ...TEMPLATE, from }),
        fromName: (fromName) => ({ ...TEMPLATE, fromName }),
        replyTo: (replyTo) => ({ ...TEMPLATE, replyTo }),
      },
    ],
    [
      'POST',
      '/segments',
      {
        name: (name) => ({ ...condition({}), name }),
        description: (description) => ({ ...condition({}), description }),
        type: (type) => ({ ...condition({}), type }),
        trackMembership: (trackMembership) => ({ ...condition({}), trackMembership }),
        filters: (filters) => segment(filters),
        condition: (filter) => segment(undefined, { condition: filter }),
        'filters.operator': (operator) => segment({ operator, conditions: [CONDITION] }),
        'filters.conditions': (conditions) => segment({ operator: 'AND', conditions }),
        'filters.conditions[]': (one) => segment({ operator: 'AND', conditions: [one] }),
        'filters.conditions.field': (field) => condition({ field }),
        'filters.conditions.operator': (operator) => condition({ operator }),
        'filters.conditions.value': (value) => condition({ value }),
        'filters.conditions.unit': (unit) => condition({ field: 'createdAt', operator: 'within', value: 1, unit }),
        'filters.conditions.count': (count) => condition({ field: 'event.seen', operator: 'triggered', count }),
      },
    ],
    [
      'POST',
      '/webhooks',
      {
        url: (url) => ({ ...HOOK, url }),
        events: (events) => ({ ...HOOK, events }),
        'events[]': (one) => ({ ...HOOK, events: [one] }),
        description: (description) => ({ ...HOOK, description }),
        enabled: (enabled) => ({ ...HOOK, enabled }),
      },
    ],
    [
      'POST',
      '/suppressions',
      {
        email: (email) => ({ email }),
        detail: (detail) => ({ ...CONTACT, detail }),
        expiresAt: (expiresAt) => ({ ...CONTACT, expiresAt }),
      },
    ],
  ]
const CASES = FIELDS.flatMap(([method, path, fields]) =>
  Object.entries(fields).map(([field, put]) => [method, path, field, put] as const),
)
const TABLES = [
  ...['contacts', 'emails', 'mail_contents', 'events', 'templates', 'segments', 'webhook_endpoints', 'suppressions'],
]
const QUERIES = [
  ...[
    '/contacts?limit',
    '/contacts?cursor',
    '/contacts?search',
    '/contacts?subscribed',
    '/contacts?sort',
    '/contacts?dir',
  ],
  ...['/templates?page', '/templates?pageSize', '/templates?limit', '/templates?cursor', '/templates?type'],
  ...['/templates?search', '/events?eventName', '/events?limit', '/events?cursor', '/events/stats?startDate'],
  ...['/events/stats?endDate', '/emails?status', '/emails?contactId', '/emails?campaignId', '/emails?limit'],
  ...['/webhooks/deliveries?status', '/webhooks/deliveries?endpointId', '/webhooks/deliveries?workflowId'],
  ...['/webhooks/deliveries?limit', '/webhooks/deliveries?cursor'],
  ...['/emails?cursor', '/suppressions?limit', '/suppressions?cursor', '/contacts?__proto__', '/contacts?constructor'],
]

// On PostgreSQL alone: it refuses what SQLite keeps, such as NUL and half surrogate pairs, and so fails where a check is missing.
describe('values of wrong types and sizes', () => {
  let test: TestApp
  /** How many rows the tables have that a request writes to; asked past the API, which would take three requests. */
  let counts: () => Promise<unknown>
  beforeAll(async () => {
    const url = await freshDatabase()
    test = await testApp({ store: () => postgres({ url }) }, { log: false })
    const client = new Client(url)
    await client.connect()
    atEndOfFile(() => client.end())
    const each = TABLES.map((table) => `(select count(*)::int from ${table}) as ${table}`)
    const sql = `select ${each.join()}`
    counts = async () => (await client.query(sql)).rows[0]
  })
  const failures = () => test.lines.filter(({ level }) => level === 'error' || level === 'warn')

  it.each(CASES)('%s %s refuses them in %s, or takes them, but never fails', async (method, path, _field, put) => {
    let before = await counts()
    for (const [what, value] of VALUES) {
      const answer = await test.ask(method, path, { json: put(value) })
      const outcome = { what, status: answer.status, text: answer.status < 500 ? '' : answer.text }
      expect([200, 201, 403, 404, 422]).toContain(answer.status)
      expect(outcome).toMatchObject({ text: '' })
      const after = await counts()
      if (answer.status >= 400) expect({ what, after }).toEqual({ what, after: before })
      before = after
      if (answer.status === 422) expect(answer.body.error.errors.length).toBeGreaterThan(0)
    }
    expect(failures()).toEqual([])
  })

  it.each(QUERIES)('GET %s refuses them, or takes them, but never fails', async (path) => {
    const texts = [
      '',
      '0',
      '-1',
      '1.5',
      'x',
      'null',
      '%00',
      '%ff',
      '%ED%A0%80',
      '%',
      '%27%20OR%201=1--',
      '[]',
      '{}',
      'x'.repeat(10_000),
    ]
    for (const text of texts) {
      const { status } = await test.ask('GET', `${path}=${text}`)
      expect({ text, status, right: [200, 400, 422].includes(status) }).toMatchObject({ text, right: true })
    }
    // given twice and as a list it is what it is alone
    const name = path.split('?')[1]
    for (const text of ['', '1.5', 'x']) {
      const { status } = await test.ask('GET', `${path}=${text}`)
      const twice = await test.ask('GET', `${path}=${text}&${name}=${text}&${name}[]=1&${name}[a]=1`)
      expect({ text, status: twice.status }).toEqual({ text, status })
    }
    expect(failures()).toEqual([])
  })

  it('bodies nested a hundred thousand levels deep are refused', async () => {
    const nest = (open: string, close: string) => open.repeat(100_000) + close.repeat(100_000)
    for (const raw of [nest('[', ']'), nest('{"a":', '}').replace(':}', ':1}')]) {
      for (const [path, json] of [
        ['/contacts', CONTACT],
        ['/v1/track', EVENT],
        ['/v1/send', MAIL],
      ] as const) {
        const body = `${JSON.stringify(json).slice(0, -1)},"data":{"a":${raw}}}`
        const headers = { 'content-type': 'application/json' }
        const answer = await test.ask('POST', path, { raw: body, headers })
        expect({ path, status: answer.status }).toEqual({ path, status: 422 })
        const keyed = await test.ask('POST', path, { raw: body, headers: { ...headers, 'idempotency-key': 'deep' } })
        expect({ path, status: keyed.status }).toEqual({ path, status: 422 })
      }
    }
    expect(failures()).toEqual([])
  })
})

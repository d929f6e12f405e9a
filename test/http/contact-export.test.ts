import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { parse } from 'csv-parse/sync'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { silentLog } from '../../core/ports/log.ts'
import { type HttpServer, listen } from '../../server/http/http-server.ts'
import { expectEnvelope, OTHER_SECRET, PUBLIC, SECRET, type TestApp, testApp } from '../support/app.ts'
import { contactsOf, ended, upload } from '../support/contact-jobs.ts'
import { STRICT } from '../support/matrix.ts'
import { until } from '../support/until.ts'

const STANDARD = [
  'id',
  'email',
  'subscribed',
  'tracking',
  'pausedUntil',
  'everyDays',
  'createdAt',
  'updatedAt',
  'leftBy',
]
/** Values of all kinds, each a data field of its own. */
const FIELDS = {
  formula: '=1+1',
  plus: '+1',
  minus: '-cmd',
  at: '@x',
  tab: '\tx',
  guarded: "'=1",
  empty: '',
  apostrophe: "'",
  number: -5,
  decimal: 0.25,
  yes: true,
  no: false,
  digits: '007',
  wordYes: 'true',
  wordNumber: '42',
  object: { a: [1, null, { b: '=1' }] },
  list: ['=1', ''],
  wordObject: '{"a":1}',
  quoted: 'a "b", c;\r\nd\ne',
  blanks: '  x ',
  emoji: '👩‍👩‍👧 🙂',
  long: 'x'.repeat(10_000),
  createdAt: 'mine',
  email2: 'x@example.com',
  'data.a': 'dotted',
  subscribed: 'also mine',
  tracking: 'parcel 7',
  '=key': 'k',
  'with space, comma': 'v',
  constructor: 'c',
}
const DATA = JSON.parse(JSON.stringify(FIELDS).replace('{', '{"__proto__":"p",'))

// How a row is written no store decides; that all come is seen on both below.
describe('an export of contacts', () => {
  const store = STRICT

  let test: TestApp
  beforeAll(async () => {
    test = await testApp(store)
    await test.engine.start()
  })
  const make = (email: string, fields: object = {}, key = SECRET) =>
    test.ask('POST', '/contacts', { json: { email, ...fields }, key })
  const fetchCsv = async (query = '', key: string | null = SECRET) => {
    const headers: Record<string, string> = key === null ? {} : { authorization: `Bearer ${key}` }
    const response = await test.app.request(`/contacts/export${query}`, { headers })
    return { status: response.status, headers: response.headers, text: await response.text() }
  }
  const rowsOf = (text: string): string[][] => parse(text, { relax_column_count: false })

  it('is a CSV file of the standard columns and every data key, formulas guarded', async () => {
    const none = await fetchCsv()
    expect({ status: none.status, text: none.text }).toEqual({ status: 200, text: `${STANDARD.join(',')}\r\n` })
    const { body: ada } = await make('ada@e.example', {
      data: { a: '=SUM(A1)', n: -5, o: { x: [1] }, t: '-5', z: null },
    })
    const { body: bob } = await make('+bob@e.example', {
      subscribed: false,
      tracking: 'none',
      pausedUntil: '2030-01-01T00:00:00Z',
      everyDays: 7,
      data: { a: 'plain', list: ['=1'] },
    })
    const { headers, text } = await fetchCsv()
    expect(headers.get('content-type')).toMatch(/^text\/csv; charset=utf-8/)
    expect(headers.get('content-disposition')).toMatch(/^attachment; filename="contacts-\d{4}-\d\d-\d\d\.csv"$/)
    expect(headers.get('x-request-id')).toEqual(expect.any(String))
    expect(rowsOf(text)).toEqual([
      [...STANDARD, 'a', 'list', 'n', 'o', 't'],
      [
        ada.id,
        'ada@e.example',
        'true',
        'full',
        '',
        '',
        ada.createdAt,
        ada.updatedAt,
        '',
        "'=SUM(A1)",
        '',
        '-5',
        '{"x":[1]}',
        "'-5",
      ],
      [
        bob.id,
        "'+bob@e.example",
        'false',
        'none',
        '2030-01-01T00:00:00.000Z',
        '7',
        bob.createdAt,
        bob.updatedAt,
        '',
        'plain',
        '["=1"]',
        '',
        '',
        '',
      ],
    ])
    const theirs = await fetchCsv('', OTHER_SECRET)
    expect(theirs.text).toBe(`${STANDARD.join(',')}\r\n`)
  })

  it('imports again to the same data, in another project', async () => {
    await make('all@r.example', { subscribed: false, tracking: 'anonymous', data: DATA })
    await make('bare@r.example')
    await make('+plus@r.example', { data: { formula: 'none' } })
    const { text } = await fetchCsv('?search=r.example')
    const job = await ended(test, await upload(test, text, { key: OTHER_SECRET }), 'import', OTHER_SECRET)
    expect(job).toMatchObject({ state: 'completed', result: { totalRows: 3, createdCount: 3, failureCount: 0 } })
    const [mine, theirs] = [await contactsOf(test), await contactsOf(test, OTHER_SECRET)]
    expect(theirs.size).toBe(3)
    for (const [email, { subscribed, tracking, data }] of theirs) {
      const { subscribed: wants, tracking: allows, data: has } = mine.get(email)!
      expect({ email, subscribed, tracking, data }).toEqual({ email, subscribed: wants, tracking: allows, data: has })
      expect(Object.entries(data).sort()).toEqual(Object.entries(mine.get(email)!.data).sort())
    }
    expect(Object.hasOwn(theirs.get('all@r.example')!.data, '__proto__')).toBe(true)
    const again = await ended(test, await upload(test, text), 'import')
    expect(again.result).toMatchObject({ createdCount: 0, updatedCount: 3 })
    expect([...(await contactsOf(test))].map(([email, { data }]) => [email, data])).toEqual(
      [...mine].map(([email, { data }]) => [email, data]),
    )
  })

  it('takes what narrows the list, and so does the list with a filter', async () => {
    for (const i of [1, 2, 3, 4]) await make(`f${i}@f.example`, { subscribed: i % 2 === 0, data: { size: i } })
    const filter = JSON.stringify({
      operator: 'AND',
      conditions: [{ field: 'data.size', operator: 'greaterThan', value: 1 }],
    })
    const emails = async (query: string) => {
      const listed = await test.ask('GET', `/contacts${query}&sort=email`)
      const exported = rowsOf((await fetchCsv(query)).text)
        .slice(1)
        .map(([, email]) => email)
      expect(exported.sort()).toEqual(listed.body.data.map(({ email }: { email: string }) => email))
      expect(listed.body.total).toBe(exported.length)
      return exported
    }
    expect(await emails('?search=F.EXAMPLE')).toHaveLength(4)
    expect(await emails('?search=f.example&subscribed=true')).toEqual(['f2@f.example', 'f4@f.example'])
    expect(await emails(`?filter=${encodeURIComponent(filter)}`)).toEqual([
      'f2@f.example',
      'f3@f.example',
      'f4@f.example',
    ])
    expect(await emails(`?subscribed=false&filter=${encodeURIComponent(filter)}`)).toEqual(['f3@f.example'])
  })

  it.each([
    ['subscribed=maybe', { subscribed: 'invalid_type' }],
    [`search=${'x'.repeat(256)}`, { search: 'too_big' }],
    ['filter={', { filter: 'invalid_type' }],
    ['filter=', { filter: 'invalid_type' }],
    [
      `filter=${encodeURIComponent('{"operator":"AND","conditions":[{"field":"email","operator":"is"}]}')}`,
      { 'filter.conditions.0.operator': 'invalid_enum_value' },
    ],
  ])('and the list are refused with 422 for %s', async (query, fields) => {
    for (const path of ['/contacts/export', '/contacts']) {
      expectEnvelope(await test.ask('GET', `${path}?${query}`), 422, 'VALIDATION_ERROR', fields)
    }
  })

  it('needs a secret key, and has no body for HEAD', async () => {
    const ask = (key: string | null) => test.ask('GET', '/contacts/export', { key })
    expectEnvelope(await ask(null), 401, 'MISSING_AUTH')
    expectEnvelope(await ask(PUBLIC), 403, 'FORBIDDEN')
    const head = await test.ask('HEAD', '/contacts/export')
    expect({ status: head.status, text: head.text }).toEqual({ status: 200, text: '' })
  })
})

for (const store of [STRICT]) {
  describe(`a long export over a socket on ${store.name}`, () => {
    // three pages, more than the buffers of a socket hold, in an upload of less than 5 MB
    const COUNT = 4_500
    let test: TestApp
    let server: HttpServer
    beforeAll(async () => {
      test = await testApp(store)
      await test.engine.start()
      const rows = Array.from({ length: COUNT }, (_, i) => `s${i}@s.example,${'x'.repeat(1_000)}`)
      await ended(test, await upload(test, `email,filler\n${rows.join('\n')}`), 'import')
      server = await listen(test.app, { host: '127.0.0.1', port: 0 }, silentLog)
    })
    afterAll(() => server.close(0))
    const open = async (): Promise<IncomingMessage> => {
      const headers = { authorization: `Bearer ${SECRET}` }
      const [response] = await once(get(`${server.url}/contacts/export`, { headers }), 'response')
      return response
    }

    it('has every contact once', async () => {
      let text = ''
      for await (const piece of (await open()).setEncoding('utf8')) text += piece
      const emails = new Set(parse(text, { from: 2 }).map(([, email]) => email))
      expect(emails.size).toBe(COUNT)
      expect(text.split('\r\n')).toHaveLength(COUNT + 2)
    })

    it('stops reading when the client goes away', async () => {
      const response = await open()
      response.destroy()
      await until('the store is at rest', async () => (await test.ask('GET', '/health')).status === 200)
      expect(test.lines.filter(({ level }) => level === 'error')).toEqual([])
    })

    it('is cut off, not ended, when the store fails under way', async () => {
      const response = await open()
      response.pause()
      await once(response, 'readable')
      await test.engine.stop()
      let size = 0
      const read = async () => {
        for await (const piece of response) size += piece.length
      }
      await expect(read()).rejects.toMatchObject({ code: 'ECONNRESET' })
      expect(size).toBeGreaterThan(0)
      expect(test.lines.filter(({ message }) => message === 'an answer broke off')).toHaveLength(1)
    })
  })
}

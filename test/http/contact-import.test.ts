import { readFile } from 'node:fs/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { DISABLED_SECRET, expectEnvelope, OTHER_SECRET, PUBLIC, SECRET, type TestApp, testApp } from '../support/app.ts'
import { contactsOf, ended, eventCount, fileForm, formOf, upload } from '../support/contact-jobs.ts'
import { contactToken, LINK_SETTINGS } from '../support/contact-links.ts'
import { STRICT } from '../support/matrix.ts'
import { ID } from './endpoints.ts'

/** Files as other programs write them: the contacts that come of them, and what the job says. */
const CASES: readonly (readonly [string, Readonly<Record<string, object | null>>, object])[] = [
  ['06-excel-sep-line.csv', { 'kim@ex6.example': { data: { name: 'Kim' } } }, { totalRows: 1, successCount: 1 }],
  [
    '07-header-names.csv',
    { 'li@ex7.example': { subscribed: true, data: { firstName: 'Li' } } },
    {
      columns: [
        { header: 'First Name', key: 'firstName', note: 'printed by {{ firstName }}' },
        { key: 'email' },
        { key: 'subscribed' },
      ],
    },
  ],
  [
    '09-display-names.csv',
    {
      'ann@ex9.example': { data: { name: 'Ann' } },
      'bob@ex9.example': {},
      'cy@ex9.example': {},
      'fay@ex9.example': {},
      'gil@ex9.example': {},
      'dan@ex9.example': null,
      'eve@ex9.example': null,
    },
    {
      successCount: 5,
      errors: [
        { row: 5, error: expect.stringContaining('more than one address') },
        { row: 6, error: expect.stringContaining('ends with a dot') },
      ],
    },
  ],
  [
    '16-money-column.csv',
    { 'm2@seg.example': { data: { total: '10.50' } }, 'm9@seg.example': { data: { total: '007' } } },
    {
      successCount: 9,
      columns: [
        {},
        {
          key: 'total',
          type: 'string',
          note: expect.stringContaining('"1,299.00" in row 9, which has thousands separators'),
        },
        {},
        {},
      ],
    },
  ],
  [
    '18-short-rows.csv',
    { 'n2@seg2.example': { data: { name: 'N2', company: 'Co' } }, 'n4@seg2.example': { data: {} } },
    { totalRows: 3, successCount: 3, failureCount: 0 },
  ],
  [
    '19d-mailchimp-cleaned.csv',
    { 'n9@seg2.example': { data: { firstName: 'N', MEMBER_RATING: 2 } } },
    { successCount: 1 },
  ],
  [
    '42-status-column.csv',
    {
      'left@status.example': { subscribed: false },
      'gone@status.example': { subscribed: false },
      'block@status.example': { subscribed: false },
      'ok@status.example': { subscribed: true },
    },
    { successCount: 4 },
  ],
]

// A file that is refused before a job is made asks no store.
describe('an upload', () => {
  const store = STRICT
  let test: TestApp
  beforeAll(async () => {
    test = await testApp(store)
    await test.engine.start()
  })
  const run = async (csv: string | Uint8Array) => ended(test, await upload(test, csv), 'import')

  it.each([
    ['an empty file', '', 'too_small'],
    ['a file of another kind', '%PDF-1.7\n%âãÏÓ', 'custom'],
    ['no column with the address', 'name,plan\na@example.com,b\n', 'custom'],
    ['two columns of one name', 'email,a,a\n', 'custom'],
  ])('of %s is refused with 422 on the file', async (_what, csv, code) => {
    expectEnvelope(await upload(test, csv), 422, 'VALIDATION_ERROR', { file: code })
  })

  it('without the file is refused with 422, and with text or two files in its place', async () => {
    const post = async (form: FormData) => test.ask('POST', '/contacts/import', await formOf(form))
    const other = await fileForm('email\n', 'upload')
    expectEnvelope(await test.ask('POST', '/contacts/import', other), 422, 'VALIDATION_ERROR', { file: 'required' })
    const text = new FormData()
    text.append('file', 'email\na@example.com\n')
    expectEnvelope(await post(text), 422, 'VALIDATION_ERROR', { file: 'invalid_type' })
    const two = new FormData()
    for (const name of ['a.csv', 'b.csv']) two.append('file', new Blob(['email\n']), name)
    expectEnvelope(await post(two), 422, 'VALIDATION_ERROR', { file: 'invalid_type' })
  })

  it('of more than 5 MB is refused with 413, and of just 5 MB taken', async () => {
    const head = 'email,x\nbig@i.example,'
    const limit = 5 * 1024 * 1024
    const file = (size: number) => head + 'x'.repeat(size - head.length)
    for (const size of [limit + 1, 2 * limit]) {
      expectEnvelope(await upload(test, file(size)), 413, 'PAYLOAD_TOO_LARGE')
    }
    // it was read to its end: the one contact in it would have more data than it may
    expect(await run(file(limit))).toMatchObject({ state: 'completed', result: { totalRows: 1, failureCount: 1 } })
  })

  it.each([
    ['is no JSON', '{Who: email}', 'columns'],
    ['is no object', '["email"]', 'columns'],
    ['names a column that is not there', '{"Nobody":"email"}', 'columns'],
    ['gives two columns one key', '{"a":"k","b":"k"}', 'columns'],
    ['gives a key that templates use', '{"a":"unsubscribeUrl"}', 'columns'],
    ['gives a type that is none', '{"a":{"type":"money"}}', 'columns.a'],
    ['leaves the address out', '{"email":null}', 'file'],
  ])('with columns that %s is refused with 422', async (_what, columns, field) => {
    const form = new FormData()
    form.append('file', new Blob(['email,a,b\nx@i.example,1,2\n']), 'a.csv')
    form.append('columns', columns)
    const answer = await test.ask('POST', '/contacts/import', await formOf(form))
    expectEnvelope(answer, 422, 'VALIDATION_ERROR', { [field]: expect.any(String) })
  })

  it('that is not a form is refused with 415, and a broken form with 400', async () => {
    const post = (raw: string, type?: string) =>
      test.ask('POST', '/contacts/import', { raw, headers: type === undefined ? {} : { 'content-type': type } })
    for (const type of ['text/csv', 'application/json', 'application/x-www-form-urlencoded', 'multipart/mixed']) {
      expectEnvelope(await post('email\n', type), 415, 'UNSUPPORTED_MEDIA_TYPE')
    }
    for (const type of ['multipart/form-data', 'multipart/form-data; boundary=b']) {
      expectEnvelope(await post('email\n', type), 400, 'BAD_REQUEST')
    }
    expectEnvelope(await test.ask('POST', '/contacts/import', {}), 415, 'UNSUPPORTED_MEDIA_TYPE')
    const part = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\nemail\r\n'
    const type = 'multipart/form-data; boundary=b'
    // one that ends within a file, and one of so many parts that reading them would keep everybody waiting
    expectEnvelope(await post(part, type), 400, 'BAD_REQUEST')
    const many = await post(part.repeat(50_000), type)
    expectEnvelope(many, 400, 'BAD_REQUEST')
    expect(many.body.error.message).toContain('100 parts')
    expectEnvelope(await post(`${part.repeat(100)}--b--\r\n`, type), 422, 'VALIDATION_ERROR')
  })

  it('needs a secret key of a project that is enabled', async () => {
    expectEnvelope(await upload(test, 'email\n', { key: null }), 401, 'MISSING_AUTH')
    expectEnvelope(await upload(test, 'email\n', { key: PUBLIC }), 403, 'FORBIDDEN')
    expectEnvelope(await upload(test, 'email\n', { key: DISABLED_SECRET }), 403, 'PROJECT_DISABLED')
  })
})

for (const store of [STRICT]) {
  describe(`an import on ${store.name}`, () => {
    let test: TestApp
    beforeAll(async () => {
      test = await testApp(store, {}, LINK_SETTINGS)
      await test.engine.start()
    })
    const run = async (csv: string | Uint8Array) => ended(test, await upload(test, csv), 'import')
    const find = async (email: string) => (await test.ask('GET', `/contacts?search=${email}`)).body.data[0]

    it('makes and changes contacts, and tells every row that was refused', async () => {
      await test.ask('POST', '/contacts', { json: { email: 'old@i.example', subscribed: false, data: { a: 1, b: 2 } } })
      const csv = [
        'email,subscribed,plan,b,n,code',
        'new@i.example,,pro,,12.5,007',
        'OLD@I.example,,basic,3,,',
        '',
        'nobody,true,x,,,',
        'off@i.example,No,"quoted',
        'newline, comma and ""quote""",true,,',
        'off@i.example,maybe,,,,',
        'short@i.example,true',
        'new@i.example,false,later,,,',
        ',,,,,',
      ].join('\r\n')
      const accepted = await upload(test, `\ufeff${csv}`)
      expect(accepted.body).toEqual({ jobId: expect.any(String), message: 'The import is queued.' })
      const job = await ended(test, accepted, 'import')
      expect(job).toEqual({
        ...{ id: accepted.body.jobId, type: 'import', state: 'completed', progress: 100, failedReason: null },
        ...{ createdAt: expect.any(String), updatedAt: expect.any(String) },
        result: {
          ...{ totalRows: 7, successCount: 5, createdCount: 3, updatedCount: 2, failureCount: 2, keptCount: 2 },
          ...{ keptUnsubscribed: 0, resubscribed: 0 },
          ...{ encoding: 'utf-8', notes: [], columns: expect.any(Array) },
          errors: [
            { row: 5, email: 'nobody', error: expect.stringContaining('e-mail address') },
            { row: 7, email: 'off@i.example', error: expect.stringContaining('subscribed') },
          ],
        },
      })
      expect(await find('new@i.example')).toMatchObject({
        subscribed: false,
        data: { plan: 'later', n: 12.5, code: '007' },
      })
      expect(await find('old@i.example')).toMatchObject({ subscribed: false, data: { a: 1, b: '3', plan: 'basic' } })
      expect(await find('off@i.example')).toMatchObject({
        subscribed: false,
        data: { plan: 'quoted\r\nnewline, comma and "quote"', b: 'true' },
      })
      // of the contact made here, which the last row changed
      expect(await eventCount(test, 'contact.unsubscribed')).toBe(1)
    })

    it('is in the list of imports, newest first, page by page', async () => {
      const ids: string[] = []
      for (const name of ['a', 'b', 'c']) {
        const accepted = await upload(test, `email\n${name}@list.example\n`)
        ids.unshift((await ended(test, accepted, 'import')).id)
      }
      const { body: first } = await test.ask('GET', '/contacts/import?limit=2')
      expect(first.data.map(({ id }: { id: string }) => id)).toEqual(ids.slice(0, 2))
      expect(first.data[0]).toEqual((await test.ask('GET', `/contacts/import/${ids[0]}`)).body)
      expect(first).toMatchObject({ hasMore: true, total: expect.any(Number) })
      const { body: second } = await test.ask('GET', `/contacts/import?limit=2&cursor=${first.cursor}`)
      expect(second.data[0].id).toBe(ids[2])
      expect((await test.ask('GET', '/contacts/import', { key: OTHER_SECRET })).body.data).toEqual([])
      expectEnvelope(await test.ask('GET', '/contacts/import?limit=101'), 422, 'VALIDATION_ERROR', { limit: 'too_big' })
      expectEnvelope(await test.ask('GET', '/contacts/import?cursor=x'), 400, 'BAD_REQUEST')
    })

    it('tells why a subscription changed', async () => {
      await test.ask('POST', '/contacts', { json: { email: 'why@i.example', subscribed: false } })
      await run('email,subscribed\nwhy@i.example,1\n')
      const { id } = await find('why@i.example')
      const { body } = await test.ask('GET', `/events/contact/${id}`)
      expect(body.events).toMatchObject([{ name: 'contact.subscribed', data: { subscribed: true, reason: 'import' } }])
    })

    it('brings nobody back who left, by whatever way, unless it says so', async () => {
      const post = async (path: string, json: object) => (await test.ask('POST', path, { json })).body
      const make = async (email: string, json = {}) => (await post('/contacts', { email, ...json })).id as string
      const leave = {
        patch: async (email: string) =>
          test.ask('PATCH', `/contacts/${await make(email)}`, { json: { subscribed: false } }),
        upsert: async (email: string) => make(email).then(() => make(email, { subscribed: false })),
        send: async (email: string) => {
          await make(email)
          await post('/v1/send', { to: email, from: 'a@example.com', subject: 'x', body: 'x', subscribed: false })
        },
        track: async (email: string) => {
          await make(email)
          await post('/v1/track', { email, event: 'x', subscribed: false })
        },
        bulk: async (email: string) => {
          const contactIds = [await make(email)]
          await ended(test, await test.ask('POST', '/contacts/bulk-unsubscribe', { json: { contactIds } }), 'bulk')
        },
        link: async (email: string) => {
          const contactId = await make(email)
          const { id } = (await test.engine.projects.list()).find(({ name }) => name === 'Test')!
          expect((await test.ask('POST', `/unsubscribe/${contactToken(id, contactId)}`, { key: null })).status).toBe(
            200,
          )
        },
        file: async (email: string) => run(`email,status\n${email},unsubscribed\n`),
        flag: async (email: string) => make(email).then(() => run(`email,subscribed\n${email},no\n`)),
        list: async (email: string) => {
          await make(email, { subscribed: false })
          await post('/suppressions', { email, reason: 'COMPLAINT' })
        },
      }
      const emails = Object.keys(leave).map((way) => `${way}@left.example`)
      for (const [way, by] of Object.entries(leave)) await by(`${way}@left.example`)
      await make('never@left.example', { subscribed: false })
      const rows = [...emails, 'never@left.example', 'new@left.example'].map((email) => `${email},true`)
      const csv = ['email,subscribed', ...rows].join('\n')
      const preview = async (query = '') => {
        const path = `/contacts/import/preview${query}`
        return (await test.ask('POST', path, await fileForm(csv))).body
      }
      const subscribed = async () =>
        [...(await contactsOf(test)).entries()].flatMap(([email, contact]) =>
          email.endsWith('@left.example') && contact.subscribed ? [email] : [],
        )
      const kept = { keptUnsubscribed: emails.length, resubscribed: 0 }
      expect(await preview()).toMatchObject(kept)
      const before = await eventCount(test, 'contact.subscribed')
      expect((await run(csv)).result).toMatchObject({ successCount: rows.length, ...kept })
      expect((await subscribed()).sort()).toEqual(['never@left.example', 'new@left.example'])
      expect(await eventCount(test, 'contact.subscribed')).toBe(before + 1)

      // an export has everybody as they are, also where they were never known
      const exported = (await test.ask('GET', '/contacts/export?search=@left.example')).text
      expect(exported.split('\r\n').find((line) => line.includes('bulk@left'))).toMatch(/,false,.*,bulk,/)
      const runThere = async (file: string) =>
        ended(test, await upload(test, file, { key: OTHER_SECRET }), 'import', OTHER_SECRET)
      await runThere(exported)
      const again = await runThere(csv)
      // the suppression list is not in an export of contacts
      expect(again.result).toMatchObject({ keptUnsubscribed: emails.length - 1 })

      const back = { keptUnsubscribed: 0, resubscribed: emails.length }
      expect(await preview('?resubscribe=true')).toMatchObject(back)
      const form = new FormData()
      form.append('file', new Blob([csv]), 'a.csv')
      form.append('resubscribe', 'true')
      const asked = await test.ask('POST', '/contacts/import', await formOf(form))
      expect((await ended(test, asked, 'import')).result).toMatchObject(back)
      expect(await subscribed()).toHaveLength(rows.length)
      // one by one, it is the caller's word for the person's, with a warning
      const contact = await make('word@left.example')
      const wish = { email: 'word@left.example', subscribed: true }
      const mail = { to: 'word@left.example', from: 'a@example.com', subject: 'x', body: 'x', subscribed: true }
      for (const [method, path, json] of [
        ['POST', '/contacts', wish],
        ['PATCH', `/contacts/${contact}`, { subscribed: true }],
        ['POST', '/v1/track', { ...wish, event: 'x' }],
        ['POST', '/v1/send', mail],
      ] as const) {
        await test.ask('PATCH', `/contacts/${contact}`, { json: { subscribed: false } })
        const { headers, body } = await test.ask(method, path, { json })
        const warning = headers.get('mailwright-warning') ?? JSON.stringify(body.warnings)
        expect(warning, path).toMatch(/subscribes word@left\.example again.*left \(api\)/)
        expect(await find('word@left.example')).toMatchObject({ subscribed: true })
      }
      form.set('resubscribe', 'perhaps')
      const refused = await test.ask('POST', '/contacts/import', await formOf(form))
      expectEnvelope(refused, 422, 'VALIDATION_ERROR', { resubscribe: 'invalid_type' })
    })

    it('keeps odd keys, long values and emoji as they came', async () => {
      const long = 'x🙂'.repeat(5_000)
      const job = await run(`email;__proto__;constructor;emoji 🙂;long\nodd@i.example;p;c;👩‍👩‍👧;${long}\n`)
      expect(job.result).toMatchObject({ successCount: 1 })
      const { data } = await find('odd@i.example')
      expect(Object.entries(data).sort()).toEqual(
        Object.entries(JSON.parse(`{"__proto__":"p","constructor":"c","emoji":"👩‍👩‍👧","long":"${long}"}`)).sort(),
      )
    })

    it.each(CASES)('of %s takes what it means', async (name, find, want) => {
      const job = await run(await readFile(new URL(`../samples/imports/${name}`, import.meta.url)))
      expect(job).toMatchObject({ state: 'completed', result: want })
      for (const [email, contact] of Object.entries(find)) {
        const found = (await test.ask('GET', `/contacts?search=${email}`)).body.data
        expect(found, email).toMatchObject(contact === null ? [] : [contact])
        if (contact === null) expect(found).toHaveLength(0)
      }
    })

    it('finds prices by their numbers, whether all of the column are', async () => {
      await run(await readFile(new URL('../samples/imports/16-money-column.csv', import.meta.url)))
      await run('email,price\nw1@i.example,9.50\nw2@i.example,10.50\nw3@i.example,100\n')
      const above = async (field: string, value: unknown) => {
        const filter = JSON.stringify({ operator: 'AND', conditions: [{ field, operator: 'greaterThan', value }] })
        const { body } = await test.ask('GET', `/contacts?sort=email&limit=50&filter=${encodeURIComponent(filter)}`)
        return body.data.map(({ email }: { email: string }) => email.slice(0, 2))
      }
      for (const value of [10, '10']) {
        expect(await above('data.total', value)).toEqual(['m2', 'm3', 'm4', 'm5', 'm7'])
        expect(await above('data.price', value)).toEqual(['w2', 'w3'])
      }
    })

    it('gives a column one type, and says why it is text', async () => {
      const csv = 'email,total,zip,on\nt1@i.example,10.50,12345,TRUE\nt2@i.example,9,0123,false\nt3@i.example,,+4,\n'
      const { result } = await run(csv)
      expect(result.columns).toEqual([
        { header: 'email', key: 'email', type: 'string' },
        { header: 'total', key: 'total', type: 'number' },
        {
          header: 'zip',
          key: 'zip',
          type: 'string',
          note: 'texts, because of "0123" in row 3, which has a leading zero',
        },
        { header: 'on', key: 'on', type: 'boolean' },
      ])
      expect((await find('t1@i.example')).data).toEqual({ total: 10.5, zip: '12345', on: true })
      expect((await find('t2@i.example')).data).toEqual({ total: 9, zip: '0123', on: false })
    })

    it('is shown beforehand as it will be, and nothing is written', async () => {
      await test.ask('POST', '/contacts', { json: { email: 'known@preview.example', data: { plan: 'free' } } })
      const csv = [
        'E-Mail,First Name,Zip,Left,Extra',
        'known@preview.example,Kim,0123,,a',
        'new@preview.example,Lee,99,yes,b',
        '',
        'new@preview.example,Leo,1,,c',
        'no address,Max,2,,d',
        'more@preview.example,Ann,3,,e,f,g',
      ].join('\n')
      const preview = async (columns: object) => {
        const form = new FormData()
        form.append('file', new Blob([csv]), 'a.csv')
        form.append('columns', JSON.stringify(columns))
        return test.ask('POST', '/contacts/import/preview', await formOf(form))
      }
      const columns = { Extra: null, Left: 'hasLeft', Zip: { key: 'zip' } }
      const { status, body } = await preview(columns)
      expect({ status, body }).toMatchObject({
        status: 200,
        body: {
          ...{ encoding: 'utf-8', delimiter: ',', totalRows: 5, notes: [] },
          ...{ createdCount: 1, updatedCount: 2, failureCount: 2, subscribedCount: 1, unsubscribedCount: 0 },
          columns: [{ key: 'email' }, { key: 'firstName' }, { key: 'zip', type: 'string' }, {}, { key: null }],
          errors: [
            { row: 6, email: 'no address' },
            { row: 7, error: 'has 7 cells, the header has 5' },
          ],
        },
      })
      expect(body.rows).toEqual(
        [
          ...[{ row: 2, email: 'known@preview.example', isNew: false, subscribed: null }],
          ...[{ row: 3, email: 'new@preview.example', isNew: true, subscribed: true }],
          ...[{ row: 5, email: 'new@preview.example', isNew: false, subscribed: null }],
        ].map((row, at) => ({ ...row, data: expect.objectContaining({ zip: ['0123', '99', '1'][at] }) })),
      )
      expect((await test.ask('GET', '/contacts?search=new@preview.example')).body.data).toEqual([])
      const asSent = new FormData()
      asSent.append('file', new Blob([csv]), 'a.csv')
      asSent.append('columns', JSON.stringify(columns))
      const job = await ended(test, await test.ask('POST', '/contacts/import', await formOf(asSent)), 'import')
      const {
        rows: _,
        delimiter: __,
        unsubscribedCount: ___,
        missingTopics: ____,
        subscribedCount: _____,
        ...same
      } = body
      expect(job.result).toMatchObject(same)
      expectEnvelope(await preview({ Nope: 'x' }), 422, 'VALIDATION_ERROR', { columns: 'custom' })
    })

    it('counts the people whom a file subscribes, and not the rows that name them', async () => {
      const rows = ['ann,yes', 'ANN,yes', 'bob,yes', 'bob,no', 'cem,no', 'cem,yes', 'dan,']
      const csv = ['email,subscribed', ...rows.map((row) => row.replace(',', '@counted.example,'))].join('\n')
      const file = async () => {
        const form = new FormData()
        form.append('file', new Blob([csv]), 'a.csv')
        return formOf(form)
      }
      const { body } = await test.ask('POST', '/contacts/import/preview', await file())
      expect(body).toMatchObject({ createdCount: 4, updatedCount: 3, subscribedCount: 3, unsubscribedCount: 1 })
      await ended(test, await test.ask('POST', '/contacts/import', await file()), 'import')
      const found = await test.ask('GET', '/contacts?search=counted.example&subscribed=true')
      expect(found.body.data.map(({ email }: { readonly email: string }) => email.slice(0, 3)).sort()).toEqual([
        'ann',
        'cem',
        'dan',
      ])
    })

    it('that is broken or too large is refused when it is only looked at, too', async () => {
      const preview = async (csv: string | Uint8Array) =>
        test.ask('POST', '/contacts/import/preview', await fileForm(csv))
      expectEnvelope(await preview('email,a\na@b.example,"x\n'), 422, 'VALIDATION_ERROR', { file: 'custom' })
      expectEnvelope(await preview(new Uint8Array(5 * 1024 * 1024 + 1)), 413, 'PAYLOAD_TOO_LARGE')
      const many = `email,x\n${Array.from({ length: 2500 }, (_, i) => `m${i}@preview.example,${i === 7 ? '"a"' : i}`).join('\n')}`
      const { body } = await preview(many)
      expect(body).toMatchObject({ totalRows: 2500, createdCount: 2500, failureCount: 0 })
      expect(body.rows).toHaveLength(10)
    })

    it('takes columns as they are named, in the form or the query', async () => {
      const csv = 'Who,Full Name,Zip,Notes\nmap1@i.example,Ann,123,x\n'
      const columns = JSON.stringify({ who: 'email', 'Full Name': 'name', Zip: { type: 'string' }, Notes: null })
      const form = new FormData()
      form.append('file', new Blob([csv]), 'a.csv')
      form.append('columns', columns)
      const job = await ended(test, await test.ask('POST', '/contacts/import', await formOf(form)), 'import')
      expect(job.result.columns).toMatchObject([
        { header: 'Who', key: 'email' },
        { header: 'Full Name', key: 'name', note: 'printed by {{ name }}' },
        { header: 'Zip', key: 'Zip', type: 'string' },
        { header: 'Notes', key: null, type: null, note: 'left out, as columns says' },
      ])
      expect((await find('map1@i.example')).data).toEqual({ name: 'Ann', Zip: '123' })
      const query = `/contacts/import?columns=${encodeURIComponent('{"Who":"email"}')}`
      await ended(test, await test.ask('POST', query, await fileForm('Who\nmap2@i.example\n')), 'import')
      expect(await find('map2@i.example')).toBeDefined()
    })

    it('drops reserved keys and columns without a name', async () => {
      await run('id,email,svc_id,,unsubscribeUrl,kept\n1,res@i.example,2,3,4,5\n')
      expect((await find('res@i.example')).data).toEqual({ kept: 5 })
    })

    it('says that it reads what is not UTF-8 as Windows-1252', async () => {
      const bytes = Uint8Array.from('email,name\nwest@i.example,Zo\xeb\n', (char) => char.charCodeAt(0))
      const accepted = await upload(test, bytes)
      expect(accepted.body.message).toContain('Windows-1252')
      await ended(test, accepted, 'import')
      expect((await find('west@i.example')).data).toEqual({ name: 'Zoë' })
      // letters of Poland, which only the caller can tell from Western ones
      const polish = Uint8Array.from('email,name\npl@i.example,\xa3ukasz\n', (char) => char.charCodeAt(0))
      const named = await upload(test, polish, { query: '?encoding=windows-1250' })
      expect(named.body.message).not.toContain('Windows-1252')
      expect((await ended(test, named, 'import')).result).toMatchObject({ encoding: 'windows-1250', createdCount: 1 })
      expect((await find('pl@i.example')).data).toEqual({ name: 'Łukasz' })
      // its mark says better what it is
      const marked = new TextEncoder().encode('\ufeffemail,name\npl@i.example,Łukasz\n')
      const both = await upload(test, marked, { query: '?encoding=windows-1250' })
      expect((await ended(test, both, 'import')).result).toMatchObject({ encoding: 'utf-8', failureCount: 0 })
      const unknown = await upload(test, polish, { query: '?encoding=latin-2' })
      expectEnvelope(unknown, 422, 'VALIDATION_ERROR', { encoding: 'invalid_enum_value' })
    })

    it('of many batches counts every row once, and tells the first 100 errors', async () => {
      const rows = Array.from({ length: 2_200 }, (_, i) =>
        i % 10 === 3 ? 'wrong,1' : `many${i % 1_200}@i.example,${i}`,
      )
      const job = await run(`email,n\n${rows.join('\n')}`)
      const good = rows.filter((row) => row !== 'wrong,1')
      const different = new Set(good.map((row) => row.split(',')[0])).size
      expect(job).toMatchObject({ state: 'completed', progress: 100 })
      expect(job.result).toMatchObject({
        ...{ totalRows: 2_200, successCount: good.length, failureCount: 220 },
        ...{ createdCount: different, updatedCount: good.length - different },
      })
      expect(job.result.errors).toHaveLength(100)
      expect(job.result.errors.at(-1)).toMatchObject({ row: 995, email: 'wrong' })
      expect((await find('many1199@i.example')).data).toEqual({ n: 1199 })
      expect((await find('many1@i.example')).data).toEqual({ n: 1201 })
      const { text } = await test.ask('GET', `/contacts/import/${job.id}/refused`)
      expect(text.split('\r\n')).toEqual([
        'email,n,import_error',
        ...Array(220).fill(expect.stringMatching(/^wrong,1,email: /)),
        '',
      ])
    })

    it('gives back what it refused, to be mended and imported as it is', async () => {
      const rows = [
        'email;n;formula;two lines;import_error',
        'ok@mend.example;1;2;3;4',
        '"nobody";-5;=1+1;"a\nb";an older reason',
        'no-one;7;\'@sum;" x ";',
        'many@mend.example;1;-;;;further;cells',
      ]
      const job = await run(rows.join('\n'))
      expect(job.result).toMatchObject({ successCount: 1, failureCount: 3, keptCount: 3 })
      expect((await find('ok@mend.example')).data).toEqual({ n: 1, formula: '2', twoLines: '3' })
      const path = `/contacts/import/${job.id}/refused`
      const { status, text, headers } = await test.ask('GET', path)
      expect(status).toBe(200)
      expect(headers.get('content-disposition')).toBe('attachment; filename="refused-rows.csv"')
      const reason = 'email: must be an e-mail address such as ada@example.com: it has no @'
      expect(text).toBe(
        [
          'email;n;formula;two lines;import_error',
          `nobody;-5;'=1+1;"a\nb";${reason}`,
          `no-one;7;'@sum;" x ";${reason}`,
          'many@mend.example;1;-;;has 7 cells, the header has 5;further;cells',
          '',
        ].join('\r\n'),
      )
      const mended = text.replace('nobody', 'nobody@mend.example').replace('no-one', 'no-one@mend.example')
      expect((await run(mended)).result).toMatchObject({ successCount: 2, failureCount: 1 })
      expect((await find('nobody@mend.example')).data).toEqual({ n: -5, formula: '=1+1', twoLines: 'a\nb' })
      expect((await find('no-one@mend.example')).data).toEqual({ n: 7, formula: '@sum', twoLines: ' x ' })
      expectEnvelope(await test.ask('GET', path, { key: OTHER_SECRET }), 404, 'JOB_NOT_FOUND')
      const whole = await run('email\nwhole@mend.example')
      expect((await test.ask('GET', `/contacts/import/${whole.id}/refused`)).text).toBe('')
    })

    it('of a file that is broken somewhere fails, tells the row, and imports nothing', async () => {
      const rows = Array.from({ length: 1_500 }, (_, i) => `broken${i}@i.example,x`)
      const job = await run(`email,name\n${rows.join('\n')}\nend@i.example,"never closed\n`)
      expect(job).toMatchObject({ state: 'failed', failedReason: expect.stringContaining('Row 1502: a quote') })
      expect(job.result).toMatchObject({
        ...{ totalRows: 1_501, successCount: 0, failureCount: 1_501 },
        errors: [{ row: 1502, email: '', error: expect.stringContaining('quote') }],
      })
      expect((await test.ask('GET', '/contacts?search=broken')).body.total).toBe(0)
    })

    it('of nothing but a header completes', async () => {
      expect(await run('email,name\n')).toMatchObject({ state: 'completed', progress: 100, result: { totalRows: 0 } })
    })

    it('waits for the engine to start', async () => {
      const idle = await testApp(store)
      const accepted = await upload(idle, 'email\nearly@i.example\n')
      const waiting = await idle.ask('GET', `/contacts/import/${accepted.body.jobId}`)
      expect(waiting.body).toMatchObject({ state: 'waiting', progress: 0, result: null, failedReason: null })
      await idle.engine.start()
      expect(await ended(idle, accepted, 'import')).toMatchObject({ result: { createdCount: 1 } })
    })

    it('is accepted once under an idempotency key', async () => {
      const headers = { 'idempotency-key': 'import-1' }
      const first = await upload(test, 'email\nonce@i.example\n', { headers })
      const again = await upload(test, 'email\nonce@i.example\n', { headers })
      expect(again.body).toEqual(first.body)
      expect([first, again].map((answer) => answer.headers.get('idempotent-replayed'))).toEqual([null, 'true'])
      const other = await upload(test, 'email\nother@i.example\n', { headers })
      expectEnvelope(other, 422, 'IDEMPOTENCY_KEY_REUSED')
      expectEnvelope(await upload(test, 'email\n', { headers: { 'idempotency-key': 'é' } }), 400, 'BAD_REQUEST')
    })

    it('is seen by its project alone, and as an import alone', async () => {
      const accepted = await upload(test, 'email\nown@i.example\n')
      await ended(test, accepted, 'import')
      const { jobId } = accepted.body
      const get = (path: string, key = SECRET) => test.ask('GET', path, { key })
      expectEnvelope(await get(`/contacts/import/${jobId}`, OTHER_SECRET), 404, 'JOB_NOT_FOUND')
      expectEnvelope(await get(`/contacts/bulk/${jobId}`), 404, 'JOB_NOT_FOUND')
      for (const id of [ID, 'x', '%00']) expectEnvelope(await get(`/contacts/import/${id}`), 404, 'JOB_NOT_FOUND')
      expect((await contactsOf(test, OTHER_SECRET)).has('own@i.example')).toBe(false)
    })
  })

  describe(`contacts written at the same time on ${store.name}`, () => {
    it('are one when they have one new address, and no request fails', async () => {
      const test = await testApp(store)
      const posts = Array.from({ length: 40 }, (_, i) =>
        test.ask('POST', '/contacts', { json: { email: 'same@p.example', data: { [`k${i}`]: i } } }),
      )
      const answers = await Promise.all(posts)
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 201]))
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
      const found = await contactsOf(test)
      expect([...found.keys()]).toEqual(['same@p.example'])
      expect(Object.keys(found.get('same@p.example')!.data)).toHaveLength(40)
    })

    it('are one when imports and requests meet', async () => {
      const test = await testApp(store)
      await test.engine.start()
      const emails = Array.from({ length: 120 }, (_, i) => `meet${i}@p.example`)
      const csv = (key: string) => `email,${key}\n${emails.map((email) => `${email},1`).join('\n')}`
      const uploads = await Promise.all(['a', 'b', 'c', 'd'].map((key) => upload(test, csv(key))))
      const posts = emails.map((email) => test.ask('POST', '/contacts', { json: { email, data: { e: 1 } } }))
      const jobs = await Promise.all(uploads.map((accepted) => ended(test, accepted, 'import')))
      for (const { status } of await Promise.all(posts)) expect([200, 201]).toContain(status)
      for (const job of jobs) expect(job).toMatchObject({ state: 'completed', result: { successCount: 120 } })
      const found = await contactsOf(test)
      expect(found.size).toBe(120)
      for (const { data } of found.values()) expect(data).toEqual({ a: 1, b: 1, c: 1, d: 1, e: 1 })
    })
  })
}

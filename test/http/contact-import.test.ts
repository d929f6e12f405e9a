import { beforeAll, describe, expect, it } from 'vitest'
import { DISABLED_SECRET, expectEnvelope, OTHER_SECRET, PUBLIC, SECRET, type TestApp, testApp } from '../support/app.ts'
import { contactsOf, ended, eventCount, fileForm, formOf, upload } from '../support/contact-jobs.ts'
import { STORES, STRICT } from '../support/matrix.ts'
import { ID } from './endpoints.ts'

// What is refused before a job is made asks no store.
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
    ['no column with the address', 'mail,name\na@example.com,b\n', 'custom'],
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

for (const store of STORES) {
  describe(`an import on ${store.name}`, () => {
    let test: TestApp
    beforeAll(async () => {
      test = await testApp(store)
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
          ...{ totalRows: 7, successCount: 4, createdCount: 2, updatedCount: 2, failureCount: 3 },
          errors: [
            { row: 5, email: 'nobody', error: expect.stringContaining('e-mail address') },
            { row: 7, email: 'off@i.example', error: expect.stringContaining('subscribed') },
            { row: 8, email: 'short@i.example', error: 'has 2 cells, the header has 6' },
          ],
        },
      })
      expect(await find('new@i.example')).toMatchObject({
        subscribed: false,
        data: { plan: 'later', n: 12.5, code: '007' },
      })
      expect(await find('old@i.example')).toMatchObject({ subscribed: false, data: { a: 1, b: 3, plan: 'basic' } })
      expect(await find('off@i.example')).toMatchObject({
        subscribed: false,
        data: { plan: 'quoted\r\nnewline, comma and "quote"', b: true },
      })
      // of the contact made here, which the last row changed
      expect(await eventCount(test, 'contact.unsubscribed')).toBe(1)
    })

    it('tells why a subscription changed', async () => {
      await test.ask('POST', '/contacts', { json: { email: 'why@i.example', subscribed: false } })
      await run('email,subscribed\nwhy@i.example,1\n')
      const { id } = await find('why@i.example')
      const { body } = await test.ask('GET', `/events/contact/${id}`)
      expect(body.events).toMatchObject([{ name: 'contact.subscribed', data: { subscribed: true, reason: 'import' } }])
    })

    it('keeps odd keys, long values and emoji as they came', async () => {
      const long = 'x🙂'.repeat(5_000)
      const job = await run(`email;__proto__;constructor;emoji 🙂;long\nodd@i.example;p;c;👩‍👩‍👧;${long}\n`)
      expect(job.result).toMatchObject({ successCount: 1 })
      const { data } = await find('odd@i.example')
      expect(Object.entries(data).sort()).toEqual(
        Object.entries(JSON.parse(`{"__proto__":"p","constructor":"c","emoji 🙂":"👩‍👩‍👧","long":"${long}"}`)).sort(),
      )
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
      expect((await contactsOf(test, OTHER_SECRET)).size).toBe(0)
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

import { beforeAll, describe, expect, it } from 'vitest'
import { MAIL, type TestApp, testApp } from '../support/app.ts'
import { ANY } from '../support/matrix.ts'

/** Larger than what is read on the event loop. */
const PADDING = 'x'.repeat(300_000)
const JSON_TYPE = { 'content-type': 'application/json' }

/*
 * Bodies that cost more than their bytes: what is read in a thread is read as anywhere else, and what is not needed is
 * refused before it is parsed. (How long that keeps others waiting is looked at in `test/faults/stalls.test.ts` and
 * `test/nightly/stalls-postgres.test.ts`.)
 */
describe('a large body', () => {
  let test: TestApp

  beforeAll(async () => {
    test = await testApp(ANY)
  })

  it('is read as a small one is', async () => {
    const body = { ...MAIL, body: `<p>ä😀</p>${PADDING}`, data: { deep: [{ a: 1 }, null, true] } }
    expect((await test.ask('POST', '/v1/send', { json: body })).status).toBe(200)
    const bom = await test.ask('POST', '/v1/send', { headers: JSON_TYPE, raw: `\ufeff${JSON.stringify(body)}` })
    expect(bom.status).toBe(200)
    const [first] = (await test.ask('GET', '/emails?limit=1')).body.data
    const { body: html } = (await test.ask('GET', `/emails/${first.id}`)).body
    expect(html).toBe(body.body)
  })

  it('is refused for the same reasons', async () => {
    const broken = await test.ask('POST', '/v1/send', { headers: JSON_TYPE, raw: `{"body":"${PADDING}",}` })
    expect(broken.body).toMatchObject({ code: 400, message: expect.stringContaining('not valid JSON') })
    const bytes = new Uint8Array(Buffer.concat([Buffer.from(`{"body":"${PADDING}`), Buffer.from([0xff, 0x22, 0x7d])]))
    const binary = await test.ask('POST', '/v1/send', { headers: JSON_TYPE, raw: bytes })
    expect(binary.body).toMatchObject({ code: 400, message: 'The body is not valid UTF-8.' })
    const warned = await test.ask('POST', '/v1/send', { json: { ...MAIL, subjct: PADDING } })
    expect(warned.body.warnings).toMatchObject([{ field: 'subjct' }])
  })

  it.each([
    ['items', `{"to":[${'0,'.repeat(200_001)}0]}`, 'more than 200000 values'],
    ['fields', `{"data":{${Array.from({ length: 200_001 }, (_, i) => `"${i}":1`).join()}}}`, 'more than 200000 values'],
    ['items that look like text', `{"to":["\\\\",${'"a",'.repeat(200_001)}0]}`, 'more than 200000 values'],
  ])('with too many %s is refused unread', async (_what, raw, reason) => {
    const answer = await test.ask('POST', '/v1/send', { headers: JSON_TYPE, raw })
    expect(answer.status).toBe(413)
    expect(answer.body.message).toContain(reason)
  })

  it.each([2_000, 300_000])('nested %i levels deep is refused unread', async (levels) => {
    const answer = await test.ask('POST', '/v1/send', { headers: JSON_TYPE, raw: '['.repeat(levels) })
    expect(answer.status).toBe(422)
    expect(answer.body.message).toContain('deeper than 64 levels')
  })

  it('may have as many commas in its texts as it likes', async () => {
    const answer = await test.ask('POST', '/v1/send', { json: { ...MAIL, body: '"[,{\\'.repeat(100_000) } })
    expect(answer.status).toBe(200)
  })

  it.each([
    ['POST', '/v1/send', 'to', { ...MAIL, to: Array(20_000).fill(0) }, 'at most 100 items'],
    ['POST', '/v1/send', 'cc', { ...MAIL, cc: Array(20_000).fill(0) }, 'at most 20 items'],
    ['POST', '/v1/send', 'attachments', { ...MAIL, attachments: Array(20_000).fill(0) }, 'at most 10 items'],
    ['POST', '/v1/send', 'attachments', { ...MAIL, attachments: [{ content: '-'.repeat(16e6) }] }, '10 MB in total'],
    ['POST', '/v1/send', 'headers', { ...MAIL, headers: fields(101) }, 'at most 100 fields'],
    ['POST', '/v1/send', 'tags', { ...MAIL, tags: fields(101) }, 'at most 100 tags'],
    ['POST', '/contacts/lookup', 'emails', { emails: Array(20_000).fill(0) }, 'at most 500 items'],
    ['POST', '/contacts/bulk-subscribe', 'contactIds', { contactIds: Array(20_000).fill(0) }, 'at most 1000 items'],
    ['POST', '/webhooks', 'events', { url: 'https://a.example', events: Array(20_000).fill(0) }, 'at most 100 items'],
  ])('%s %s tells a list that is too long once (%s)', async (method, path, field, json, reason) => {
    const answer = await test.ask(method, path, { json })
    expect(answer.status).toBe(422)
    expect(answer.body.error.errors).toEqual([{ field, code: 'too_big', message: expect.stringContaining(reason) }])
  })

  it('takes a hundred header fields and tags', async () => {
    const json = { ...MAIL, headers: fields(100), tags: fields(100) }
    expect((await test.ask('POST', '/v1/send', { json })).status).toBe(200)
  })
})

function fields(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`X-${i}`, 'x']))
}

import { beforeAll, describe, expect, it } from 'vitest'
import { expectEnvelope, OTHER_SECRET, PUBLIC, type TestApp, testApp } from '../support/app.ts'
import { QUICK } from '../support/matrix.ts'

for (const store of [QUICK]) {
  describe(`a look-up of addresses on ${store.name}`, () => {
    let test: TestApp
    beforeAll(async () => {
      test = await testApp(store)
      for (const email of ['ada@l.example', 'bob@münchen.example'])
        await test.ask('POST', '/contacts', { json: { email } })
      await test.ask('POST', '/contacts', { json: { email: 'theirs@l.example' }, key: OTHER_SECRET })
    })
    const look = (emails: unknown, key?: string | null) =>
      test.ask('POST', '/contacts/lookup', { json: { emails }, ...(key === undefined ? {} : { key }) })

    it('answers the addresses as they were written, known and unknown', async () => {
      const known = ['ADA@L.example', ' ada@l.example ', 'bob@xn--mnchen-3ya.example', 'ada@l.example', 'ada@l.example']
      const unknown = ['eve@l.example', 'theirs@l.example', 'nobody', '', '@', "' or 1=1 --"]
      const { status, body } = await look([...known, ...unknown])
      expect({ status, body }).toEqual({ status: 200, body: { found: known, notFound: unknown } })
    })

    it('takes 500 addresses at most', async () => {
      const emails = (count: number) => Array.from({ length: count }, (_, i) => `n${i}@l.example`)
      expect((await look([...emails(499), 'ada@l.example'])).body).toEqual({
        found: ['ada@l.example'],
        notFound: emails(499),
      })
      expectEnvelope(await look(emails(501)), 422, 'VALIDATION_ERROR', { emails: 'too_big' })
    })

    it.each([
      ['no list', undefined, { emails: 'required' }],
      ['an empty list', [], { emails: 'too_small' }],
      ['a text', 'ada@l.example', { emails: 'invalid_type' }],
      ['a number in the list', ['ada@l.example', 1], { 'emails.1': 'invalid_type' }],
      ['NUL', ['a\u0000'], { 'emails.0': 'invalid_string' }],
    ])('is refused with 422 for %s', async (_what, emails, fields) => {
      expectEnvelope(await look(emails), 422, 'VALIDATION_ERROR', fields)
    })

    it('needs a secret key and JSON', async () => {
      expectEnvelope(await look(['a@l.example'], null), 401, 'MISSING_AUTH')
      expectEnvelope(await look(['a@l.example'], PUBLIC), 403, 'FORBIDDEN')
      expectEnvelope(
        await test.ask('POST', '/contacts/lookup', { raw: '[', headers: { 'content-type': 'application/json' } }),
        400,
        'INVALID_JSON',
      )
    })
  })
}

import { simpleParser } from 'mailparser'
import { Resend } from 'resend'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { resend as api } from '../../server/compat/resend/resend-api.ts'
import { SECRET } from '../support/app.ts'
import { type CompatServer, compatServer } from '../support/compat.ts'
import { STORES } from '../support/matrix.ts'
import { expectTable, methodsOf } from './tables.ts'

/** Methods that are private by the types of the package. */
const PRIVATE = [
  'performCreate',
  'buildCreateFormData',
  'buildColumnMap',
  'appendField',
  'forwardPassthrough',
  'forwardWrapped',
  'downloadRaw',
]

it('lists all methods of the package in the documentation', async () => {
  const methods = methodsOf(new Resend('re_123'), PRIVATE)
  await expectTable({ api, methods, page: 'docs/compat-resend.md' })
})

for (const store of STORES) {
  describe(`Resend's own package on ${store.name}`, () => {
    let server: CompatServer
    let resend: Resend

    beforeAll(async () => {
      server = await compatServer(store)
      resend = new Resend(SECRET, { baseUrl: `${server.url}/compat/resend` })
    })
    afterAll(() => server.close())

    it('sends one mail to several, and reads it', async () => {
      const sent = await resend.emails.send({
        from: 'Acme <hello@example.com>',
        to: ['ada@example.org', 'bob@example.org'],
        cc: 'cy@example.org',
        bcc: ['di@example.org'],
        replyTo: 'help@example.com',
        subject: 'Hello {{ world }}',
        html: '<p>It works!</p>',
      })
      expect(sent.error).toBeNull()
      const [mail] = await server.sink.waitFor(1)
      expect(mail?.to).toEqual(['ada@example.org', 'bob@example.org', 'cy@example.org', 'di@example.org'])
      const parsed = await simpleParser(mail!.raw)
      expect(parsed.headers.get('to')).toMatchObject({ text: 'ada@example.org, bob@example.org' })
      expect(parsed.subject).toBe('Hello {{ world }}')
      const read = await resend.emails.get(sent.data!.id)
      expect(read.data).toMatchObject({ object: 'email', id: sent.data!.id, subject: 'Hello {{ world }}' })
    })

    it('answers errors as Resend does', async () => {
      const wrong = await resend.emails.send({ from: 'a', to: [], subject: 'x', text: 'y' })
      expect(wrong.error).toMatchObject({ statusCode: 422, name: 'validation_error' })
      const stranger = new Resend(`sk_${'f'.repeat(48)}`, { baseUrl: `${server.url}/compat/resend` })
      expect((await stranger.emails.get('1')).error).toMatchObject({ statusCode: 403, name: 'invalid_api_key' })
      const absent = await resend.post('/nothing/here')
      expect(absent.error).toMatchObject({
        statusCode: 404,
        name: 'not_found',
        message: expect.stringContaining('is not here'),
      })
    })
  })
}

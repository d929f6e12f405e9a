import { simpleParser } from 'mailparser'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import {
  DISABLED_SECRET,
  expectEnvelope,
  expectFlat,
  MAIL,
  OTHER_SECRET,
  PUBLIC,
  SECRET,
  type TestApp,
  testApp,
} from '../support/app.ts'
import { toSink } from '../support/engine.ts'
import { STRICT } from '../support/matrix.ts'
import { startSmtpSink } from '../support/smtp-sink.ts'

const UNKNOWN_ID = '01900000-0000-7000-8000-000000000000'
const pixel = { filename: 'p.png', content: 'iVBORw0KGgo=', contentType: 'image/png' }
const megabytes = (n: number) => Buffer.alloc(n * 1024 * 1024).toString('base64')
const address = (i: number) => `user${i}@example.org`
const addresses = (n: number) => Array.from({ length: n }, (_, i) => address(i))

for (const store of [STRICT]) {
  describe(`POST /v1/send on ${store.name}`, () => {
    // what is refused is refused before a store is asked; the stricter one shows what is not
    const isStricter = store.name === 'PostgreSQL'
    let test: TestApp
    /** Another engine: what is accepted goes here, so that what is refused can be counted to have stored nothing. */
    let own: TestApp
    let before: Awaited<ReturnType<TestApp['counts']>>

    const send = (change: object = {}, headers: Record<string, string> = {}, key = SECRET) =>
      test.ask('POST', '/v1/send', { json: { ...MAIL, ...change }, headers, key })
    const nothingStored = async () => expect(await test.counts()).toEqual(before)

    /** How many rows `work` made. */
    const rowsMade = async (work: () => Promise<unknown>) => {
      const old = await own.counts()
      await work()
      const { contacts, emails, events } = await own.counts()
      return { contacts: contacts - old.contacts, emails: emails - old.emails, events: events - old.events }
    }

    beforeAll(async () => {
      test = await testApp(store)
      own = await testApp(store)
      await send()
      before = await test.counts()
      expect(before).toEqual({ contacts: 1, emails: 1, events: 0 })
    })

    describe('accepts', () => {
      it('a mail, and answers the ids of the contact and of the record', async () => {
        const answer = await own.ask('POST', '/v1/send', { json: MAIL })
        expect(answer.status).toBe(200)
        expect(answer.body).toEqual({
          success: true,
          data: {
            emails: [{ contact: { id: expect.any(String), email: MAIL.to }, email: expect.any(String) }],
            timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
          },
        })
        const [{ contact, email }] = answer.body.data.emails
        const stored = await own.ask('GET', `/contacts/${contact.id}`)
        expect(stored.body).toMatchObject({ email: MAIL.to, subscribed: false })
        const record = await own.ask('GET', `/emails/${email}`)
        expect(record.body).toMatchObject({ id: email, contactId: contact.id, subject: 'Hi', status: 'QUEUED' })
      })

      it('several recipients of either form and answers them in their order', async () => {
        const to = ['z@example.org', { name: 'Ada', email: ' A@Example.org ' }, { email: 'm@example.org' }]
        const rows = await rowsMade(async () => {
          const answer = await own.ask('POST', '/v1/send', { json: { ...MAIL, to } })
          expect(answer.status).toBe(200)
          const order = answer.body.data.emails.map((one: { contact: { email: string } }) => one.contact.email)
          expect(order).toEqual(['z@example.org', 'a@example.org', 'm@example.org'])
        })
        expect(rows).toEqual({ contacts: 3, emails: 3, events: 0 })
      })

      it('a hundred recipients, ten attachments, and values of the largest size', async () => {
        const json = {
          ...MAIL,
          to: addresses(100),
          subject: 's'.repeat(998),
          headers: { 'X-Long': 'v'.repeat(998) },
          attachments: Array.from({ length: 10 }, () => ({ ...pixel, filename: 'f'.repeat(255) })),
        }
        expect((await own.ask('POST', '/v1/send', { json })).status).toBe(200)
      })

      if (isStricter)
        it('marketing mail, which goes out tracked and with a footer, but is shown without the tracking', async () => {
          const sink = await startSmtpSink()
          onTestFinished(() => sink.close())
          const projects = [{ name: 'Test', secretKey: SECRET, trustedDomains: ['example.com'], locale: 'nl' }]
          const reachable = { publicUrl: 'https://mail.example.net', secret: 'sixteen characters' }
          const own = await testApp(store, {}, { ...reachable, projects, transports: [toSink(sink)] })
          await own.engine.start()
          const body = '<p>Hi</p><a href="https://shop.example/?a=1&amp;b=2">Shop</a>'
          const template = await own.ask('POST', '/templates', {
            json: { name: 'Letter', subject: 'News', body, type: 'MARKETING', from: 'hello@example.com' },
          })
          const json = { to: 'ada@example.org', template: template.body.id, subscribed: true }
          const answer = await own.ask('POST', '/v1/send', { json })
          const [mail] = await sink.waitFor(1)
          const { html, text, headers } = await simpleParser(mail!.raw)
          expect(html).toContain('<a href="https://mail.example.net/t/c/')
          expect(html).toContain('<img src="https://mail.example.net/t/o/')
          expect(html).toContain('>Afmelden</a>')
          expect(text).toContain('Shop [https://shop.example/?a=1&b=2]')
          expect(text).toContain('Afmelden [https://mail.example.net/unsubscribe/')
          expect(headers.get('precedence')).toBe('bulk')
          const shown = await own.ask('GET', `/emails/${answer.body.data.emails[0].email}`)
          expect(shown.body.body).toContain('<a href="https://shop.example/?a=1&amp;b=2">Shop</a>')
          expect(shown.body.body).toContain('>Afmelden</a>')
          expect(shown.body.body).not.toContain('/t/')
        })

      it('one mail to several together, a text alone, and braces as they stand', async () => {
        const sink = await startSmtpSink()
        onTestFinished(() => sink.close())
        const own = await testApp(store, {}, { transports: [toSink(sink)] })
        await own.engine.start()
        await own.ask('POST', '/suppressions', { json: { email: 'gone@example.org' } })
        const to = ['gone@example.org', 'Ada <ada@example.org>', { name: 'Bob', email: 'bob@example.org' }]
        const cc = ['Cy <cy@example.org>', 'gone@example.org']
        const text = 'Hi {{ name }},\n{% if x %}é'
        const json = { to, cc, from: MAIL.from, subject: '{{ a }} {%', text, together: true, placeholders: false }
        const answer = await own.ask('POST', '/v1/send', { json })
        expect(answer.body.data.emails).toMatchObject([{ contact: { email: 'ada@example.org' } }])
        const [mail] = await sink.waitFor(1)
        expect(mail?.to).toEqual(['ada@example.org', 'bob@example.org', 'cy@example.org'])
        const parsed = await simpleParser(mail!.raw)
        expect(parsed.headers.get('to')).toMatchObject({ text: '"Ada" <ada@example.org>, "Bob" <bob@example.org>' })
        expect(parsed.headers.get('cc')).toMatchObject({ text: '"Cy" <cy@example.org>' })
        expect(parsed).toMatchObject({ subject: '{{ a }} {%', text: `${text}\n`, html: false })
        const shown = await own.ask('GET', `/emails/${answer.body.data.emails[0].email}`)
        const beside = { alsoTo: ['gone@example.org', 'Bob <bob@example.org>'], bcc: [] }
        expect(shown.body).toMatchObject({ ...beside, cc: ['Cy <cy@example.org>', 'gone@example.org'], text })
      })

      if (isStricter)
        it('names with placeholders, filled in for each recipient and in one line', async () => {
          const names = {
            from: { name: '{{ company }} | {{ data.First Name }}', email: 'hello@example.com' },
            reply: '{{ company }} <replies@example.com>',
          }
          const data = { company: 'Zoë, "Z"\r\nBcc: x@evil.example', 'First Name': 'Ada' }
          const answer = await own.ask('POST', '/v1/send', { json: { ...MAIL, ...names, data } })
          expect(answer.status).toBe(200)
          const { text } = await own.ask('GET', `/emails/${answer.body.data.emails[0].email}/raw`)
          const { from, replyTo, headers } = await simpleParser(text)
          const company = 'Zoë, "Z" Bcc: x@evil.example'
          expect(from?.value).toEqual([{ name: `${company} | Ada`, address: 'hello@example.com' }])
          expect(replyTo?.value).toEqual([{ name: company, address: 'replies@example.com' }])
          expect(headers.has('bcc')).toBe(false)
        })

      it('attachments of exactly 10 MB together', async () => {
        const attachments = [4, 6].map((n) => ({ ...pixel, content: megabytes(n) }))
        expect((await own.ask('POST', '/v1/send', { json: { ...MAIL, attachments } })).status).toBe(200)
      })

      it('fields it does not know and drops them', async () => {
        const json = { ...MAIL, to: 'x@example.org', projectId: 'evil', id: 'evil', status: 'SENT', unknown: { a: 1 } }
        const answer = await own.ask('POST', '/v1/send', { json })
        expect(answer.status).toBe(200)
        const record = await own.ask('GET', `/emails/${answer.body.data.emails[0].email}`)
        expect(record.body.status).toBe('QUEUED')
        expect(record.text).not.toContain('evil')
      })

      it('changes of the subscription and emits the event of each', async () => {
        const to = 'joins@example.org'
        const sendAs = (subscribed?: boolean) => own.ask('POST', '/v1/send', { json: { ...MAIL, to, subscribed } })
        const first = await sendAs()
        const { id } = first.body.data.emails[0].contact
        const names = async () => {
          const { body } = await own.ask('GET', `/events/contact/${id}`)
          return body.events.map(({ name, data }: { name: string; data: unknown }) => ({ name, data }))
        }
        expect(await names()).toEqual([])
        await sendAs(true)
        await sendAs()
        await sendAs(true)
        expect(await names()).toEqual([{ name: 'contact.subscribed', data: { subscribed: true, reason: 'api' } }])
        await sendAs(false)
        expect((await names())[0]).toEqual({
          name: 'contact.unsubscribed',
          data: { subscribed: false, reason: 'api' },
        })
        expect((await own.ask('GET', `/contacts/${id}`)).body.subscribed).toBe(false)
      })

      it('data by the rules of the specification', async () => {
        const to = 'data@example.org'
        const sendData = (data: object) => own.ask('POST', '/v1/send', { json: { ...MAIL, to, data } })
        const first = await sendData({
          plan: 'pro',
          age: 3,
          gone: 1,
          kept: 'old',
          list: [1, 'a'],
          deep: { a: { b: 1 } },
        })
        await sendData({
          ...{ gone: null, kept: '', once: { value: 'x', persistent: false }, wrapped: { value: 7, persistent: true } },
          ...{
            id: 'no',
            email: 'no',
            svc_id: 'no',
            svc_email: 'no',
            unsubscribeUrl: 'no',
            subscribeUrl: 'no',
            manageUrl: 'no',
          },
        })
        const { id } = first.body.data.emails[0].contact
        expect((await own.ask('GET', `/contacts/${id}`)).body.data).toEqual({
          plan: 'pro',
          age: 3,
          kept: 'old',
          list: [1, 'a'],
          deep: { a: { b: 1 } },
          wrapped: 7,
        })
      })

      it('data keys that are names of object members, as plain keys', async () => {
        const raw = `{"to":"proto@example.org","from":"hello@example.com","subject":"Hi","body":"x","data":{"__proto__":{"polluted":true},"constructor":"c","toString":"t"}}`
        const answer = await own.ask('POST', '/v1/send', { raw, headers: { 'content-type': 'application/json' } })
        expect(answer.status).toBe(200)
        const contact = await own.ask('GET', `/contacts/${answer.body.data.emails[0].contact.id}`)
        expect(contact.text).toContain('"__proto__":{"polluted":true}')
        expect(contact.body.data.constructor).toBe('c')
        expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
      })
    })

    describe('with a template', () => {
      let template: string
      let marketing: string

      beforeAll(async () => {
        const make = async (json: object) => (await test.ask('POST', '/templates', { json })).body.id
        const words = { name: 'T', subject: 'Hi {{ name }}', body: '<p>{{ name }}</p>' }
        template = await make({ ...words, type: 'TRANSACTIONAL', from: 'tpl@example.com', fromName: 'Tpl' })
        marketing = await make({ ...words, type: 'MARKETING', from: 'tpl@example.com' })
      })

      it('takes its subject, body and sender, and lets the request override them', async () => {
        const made = await own.ask('POST', '/templates', {
          json: {
            name: 'T',
            subject: 'Hi {{ name }}',
            body: '<p>{{ name }}</p>',
            type: 'TRANSACTIONAL',
            from: 'tpl@example.com',
          },
        })
        const sendWith = async (json: object) => {
          const { body } = await own.ask('POST', '/v1/send', {
            json: { to: 'ada@example.org', template: made.body.id, ...json },
          })
          return (await own.ask('GET', `/emails/${body.data.emails[0].email}`)).body
        }
        const data = { name: 'Ada & Co' }
        expect(await sendWith({ data })).toMatchObject({
          subject: 'Hi Ada & Co',
          body: expect.stringContaining('<p>Ada &amp; Co</p>'),
          from: 'tpl@example.com',
          templateId: made.body.id,
        })
        const over = { subject: 'Own', body: '<b>own</b>', from: { name: 'Me', email: 'me@example.com' } }
        expect(await sendWith({ data, ...over })).toMatchObject({
          subject: 'Own',
          body: expect.stringContaining('<b>own</b>'),
          from: 'me@example.com',
          fromName: 'Me',
        })
      })

      it.each([
        ['an id that is not there', UNKNOWN_ID],
        ['something that is no id', 'welcome'],
      ])('answers 404 for %s', async (_what, id) => {
        const answer = await test.ask('POST', '/v1/send', { json: { to: 'new@example.org', template: id } })
        expectEnvelope(answer, 404, 'TEMPLATE_NOT_FOUND')
        await nothingStored()
      })

      it('answers 404 for the template of another project', async () => {
        const json = { to: 'new@example.org', template }
        expectEnvelope(await test.ask('POST', '/v1/send', { json, key: OTHER_SECRET }), 404, 'TEMPLATE_NOT_FOUND')
      })

      it('refuses a marketing template to somebody who is not subscribed, 400 flat', async () => {
        const answer = await test.ask('POST', '/v1/send', { json: { to: 'new@example.org', template: marketing } })
        expectFlat(answer, 400)
        expect(answer.body.message).toContain('new@example.org')
        await nothingStored()
      })

      it('refuses all recipients when one of them is not subscribed', async () => {
        const made = await own.ask('POST', '/templates', {
          json: { name: 'M', subject: 'S', body: 'B', type: 'MARKETING', from: 'tpl@example.com' },
        })
        await own.ask('POST', '/contacts', { json: { email: 'yes@example.org' } })
        const json = { to: ['yes@example.org', 'no@example.org'], template: made.body.id }
        const rows = await rowsMade(async () => expectFlat(await own.ask('POST', '/v1/send', { json }), 400))
        expect(rows).toEqual({ contacts: 0, emails: 0, events: 0 })
      })
    })

    if (isStricter)
      describe('refuses with 422 and stores nothing', () => {
        const long = (n: number) => 'x'.repeat(n)
        const cases: [what: string, change: object, fields: Record<string, unknown>][] = [
          ['no recipient', { to: undefined }, { to: 'required' }],
          ['an empty list of recipients', { to: [] }, { to: 'too_small' }],
          ['101 recipients', { to: addresses(101) }, { to: 'too_big' }],
          ['a bad address', { to: 'nobody' }, { to: 'invalid_string' }],
          ['one bad address among good ones', { to: ['new@example.org', 'nobody'] }, { 'to.1': 'invalid_string' }],
          ['a recipient object without address', { to: { name: 'Ada' } }, { 'to.email': 'required' }],
          ['a recipient object with a bad one', { to: [{ email: 'x' }] }, { 'to.0.email': 'invalid_string' }],
          ['21 cc', { cc: addresses(21) }, { cc: 'too_big' }],
          ['21 bcc', { bcc: addresses(21) }, { bcc: 'too_big' }],
          ['no subject', { subject: undefined }, { subject: 'required' }],
          ['an empty subject', { subject: '' }, { subject: 'too_small' }],
          ['a subject of 999 characters', { subject: long(999) }, { subject: 'too_big' }],
          ['no body', { body: undefined }, { body: 'required' }],
          ['an empty body', { body: '' }, { body: 'too_small' }],
          ['no sender', { from: undefined }, { from: 'required' }],
          ['a bad sender', { from: 'hello' }, { from: 'invalid_string' }],
          ['a sender object without address', { from: { name: 'x' } }, { 'from.email': 'required' }],
          ['a bad reply address', { reply: 'x' }, { reply: 'invalid_string' }],
          ['a bad one of several', { reply: ['a@example.org', 'x'] }, { 'reply.1': 'invalid_string' }],
          ['no reply address', { reply: [] }, { reply: 'too_small' }],
          ['21 reply addresses', { reply: Array(21).fill('a@example.org') }, { reply: 'too_big' }],
          ['subscribed that is no boolean', { subscribed: 'yes' }, { subscribed: 'invalid_type' }],
          ['data that is a list', { data: [1] }, { data: 'invalid_type' }],
          ['headers that are a list', { headers: ['x'] }, { headers: 'invalid_type' }],
          ['a header value that is no string', { headers: { 'X-A': 1 } }, { 'headers.X-A': 'invalid_type' }],
          ['a header value of 999 characters', { headers: { 'X-A': long(999) } }, { 'headers.X-A': 'too_big' }],
          ['a header name with a space', { headers: { 'X A': 'v' } }, { 'headers.X A': 'invalid_string' }],
          ['a header name with a colon', { headers: { 'X:A': 'v' } }, { 'headers.X:A': 'invalid_string' }],
          ['an empty header name', { headers: { '': 'v' } }, {}],
          ['a header twice', { headers: { 'X-A': '1', 'x-a': '2' } }, { 'headers.x-a': 'custom' }],
          ['a header the service sets', { headers: { 'Message-ID': '<a@b>' } }, { 'headers.Message-ID': 'custom' }],
          ['11 attachments', { attachments: Array(11).fill(pixel) }, { attachments: 'too_big' }],
          [
            'an attachment without name',
            { attachments: [{ ...pixel, filename: undefined }] },
            { 'attachments.0.filename': 'required' },
          ],
          [
            'an attachment with an empty name',
            { attachments: [{ ...pixel, filename: '' }] },
            { 'attachments.0.filename': 'too_small' },
          ],
          [
            'a file name of 256 characters',
            { attachments: [{ ...pixel, filename: long(256) }] },
            { 'attachments.0.filename': 'too_big' },
          ],
          [
            'a file name with a quote',
            { attachments: [{ ...pixel, filename: 'a"b' }] },
            { 'attachments.0.filename': 'invalid_string' },
          ],
          [
            'an attachment without content',
            { attachments: [{ ...pixel, content: undefined }] },
            { 'attachments.0.content': 'required' },
          ],
          [
            'content that is not Base64',
            { attachments: [{ ...pixel, content: '%%%' }] },
            { 'attachments.0.content': 'invalid_string' },
          ],
          [
            'Base64 cut short',
            { attachments: [{ ...pixel, content: 'QUJ' }] },
            { 'attachments.0.content': 'invalid_string' },
          ],
          ...['\n', '\r', '\r\n'].map(
            (sign) =>
              [
                `a body of a million line breaks such as ${JSON.stringify(sign)}`,
                { body: `a${sign.repeat(1_000_001)}b` },
                { body: 'too_big' },
              ] as [string, object, Record<string, string>],
          ),
          ...['Q=Q=', 'QUJ====', 'QUJD=', 'QUJDé', 'QUJD\u000bQUJD'].map(
            (content) =>
              [
                `Base64 such as ${JSON.stringify(content)}`,
                { attachments: [{ ...pixel, content }] },
                { 'attachments.0.content': 'invalid_string' },
              ] as [string, object, Record<string, string>],
          ),
          [
            'no content type',
            { attachments: [{ ...pixel, contentType: undefined }] },
            { 'attachments.0.contentType': 'required' },
          ],
          [
            'a content type of 256 characters',
            { attachments: [{ ...pixel, contentType: `image/${long(250)}` }] },
            { 'attachments.0.contentType': 'too_big' },
          ],
          [
            'a content type that is none',
            { attachments: [{ ...pixel, contentType: 'png' }] },
            { 'attachments.0.contentType': 'invalid_string' },
          ],
          [
            'an unknown disposition',
            { attachments: [{ ...pixel, disposition: 'x' }] },
            { 'attachments.0.disposition': 'invalid_enum_value' },
          ],
          [
            'inline without content id',
            { attachments: [{ ...pixel, disposition: 'inline' }] },
            { 'attachments.0.contentId': 'required' },
          ],
          [
            'attachments over 10 MB together',
            { attachments: [4, 6, 1].map((n) => ({ ...pixel, content: megabytes(n) })) },
            { attachments: 'too_big' },
          ],
          ['a message over 40 MB', { body: long(40 * 1024 * 1024 + 1) }, { body: 'too_big' }],
          ['a message over 40 MB as it travels', { body: '\u{1F600}'.repeat(3_600_000) }, { body: 'too_big' }],
          ['tags that are not strings', { tags: { a: 1 } }, { tags: 'invalid_type' }],
          ['tracking that is no boolean', { tracking: 'no' }, { tracking: 'invalid_type' }],
          ['scheduledFor that is no date', { scheduledFor: 'tomorrow' }, { scheduledFor: 'invalid_date' }],
          [
            'scheduledFor more than 30 days ahead',
            { scheduledFor: new Date(Date.now() + 31 * 86_400_000) },
            { scheduledFor: 'too_big' },
          ],
          ['expiresAt that is not in the future', { expiresAt: new Date(Date.now() - 1) }, { expiresAt: 'too_small' }],
          [
            'expiresAt before scheduledFor',
            { scheduledFor: new Date(Date.now() + 7_200_000), expiresAt: new Date(Date.now() + 3_600_000) },
            { expiresAt: 'too_small' },
          ],
          ['a body that is no template', { body: '{% if %}' }, { body: expect.any(String) }],
          ['a subject that is no template', { subject: '{{ a | }}{% if %}' }, { subject: expect.any(String) }],
        ]
        it.each(cases)('%s', async (_what, change, fields) => {
          expectEnvelope(await send({ to: 'new@example.org', ...change }), 422, 'VALIDATION_ERROR', fields)
          await nothingStored()
        })

        it.each([
          ['from', { from: { name: '{{ a | nope }}', email: 'hello@example.com' } }, 'from.name'],
          ['from', { from: '{{ a | nope }} <hello@example.com>' }, 'from'],
          ['from', { name: '{{ a | nope }}' }, 'name'],
          ['reply', { reply: '{% if a %} <r@example.com>' }, 'reply'],
          ['reply', { reply_to: '{% if a %} <r@example.com>' }, 'reply_to'],
        ])('placeholders in the name of %s that do not parse', async (_what, change, field) => {
          const { status, body } = await send(change)
          expect(status).toBe(422)
          expect(JSON.stringify(body)).toContain(`${field}: `)
        })

        it('a request without anything, naming every required field', async () => {
          const answer = await test.ask('POST', '/v1/send', { json: {} })
          expectEnvelope(answer, 422, 'VALIDATION_ERROR', { to: 'required' })
          await nothingStored()
        })

        it('a request with nothing but a recipient, naming subject, body and from together', async () => {
          const answer = await test.ask('POST', '/v1/send', { json: { to: 'new@example.org' } })
          expectEnvelope(answer, 422, 'VALIDATION_ERROR', { subject: 'required', body: 'required', from: 'required' })
          await nothingStored()
        })
      })

    if (isStricter)
      describe('refuses header injection with 422 and stores nothing', () => {
        const breaks = ['\r\n', '\n', '\r', '\0'] as const
        const places: [place: string, change: (text: string) => object, field: string][] = [
          ['the subject', (subject) => ({ subject }), 'subject'],
          ['the sender name', (name) => ({ from: { name, email: 'hello@example.com' } }), 'from.name'],
          ['the deprecated name', (name) => ({ name }), 'name'],
          ['a recipient name', (name) => ({ to: { name, email: 'new@example.org' } }), 'to.name'],
          ['a cc name', (name) => ({ cc: [{ name, email: 'c@example.org' }] }), 'cc.0.name'],
          ['a bcc name', (name) => ({ bcc: [{ name, email: 'c@example.org' }] }), 'bcc.0.name'],
          ['a sender in one text', (name) => ({ from: `${name} <hello@example.com>` }), 'from'],
          ['a recipient in one text', (name) => ({ to: [`${name} <new@example.org>`] }), 'to.0'],
          ['a header value', (text) => ({ headers: { 'X-A': text } }), 'headers.X-A'],
          ['a file name', (filename) => ({ attachments: [{ ...pixel, filename }] }), 'attachments.0.filename'],
          [
            'a content type',
            (contentType) => ({ attachments: [{ ...pixel, contentType }] }),
            'attachments.0.contentType',
          ],
          [
            'a content id',
            (contentId) => ({ attachments: [{ ...pixel, contentId, disposition: 'inline' }] }),
            'attachments.0.contentId',
          ],
        ]
        it.each(places)('in %s', async (_place, change, field) => {
          for (const sign of breaks) {
            const answer = await send({ to: 'new@example.org', ...change(`a${sign}Bcc: evil@example.org`) })
            expectEnvelope(answer, 422, 'VALIDATION_ERROR', { [field]: 'header_injection' })
          }
          await nothingStored()
        })

        it('in a header name', async () => {
          for (const sign of breaks) {
            const answer = await send({ to: 'new@example.org', headers: { [`X-A${sign}Bcc`]: 'v' } })
            expectEnvelope(answer, 422, 'VALIDATION_ERROR')
            expect(answer.body.error.errors[0].code).toBe('header_injection')
          }
          await nothingStored()
        })

        const addressFields: [field: string, change: (text: string) => object][] = [
          ['to', (to) => ({ to })],
          ['to.0', (to) => ({ to: [to] })],
          ['to.email', (email) => ({ to: { email } })],
          ['cc', (cc) => ({ cc })],
          ['bcc', (bcc) => ({ bcc })],
          ['from', (from) => ({ from })],
          ['from.email', (email) => ({ from: { email } })],
          ['reply', (reply) => ({ reply })],
        ]
        const addresses = [
          'a@b.example>,<c@d.example',
          'a@b.example, c@d.example',
          'a@b.example\r\nBcc: c@d.example',
          'a@b.example\nBcc: c@d.example',
          'a b@c.example',
          '"a b"@c.example',
          'Ada <a@b.example> x',
          'Ada <a@b.example>, Bob <c@d.example>',
          'Ada <c@d.example> <a@b.example>',
          'group: Ada <a@b.example>;',
          'Ada <"c@d.example"@b.example>',
          'Ada <a@b.example',
          'a@b@c.example',
          'a@[127.0.0.1]',
          'a@b.example\0',
          'a..b@c.example',
          '.a@c.example',
          `${'a'.repeat(65)}@c.example`,
          'a@-c.example',
          'a@localhost',
          'ä@c.example',
          'a@c.example;',
          'a(x)@c.example',
          '',
          ' ',
          '@c.example',
          'a@',
        ]
        it.each(addressFields)('in the address of %s', async (field, change) => {
          // the others take the same kinds of text: a few show that they are checked
          for (const text of field === 'to' || field === 'from' ? addresses : addresses.slice(0, 5)) {
            const answer = await send({ to: 'new@example.org', ...change(text) })
            expectEnvelope(answer, 422, 'VALIDATION_ERROR', { [field]: 'invalid_string' })
          }
          await nothingStored()
        })
      })

    it('refuses a sender domain that is not verified with 403 and says what to do', async () => {
      for (const from of ['hello@other.example', 'hello@sub.example.com', { email: 'x@xample.com' }]) {
        const answer = await send({ to: 'new@example.org', from })
        expectEnvelope(answer, 403, 'DOMAIN_NOT_VERIFIED')
        expect(answer.body.error.suggestion).toEqual(expect.stringContaining('example.com'))
      }
      await nothingStored()
    })

    it('refuses a disabled project with 403', async () => {
      expectEnvelope(await send({}, {}, DISABLED_SECRET), 403, 'PROJECT_DISABLED')
      expect(await test.counts(DISABLED_SECRET)).toEqual({ contacts: 0, emails: 0, events: 0 })
    })

    it('refuses a public key with 403', async () => {
      expectEnvelope(await send({ to: 'new@example.org' }, {}, PUBLIC), 403, 'FORBIDDEN')
      await nothingStored()
    })

    describe('with an Idempotency-Key', () => {
      it('does the work once and replays the first answer', async () => {
        const json = { ...MAIL, to: 'once@example.org' }
        const once = () => own.ask('POST', '/v1/send', { json, headers: { 'idempotency-key': 'order-1' } })
        const rows = await rowsMade(async () => {
          const [first, second] = [await once(), await once()]
          expect(first.status).toBe(200)
          expect(first.headers.get('idempotent-replayed')).toBeNull()
          expect(second.headers.get('idempotent-replayed')).toBe('true')
          expect(second.body).toEqual(first.body)
        })
        expect(rows).toEqual({ contacts: 1, emails: 1, events: 0 })
      })

      it('does the work once when the same request comes twenty times at once', async () => {
        const headers = { 'idempotency-key': 'order-2' }
        const rows = await rowsMade(async () => {
          const answers = await Promise.all(
            Array.from({ length: 20 }, () => own.ask('POST', '/v1/send', { json: MAIL, headers })),
          )
          const ids = answers.filter(({ status }) => status === 200).map(({ body }) => body.data.emails[0].email)
          expect(new Set(ids).size).toBe(1)
          for (const answer of answers)
            if (answer.status !== 200) expectEnvelope(answer, 409, 'IDEMPOTENCY_IN_PROGRESS')
        })
        expect(rows.emails).toBe(1)
      })

      it('refuses the same key with another body, 422', async () => {
        const headers = { 'idempotency-key': 'order-3' }
        const rows = await rowsMade(async () => {
          await own.ask('POST', '/v1/send', { json: MAIL, headers })
          const answer = await own.ask('POST', '/v1/send', { json: { ...MAIL, subject: 'Other' }, headers })
          expectEnvelope(answer, 422, 'IDEMPOTENCY_KEY_REUSED')
        })
        expect(rows.emails).toBe(1)
      })

      it('keeps only answers of success: what was refused may be mended and sent again', async () => {
        const headers = { 'idempotency-key': 'order-4' }
        expect((await own.ask('POST', '/v1/send', { json: { ...MAIL, to: 'x' }, headers })).status).toBe(422)
        expect((await own.ask('POST', '/v1/send', { json: MAIL, headers })).status).toBe(200)
      })

      it('is one per project', async () => {
        const headers = { 'idempotency-key': 'order-5' }
        const first = await own.ask('POST', '/v1/send', { json: MAIL, headers })
        const other = await own.ask('POST', '/v1/send', { json: MAIL, headers, key: OTHER_SECRET })
        expect(other.status).toBe(200)
        expect(other.body.data.emails[0].email).not.toBe(first.body.data.emails[0].email)
      })

      it.each([
        ['empty', ''],
        ['256 characters long', 'k'.repeat(256)],
        ['not ASCII', 'caf\u00e9'],
      ])('refuses a key that is %s, 400 flat', async (_what, key) => {
        expectFlat(await send({ to: 'new@example.org' }, { 'idempotency-key': key }), 400)
        await nothingStored()
      })

      it('takes one of 255 characters', async () => {
        const headers = { 'idempotency-key': 'k'.repeat(255) }
        expect((await own.ask('POST', '/v1/send', { json: MAIL, headers })).status).toBe(200)
      })
    })
  })
}

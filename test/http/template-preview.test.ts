import { simpleParser } from 'mailparser'
import { beforeAll, describe, expect, it } from 'vitest'
import { ownProject, type TestApp, testApp } from '../support/app.ts'
import { atEndOfFile } from '../support/end-of-file.ts'
import { toSink } from '../support/engine.ts'
import { QUICK } from '../support/matrix.ts'
import { type SmtpSink, startSmtpSink } from '../support/smtp-sink.ts'
import { until } from '../support/until.ts'

interface PreviewCase {
  readonly subject: string
  readonly body: string
  /** The contact's data. */
  readonly stored?: object
  /** The data of the call. */
  readonly data?: object
  readonly subscribed?: boolean
}

const CASES: readonly (readonly [what: string, example: PreviewCase])[] = [
  ['no placeholders', { subject: 'Hello', body: '<h1>Hello</h1>\n<p>How are you?</p>\n' }],
  [
    'placeholders alone',
    {
      subject: 'Hi {{ name }}, {{ email }}',
      body: '<p>Hi {{ name }}</p><p>{{ data.plan }} &amp; {{email}}</p><p><a href="https://example.com/?id={{ id }}">Go</a></p>',
      stored: { name: 'Ada <Lovelace> & "co"', plan: 'pro' },
    },
  ],
  [
    'the call over the contact',
    {
      subject: '{{ name }} {{ plan }}',
      body: '<p>{{ name }}|{{ plan }}|{{ gone }}|{{ empty }}|{{ once }}</p>',
      stored: { name: 'Stored', plan: 'free', gone: 'x', empty: 'kept' },
      data: { plan: '<b>pro</b>', gone: null, empty: '', once: { value: 'o', persistent: false } },
    },
  ],
  [
    'fallbacks and missing values',
    {
      subject: 'Hi {{ name ?? there }}{{ missing }}',
      body: '<p>Dear {{ name ?? customer }}, {{ city | default: "nowhere" }}{{ missing.deep.value }}.</p>',
    },
  ],
  [
    'logic',
    {
      subject: '{% if vip %}VIP{% else %}Hi{% endif %} {{ name | upcase }}',
      body: '<ul>{% for item in items %}<li>{{ item.name }}: {{ item.price }}</li>{% endfor %}</ul>{% unless vip %}<p>No</p>{% endunless %}',
      data: {
        vip: true,
        name: 'ada',
        items: [
          { name: 'A & B', price: 1.5 },
          { name: 'C', price: 2 },
        ],
      },
    },
  ],
  [
    'HTML let through',
    { subject: '{{ code }}', body: '<div>{{ code | raw }}</div><p>{{ code }}</p>', data: { code: '<b>1 &lt; 2</b>' } },
  ],
  [
    'a value with line breaks, also in the subject',
    { subject: 'Re: {{ note }}', body: '<p>{{ note }}</p>', data: { note: 'one\r\nBcc: x@example.org\n\ntwo' } },
  ],
  [
    'text of every language and very long lines',
    {
      subject: '{{ name }} 🙂 Größe',
      body: `<p>{{ name }} 漢字 🙂</p>\n.\n..dots\n<p>${'long '.repeat(400)}</p><p>${'x'.repeat(1500)}</p>`,
      data: { name: 'Zoë Ünal 李' },
    },
  ],
  [
    'who is not subscribed',
    {
      subject: '{{ subscribed }} {{ data.subscribed }}',
      body: '<p>{% if subscribed %}in{% else %}out{% endif %} {{ data.subscribed }}</p>',
      subscribed: false,
      data: { subscribed: 'own' },
    },
  ],
  [
    'objects, lists, numbers and truth',
    {
      subject: '{{ n }}',
      body: '<p>{{ o }} {{ l }} {{ n }} {{ t }}</p>',
      data: { o: { a: 1 }, l: [1, 2], n: 0, t: false },
    },
  ],
  [
    'values that filters cannot work with',
    {
      subject: '{{ price | round: 2 }} {{ "100%" | url_decode }}',
      body: '<p>{{ "2026-12-01T17:00:00Z" | date: "%H:%M", timezone }} {{ since | date: "%Y" }} {{ 5 | divided_by: zero }}</p>',
      stored: { timezone: 'Berlinn', price: '12,50', since: '<soon>', zero: 0 },
    },
  ],
  [
    'links of a service without a public address',
    { subject: 's', body: '<a href="{{ unsubscribeUrl }}">{{ manageUrl }}out</a>' },
  ],
]

for (const store of [QUICK]) {
  describe(`POST /templates/render and the mail itself on ${store.name}`, () => {
    let test: TestApp
    let sink: SmtpSink
    beforeAll(async () => {
      sink = await startSmtpSink()
      test = await testApp(store, {}, { transports: [toSink(sink)] })
      await test.engine.start()
    })
    atEndOfFile(() => sink.close())

    it.each(CASES)('say the same: %s', async (_what, { subject, body, stored = {}, data, subscribed = true }) => {
      const email = `case${sink.messages.length}@example.org`
      const known = await test.ask('POST', '/contacts', { json: { email, subscribed, data: stored } })
      const preview = await test.ask('POST', '/templates/render', {
        json: { subject, body, data, contactId: known.body.id },
      })
      expect(preview.status).toBe(200)

      const made = await test.ask('POST', '/templates', {
        json: { name: 'T', subject, body, type: 'TRANSACTIONAL', from: 'hello@example.com' },
      })
      const sent = await test.ask('POST', '/v1/send', { json: { to: email, template: made.body.id, data } })
      expect(sent.status).toBe(200)

      const mails = await sink.waitFor(sink.messages.length + 1)
      const mail = await simpleParser(mails.at(-1)?.raw ?? '', { skipHtmlToText: true, skipTextToHtml: true })
      expect(mail.subject).toBe(preview.body.subject)
      expect(asLines(mail.html)).toBe(asLines(preview.body.html))
      expect(asLines(mail.text)).toBe(asLines(preview.body.text))

      const record = await test.ask('GET', `/emails/${sent.body.data.emails[0].email}`)
      const words = { subject: record.body.subject, html: record.body.body, text: record.body.text }
      expect(words).toEqual(preview.body)
    })

    it('warn of filters that cannot do their work, as do the check, the preview of a campaign and the log', async () => {
      const own = await ownProject(test)
      const { body: known } = await own.ask('POST', '/contacts', {
        json: { email: 'zone@example.org', data: { zone: 'Berlinn', secret: 'between us' } },
      })
      const mail = {
        subject: '{{ secret | plus: 1 }}',
        body: '<p>{{ "2026-12-01T17:00:00Z" | date: "%H:%M", zone }}</p>',
      }
      const inUtc = 'the filter date knows no time zone "Berlinn": the time is printed in UTC'
      const asked = { json: { ...mail, contactId: known.id } }
      const { headers } = await own.ask('POST', '/templates/render', asked)
      expect(headers.get('mailwright-warning')).toContain(
        'subject: the filter plus cannot work with "between us": it is not a number.',
      )
      expect(headers.get('mailwright-warning')).toContain(`body: ${inUtc}`)
      const { body: checked } = await own.ask('POST', '/templates/check', {
        json: { ...asked.json, type: 'TRANSACTIONAL', links: false },
      })
      expect(checked.findings).toEqual(
        expect.arrayContaining([
          expect.objectContaining({
            code: 'filter_unable',
            field: 'subject',
            params: { filter: 'plus', value: 'between us' },
          }),
          expect.objectContaining({ code: 'zone_unknown', field: 'body', params: { value: 'Berlinn' } }),
        ]),
      )
      const { body: campaign } = await own.ask('POST', '/campaigns', {
        json: { ...mail, name: 'News', from: 'hello@example.com', audienceType: 'ALL' },
      })
      const { body: previewed } = await own.ask('POST', `/campaigns/${campaign.data.id}/preview`)
      expect(previewed.warnings.map(({ field }: { field: string }) => field)).toEqual(['subject', 'body'])
      // from the thread that sends, and from the one for mail that is heavy
      for (const body of [mail.body, `${mail.body}${'<p>word</p>'.repeat(5_000)}`]) {
        const before = test.lines.length
        await own.ask('POST', '/v1/send', {
          json: { to: 'zone@example.org', from: 'hello@example.com', ...mail, body },
        })
        const logged = () => test.lines.slice(before).filter(({ message }) => message.includes('a filter could not'))
        await until('both are logged', async () => logged().length === 2)
        expect(logged().map(({ fields: { field, filter } }) => `${field} ${filter}`)).toEqual([
          'subject plus',
          'body date',
        ])
        expect(JSON.stringify(logged())).not.toMatch(/between us|Berlinn/)
      }
    })
  })
}

/** A message has CRLF line breaks and ends with one (RFC 5322). */
function asLines(text: string | false | undefined): string {
  return String(text).replace(/\r\n?/g, '\n').replace(/\n+$/, '')
}

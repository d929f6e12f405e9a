import { describe, expect, it } from 'vitest'
import { silentLog, systemClock } from '../../config/library.ts'
import { mailgunApi, postmarkApi, resendApi, sendgridApi } from '../../server/compat/index.ts'
import { type ForeignApiSubject, foreignApiContract } from '../contracts/foreign-api.ts'
import { testApp } from '../support/app.ts'
import { QUICK } from '../support/matrix.ts'

const kit = { log: silentLog, clock: systemClock }

/** Each foreign API that comes with the package, with the request by which its clients send. */
const SUBJECTS: Readonly<Record<string, () => Promise<ForeignApiSubject>>> = {
  resend: async () => ({
    api: (await resendApi().open(kit)).compat,
    keyHeaders: (key) => ({ authorization: `Bearer ${key}` }),
    sends: ({ to, subject, text }) => ({
      method: 'POST',
      path: '/emails',
      body: { from: 'hello@example.com', to: [to], subject, text },
    }),
  }),
  postmark: async () => ({
    api: (await postmarkApi().open(kit)).compat,
    keyHeaders: (key) => ({ 'x-postmark-server-token': key }),
    sends: ({ to, subject: Subject, text: TextBody }) => ({
      method: 'POST',
      path: '/email',
      body: { From: 'hello@example.com', To: to, Subject, TextBody },
    }),
    before: (operation) => (operation === 'listSuppressions' ? { data: [], items: [] } : undefined),
  }),
  sendgrid: async () => ({
    api: (await sendgridApi().open(kit)).compat,
    keyHeaders: (key) => ({ authorization: `Bearer ${key}` }),
    sends: ({ to, subject, text: value }) => ({
      method: 'POST',
      path: '/v3/mail/send',
      body: {
        personalizations: [{ to: [{ email: to }] }],
        from: { email: 'hello@example.com' },
        subject,
        content: [{ type: 'text/plain', value }],
      },
    }),
  }),
  mailgun: async () => ({
    api: (await mailgunApi().open(kit)).compat,
    keyHeaders: (key) => ({ authorization: `Basic ${Buffer.from(`api:${key}`).toString('base64')}` }),
    sends: ({ to, subject, text }) => ({
      method: 'POST',
      path: '/v3/:domain/messages',
      body: Object.entries({ from: 'hello@example.com', to, subject, text }).map(([name, value]) => ({ name, value })),
    }),
  }),
}

for (const [name, setup] of Object.entries(SUBJECTS)) describe(`the API of ${name}`, () => foreignApiContract(setup))

it('is led to a list of what works, whatever is asked of an address that is not there', async () => {
  const test = await testApp(QUICK, {}, { publicUrl: 'https://mail.example.com/post' })
  const ask = async (method: string, path: string) => (await test.ask(method, `/compat/${path}`)).text
  const LISTED = 'https://mail.example.com/post/compat/resend lists what works.'
  // a method that an address has not, one that is absent, and nothing at all
  expect(await ask('PUT', 'resend/emails')).toContain(
    `PUT /emails of Resend is not here; use POST, GET, HEAD, OPTIONS. ${LISTED}`,
  )
  expect(await ask('GET', 'resend/inboxes/help@example.com/agent')).toContain(`work in an inbox. ${LISTED}`)
  expect(await ask('GET', 'resend/emailz')).toContain(`GET /emailz of Resend is not here. ${LISTED}`)
  for (const name of ['resend', 'postmark', 'sendgrid', 'mailgun']) {
    const { status, text, headers } = await test.ask('GET', `/compat/${name}`, { key: null })
    expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8'])
    expect(text).toContain(`at https://mail.example.com/post/compat/${name}:`)
    expect(text).not.toMatch(/undefined|\]\(/)
  }
  expect(await ask('GET', 'resend')).toContain('POST /emails (emails.send, emails.create)\n    works;')
  expect(await ask('GET', 'resend')).toMatch(/\n\S+ \/inboxes\/\S+ \(\S+\)\n {4}not here: /)
  expect(await ask('GET', 'other')).toContain('There is nothing at this path')
})

it('is nowhere with an empty list', async () => {
  const test = await testApp(QUICK, {}, { compat: [] })
  for (const name of ['resend', 'postmark', 'sendgrid', 'mailgun']) {
    expect(await test.ask('GET', `/compat/${name}`)).toMatchObject({
      status: 404,
      text: expect.stringContaining('nothing at this path'),
    })
  }
})

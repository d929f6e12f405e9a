import autocannon from 'autocannon'
import type { Figure } from './figure.ts'
import { startServer } from './server-process.ts'

const IN_FLIGHT = 50
/** Turns are short and many, so that other work of the machine falls on all alike. */
const SECONDS = 1
const TURNS = 16
const SECRET = `sk_${'b'.repeat(48)}`
const HTML = '<h1>Welcome</h1><p>Good to have you.</p>'.repeat(10)
const SUBJECT = 'Welcome'
const FROM = 'hello@example.com'
const TO = 'user-[<id>]@example.org'
const JSON_TYPE = { 'content-type': 'application/json' }
const bearer = { authorization: `Bearer ${SECRET}`, ...JSON_TYPE }

const DUE = new Date(Date.now() + 3_600_000)

const BOUNDARY = 'form-boundary-of-the-bench'

/** The same mail by each API. */
const REQUESTS = [
  {
    name: '/v1/send',
    path: '/v1/send',
    headers: bearer,
    body: JSON.stringify({
      to: TO,
      from: FROM,
      subject: SUBJECT,
      body: HTML,
      together: true,
      placeholders: false,
      scheduledFor: DUE,
    }),
  },
  {
    name: 'Resend',
    path: '/compat/resend/emails',
    headers: bearer,
    body: JSON.stringify({ to: [TO], from: FROM, subject: SUBJECT, html: HTML, scheduled_at: DUE }),
  },
  {
    name: 'SendGrid',
    path: '/compat/sendgrid/v3/mail/send',
    headers: bearer,
    body: JSON.stringify({
      personalizations: [{ to: [{ email: TO }] }],
      from: { email: FROM },
      subject: SUBJECT,
      content: [{ type: 'text/html', value: HTML }],
      send_at: Math.floor(DUE.getTime() / 1000),
    }),
  },
  {
    name: 'Mailgun',
    path: '/compat/mailgun/v3/example.com/messages',
    headers: {
      authorization: `Basic ${Buffer.from(`api:${SECRET}`).toString('base64')}`,
      'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
    },
    // as mailgun.js writes it
    body: `${Object.entries({ to: TO, from: FROM, subject: SUBJECT, html: HTML, 'o:deliverytime': DUE.toUTCString() })
      .map(([name, value]) => `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`)
      .join('')}--${BOUNDARY}--\r\n`,
  },
]

/**
 * Durable accepts per second of the same mail by `/v1/send` and by the API of each other service, in one run against one
 * server, by turns: the speed of a machine changes within minutes. The mails are due in an hour, so that nothing is sent
 * meanwhile; Postmark's API has no such time, and is not measured.
 */
export async function measureCompat(): Promise<readonly Figure[]> {
  const server = await startServer({
    config: {
      projects: [{ name: 'Bench', secretKey: SECRET, trustedDomains: ['example.com'] }],
      limits: { requestsPerMinute: 10_000_000 },
    },
  })
  try {
    const accepted = new Map<string, number>()
    // each is first as often as the others: the database grows meanwhile
    for (let turn = 0; turn < TURNS; turn++) {
      const first = turn % REQUESTS.length
      for (const { name, path, headers, body } of [...REQUESTS.slice(first), ...REQUESTS.slice(0, first)]) {
        const result = await autocannon({
          url: server.url + path,
          method: 'POST',
          connections: IN_FLIGHT,
          duration: SECONDS,
          idReplacement: true,
          headers,
          body,
        })
        const { non2xx, errors } = result
        if (non2xx > 0 || errors > 0) throw new Error(`${name}: ${non2xx} requests were refused, ${errors} failed`)
        accepted.set(name, (accepted.get(name) ?? 0) + result['2xx'] / result.duration / TURNS)
      }
    }
    return [...accepted].map(([name, value]) => ({ what: whatOf(name), value, unit: '/s' }))
  } finally {
    await server.stop({ remove: true })
  }
}

function whatOf(name: string): string {
  return name === '/v1/send' ? 'accepts of a plain mail, /v1/send' : `accepts of a plain mail, as ${name} takes it`
}

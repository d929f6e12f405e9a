import autocannon from 'autocannon'
import { cpuSeconds } from './campaign-run.ts'
import type { Figure } from './figure.ts'
import { startServer } from './server-process.ts'

const IN_FLIGHT = 50
/** Turns are short and many, so that other work of the machine falls on all alike. */
const MAILS = 3000
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
 * Durable accepts per second of the same mail by `/v1/send` and by the API of each other service, and their processor time,
 * in one run against one server, by turns: the speed of a machine changes within minutes. The mails are due in an hour, so
 * that nothing is sent meanwhile; Postmark's API has no such time, and is not measured.
 */
export async function measureCompat(): Promise<readonly Figure[]> {
  const server = await startServer({
    config: {
      projects: [{ name: 'Bench', secretKey: SECRET, trustedDomains: ['example.com'] }],
      limits: { requestsPerMinute: 10_000_000 },
    },
  })
  try {
    const turns = new Map<string, { readonly perSecond: number; readonly micros: number }[]>()
    // each is first as often as the others, since the database grows meanwhile, and comes after each, since what one leaves
    // to be done falls on the next; the first round only warms up
    for (let turn = -1; turn < TURNS; turn++) {
      const first = (turn + 1) % REQUESTS.length
      const rotated = [...REQUESTS.slice(first), ...REQUESTS.slice(0, first)]
      for (const { name, path, headers, body } of turn % 8 < 4 ? rotated : rotated.toReversed()) {
        const cpu = cpuSeconds(server.pid)
        const result = await autocannon({
          url: server.url + path,
          method: 'POST',
          connections: IN_FLIGHT,
          amount: MAILS,
          idReplacement: true,
          headers,
          body,
        })
        const { non2xx, errors } = result
        if (non2xx > 0 || errors > 0) throw new Error(`${name}: ${non2xx} requests were refused, ${errors} failed`)
        const micros = ((cpuSeconds(server.pid) - cpu) * 1e6) / MAILS
        const took = { perSecond: MAILS / ((result.finish.getTime() - result.start.getTime()) / 1000), micros }
        if (turn >= 0) turns.set(name, [...(turns.get(name) ?? []), took])
      }
    }
    return [...turns].flatMap(([name, all]) => {
      const what =
        name === '/v1/send' ? 'accepts of a plain mail, /v1/send' : `accepts of a plain mail, as ${name} takes it`
      return [
        { what, value: median(all.map(({ perSecond }) => perSecond)), unit: '/s' },
        { what: `processor time of ${what}`, value: median(all.map(({ micros }) => micros)), unit: 'µs' },
      ]
    })
  } finally {
    await server.stop({ remove: true })
  }
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return ((sorted[Math.floor((sorted.length - 1) / 2)] ?? 0) + (sorted[Math.ceil((sorted.length - 1) / 2)] ?? 0)) / 2
}

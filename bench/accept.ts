import autocannon from 'autocannon'
import { startPostgres } from '../test/support/postgres.ts'
import type { Figure } from './figure.ts'
import { sampleData } from './sample-mail.ts'
import { startServer } from './server-process.ts'

const IN_FLIGHT = 50
const SECONDS = 8
const SECRET = `sk_${'b'.repeat(48)}`

/**
 * Durable accepts per second of `POST /v1/send` over HTTP against the real server process. Each request makes a new
 * contact and an e-mail record, and is answered after its commit (`synchronous=FULL`). The mails are due in an hour, so
 * that nothing is sent meanwhile.
 */
export function measureAccepts(): Promise<readonly Figure[]> {
  return acceptsOf({}, [], 'SQLite FULL')
}

/** The same on PostgreSQL (`fsync` on, on the same machine). */
export async function measureAcceptsPostgres(): Promise<readonly Figure[]> {
  const postgres = await startPostgres({ own: true, durable: true })
  try {
    const store = { use: 'postgres', options: { url: await postgres.database() } }
    return await acceptsOf({ store }, ['--role', 'api'], 'PostgreSQL')
  } finally {
    await postgres.stop()
  }
}

async function acceptsOf(config: object, args: readonly string[], what: string): Promise<readonly Figure[]> {
  const server = await startServer({
    args,
    config: {
      ...config,
      projects: [{ name: 'Bench', secretKey: SECRET, trustedDomains: ['example.com'] }],
      limits: { requestsPerMinute: 10_000_000 },
    },
  })
  try {
    const result = await autocannon({
      url: `${server.url}/v1/send`,
      method: 'POST',
      connections: IN_FLIGHT,
      duration: SECONDS,
      idReplacement: true,
      headers: { authorization: `Bearer ${SECRET}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        to: 'user-[<id>]@example.org',
        from: 'hello@example.com',
        subject: 'Welcome {{ firstName }}',
        body: '<h1>Welcome</h1><p>Good to have you, {{ firstName }}.</p>'.repeat(10),
        data: sampleData(1),
        scheduledFor: new Date(Date.now() + 3_600_000).toISOString(),
      }),
    })
    if (result.non2xx > 0 || result.errors > 0)
      throw new Error(`${result.non2xx} requests were refused, ${result.errors} failed`)
    return [
      {
        what: `durable accepts of /v1/send, ${what}`,
        value: result['2xx'] / result.duration,
        unit: '/s',
        note: `${IN_FLIGHT} in flight over HTTP`,
      },
      { what: `latency of an accept, median, ${what}`, value: result.latency.p50, unit: 'ms' },
      { what: `latency of an accept, 99th percentile, ${what}`, value: result.latency.p99, unit: 'ms' },
    ]
  } finally {
    await server.stop({ remove: true })
  }
}

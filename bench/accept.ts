import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import autocannon from 'autocannon'
import { startPostgres } from '../test/support/postgres.ts'
import type { Figure } from './figure.ts'
import { sampleData } from './sample-mail.ts'
import { freePort, startServer, untilLive } from './server-process.ts'

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

/** The least that an accept could be, for comparison: see `bare-accept.ts`. */
export async function measureBareAccepts(): Promise<readonly Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'mailwright-bench-'))
  const port = await freePort()
  const program = fileURLToPath(new URL('./bare-accept.js', import.meta.url))
  const child = spawn(process.execPath, [program, String(port), join(folder, 'bare.db')], { stdio: 'inherit' })
  const ended = once(child, 'exit')
  try {
    await untilLive(`http://127.0.0.1:${port}`, child)
    return await askAll(`http://127.0.0.1:${port}`, 'the bare path')
  } finally {
    child.kill('SIGKILL')
    await ended
    rmSync(folder, { recursive: true, force: true })
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
    return await askAll(server.url, what)
  } finally {
    await server.stop({ remove: true })
  }
}

/** Sends for some seconds. Throws when a request fails. */
async function askAll(url: string, what: string): Promise<readonly Figure[]> {
  const result = await autocannon({
    url: `${url}/v1/send`,
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
}

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { onTestFailed, onTestFinished } from 'vitest'
import type { Role } from '../../core/settings/role.ts'
import { type ServerProcess, startServerProcess } from '../support/server-process.ts'
import { type SmtpSink, startSmtpSink } from '../support/smtp-sink.ts'
import { until } from '../support/until.ts'

/** Connections each worker has to the sink: so many mails may be in flight when it dies. */
export const CONNECTIONS = 5

/** The key of the project of all processes. */
export const SECRET = `sk_${'f'.repeat(48)}`

/** Server processes on one PostgreSQL database, and the SMTP server they all send to; gone when the test ends. */
export interface Fleet {
  readonly sink: SmtpSink
  /** Starts one more process; `way`: where it finds the database, when not where the others do; `more`: of its config. */
  start(role: Role, way?: string, more?: object): Promise<ServerProcess>
  /** How many mails of the ledger are where. */
  ledger(): Promise<{ readonly waiting: number; readonly sending: number; readonly sent: number }>
}

/** `port`: of the server the mail goes to, when it is not the sink. */
export async function makeFleet(url: string, delivery: object = { sendTimeout: 3 }, port?: number): Promise<Fleet> {
  const sink = await startSmtpSink()
  onTestFinished(() => sink.close())
  return {
    sink,
    async start(role, way = url, more = {}) {
      const folder = mkdtempSync(join(tmpdir(), 'mailwright-fleet-'))
      onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
      const server = await startServerProcess(folder, { ...configFor(way, port ?? sink.port, delivery), ...more }, [
        '--role',
        role,
      ])
      onTestFailed(() => console.error(`What the ${role} process printed:\n${server.output()}`))
      onTestFinished(() => (hasEnded(server) ? undefined : server.kill()))
      return server
    },
    async ledger() {
      const client = new Client({ connectionString: url })
      await client.connect()
      const { rows } = await client.query(LEDGER)
      await client.end()
      return rows[0]
    },
  }
}

const LEDGER = `select count(*) filter (where status = 'QUEUED')::int as waiting,
  count(*) filter (where status = 'SENDING')::int as sending,
  count(*) filter (where status in ('SENT', 'DELIVERED'))::int as sent from emails`

export interface Answer {
  readonly status: number
  readonly retryAfter: string | null
}

/** Sends one mail to this address; undefined when the server cannot be reached. */
export async function send({ url }: ServerProcess, to: string): Promise<Answer | undefined> {
  try {
    const response = await fetch(`${url}/v1/send`, {
      method: 'POST',
      headers: { authorization: `Bearer ${SECRET}`, 'content-type': 'application/json' },
      body: JSON.stringify({ to, from: 'hello@example.com', subject: 'Hi', body: `<p>${to}</p>` }),
    })
    await response.arrayBuffer()
    return { status: response.status, retryAfter: response.headers.get('retry-after') }
  } catch {
    return undefined
  }
}

/** Sends `count` mails, 20 at a time, and answers the addresses that were accepted. */
export async function sendMany(server: ServerProcess, count: number): Promise<string[]> {
  const accepted: string[] = []
  let next = 0
  const sender = async () => {
    while (next < count) {
      const to = `user${next++}@example.org`
      if ((await send(server, to))?.status === 200) accepted.push(to)
    }
  }
  await Promise.all(Array.from({ length: 20 }, sender))
  return accepted
}

/** Waits until every one of these addresses has its mail. */
export async function allArrive(sink: SmtpSink, addresses: readonly string[], withinMs: number): Promise<void> {
  const missing = () => {
    const arrived = new Set(sink.messages.flatMap(({ to }) => to))
    return addresses.filter((address) => !arrived.has(address))
  }
  await until('all have arrived', () => missing().length === 0, withinMs).catch((error: Error) => {
    throw new Error(`${error.message}; ${missing().length} are missing: ${missing().slice(0, 5).join(', ')} …`)
  })
}

/** How many mails came more than once, and how many addresses got different Message-IDs. */
export function repeats(sink: SmtpSink): { readonly mails: number; readonly withOtherIds: number } {
  const copies = new Map<string, string[]>()
  for (const { to, raw } of sink.messages) {
    const messageId = /^Message-ID: (.*)$/im.exec(raw.toString('latin1'))?.[1] ?? ''
    copies.set(to.join(), [...(copies.get(to.join()) ?? []), messageId])
  }
  const all = [...copies.values()]
  return {
    mails: all.reduce((sum, ids) => sum + ids.length - 1, 0),
    withOtherIds: all.filter((ids) => new Set(ids).size > 1).length,
  }
}

/** Leases are short unless the test says otherwise, so that it need not wait long for what a dead worker held. */
function configFor(url: string, port: number, delivery: object): object {
  const options = { host: '127.0.0.1', port, maxConnections: CONNECTIONS, tls: { rejectUnauthorized: false } }
  return {
    store: { use: 'postgres', options: { url } },
    projects: [{ name: 'Fleet', secretKey: SECRET, trustedDomains: ['example.com'] }],
    limits: { requestsPerMinute: 1_000_000 },
    delivery: { threads: 1, ...delivery },
    transports: [{ use: 'smtp', options }],
    log: { level: 'info', format: 'json' },
  }
}

function hasEnded({ child }: ServerProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null
}

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { startPostgres } from '../test/support/postgres.ts'
import { freePort } from '../test/support/server-process.ts'
import type { Figure } from './figure.ts'
import { startServer } from './server-process.ts'
import { sendBySmtp } from './smtp-load.ts'
import { untilAnswered } from './smtp-sink.ts'

const CONNECTIONS = 50
const BYTES = 5_000
const SECRET = `sk_${'b'.repeat(48)}`
/** All messages are to the address of an inbox, and so are filed into threads and indexed. */
const INTO_INBOX = 'SQLite FULL into an inbox'
const NOTE = `${BYTES / 1000} KB, ${CONNECTIONS} connections`

/**
 * How fast mail is received durably, with its content read afterwards; and for comparison, the same load on the bare
 * SMTP library, which discards it.
 */
export async function measureInbound(messages: number): Promise<readonly Figure[]> {
  const bare = await bareRate(messages)
  const reference = { what: 'reference: smtp-server that discards', value: bare, unit: 'messages/s', note: NOTE }
  const alone = await inboundOf({}, messages, 'SQLite FULL', bare)
  return [reference, ...alone, ...(await inboundOf({}, messages, INTO_INBOX, bare))]
}

/** The same on PostgreSQL (`fsync` on, on the same machine). */
export async function measureInboundPostgres(messages: number): Promise<readonly Figure[]> {
  const postgres = await startPostgres({ own: true, durable: true })
  try {
    const store = { use: 'postgres', options: { url: await postgres.database() } }
    return await inboundOf({ store }, messages, 'PostgreSQL', await bareRate(messages))
  } finally {
    await postgres.stop()
  }
}

async function bareRate(messages: number): Promise<number> {
  const port = await freePort()
  const file = fileURLToPath(new URL('./bare-smtp.js', import.meta.url))
  const child = spawn(process.execPath, [file, String(port)], { stdio: ['ignore', 'ignore', 'inherit'] })
  try {
    await untilAnswered(port)
    await send(port, messages / 10)
    return await send(port, messages)
  } finally {
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
}

async function inboundOf(config: object, messages: number, on: string, bare: number): Promise<readonly Figure[]> {
  const port = await freePort()
  const server = await startServer({
    config: {
      ...config,
      projects: [{ name: 'Bench', secretKey: SECRET, trustedDomains: ['example.com'] }],
      limits: { requestsPerMinute: 1_000_000 },
      // looks up no names outside this machine
      dns: { servers: ['127.0.0.1:9'] },
      inbound: [{ use: 'smtp-server', options: { host: '127.0.0.1', port, maxConnectionsPerAddress: CONNECTIONS } }],
    },
  })
  try {
    if (on === INTO_INBOX) await makeInbox(server.url)
    await untilAnswered(port)
    await send(port, messages / 10)
    const begun = performance.now()
    const rate = await send(port, messages)
    for (const wanted = messages + messages / 10; (await received(server.url)) < wanted; ) await pause(200)
    const read = (messages / (performance.now() - begun)) * 1000
    return [
      { what: `received by SMTP and stored, ${on}`, value: rate, unit: 'messages/s', note: NOTE },
      { what: `received by SMTP, ${on} / smtp-server that discards`, value: rate / bare, unit: 'times' },
      { what: `received, read and made known, ${on}`, value: read, unit: 'messages/s' },
    ]
  } finally {
    await server.stop({ remove: true })
  }
}

async function makeInbox(url: string): Promise<void> {
  const headers = { authorization: `Bearer ${SECRET}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ name: 'Help', address: 'help@example.com' })
  const { status } = await fetch(`${url}/inboxes`, { method: 'POST', headers, body })
  if (status !== 201) throw new Error(`the inbox was not made: ${status}`)
}

function send(port: number, messages: number): Promise<number> {
  return sendBySmtp({ port, to: 'help@example.com', messages, bytes: BYTES, connections: CONNECTIONS })
}

async function received(url: string): Promise<number> {
  const headers = { authorization: `Bearer ${SECRET}` }
  const response = await fetch(`${url}/emails?status=RECEIVED&limit=1`, { headers })
  const { total } = (await response.json()) as { total: number }
  return total
}

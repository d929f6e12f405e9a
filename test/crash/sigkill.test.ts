import { randomInt } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { startPostgres } from '../support/postgres.ts'
import { type ServerProcess, startServerProcess } from '../support/server-process.ts'
import { type SmtpSink, startSmtpSink } from '../support/smtp-sink.ts'
import { until } from '../support/until.ts'

const SECRET = `sk_${'c'.repeat(48)}`
const CONNECTIONS = 5
/** So many in the last life, and some before each kill. */
const MAILS = 200
/** How many messages are in a batch, which is stored as a whole or not at all. */
const BATCH = 20
/** `npm run kills -- 200` sets it. */
const KILLS = Number(process.env.KILLS ?? 2)
/** `test/faults/worker-dies.test.ts` has one of several workers on PostgreSQL; kills in a row are tried on both. */
const STORES = process.env.KILLS === undefined ? ['SQLite'] : ['SQLite', 'PostgreSQL']
const LONG = 60_000

let sink: SmtpSink
let server: ServerProcess | undefined
let folder: string

afterEach(async () => {
  await server?.kill()
  await sink.close()
  rmSync(folder, { recursive: true, force: true })
})

describe.each(STORES)('a process on %s killed with SIGKILL while mail is accepted and sent', (name) => {
  it(
    'loses nothing it answered 2xx and repeats at most one mail per connection, with the same Message-ID',
    async () => {
      sink = await startSmtpSink()
      folder = mkdtempSync(join(tmpdir(), 'mailwright-crash-'))
      const postgres = name === 'PostgreSQL' ? await startPostgres() : undefined
      const url = await postgres?.database()
      const config = {
        ...(url === undefined ? {} : { store: { use: 'postgres', options: { url } } }),
        projects: [{ name: 'Crash', secretKey: SECRET, trustedDomains: ['example.com'] }],
        limits: { requestsPerMinute: 1_000_000 },
        transports: [
          {
            use: 'smtp',
            options: {
              host: '127.0.0.1',
              port: sink.port,
              maxConnections: CONNECTIONS,
              tls: { rejectUnauthorized: false },
            },
          },
        ],
        log: { level: 'warn' },
        delivery: { threads: 1 },
      }
      const accepted = new Set<string>()
      let next = 0
      for (let life = 0; life <= KILLS; life++) {
        server = await startServerProcess(folder, config)
        const { url } = server
        const before = accepted.size
        let isAlive = true
        const senders = Array.from({ length: 20 }, async (_, place) => {
          while (isAlive && accepted.size < before + MAILS) {
            const name = `user${next++}`
            const to =
              place < 2 ? Array.from({ length: BATCH }, (_, i) => `${name}-${i}@example.org`) : [`${name}@example.org`]
            if (await isAccepted(url, to)) for (const address of to) accepted.add(address)
          }
        })
        if (life < KILLS) {
          // into the middle of it: while mails are accepted, and in every second life also while they are sent
          const aim = before + randomInt(MAILS / 4, MAILS / 2)
          const sent = life % 2 === 0 ? 0 : sink.messages.length + randomInt(1, MAILS / 4)
          await until(
            'so many are accepted and sent',
            () => accepted.size >= aim && accepted.size > sink.messages.length && sink.messages.length >= sent,
            LONG,
            2,
          )
          isAlive = false
          await server.kill()
        }
        await Promise.all(senders)
      }
      await everyMailArrived(accepted)
      await server?.stop()

      const copies = new Map<string, Set<string>>()
      let repeats = 0
      for (const { to, raw } of sink.messages) {
        const [address = ''] = to
        const messageId = /^Message-ID: (.*)$/im.exec(raw.toString('latin1'))?.[1] ?? ''
        const known = copies.get(address)
        if (known) repeats++
        copies.set(address, (known ?? new Set()).add(messageId))
      }
      expect([...accepted].filter((address) => !copies.has(address))).toEqual([])
      expect([...copies.values()].filter((ids) => ids.size > 1)).toEqual([])
      const batches = Map.groupBy(
        [...copies.keys()].filter((to) => to.includes('-')),
        (to) => to.split('-', 1)[0],
      )
      expect(batches.size).toBeGreaterThan(0)
      expect([...batches].filter(([, all]) => all.length !== BATCH)).toEqual([])
      expect(repeats).toBeLessThanOrEqual(KILLS * CONNECTIONS)
      if (process.env.KILLS !== undefined) {
        console.log(`${name}: ${KILLS} kills, ${accepted.size} mails accepted, 0 lost, ${repeats} sent twice`)
      }
    },
    180_000 + KILLS * 15_000,
  )
})

async function isAccepted(url: string, to: readonly string[]): Promise<boolean> {
  try {
    const mail = { from: 'hello@example.com', subject: 'Hi' }
    const messages = to.map((each) => ({ ...mail, to: each, body: `<p>${each}</p>` }))
    const isBatch = messages.length > 1
    const response = await fetch(`${url}/v1/send${isBatch ? '/batch' : ''}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${SECRET}`, 'content-type': 'application/json' },
      body: JSON.stringify(isBatch ? { messages } : messages[0]),
    })
    await response.arrayBuffer()
    return response.status === 200
  } catch {
    return false
  }
}

async function everyMailArrived(accepted: ReadonlySet<string>): Promise<void> {
  const deadline = performance.now() + 90_000
  const missing = () => {
    const arrived = new Set(sink.messages.map(({ to }) => to[0]))
    return [...accepted].filter((address) => !arrived.has(address))
  }
  while (missing().length > 0) {
    if (performance.now() > deadline) throw new Error(`lost: ${missing().slice(0, 10).join(', ')} …`)
    await pause(100)
  }
}

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
const LONG = 60_000
/** With rules: how many mails the first next hop takes in the month, and after how many lives the second falls or comes back. */
const QUOTA = KILLS * 5
const FALLS_AFTER = 2
/**
 * `test/faults/worker-dies.test.ts` has one of several workers on PostgreSQL, `test/nightly/routing.test.ts` rules and quotas
 * of several processes; kills in a row are tried with all.
 */
const CASES =
  process.env.KILLS === undefined
    ? [{ name: 'SQLite', hops: ['only'] }]
    : [['only'], ['first', 'second', 'third']].flatMap((hops) => [
        { name: 'SQLite', hops },
        { name: 'PostgreSQL', hops },
      ])

let sinks: readonly SmtpSink[]
let server: ServerProcess | undefined
let folder: string

afterEach(async () => {
  await server?.kill()
  for (const sink of sinks) await sink.close()
  rmSync(folder, { recursive: true, force: true })
})

const received = () => sinks.flatMap(({ messages }) => messages)

describe.each(
  CASES,
)('a process on $name with the next hops $hops, killed with SIGKILL while mail is accepted and sent', ({
  name,
  hops,
}) => {
  it(
    'loses nothing it answered 2xx and repeats at most one mail per connection, with the same Message-ID',
    async () => {
      let life = 0
      const isFallen = () => life % (2 * FALLS_AFTER) >= FALLS_AFTER && life < KILLS
      const judge = () => (isFallen() ? { code: 421, message: '4.3.2 shutting down' } : undefined)
      sinks = await Promise.all(hops.map((hop) => startSmtpSink(hop === 'second' ? { judge } : {})))
      folder = mkdtempSync(join(tmpdir(), 'mailwright-crash-'))
      const postgres = name === 'PostgreSQL' ? await startPostgres() : undefined
      const url = await postgres?.database()
      const config = {
        ...(url === undefined ? {} : { store: { use: 'postgres', options: { url } } }),
        projects: [{ name: 'Crash', secretKey: SECRET, trustedDomains: ['example.com'] }],
        limits: { requestsPerMinute: 1_000_000 },
        transports: sinks.map(({ port }, at) => ({
          name: hops[at],
          use: 'smtp',
          options: { host: '127.0.0.1', port, maxConnections: CONNECTIONS, tls: { rejectUnauthorized: false } },
        })),
        log: { level: 'warn' },
        delivery: { threads: 1, ...(hops.length > 1 ? RULES : {}) },
      }
      const accepted = new Set<string>()
      let next = 0
      for (; life <= KILLS; life++) {
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
          const sent = life % 2 === 0 ? 0 : received().length + randomInt(1, MAILS / 4)
          await until(
            'so many are accepted and sent',
            () => {
              const { length } = received()
              return accepted.size >= aim && accepted.size > length && length >= sent
            },
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
      for (const { to, raw } of received()) {
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
      expect(repeats).toBeLessThanOrEqual(KILLS * CONNECTIONS * hops.length)
      if (hops.length > 1) {
        const [first, ...others] = sinks.map(({ messages }) => messages.length)
        // it was never exceeded, and used up but for what was counted when a process was killed: mail in flight, and the few it had taken
        expect(first).toBeLessThanOrEqual(QUOTA)
        expect(first).toBeGreaterThan(QUOTA / 3)
        for (const each of others) expect(each).toBeGreaterThan(0)
      }
      if (process.env.KILLS !== undefined) {
        const through = hops.map((hop, at) => `${hop} ${sinks[at]?.messages.length}`).join(', ')
        console.log(
          `${name}: ${KILLS} kills, ${accepted.size} mails accepted, 0 lost, ${repeats} sent twice; ${through}`,
        )
      }
    },
    180_000 + KILLS * 15_000,
  )
})

/** Half of the mail goes by a ramp. Mail above the quota of the first goes to the third, and so does mail while the second is away. */
const RULES = {
  routes: [
    {
      name: 'all',
      when: { class: 'transactional' },
      to: 'first',
      ramp: { to: 'second', from: '2026-01-01', start: 50, add: 0 },
      fallback: 'third',
    },
  ],
  throttle: { transports: { first: { quota: { month: QUOTA, keep: 0 } } } },
}

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
  // those that a process was sending when it was killed for the second time are sent one by one, since one may have killed it
  const deadline = performance.now() + 90_000 + KILLS * 5_000
  const missing = () => {
    const arrived = new Set(received().map(({ to }) => to[0]))
    return [...accepted].filter((address) => !arrived.has(address))
  }
  while (missing().length > 0) {
    if (performance.now() > deadline) throw new Error(`lost: ${missing().slice(0, 10).join(', ')} …`)
    await pause(100)
  }
}

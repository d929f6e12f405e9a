import { createTransport } from 'nodemailer'
import { Client } from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { startDnsServer } from '../support/dns-server.ts'
import { freshDatabase } from '../support/fresh-database.ts'
import { freePort } from '../support/server-process.ts'
import { startSlowSmtp } from '../support/slow-smtp.ts'
import { until } from '../support/until.ts'
import { allArrive, CONNECTIONS, makeFleet, repeats, send, sendMany } from './fleet.ts'

const MAILS = 500
/** The settings as they come: a try may take eleven minutes, and a lease lasts fifteen. */
const AS_IT_COMES = {}
const LONG = 60_000
/** How soon the work of a process that ended on the same machine is taken up. */
const SOON = 10_000

it('of two workers one is killed: within seconds the other has sent everything, and repeated at most one mail per connection, with the same Message-ID', async () => {
  const fleet = await makeFleet(await freshDatabase(), AS_IT_COMES)
  // The first worker is the one that runs the schedule: recovery has to move to the other.
  const dies = await fleet.start('worker')
  await until('it is ready', () => dies.output().includes('Mailwright is ready'), LONG)
  const stays = await fleet.start('all')
  const sent = sendMany(stays, MAILS)
  await fleet.sink.waitFor(MAILS / 4, 60)
  await dies.kill()
  const killed = performance.now()
  const accepted = await sent
  expect(accepted).toHaveLength(MAILS)
  // Else it did not die in the middle of it.
  expect((await fleet.ledger()).sending).toBeGreaterThan(0)

  // as soon as it is taken up, and what else waits is sent
  await allArrive(fleet.sink, accepted, 2 * SOON - (performance.now() - killed))
  const repeated = repeats(fleet.sink)
  expect(repeated.withOtherIds).toBe(0)
  expect(repeated.mails).toBeLessThanOrEqual(CONNECTIONS)
  await expect.poll(() => fleet.ledger(), { timeout: LONG }).toEqual({ waiting: 0, sending: 0, sent: MAILS })
}, 240_000)

it('kills that follow each other: whoever comes next sends within seconds what the killed one was sending, and reads what it had answered 250', async () => {
  const slow = await startSlowSmtp()
  const dns = await startDnsServer({})
  onTestFinished(() => dns.close())
  const url = await freshDatabase()
  const fleet = await makeFleet(url, AS_IT_COMES, slow.port)
  const port = await freePort()
  const more = {
    inbound: [{ use: 'smtp-server', options: { host: '127.0.0.1', port, hostname: 'mx.example.com' } }],
    dns: { use: 'node', options: { servers: [dns.address] } },
  }
  const db = new Client({ connectionString: url })
  await db.connect()
  onTestFinished(() => db.end())
  const count = async (what: string) => (await db.query(`select count(*)::int as count from ${what}`)).rows[0].count

  let server = await fleet.start('all', url, more)
  await send(server, 'held@example.org')
  for (let life = 1; life <= 3; life++) {
    await until(
      `it is sent ${life} times`,
      () => slow.events.filter((event) => event.startsWith('message')).length === life,
      SOON,
    )
    const before = await count("emails where status = 'RECEIVED'")
    const transport = createTransport({ host: '127.0.0.1', port, ignoreTLS: true, pool: true, maxConnections: 20 })
    const envelope = { from: 'pat@friend.example', to: ['help@example.com'] }
    const raw = 'From: pat@friend.example\r\nSubject: n\r\n\r\nx\r\n'
    await Promise.all(Array.from({ length: 50 }, () => transport.sendMail({ envelope, raw })))
    await server.kill()
    transport.close()
    // else nothing was at stake
    expect(await count('inbound_messages where lease_token is not null')).toBeGreaterThan(0)
    server = await fleet.start('all', url, more)
    await expect.poll(() => count('inbound_messages'), { timeout: SOON }).toBe(0)
    expect(await count("emails where status = 'RECEIVED'")).toBe(before + 50)
  }
}, 120_000)

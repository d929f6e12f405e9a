import { cpus } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { Client } from 'pg'
import { CONNECTIONS, campaignSent, cpuSeconds, startCampaignServer, writeCampaign } from './campaign-run.ts'
import type { Figure } from './figure.ts'
import { asked, onCountedPostgres, postmaster, STATEMENTS, treeSeconds } from './postgres-counts.ts'
import { SINK_PORT } from './references.ts'
import { startSmtpSink } from './smtp-sink.ts'

/** How many workers share the mail. */
const WORKERS = [1, 2, 4]
/** How often it looks for statements that wait, in milliseconds. */
const LOOK_MS = 5

/**
 * The same campaign by one, two and four processes on one database, each held to a core, and what they cost each other: how long
 * their statements wait for locks of each other, for each mail. With fewer cores than processes, several share one, and
 * with PostgreSQL and the sink; then a lock is held longer than it would be, so the waiting is an upper bound.
 */
export async function measureWorkers(recipients: number): Promise<readonly Figure[]> {
  const figures: Figure[] = []
  for (const workers of WORKERS)
    figures.push(...(await onCountedPostgres(recipients, (url) => campaignBy(workers, url, recipients))))
  return figures
}

async function campaignBy(workers: number, url: string, recipients: number): Promise<readonly Figure[]> {
  const sink = await startSmtpSink(SINK_PORT)
  const store = { use: 'postgres', options: { url } }
  const start = (place: number) => {
    const args = place === 0 ? [] : ['--role', 'worker']
    return startCampaignServer(store, sink.port, { core: place % cpus().length, args })
  }
  // the first also takes the requests, and makes the tables
  const first = await start(0)
  const all = [first, ...(await Promise.all(Array.from({ length: workers - 1 }, (_, i) => start(i + 1))))]
  const { client } = first
  try {
    const id = await writeCampaign(client)
    const root = await postmaster(url)
    const ours = () => all.reduce((sum, { server }) => sum + cpuSeconds(server.pid), 0)
    await asked(url, 'select pg_stat_statements_reset()')
    const before = { ours: ours(), theirs: treeSeconds(root), at: performance.now() }
    await client.ask('POST', `/campaigns/${id}/send`)
    const waits = await waitsUntil(url, campaignSent(client, id))
    const seconds = (performance.now() - before.at) / 1000
    const used = { ours: ours() - before.ours, theirs: treeSeconds(root) - before.theirs }
    const statements = (await asked(url, STATEMENTS)).reduce((sum, { ms }) => sum + Number(ms), 0)
    const { delivered } = await client.json<{ delivered: number }>('GET', `/campaigns/${id}/stats`)
    if (delivered !== recipients) throw new Error(`${delivered} of ${recipients} mails were delivered`)
    const each = (ofAll: number) => (ofAll / recipients) * 1e6
    const waited = [...waits].toSorted(([, a], [, b]) => b - a)
    const inAll = waited.reduce((sum, [, time]) => sum + time, 0)
    const said = waited.slice(0, 3).map(([what, time]) => `${what} ${each(time).toFixed(1)}`)
    const what = `campaign to ${recipients.toLocaleString('en')}, PostgreSQL, ${workers} worker${workers === 1 ? '' : 's'}`
    return [
      {
        what,
        value: recipients / seconds,
        unit: 'mails/s',
        note: `${cpus().length} cores, ${CONNECTIONS} connections each`,
      },
      { what: `${what}: CPU of the workers for each mail`, value: each(used.ours), unit: 'µs' },
      { what: `${what}: CPU of PostgreSQL for each mail`, value: each(used.theirs), unit: 'µs' },
      { what: `${what}: time in statements for each mail`, value: each(statements / 1000), unit: 'µs' },
      { what: `${what}: waiting for each other for each mail`, value: each(inAll), unit: 'µs', note: said.join(', ') },
      {
        what: `${what}: of the time of a mail`,
        value: (100 * inAll) / (used.ours + statements / 1000),
        unit: '%',
        note: "the worker's processor and the statements",
      },
    ]
  } finally {
    await Promise.all(all.map(({ server }) => server.stop({ remove: true })))
    await sink.close()
  }
}

/**
 * Looks again and again, until `end`, for statements that wait for a lock: of a row, a table or a transaction, or one within
 * PostgreSQL. Answers for how many seconds they waited in all, by the kind of lock.
 */
async function waitsUntil(url: string, end: Promise<void>): Promise<ReadonlyMap<string, number>> {
  const waits = new Map<string, number>()
  const client = new Client({ connectionString: url })
  await client.connect()
  let ended = false
  const ending = end.finally(() => {
    ended = true
  })
  for (let last = performance.now(); !ended; ) {
    const { rows } = await client.query({ name: 'waits', text: WAITS })
    const now = performance.now()
    for (const { what, count } of rows) waits.set(what, (waits.get(what) ?? 0) + (Number(count) * (now - last)) / 1000)
    last = now
    await pause(LOOK_MS)
  }
  await client.end()
  await ending
  return waits
}

/** Without the lock that is held while the log is written: a wait for it is one for the disk, and shares a commit. */
const WAITS = `select "wait_event_type" || ' ' || "wait_event" as "what", count(*) as "count" from pg_stat_activity
  where "datname" = current_database() and "state" = 'active' and "wait_event_type" in ('Lock', 'LWLock', 'BufferPin')
  and "wait_event" <> 'WALWrite' group by 1`

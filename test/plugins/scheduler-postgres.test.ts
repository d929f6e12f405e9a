import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { Client } from 'pg'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Log } from '../../core/ports/log.ts'
import type { Scheduler } from '../../core/ports/scheduler.ts'
import { postgresScheduler } from '../../plugins/scheduler-postgres/index.ts'
import { schedulerContract } from '../contracts/scheduler.ts'
import { compiled } from '../support/compiled.ts'
import { freshDatabase } from '../support/fresh-database.ts'
import { freePort } from '../support/server-process.ts'
import { until } from '../support/until.ts'

let url: string
beforeAll(async () => {
  url = await freshDatabase()
})

describe('the PostgreSQL scheduler', () => {
  let subjects = 0
  schedulerContract(async () => {
    // Each subject leads: they run side by side.
    const name = `subject ${subjects++}`
    const { scheduler } = await make({ name })
    return { scheduler, other: async () => (await make({ name })).scheduler, close: () => scheduler.stop() }
  })

  describe('among several processes', () => {
    it('runs the ticks in one of them, and in another when that one is killed', async () => {
      const first = await startProcess()
      await until('the first runs ticks', () => first.ticks.length > 0, 10_000)
      const second = await startProcess()
      await until('the first goes on', () => first.ticks.length >= 3, 10_000)
      expect(second.ticks).toEqual([])

      first.child.kill('SIGKILL')
      const killed = Date.now()
      const next = await until('the second takes over', () => second.ticks[0], 30_000)
      expect(next - killed).toBeLessThan(5_000)
      const seconds = (ticks: readonly number[]) => ticks.map((at) => Math.floor(at / 1000))
      expect(seconds(first.ticks).filter((at) => seconds(second.ticks).includes(at))).toEqual([])
    })

    it('hands over at once when it is stopped', async () => {
      const { scheduler: one } = await open({ name: 'hand over' })
      const { scheduler: other } = await open({ name: 'hand over' })
      const ticks: [number[], number[]] = [[], []]
      const task = (i: number) => ({
        name: 't',
        cron: '* * * * * *',
        run: async () => void ticks[i]?.push(Date.now()),
      })
      await one.start([task(0)])
      await other.start([task(1)])
      await expect(other.check()).resolves.toBeUndefined()
      await until('the first has had a tick', () => ticks[0].length)
      expect(ticks[1]).toEqual([])
      await one.stop()
      await until('the other has one', () => ticks[1].length)
    })
  })

  it('aborts the running tick when it loses its session, and runs none before it leads again', async () => {
    const { scheduler, lines } = await open({ name: 'lost' })
    const seen: string[] = []
    const run = async (signal: AbortSignal) => {
      seen.push('begun')
      await new Promise((done) => signal.addEventListener('abort', done))
      seen.push('aborted')
    }
    await scheduler.start([{ name: 'long', cron: '* * * * * *', run }])
    await until('a tick runs', () => seen.length === 1)
    // The process that takes the lock while the session is gone leads.
    const rival = new Client({ connectionString: url })
    await rival.connect()
    const taken = rival.query(`select pg_advisory_lock(hashtext('mailwright scheduler'), hashtext('lost'))`)
    await endSession('lost')
    await until('the tick was aborted', () => seen.includes('aborted'))
    await taken
    await until('it waits for its tick to lead', () =>
      scheduler.check().then(
        () => true,
        () => false,
      ),
    )
    const before = seen.length
    await new Promise((done) => setTimeout(done, 1500))
    expect(seen).toHaveLength(before)
    await rival.end()
    await until('it leads again', () => seen.length > before)
    expect(lines).toEqual([
      'info scheduler: this process leads',
      'warn scheduler: it has lost its database; another process may lead now',
      'info scheduler: this process leads',
    ])
  })

  it('starts without its database, and says so when asked', async () => {
    const { scheduler } = await open({ url: `postgres://mailwright:secret@127.0.0.1:${await freePort()}/mail` })
    await scheduler.start([])
    const error: Error = await scheduler.check().then(
      () => expect.unreachable(),
      (thrown) => thrown,
    )
    expect(error).toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
  })

  it('names wrong options', () => {
    const wrong = postgresScheduler({ url: 'localhost', name: '' })
    expect(wrong.problems().map(({ field }) => field)).toEqual(['url', 'name'])
    expect(postgresScheduler({ url: 'postgres://localhost/mail' }).problems()).toEqual([])
  })
})

const opened: Scheduler[] = []
const children: ChildProcess[] = []
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  await Promise.all(opened.splice(0).map((scheduler) => scheduler.stop()))
})

async function open(options: { url?: string; name?: string }) {
  const made = await make(options)
  opened.push(made.scheduler)
  return made
}

async function make(options: { url?: string; name?: string }) {
  const lines: string[] = []
  const at = (level: string) => (message: string) => void lines.push(`${level} ${message}`)
  const log: Log = { debug: () => {}, info: at('info'), warn: at('warn'), error: at('error'), with: () => log }
  const { scheduler } = await postgresScheduler({ url, ...options }).open({ log, clock: { now: () => new Date() } })
  return { scheduler, lines }
}

/** A process of its own that runs a tick every second and says when; the build must be up to date, as in `npm test`. */
async function startProcess(): Promise<{ child: ChildProcess; ticks: readonly number[] }> {
  const door = compiled('plugins/scheduler-postgres/index.js').href
  const log = '{ debug() {}, info() {}, warn() {}, error: console.error, with: () => log }'
  const script = `
    const { postgresScheduler } = await import(${JSON.stringify(door)})
    const log = ${log}
    const { scheduler } = await postgresScheduler({ url: ${JSON.stringify(url)} }).open({ log, clock: { now: () => new Date() } })
    await scheduler.start([{ name: 't', cron: '* * * * * *', run: async () => console.log(Date.now()) }])
    console.log('ready')`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.push(child)
  const lines = createInterface({ input: child.stdout })
  const ticks: number[] = []
  await once(lines, 'line')
  lines.on('line', (line) => void ticks.push(Number(line)))
  return { child, ticks }
}

/** Ends the session that leads under this name, as an operator might. */
async function endSession(name: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  const leads = `locktype = 'advisory' and granted and objid = hashtext($1)::bigint::bit(32)::bigint::oid`
  const { rows } = await client.query(`select pg_terminate_backend(pid) as ended from pg_locks where ${leads}`, [name])
  await client.end()
  expect(rows).toEqual([{ ended: true }])
}

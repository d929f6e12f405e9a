import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { createEngine, type Engine, type GivenSettings, type Project } from '../config/library.ts'
import { smtp } from '../plugins/mail-smtp/index.ts'
import { postgresQueue } from '../plugins/queue-postgres/index.ts'
import { postgres } from '../plugins/store-postgres/index.ts'
import { sqlite } from '../plugins/store-sqlite/index.ts'
import { startPostgres } from '../test/support/postgres.ts'
import type { Figure } from './figure.ts'
import { SINK_PORT } from './references.ts'
import { sampleData, sampleHtml } from './sample-mail.ts'
import { startServer } from './server-process.ts'
import { startSmtpSink } from './smtp-sink.ts'

const CONNECTIONS = 20
const PROJECTS = [{ name: 'Bench', trustedDomains: ['example.com'] }]
const NOTE = `13 KB HTML + text, ${CONNECTIONS} connections`

/** Accepts mails into a SQLite ledger on disk, then measures how fast they are sent by SMTP and recorded. */
export async function measureDrain(mails: number): Promise<readonly Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'mailwright-bench-'))
  try {
    const figures = await drainInProcess({ store: sqlite({ file: join(folder, 'bench.db') }) }, mails, 'SQLite FULL')
    return [...figures, { what: 'RSS after draining', value: process.memoryUsage().rss / 1024 / 1024, unit: 'MB' }]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The same on PostgreSQL (`fsync` on, on the same machine) with one process. */
export async function measureDrainPostgres(mails: number): Promise<readonly Figure[]> {
  const server = await startPostgres({ own: true, durable: true })
  try {
    const url = await server.database()
    return await drainInProcess({ store: postgres({ url }), queue: postgresQueue({ url }) }, mails, 'PostgreSQL')
  } finally {
    await server.stop()
  }
}

/** The same with one worker process and with two, each pinned to a core and with half the connections, on one database. */
export async function measureDrainWorkers(mails: number): Promise<readonly Figure[]> {
  const one = await drainWorkers(mails, [0])
  const two = await drainWorkers(mails, [0, 1])
  const what = 'drained through SMTP, PostgreSQL'
  return [
    { what: `${what}, one worker pinned to a core`, value: one, unit: 'mails/s', note: NOTE },
    { what: `${what}, two workers, a core each`, value: two, unit: 'mails/s', note: NOTE },
  ]
}

/** How many mails a second the workers deliver, one on each of these cores. */
async function drainWorkers(mails: number, cores: readonly number[]): Promise<number> {
  const server = await startPostgres({ own: true, durable: true })
  const sink = await startSmtpSink(SINK_PORT)
  const url = await server.database()
  const engine = await createEngine({ store: postgres({ url }), queue: postgresQueue({ url }), projects: PROJECTS })
  try {
    const project = await onlyProject(engine)
    await accept(engine, project, mails)
    const options = { host: '127.0.0.1', port: sink.port, maxConnections: CONNECTIONS / 2 }
    const config = { store: { use: 'postgres', options: { url } }, transports: [{ use: 'smtp', options }] }
    const start = performance.now()
    const workers = await Promise.all(cores.map((core) => startServer({ config, core, args: ['--role', 'worker'] })))
    const [began] = await Promise.all([until(engine, project, 1), ...workers.map(({ startMs }) => startMs)])
    await until(engine, project, mails)
    const seconds = (performance.now() - Math.max(start, began)) / 1000
    await Promise.all(workers.map((worker) => worker.stop({ remove: true })))
    return mails / seconds
  } finally {
    await engine.stop()
    await sink.close()
    await server.stop()
  }
}

async function drainInProcess(settings: GivenSettings, mails: number, what: string): Promise<readonly Figure[]> {
  const sink = await startSmtpSink(SINK_PORT)
  const transports = [smtp({ host: '127.0.0.1', port: sink.port, maxConnections: CONNECTIONS })]
  const engine = await createEngine({ ...settings, transports, projects: PROJECTS })
  try {
    const project = await onlyProject(engine)
    await accept(engine, project, mails)
    const cpu = process.cpuUsage()
    const start = performance.now()
    await engine.start()
    await until(engine, project, mails)
    const seconds = (performance.now() - start) / 1000
    const used = process.cpuUsage(cpu)
    const each = (used.user + used.system) / mails
    return [
      { what: `drained through SMTP, ${what}`, value: mails / seconds, unit: 'mails/s', note: NOTE },
      { what: `CPU of the engine for each drained mail, ${what}`, value: each, unit: 'µs' },
    ]
  } finally {
    await engine.stop()
    await sink.close()
  }
}

async function onlyProject(engine: Engine): Promise<Project> {
  const [project] = await engine.projects.list()
  if (!project) throw new Error('the project was not made')
  return project
}

async function accept(engine: Engine, project: Project, mails: number): Promise<void> {
  const body = sampleHtml()
  const send = (i: number) =>
    engine.sending.send(project, {
      to: `user${i}@example.org`,
      from: { name: 'News', email: 'news@example.com' },
      subject: 'News for {{ firstName }}',
      body,
      data: sampleData(i),
    })
  for (let i = 0; i < mails; i += 500) {
    await Promise.all(Array.from({ length: Math.min(500, mails - i) }, (_, k) => send(i + k)))
  }
}

/** Waits until this many mails are delivered. Answers when that was. */
async function until(engine: Engine, project: Project, mails: number): Promise<number> {
  const deadline = performance.now() + 300_000
  for (;;) {
    const { total } = await engine.mails.list(project, { status: 'DELIVERED', limit: 1 })
    if (total >= mails) return performance.now()
    if (performance.now() > deadline) throw new Error(`only ${total} of ${mails} were delivered`)
    await pause(50)
  }
}

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { createEngine } from '../config/library.ts'
import type { Plugin } from '../core/plugin/types.ts'
import { postgresQueue } from '../plugins/queue-postgres/index.ts'
import { postgres } from '../plugins/store-postgres/index.ts'
import { sqlite } from '../plugins/store-sqlite/index.ts'
import { startPostgres } from '../test/support/postgres.ts'
import { fillContacts } from './audience-data.ts'
import type { Figure } from './figure.ts'
import { startServer } from './server-process.ts'
import { measureTracked } from './workflows-track.ts'
import { fillWaiting, measureDue, measureTick, WAITING } from './workflows-wait.ts'

const SECRET = `sk_${'b'.repeat(48)}`
const PROJECTS = [{ name: 'Bench', secretKey: SECRET, trustedDomains: ['example.com'] }]

/** A new, empty database. */
interface Place {
  /** For a server's configuration file. */
  readonly config: object
  readonly plugins: { readonly store: Plugin<'store'>; readonly queue?: Plugin<'queue'> }
  /** What the database does by itself some minutes after many rows were written. */
  settle(): Promise<void>
}

/**
 * The speed of workflows: events that start one, over HTTP against the real server process (SQLite file on disk,
 * `synchronous=FULL`), and many waiting executions, written before through the store.
 */
export async function measureWorkflows(): Promise<readonly Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'mailwright-bench-'))
  let files = 0
  const place = async (): Promise<Place> => {
    const file = join(folder, `bench-${files++}.db`)
    const config = { use: 'sqlite', options: { file } }
    return { config, plugins: { store: sqlite({ file }) }, settle: () => Promise.resolve() }
  }
  try {
    return await workflowsOf(place, 'SQLite')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The same on PostgreSQL (`fsync` on, its default memory, on the same machine), with its statistics up to date. */
export async function measureWorkflowsPostgres(): Promise<readonly Figure[]> {
  const server = await startPostgres({ own: true, durable: true })
  const place = async (): Promise<Place> => {
    const url = await server.database()
    const config = { use: 'postgres', options: { url } }
    return { config, plugins: { store: postgres({ url }), queue: postgresQueue({ url }) }, settle: () => vacuum(url) }
  }
  try {
    return await workflowsOf(place, 'PostgreSQL')
  } finally {
    await server.stop()
  }
}

async function workflowsOf(place: () => Promise<Place>, where: string): Promise<readonly Figure[]> {
  const figures = [...(await tracked(await place())), ...(await waiting(await place()))]
  return figures.map((figure) => ({ ...figure, what: `${figure.what}, ${where}` }))
}

async function tracked(place: Place): Promise<readonly Figure[]> {
  const server = await serve(place)
  try {
    return await measureTracked(server, SECRET)
  } finally {
    await server.stop({ remove: true })
  }
}

async function waiting(place: Place): Promise<readonly Figure[]> {
  const { plugins, settle } = place
  const engine = await createEngine({ ...plugins, projects: PROJECTS })
  const [project] = await engine.projects.list()
  await engine.stop()
  if (!project) throw new Error('the project was not made')
  const contacts = await fillContacts(plugins.store, project.id, WAITING)
  await fillWaiting(plugins.store, project.id, contacts)
  await settle()
  const tick = await measureTick(plugins.store)
  const due = await measureDue(plugins.store, project.id, contacts, () => serve(place), SECRET)
  return [...tick, ...due]
}

function serve({ config }: Place) {
  const limits = { requestsPerMinute: 10_000_000 }
  return startServer({ config: { store: config, projects: PROJECTS, limits } })
}

async function vacuum(url: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  await client.query('vacuum (analyze)')
  await client.end()
}

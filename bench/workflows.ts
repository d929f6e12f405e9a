import { createEngine } from '../config/library.ts'
import { fillContacts } from './audience-data.ts'
import { type BenchDatabase, onDatabases } from './databases.ts'
import type { Figure } from './figure.ts'
import { startServer } from './server-process.ts'
import { measureTracked } from './workflows-track.ts'
import { fillWaiting, measureDue, measureTick, WAITING } from './workflows-wait.ts'

const SECRET = `sk_${'b'.repeat(48)}`
const PROJECTS = [{ name: 'Bench', secretKey: SECRET, trustedDomains: ['example.com'] }]

/**
 * The speed of workflows: events that start one, over HTTP against the real server process (SQLite file on disk,
 * `synchronous=FULL`), and many waiting executions, written before through the store.
 */
export function measureWorkflows(): Promise<readonly Figure[]> {
  return onDatabases('SQLite', (make) => workflowsOf(make, 'SQLite'))
}

/** The same on PostgreSQL. */
export function measureWorkflowsPostgres(): Promise<readonly Figure[]> {
  return onDatabases('PostgreSQL', (make) => workflowsOf(make, 'PostgreSQL'))
}

async function workflowsOf(place: () => Promise<BenchDatabase>, where: string): Promise<readonly Figure[]> {
  const figures = [...(await tracked(await place())), ...(await waiting(await place()))]
  return figures.map((figure) => ({ ...figure, what: `${figure.what}, ${where}` }))
}

async function tracked(place: BenchDatabase): Promise<readonly Figure[]> {
  const server = await serve(place)
  try {
    return await measureTracked(server, SECRET)
  } finally {
    await server.stop({ remove: true })
  }
}

async function waiting(place: BenchDatabase): Promise<readonly Figure[]> {
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

function serve({ config }: BenchDatabase) {
  const limits = { requestsPerMinute: 10_000_000 }
  return startServer({ config: { store: config, projects: PROJECTS, limits } })
}

import { createEngine } from '../config/library.ts'
import { AudienceClient } from './audience-client.ts'
import { fillContacts, PROJECT_ID } from './audience-data.ts'
import { measureFiles } from './audience-files.ts'
import { measureReads } from './audience-reads.ts'
import { measureSegment } from './audience-segment.ts'
import { type BenchDatabase, onDatabases } from './databases.ts'
import type { Figure } from './figure.ts'
import { startServer } from './server-process.ts'

const SECRET = `sk_${'b'.repeat(48)}`

/**
 * The speed of a large project's audience, over HTTP against the real server process. Its SQLite file (on disk,
 * `synchronous=FULL`) was filled before through the store. Calls run one at a time, except where one asks for
 * `/health/live` beside them.
 */
export function measureAudience(contacts: number): Promise<readonly Figure[]> {
  return onDatabases('SQLite', async (make) => audienceOf(await make(), contacts))
}

/** The same on PostgreSQL. */
export function measureAudiencePostgres(contacts: number): Promise<readonly Figure[]> {
  return onDatabases('PostgreSQL', async (make) => audienceOf(await make(), contacts))
}

const PROJECTS = [{ id: PROJECT_ID, name: 'Bench', secretKey: SECRET, trustedDomains: ['example.com'] }]

async function audienceOf(
  { on, config, plugins, settle }: BenchDatabase,
  contacts: number,
): Promise<readonly Figure[]> {
  const engine = await createEngine({ ...plugins, projects: PROJECTS })
  const [project] = await engine.projects.list()
  await engine.stop()
  if (!project) throw new Error('the project was not made')
  // oldest first
  const ids = await fillContacts(plugins.store, project.id, contacts)
  await settle()
  const limits = { requestsPerMinute: 10_000_000 }
  // only the measurements compute the segment
  const server = await startServer({ config: { store: config, projects: PROJECTS, limits } })
  try {
    const client = new AudienceClient(server, SECRET)
    const reads = await measureReads(client, ids)
    const segment = await measureSegment(client, ids)
    const files = await measureFiles(client, ids.length)
    return [...reads, ...segment, ...files].map((figure) => ({ ...figure, what: `${figure.what}, ${on}` }))
  } finally {
    await server.stop({ remove: true })
  }
}

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
import { AudienceClient } from './audience-client.ts'
import { fillContacts, PROJECT_ID } from './audience-data.ts'
import { measureFiles } from './audience-files.ts'
import { measureReads } from './audience-reads.ts'
import { measureSegment } from './audience-segment.ts'
import type { Figure } from './figure.ts'
import { startServer } from './server-process.ts'

const SECRET = `sk_${'b'.repeat(48)}`

/**
 * The speed of a large project's audience, over HTTP against the real server process. Its SQLite file (on disk,
 * `synchronous=FULL`) was filled before through the store. Calls run one at a time, except where one asks for
 * `/health/live` beside them.
 */
export async function measureAudience(contacts: number): Promise<readonly Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'mailwright-bench-'))
  try {
    const file = join(folder, 'bench.db')
    const ids = await fill({ store: sqlite({ file }) }, contacts)
    return await audienceOf({ use: 'sqlite', options: { file } }, ids, 'SQLite')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The same on PostgreSQL (`fsync` on, its default memory, on the same machine), with its statistics up to date. */
export async function measureAudiencePostgres(contacts: number): Promise<readonly Figure[]> {
  const server = await startPostgres({ own: true, durable: true })
  try {
    const url = await server.database()
    const ids = await fill({ store: postgres({ url }), queue: postgresQueue({ url }) }, contacts)
    await vacuum(url)
    return await audienceOf({ use: 'postgres', options: { url } }, ids, 'PostgreSQL')
  } finally {
    await server.stop()
  }
}

const PROJECTS = [{ id: PROJECT_ID, name: 'Bench', secretKey: SECRET, trustedDomains: ['example.com'] }]

/** Makes the project and its contacts; answers their ids, oldest first. */
async function fill(
  settings: { readonly store: Plugin<'store'>; readonly queue?: Plugin<'queue'> },
  contacts: number,
): Promise<readonly string[]> {
  const engine = await createEngine({ ...settings, projects: PROJECTS })
  const [project] = await engine.projects.list()
  await engine.stop()
  if (!project) throw new Error('the project was not made')
  return fillContacts(settings.store, project.id, contacts)
}

/** Does what PostgreSQL does by itself some minutes after many rows were written. */
async function vacuum(url: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  await client.query('vacuum (analyze)')
  await client.end()
}

async function audienceOf(store: object, ids: readonly string[], where: string): Promise<readonly Figure[]> {
  const limits = { requestsPerMinute: 10_000_000 }
  // only the measurements compute the segment
  const segments = { computeEverySeconds: 86_400 }
  const server = await startServer({ config: { store, projects: PROJECTS, limits, segments } })
  try {
    const client = new AudienceClient(server, SECRET)
    const reads = await measureReads(client, ids)
    const segment = await measureSegment(client, ids)
    const files = await measureFiles(client, ids.length)
    return [...reads, ...segment, ...files].map((figure) => ({ ...figure, what: `${figure.what}, ${where}` }))
  } finally {
    await server.stop({ remove: true })
  }
}

import { stringify } from 'csv-stringify/sync'
import { guarded } from '../../core/contacts/csv-cells.ts'
import type { Engine } from '../../core/engine.ts'
import { EngineError } from '../../core/errors.ts'
import { systemClock } from '../../core/ports/clock.ts'
import { silentLog } from '../../core/ports/log.ts'
import type { Project } from '../../core/ports/store/projects.ts'
import { OpenPlugins } from '../../core/start/open-plugins.ts'
import { uploadKey } from '../../core/values/upload-key.ts'
import { openStore } from '../add-projects.ts'
import type { LoadedConfig } from '../load.ts'
import { MANIFEST, type Manifest, schemaToday } from './archive.ts'
import { writeZip, type ZipOut } from './zip-out.ts'

/** The content of an export. */
export interface Exported {
  readonly project: Manifest['project']
  /** How many rows there are in all. */
  readonly rows: number
  /** How many uploaded files. */
  readonly files: number
  /** Rows of uploaded files whose bytes were not found. */
  readonly missing: number
}

/** Does a piece of work with the configured engine, and closes it. */
export type WithEngine = <T>(work: (engine: Engine, project: Project) => Promise<T>) => Promise<T>

/**
 * Writes all of a project into a zip: lines of JSON for every table, tables for people, and the uploaded files. Throws
 * EngineError; then there is no file.
 */
export async function exportProject(
  target: string,
  loaded: Pick<LoadedConfig, 'engine' | 'given'>,
  withEngine: WithEngine,
  { force, signal }: { readonly force: boolean; readonly signal: AbortSignal },
): Promise<Exported> {
  let exported: Exported | undefined
  await writeZip(target, force, async (zip) => {
    // first, since a file of SQLite has one user at a time
    const project = await withEngine(async (engine, found) => {
      await zip.add('contacts.csv', watched(await engine.contacts.export(found), signal))
      await zip.add('suppressions.csv', watched(suppressions(engine, found), signal))
      await zip.add('campaigns.csv', watched(campaigns(engine, found), signal))
      return found
    })
    const files: Record<string, number> = {}
    const hashes = await writeRows(zip, loaded, project, files, signal)
    const uploads = await writeUploads(zip, loaded, project, hashes, signal)
    const manifest: Manifest = {
      format: 'mailwright-project',
      version: 1,
      schema: schemaToday(),
      exportedAt: systemClock.now().toISOString(),
      project: { id: project.id, name: project.name },
      files,
    }
    await zip.add(MANIFEST, once(`${JSON.stringify(manifest, null, 2)}\n`))
    const rows = Object.values(files).reduce((sum, count) => sum + count, 0)
    exported = { project: manifest.project, rows, files: uploads, missing: hashes.size - uploads }
  })
  if (exported === undefined) throw new Error('the zip was not filled')
  return exported
}

/** Writes the lines of every table, and answers the hashes of uploaded files. */
async function writeRows(
  zip: ZipOut,
  loaded: Pick<LoadedConfig, 'engine' | 'given'>,
  { id }: Project,
  files: Record<string, number>,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const { exportRows } = await import('../../plugins/kit/sql/moving/export-rows.ts')
  const hashes = new Set<string>()
  const from = await openStore(loaded, 'from')
  try {
    await exportRows(from, id, async ({ file, lines }) => {
      files[file] = 0
      const counted = async function* () {
        for await (const batch of lines) {
          files[file] = (files[file] ?? 0) + batch.length
          if (file === 'uploads.ndjson') for (const line of batch) hashes.add(String(JSON.parse(line).hash))
          yield batch.join('')
        }
      }
      await zip.add(file, watched(counted(), signal))
    })
  } finally {
    await from.close()
  }
  return hashes
}

/** Writes the bytes of uploaded files, and answers how many there were. */
async function writeUploads(
  zip: ZipOut,
  { engine }: Pick<LoadedConfig, 'engine'>,
  { id }: Project,
  hashes: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<number> {
  if (hashes.size === 0) return 0
  let count = 0
  const plugins = new OpenPlugins({ log: silentLog, clock: systemClock })
  try {
    const { blobs } = await plugins.open('blobs', engine.blobs)
    for (const hash of hashes) {
      const bytes = await blobs.get(uploadKey(id, hash))
      if (bytes === undefined) continue
      count++
      await zip.add(`uploads/${hash}`, watched(once(bytes), signal))
    }
  } finally {
    await plugins.close()
  }
  return count
}

async function* suppressions(engine: Engine, project: Project): AsyncGenerator<string> {
  yield stringify([['email', 'reason', 'detail', 'createdAt', 'expiresAt']])
  for (let cursor: string | undefined; ; ) {
    const page = await engine.suppressions.list(project, { limit: PAGE, ...(cursor && { cursor }) })
    const rows = page.items.map(({ email, reason, detail, createdAt, expiresAt }) => {
      const dates = [createdAt, expiresAt].map((date) => date?.toISOString() ?? '')
      return [guarded(email), reason, guarded(detail ?? ''), ...dates]
    })
    if (rows.length > 0) yield stringify(rows)
    if (page.cursor === undefined) return
    cursor = page.cursor
  }
}

async function* campaigns(engine: Engine, project: Project): AsyncGenerator<string> {
  yield stringify([['id', 'name', 'subject', 'status', 'sentAt', ...FIGURES]])
  for (const shelved of [false, true]) {
    for (let page = 1; ; page++) {
      const { items, totalPages } = await engine.campaigns.list(project, { page, pageSize: PAGE, shelved })
      const rows = items.map(({ campaign, stats }) => [
        campaign.id,
        guarded(campaign.name),
        guarded(campaign.subject),
        campaign.status,
        campaign.sentAt?.toISOString() ?? '',
        ...FIGURES.map((figure) => stats[figure]),
      ])
      if (rows.length > 0) yield stringify(rows)
      if (page >= totalPages) break
    }
  }
}

const PAGE = 100

/** The figures of a campaign, as the API names them. */
const FIGURES = [
  'totalRecipients',
  'sent',
  'delivered',
  'opened',
  'clicked',
  'bounced',
  'complained',
  'unsubscribed',
  'replied',
  'failed',
  'openRate',
  'clickRate',
  'bounceRate',
] as const

async function* once<T>(chunk: T): AsyncGenerator<T> {
  yield chunk
}

/** The same chunks until the signal aborts; then it throws. */
async function* watched<T>(chunks: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  for await (const chunk of chunks) {
    if (signal.aborted) throw new EngineError('CONFLICT', 'Interrupted: there is no file.')
    yield chunk
  }
}

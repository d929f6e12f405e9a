import { statfs } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { EngineError } from '../../core/errors.ts'
import { mendIndex } from '../../core/inboxes/mend-index.ts'
import type { SenderDomain } from '../../core/ports/store/domains.ts'
import type { Project } from '../../core/ports/store/projects.ts'
import type { Store } from '../../core/ports/store/store.ts'
import type { EngineSettings } from '../../core/start/check-settings.ts'
import type { OpenPlugins } from '../../core/start/open-plugins.ts'
import { earlier } from '../../core/values/earlier.ts'
import { programName } from '../../core/values/program-name.ts'
import { databaseFile, requireDatabase } from '../require-database.ts'
import type { Found } from './finding.ts'
import { type StoredSettings, storedSettings } from './stored-settings.ts'

const GIGABYTE = 1024 ** 3
/** Less than this share of the disk, or fewer bytes, call for room; a tenth of these bytes is a problem. */
const LITTLE = { share: 0.05, bytes: 2 * GIGABYTE }

/** Mails sent by SQL that wait for longer call for a worker, in milliseconds. */
const STUCK_MS = 60_000

/** The findings: the projects, the domains that were added and have a key, and the settings that are kept in it. */
export interface FoundStore extends Found {
  readonly projects?: readonly Project[]
  readonly domains?: readonly SenderDomain[]
  /** The settings that the operator made while the server ran. */
  readonly set?: StoredSettings
  /** Whether a running server has it open, so that nothing in it could be read. */
  readonly isTaken?: boolean
}

/** Looks at the store, and opens it only if it has the tables of this version: opening would change them. */
export async function atStore(engine: EngineSettings, plugins: OpenPlugins): Promise<FoundStore> {
  const { store: plugin } = engine
  const what = plugin.description === undefined ? plugin.name : `${plugin.name} at ${plugin.description}`
  // opening it would make it
  const absent = await requireDatabase({ store: plugin }).then(nothing, (error: Error) => error.message)
  if (absent !== undefined) return { state: 'warning', says: `${absent} The first start of the server makes it.` }
  const schema = await plugin.schemaState?.()
  if (schema?.isBeingCopied) {
    return { state: 'problem', says: `${what}: holds the beginning of a copy; copy again into an empty database` }
  }
  if (schema && schema.unknown.length > 0) {
    return { state: 'problem', says: `${what}: a newer version has written it; run that version or a newer one` }
  }
  if (schema && schema.pending.length > 0) {
    const count = schema.pending.length === 1 ? '1 migration waits' : `${schema.pending.length} migrations wait`
    const todo = `back it up; the next start of this version runs them, or \`${programName()} migrate up\``
    return { state: 'warning', says: `${what}: ${count}, so nothing else in it was looked at: ${todo}` }
  }
  try {
    const { store } = await plugins.open('store', plugin)
    await store.check()
    const projects = await store.projects.list()
    const worries = [await stuckRequests(store), await unsearched(store), strangers(schema?.creators)].filter(
      (worry) => worry !== undefined,
    )
    return {
      state: worries.length === 0 ? 'ok' : 'warning',
      says: [`${what}: takes writes, ${projects.length} projects`, ...worries].join(', but '),
      projects,
      domains: await domainsOf(store, projects),
      set: await storedSettings(store, engine, projects),
    }
  } catch (error) {
    if (!EngineError.is(error) || error.code !== 'STORE_LOCKED') throw error
    return { state: 'ok', says: `${what}: a server has it open; its /health says how it is`, isTaken: true }
  }
}

/** Says how many mails that were sent by SQL wait for longer than a worker takes to find them. */
async function stuckRequests(store: Store): Promise<string | undefined> {
  const now = new Date()
  const depths = (await store.operations.queues(now)).filter(({ queue }) => queue === 'requests')
  if (!depths.some(({ oldest }) => oldest.getTime() < now.getTime() - STUCK_MS)) return undefined
  const [waiting, oldest] = [
    depths.reduce((sum, depth) => sum + depth.waiting, 0),
    depths.map((depth) => depth.oldest).reduce(earlier),
  ]
  return `${waiting} mails sent by SQL wait, the oldest since ${oldest.toISOString()}: start a worker, or see in its log why it cannot accept them`
}

/** Has mails of inboxes that are not in the index put there by the next worker, and says how many. */
async function unsearched(store: Store): Promise<string | undefined> {
  const lost = await mendIndex(store)
  if (lost === 0) return undefined
  return `${lost} mails of inboxes cannot be found by their words: a worker puts them into the index within minutes`
}

/** Says who else may create functions and operators beside the tables. */
function strangers(creators: readonly string[] = []): string | undefined {
  if (creators.length === 0) return undefined
  return `other roles may create functions and operators in its schema (${creators.slice(0, 5).join(', ')}): take that right from them (REVOKE CREATE ON SCHEMA … FROM …), or keep the tables in a schema of their own (the store's option schema)`
}

async function domainsOf(store: Store, projects: Awaited<ReturnType<Store['projects']['list']>>) {
  const all: SenderDomain[] = []
  for (const { id } of projects) all.push(...(await store.domains.all(id)))
  return all
}

/** Looks at the room on the disk where the database is. */
export async function atDisk(engine: EngineSettings): Promise<Found> {
  const file = databaseFile(engine)
  const folder = file === undefined ? process.cwd() : dirname(resolve(file))
  const { bavail, blocks, bsize } = await statfs(folder).catch(() => statfs(process.cwd()))
  const free = bavail * bsize
  const says = `${(free / GIGABYTE).toFixed(1)} GB are free of ${((blocks * bsize) / GIGABYTE).toFixed(1)} GB below ${folder}`
  if (free >= LITTLE.bytes && bavail >= LITTLE.share * blocks) return { state: 'ok', says }
  const state = free < LITTLE.bytes / 10 ? 'problem' : 'warning'
  return { state, says: `${says}: make room, since a full disk refuses all mail` }
}

function nothing(): undefined {}

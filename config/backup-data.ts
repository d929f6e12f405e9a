import { EngineError } from '../core/errors.ts'
import type { BlobStore } from '../core/ports/blob-store.ts'
import { systemClock } from '../core/ports/clock.ts'
import { silentLog } from '../core/ports/log.ts'
import { OpenPlugins } from '../core/start/open-plugins.ts'
import type { Backup, Restored } from '../plugins/store-sqlite/backup.ts'
import { loadConfig } from './load.ts'
import { databaseFile, requireDatabase } from './require-database.ts'

export type { Backup, Restored } from '../plugins/store-sqlite/backup.ts'

/** Where a backup is made or used. */
export interface BackupOptions {
  /** The configuration file; undefined: the one of this folder, or the environment. */
  readonly config: string | undefined
  /** Writes over what is there. */
  readonly force: boolean
}

/**
 * Backs up the configured database and its uploaded files into a new file, also while a server runs. Throws EngineError,
 * `CONFIG_INVALID` with what to do instead when the database is not a file of SQLite.
 */
export function backUpData(target: string, { config, force }: BackupOptions): Promise<Backup> {
  return withFile(config, 'back up', async (file, blobs) => {
    const { backUp } = await import('../plugins/store-sqlite/backup.ts')
    return backUp(file, blobs, target, force)
  })
}

/** How a backup is used. */
export interface RestoreOptions extends BackupOptions {
  /** Lets campaigns go on where they were. */
  readonly resume: boolean
}

/**
 * Puts a backup in the place of the configured database, and its files where uploaded files are. Throws EngineError, with
 * nothing changed; see `restore` of the SQLite store.
 */
export function restoreData(backup: string, { config, ...options }: RestoreOptions): Promise<Restored> {
  return withFile(config, 'restore', async (file, blobs) => {
    const { restore } = await import('../plugins/store-sqlite/backup.ts')
    return restore(backup, file, blobs, options)
  })
}

/** Does something with the configured file of SQLite and the blob store. */
async function withFile<T>(
  config: string | undefined,
  what: keyof typeof INSTEAD,
  work: (file: string, blobs: BlobStore) => Promise<T>,
): Promise<T> {
  const { engine } = await loadConfig({ path: config })
  const file = databaseFile(engine)
  if (file === undefined) {
    const { name } = engine.store
    const isInMemory = name === 'store-sqlite'
    const why = isInMemory ? 'What is in memory cannot be backed up.' : `The store is ${name}. ${INSTEAD[what]}`
    throw new EngineError('CONFIG_INVALID', why)
  }
  // opening the blob store makes its folder
  if (what === 'back up') await requireDatabase(engine)
  const plugins = new OpenPlugins({ log: silentLog, clock: systemClock })
  try {
    const { blobs } = await plugins.open('blobs', engine.blobs)
    return await work(file, blobs)
  } finally {
    await plugins.close()
  }
}

/**
 * The advice where this program is not needed. Uploaded files come after the database, so that no row names a file that
 * is missing.
 */
const INSTEAD = {
  'back up': `Its own tool backs it up while the server runs, and then the folder of uploaded files is copied:
  pg_dump --format=custom --file=mailwright.dump "$DATABASE_URL"
  tar --create --gzip --file=uploads.tar.gz data/uploads`,
  restore: `Its own tool restores it into an empty database, with every process stopped:
  pg_restore --no-owner --dbname="$DATABASE_URL" mailwright.dump
  tar --extract --gzip --file=uploads.tar.gz`,
}

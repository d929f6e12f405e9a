import { readdir, realpath } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { EngineError } from '../../core/errors.ts'
import type { Log } from '../../core/ports/log.ts'
import { makeFolder } from '../kit/files/make-folder.ts'
import { makePrivateFile, warnOfOpenFiles } from '../kit/files/private-files.ts'
import { sqliteCode } from './sqlite-client.ts'
import { openPlain } from './sqlite-driver.ts'

/** Means no file: everything is kept in memory. */
export const MEMORY = ':memory:'

/** A file that only this process may use, until `release`. */
export interface HeldFile {
  readonly path: string
  release(): Promise<void>
}

/**
 * Makes the folder and takes the file for this engine. The hold is an exclusive SQLite lock on a file beside it, which
 * the operating system releases however the process ends. Throws EngineError `STORE_LOCKED` when another engine, in
 * this or another process, has the file, and `CONFIG_INVALID` when the folder cannot be used.
 */
export async function holdFile(file: string): Promise<HeldFile> {
  const path = await truePath(resolve(file))
  await makeBefore(`${path}.lock`)
  let client: ReturnType<typeof openPlain> | undefined
  try {
    client = openPlain(`${path}.lock`)
    client.pragma('locking_mode = exclusive')
    client.exec('begin exclusive')
  } catch (error) {
    client?.close()
    if (sqliteCode(error) === 'SQLITE_BUSY') throw locked(path)
    throw unusable(path, error)
  }
  await makeBefore(path)
  const held = client
  return { path, release: async () => held.close() }
}

/**
 * Makes the file before SQLite does, which would let others read it; SQLite gives the files beside it the same mode. If
 * it cannot be made, SQLite's own error says why.
 */
async function makeBefore(path: string): Promise<void> {
  await makePrivateFile(path, { ofFolder: true }).catch(() => {})
}

/** Warns about those of the database's files that others may read. */
export async function warnOfOpenDatabase({ path }: HeldFile, log: Log): Promise<void> {
  const files = ['', '-wal', '-shm', '.lock'].map((end) => path + end)
  const folder = dirname(path)
  const names = await readdir(folder).catch(() => [])
  const file = basename(path)
  // a folder with other things in it is not ours to restrict: it may be /tmp
  const isOurs = names.every((name) => name.startsWith(file) || BESIDE.includes(name))
  await warnOfOpenFiles(log, isOurs ? [folder, ...files] : files)
}

/** Folders that are beside the database by default. */
const BESIDE = ['outbox', 'uploads']

/** An EngineError `CONFIG_INVALID` that says what is wrong with the file. */
export function unusable(path: string, cause: unknown): EngineError {
  const reason = REASONS[sqliteCode(cause)?.split('_', 2).join('_') ?? ''] ?? messageOf(cause)
  const message = `store-sqlite: file: ${path} ${reason}`
  const fields = [{ field: 'store.options.file', code: 'custom', message: `${path} ${reason}` } as const]
  return new EngineError('CONFIG_INVALID', message, { fields, cause })
}

const REASONS: Readonly<Record<string, string>> = {
  SQLITE_NOTADB: 'is not an SQLite database',
  SQLITE_CANTOPEN: 'cannot be opened or made; check the path, and whether this user may write the file and its folder',
  SQLITE_READONLY: 'cannot be written; check its permissions',
  SQLITE_PERM: 'cannot be written; check its permissions',
  SQLITE_CORRUPT: 'is damaged; restore it from a backup',
  SQLITE_BUSY: 'is held by another program',
}

function locked(path: string): EngineError {
  return new EngineError('STORE_LOCKED', `The database file ${path} is in use by another running engine.`, {
    suggestion: 'Stop the other process first, or give this one another file (store.options.file).',
  })
}

/** The path with its links followed, so that two names of one file share one lock. */
async function truePath(path: string): Promise<string> {
  try {
    await makeFolder(dirname(path))
  } catch (cause) {
    throw unusable(path, cause)
  }
  return realpath(path).catch(async () => join(await realpath(dirname(path)), basename(path)))
}

function messageOf(cause: unknown): string {
  return `cannot be used: ${cause instanceof Error ? cause.message : String(cause)}`
}

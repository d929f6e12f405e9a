import { open, stat } from 'node:fs/promises'
import type { Log } from '../../../core/ports/log.ts'

/**
 * What the engine stores is for its own user alone: it holds addresses, mails and secrets. These are the modes of what it
 * makes; a narrower umask narrows them further.
 */
export const FOLDER_MODE = 0o700
export const FILE_MODE = 0o600

/** Makes an empty file nobody else can read, unless there is something of this name. */
export async function makePrivateFile(path: string): Promise<void> {
  try {
    // never opens what exists: closing it would drop the locks SQLite has on it in this process
    await (await open(path, 'wx', FILE_MODE)).close()
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return
    throw error
  }
}

/** Warns when others may look into one of these files and folders, with the line that mends it. */
export async function warnOfOpenFiles(log: Log, paths: readonly string[]): Promise<void> {
  // Windows has no modes
  if (process.platform === 'win32') return
  const open: Record<'folders' | 'files', string[]> = { folders: [], files: [] }
  for (const path of paths) {
    const found = await stat(path).catch(() => undefined)
    if (found && (found.mode & OTHERS) !== 0) open[found.isDirectory() ? 'folders' : 'files'].push(path)
  }
  const all = [...open.folders, ...open.files]
  if (all.length === 0) return
  const mend = [chmod(FOLDER_MODE, open.folders), chmod(FILE_MODE, open.files)].filter(Boolean).join(' && ')
  log.warn('other users of this machine can get at what is stored here', { files: all, mend })
}

function chmod(mode: number, paths: readonly string[]): string {
  return paths.length === 0 ? '' : `chmod ${mode.toString(8)} ${paths.map(quoted).join(' ')}`
}

/** What the group and everybody else may do. */
const OTHERS = 0o077

function quoted(path: string): string {
  return /^[\w/.@:+-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`
}

import { open, stat } from 'node:fs/promises'
import type { Log } from '../../../core/ports/log.ts'
import { errorCode } from '../../../core/values/error-code.ts'

/**
 * The modes of what the engine makes: for its own user alone, since it holds addresses, mails and secrets. A narrower
 * umask narrows them further.
 */
export const FOLDER_MODE = 0o700
export const FILE_MODE = 0o600

/** Makes an empty file that other users cannot read, unless the name is taken. */
export async function makePrivateFile(path: string): Promise<void> {
  try {
    // never opens what exists: closing it would drop the locks SQLite has on it in this process
    await (await open(path, 'wx', FILE_MODE)).close()
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return
    throw error
  }
}

/** Warns when other users may look into one of these files and folders, with the command that fixes it. */
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
  log.warn('other users of this machine can read what is stored here', { files: all, mend })
}

function chmod(mode: number, paths: readonly string[]): string {
  return paths.length === 0 ? '' : `chmod ${mode.toString(8)} ${paths.map(quoted).join(' ')}`
}

/** All rights of the group and of others. */
const OTHERS = 0o077

function quoted(path: string): string {
  return /^[\w/.@:+-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`
}

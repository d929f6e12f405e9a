import { type FileHandle, open, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Log } from '../../../core/ports/log.ts'
import { errorCode } from '../../../core/values/error-code.ts'

/**
 * The modes of what the engine makes: for its own user alone, since it holds addresses, mails and secrets. A narrower
 * umask narrows them further.
 */
export const FOLDER_MODE = 0o700
export const FILE_MODE = 0o600

/**
 * Makes an empty file that other users cannot read, unless the name is taken. One that is `ofFolder` belongs to the owner of
 * its folder, also when root makes it.
 */
export async function makePrivateFile(path: string, { ofFolder = false } = {}): Promise<void> {
  try {
    // never opens what exists: closing it would drop the locks SQLite has on it in this process
    const file = await open(path, 'wx', FILE_MODE)
    try {
      if (ofFolder) await giveToFolder(file, path)
    } finally {
      await file.close()
    }
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return
    throw error
  }
}

/**
 * Gives what root made to the owner of the folder it is in. A command that is run as root, such as `restore`, would else
 * leave a database that the server's own user cannot open. By its handle, since that owner could put a link at its path.
 * A system that does not let it, such as a share, is no reason to stop.
 */
export async function giveToFolder(made: FileHandle, path: string): Promise<void> {
  if (process.getuid?.() !== 0) return
  const { uid, gid } = await stat(dirname(path))
  if (uid !== 0) await made.chown(uid, gid).catch(() => {})
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

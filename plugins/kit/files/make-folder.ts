import { constants } from 'node:fs'
import { mkdir, open, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { FOLDER_MODE, giveToFolder } from './private-files.ts'

/**
 * Makes a folder and those above it, for this user alone, or for the owner of the folder above when root makes it. One that exists stays unchanged. Throws the system's error.
 * Node's own `recursive` never ends in folders that answer ENOENT to whatever is made in them, such as those of /proc.
 */
export async function makeFolder(path: string): Promise<void> {
  const first = await attempt(path)
  if (first?.code !== 'ENOENT' || dirname(path) === path) return raise(first)
  await makeFolder(dirname(path))
  raise(await attempt(path))
}

async function attempt(path: string): Promise<NodeJS.ErrnoException | undefined> {
  try {
    await mkdir(path, FOLDER_MODE)
    if (process.getuid?.() === 0) await give(path)
    return undefined
  } catch (error) {
    const problem = error as NodeJS.ErrnoException
    return problem.code === 'EEXIST' && (await stat(path)).isDirectory() ? undefined : problem
  }
}

async function give(path: string): Promise<void> {
  const { O_DIRECTORY, O_NOFOLLOW } = constants
  const folder = await open(path, O_DIRECTORY | O_NOFOLLOW)
  try {
    await giveToFolder(folder, path)
  } finally {
    await folder.close()
  }
}

function raise(error: Error | undefined): void {
  if (error) throw error
}

import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { FOLDER_MODE } from './private-files.ts'

/**
 * Makes a folder and those above it, for this user alone. One that exists stays unchanged. Throws the system's error.
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
    return undefined
  } catch (error) {
    const problem = error as NodeJS.ErrnoException
    return problem.code === 'EEXIST' && (await stat(path)).isDirectory() ? undefined : problem
  }
}

function raise(error: Error | undefined): void {
  if (error) throw error
}

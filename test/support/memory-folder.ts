import { statfsSync } from 'node:fs'

/** Linux keeps the files of this folder in memory. */
const FOLDER = '/dev/shm'
/** The most that the tests need of it: containers often have 64 MB. */
const NEEDED_BYTES = 4 * 1024 ** 3

/**
 * A folder for files that need not outlive this machine, undefined where there is none. What is written there never
 * waits for a disk: a new database takes a fifth of the time.
 */
export function memoryFolder(): string | undefined {
  try {
    const { bavail, bsize } = statfsSync(FOLDER)
    return bavail * bsize >= NEEDED_BYTES ? FOLDER : undefined
  } catch {
    return undefined
  }
}

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { HostHandle } from './sqlite-client.ts'
import { HostDriver, openPlain } from './sqlite-driver.ts'

/**
 * Opens a handle of the engine's file for the host's own tables and transactions, of the engine's copy of SQLite; close it
 * after the engine has stopped. Its commits survive a power cut, and it waits for no lock: while the engine writes, `begin
 * immediate` throws `SQLITE_BUSY`. Throws when the file cannot be opened.
 */
export function openHandle(file: string): HostHandle {
  const handle = new HostDriver(file, { timeout: 0 })
  handle.exec('pragma synchronous = full')
  return handle
}

const ANSWERS = new WeakMap<object, boolean>()

/**
 * Whether a handle is of the copy of SQLite that the engine has loaded. The locks of a file belong to the process
 * (https://sqlite.org/howtocorrupt.html, section 2.2.1): two copies in one process both take the lock to write, and what
 * the one commits the other overwrites. So a handle of a class that is not known is asked to write to a file that is locked.
 */
export function isOfOwnCopy(handle: object): boolean {
  if (handle instanceof HostDriver) return true
  const { constructor: made } = handle
  const known = ANSWERS.get(made)
  if (known !== undefined) return known
  const answer = seesOwnLocks(made)
  ANSWERS.set(made, answer)
  return answer
}

function seesOwnLocks(made: object): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'mailwright-locks-'))
  const file = join(folder, 'locked.db')
  const own = openPlain(file)
  try {
    own.exec('begin immediate')
    const other: HostHandle = Reflect.construct(made as new (file: string) => HostHandle, [file, { timeout: 0 }])
    try {
      other.exec('begin immediate')
      return false
    } catch (error) {
      return String(error).includes('locked')
    } finally {
      other.close()
    }
  } catch {
    // what cannot be made anew cannot be asked
    return false
  } finally {
    own.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

import { createHash } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import { errorCode } from '../../core/values/error-code.ts'

/**
 * A name of this process by which others at the same place can tell that it has ended: the place, the process's id and
 * when it started. Undefined where `/proc` does not say so, as outside of Linux.
 */
export function ownProcess(): string | undefined {
  const place = ownPlace()
  const own = statOf('self')
  // a `/proc` of another namespace counts other processes
  if (place === undefined || own?.id !== String(process.pid)) return undefined
  return `${place}-${own.id}-${own.start}`
}

/** Whether the process of this name has certainly ended. False for one at another place, and whenever that is not known. */
export function hasEnded(name: string): boolean {
  const [, place, id, start] = /^([0-9a-f]{20})-([1-9]\d{0,9})-(\d{1,20})$/.exec(name) ?? []
  if (place === undefined || id === undefined || place !== ownPlace()) return false
  if (!isThere(Number(id))) return true
  const now = statOf(id)
  return now?.id === id && now.start !== start
}

/**
 * Where ids and start times of processes mean the same: this boot of this machine, and these namespaces, which
 * containers have of their own. The host name tells clones of a machine apart, which may share all of it.
 */
function ownPlace(): string | undefined {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()
    const parts = JSON.stringify([boot, readlinkSync('/proc/self/ns/pid'), timeNamespace(), hostname()])
    return createHash('sha256').update(parts).digest('hex').slice(0, 20)
  } catch {
    return undefined
  }
}

/** Undefined before Linux 5.6, which has none. */
function timeNamespace(): string | undefined {
  try {
    return readlinkSync('/proc/self/ns/time')
  } catch {
    return undefined
  }
}

/** Whether this namespace has a process with this id. Asked by a signal, since `/proc` may hide what is another user's. */
function isThere(id: number): boolean {
  try {
    return process.kill(id, 0)
  } catch (error) {
    return errorCode(error) !== 'ESRCH'
  }
}

/** The id and the start of a process, in ticks since the boot: proc_pid_stat(5), fields 1 and 22. */
function statOf(id: string): { readonly id: string; readonly start: string } | undefined {
  try {
    const text = readFileSync(`/proc/${id}/stat`, 'latin1')
    // the command in field 2 may have any character
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    const start = fields[19]
    return start === undefined ? undefined : { id: text.slice(0, text.indexOf(' ')), start }
  } catch {
    return undefined
  }
}

import { readFileSync } from 'node:fs'
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { LimitedLog } from '../../core/ports/limited-log.ts'
import type { Log } from '../../core/ports/log.ts'
import { countedAddress } from '../../core/values/counted-address.ts'

/** File descriptors left for the database, mail servers, webhooks and files. */
const RESERVED = 256
/** One process cannot serve more connections well. */
const MAX_CONNECTIONS = 10_000
const MAX_PER_ADDRESS = 500
/** How many connections a server holds at the same time. */
export interface ConnectionLimits {
  /** All together; never more than the system allows this process. */
  readonly maxConnections?: number | undefined
  /** From one client address. Default 500, at most half of all. Infinity sets no limit. */
  readonly maxConnectionsPerAddress?: number | undefined
}

/**
 * Closes each connection over a limit at once, before reading from it, so that idle connections do not use up the file
 * descriptors that everybody, and the delivery of mail, needs.
 */
export function limitConnections(server: Server, limits: ConnectionLimits, log: Log): void {
  const maxConnections = mostConnections(limits.maxConnections, openFiles())
  if (limits.maxConnections !== undefined && maxConnections < limits.maxConnections) {
    log.warn('the system lets this process open fewer files than server.maxConnections needs', { maxConnections })
  }
  const half = Math.ceil(maxConnections / 2)
  const { maxConnectionsPerAddress = Math.min(MAX_PER_ADDRESS, half) } = limits
  server.maxConnections = maxConnections
  const refused = new LimitedLog(log, 1)
  const perAddress = new Map<string, number>()
  server.on('drop', () => refused.warn('all', 'connections are refused: there are too many in all', { maxConnections }))
  server.on('connection', (socket: Socket) => {
    const address = countedAddress(socket.remoteAddress ?? '')
    const open = (perAddress.get(address) ?? 0) + 1
    perAddress.set(address, open)
    socket.once('close', () => {
      const left = (perAddress.get(address) ?? 1) - 1
      if (left > 0) perAddress.set(address, left)
      else perAddress.delete(address)
    })
    if (open <= maxConnectionsPerAddress) return
    socket.destroy()
    const about = { address, maxConnectionsPerAddress }
    refused.warn(address, 'connections are refused: one address has too many', about)
  })
}

/** The wanted number of connections, or the default, as far as the system's limit of open files leaves room. */
export function mostConnections(wanted: number = MAX_CONNECTIONS, files: number = Number.POSITIVE_INFINITY): number {
  return Math.max(1, Math.min(wanted, Math.max(files - RESERVED, Math.floor(files / 2))))
}

/** How many files this process may open; undefined where the system does not say. */
function openFiles(): number | undefined {
  try {
    const soft = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1'))?.[1]
    return soft === undefined ? undefined : Number(soft)
  } catch {
    return undefined
  }
}

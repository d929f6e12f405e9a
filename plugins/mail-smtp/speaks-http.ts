import { once } from 'node:events'
import net from 'node:net'
import tls from 'node:tls'
import type { Hop } from '../kit/smtp-client/hop.ts'
import { targetOf } from '../kit/smtp-client/public-only.ts'

/** How long a server may take to greet: longer than those wait that hold off clients who talk too soon. */
const GREETING_MS = 10_000
/** How long a web server may take to answer. */
const ANSWER_MS = 3_000

/**
 * Rejects when the port speaks HTTP, which an SMTP client finds out only by waiting in vain: both sides wait for the
 * other to begin. A server that greets is left alone, and other trouble is for others to report.
 */
export async function refuseHttp(hop: Hop): Promise<void> {
  const socket = connect(hop)
  // a connection that ends before TLS stands is told of as readable first, and as broken when it is no longer waited for
  socket.on('error', () => {})
  try {
    if (await isBegun(socket, GREETING_MS)) return
    socket.write(`HEAD / HTTP/1.0\r\n\r\n`)
    if (!(await isBegun(socket, ANSWER_MS))) return
    if (!String(socket.read()).startsWith('HTTP/')) return
  } catch {
    return
  } finally {
    socket.destroy()
  }
  const advice = 'set port to that of SMTP (587, 465 or 25), or use the transport http for an API'
  const error = new Error(`${hop.host}:${hop.port}: this port speaks HTTP, not SMTP: ${advice}`)
  throw Object.assign(error, { trouble: 'http' })
}

function connect(hop: Hop): net.Socket {
  const target = targetOf(hop)
  return hop.secure ? tls.connect({ ...hop.tls, ...target, rejectUnauthorized: false }) : net.connect(target)
}

/** Whether the other side has sent anything in this time. Rejects when the connection fails. */
async function isBegun(socket: net.Socket, ms: number): Promise<boolean> {
  const signal = AbortSignal.timeout(ms)
  return once(socket, 'readable', { signal }).then(
    () => true,
    (error: unknown) => {
      if (signal.aborted) return false
      throw error
    },
  )
}

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { H3Event } from 'h3'

/** If a refused body has at most this many unread bytes, it is dropped and the connection stays open. */
const SMALL_BODY = 64 * 1024
/**
 * How much of a refused body is read and dropped. Most clients write a whole body before they read, and see an error of
 * the socket instead of the answer if it closes before. So this is more than the largest body that any route takes.
 */
const MAX_DROPPED_BYTES = 64 * 1024 * 1024
/** And for how long, in milliseconds. */
const MAX_DROPPING_MS = 10_000

/**
 * Call before an answer is written. If the request was refused and its body not read to the end, the rest is dropped
 * up to a bound; then the connection is closed, however much the client still has to send.
 */
export function leaveUnread({ runtime }: H3Event['req']): void {
  const { req, res } = runtime?.node ?? {}
  if (req === undefined || res === undefined || req.complete || req.httpVersionMajor !== 1) return
  const { 'content-length': length, 'transfer-encoding': coding } = req.headers
  if (coding === undefined && !(Number(length) > 0)) return
  if (coding !== undefined || Number(length) > SMALL_BODY) closeAfter(res as ServerResponse)
  drop(req as IncomingMessage)
}

/** Sends `Connection: close`. Our half is closed with the answer, the other once everything was dropped. */
function closeAfter(res: ServerResponse): void {
  const { socket } = res
  res.shouldKeepAlive = false
  // Node would close both halves at once, and data arriving after that would make the system discard the answer
  if (socket) socket.destroySoon = () => void socket.end()
}

function drop(req: IncomingMessage): void {
  const { socket } = req
  let left = MAX_DROPPED_BYTES
  const cut = () => void socket.destroy()
  const timer = setTimeout(cut, MAX_DROPPING_MS)
  req.on('data', ({ length }: Buffer) => {
    left -= length
    if (left < 0) cut()
  })
  req.once('end', () => clearTimeout(timer))
  req.once('close', () => clearTimeout(timer))
  req.once('error', () => {})
  req.resume()
}

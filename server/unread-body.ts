import type { IncomingMessage, ServerResponse } from 'node:http'
import type { H3Event } from 'h3'

/** A body of at most so many bytes, when it was refused unread, is dropped and the connection goes on. */
const SMALL = 64 * 1024
/** So much of a refused body is read and dropped, so that a client that writes on comes to see the answer. */
const MOST_DROPPED = 1024 * 1024
/** And for so long. */
const DROPPING_MS = 2000

/**
 * Called when an answer is about to be written. Of a body that was not read to its end, because the request was refused,
 * only a little more is taken; then the connection is closed, however much the client has still to send.
 */
export function leaveUnread({ runtime }: H3Event['req']): void {
  const { req, res } = runtime?.node ?? {}
  if (req === undefined || res === undefined || req.complete || req.httpVersionMajor !== 1) return
  const { 'content-length': length, 'transfer-encoding': coding } = req.headers
  if (coding === undefined && !(Number(length) > 0)) return
  if (coding !== undefined || Number(length) > SMALL) closeAfter(res as ServerResponse)
  drop(req as IncomingMessage)
}

/** Says `Connection: close`; the half that is written is closed with the answer, the other when all was dropped. */
function closeAfter(res: ServerResponse): void {
  const { socket } = res
  res.shouldKeepAlive = false
  // Node would close both halves at once, and what came after that would make the system take the answer back
  if (socket) socket.destroySoon = () => void socket.end()
}

function drop(req: IncomingMessage): void {
  const { socket } = req
  let left = MOST_DROPPED
  const cut = () => void socket.destroy()
  const timer = setTimeout(cut, DROPPING_MS)
  req.on('data', ({ length }: Buffer) => {
    left -= length
    if (left < 0) cut()
  })
  req.once('end', () => clearTimeout(timer))
  req.once('close', () => clearTimeout(timer))
  req.once('error', () => {})
  req.resume()
}

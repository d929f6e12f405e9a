import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { SendEmailCommand } from '@aws-sdk/client-sesv2'
import { yieldToLoop } from '../../core/values/yield-to-loop.ts'

/**
 * From this many bytes on, a message would block the event loop while the SDK writes, hashes and signs it in one go.
 */
export const LARGE = 1024 * 1024
/** Bytes per piece: a multiple of three, so that the pieces in base64 join to one text. */
const PIECE = 192 * 1024
/** The place for the message in a request that was written without it. */
const EMPTY = '"Data":""'

/** The parts of the SDK's request that are used here. */
interface Request {
  body?: unknown
  readonly headers: Record<string, string>
}

/**
 * Lets the SDK write the request of a large message without it, and adds the message a piece at a time, yielding in
 * between: once for the hash that the SDK signs in a header field, and once to send it.
 */
export function sendInPieces(command: SendEmailCommand, message: Uint8Array): void {
  command.middlewareStack.add(
    (next) => async (given) => {
      const request = given.request as Request
      const [before, behind, ...more] = textOf(request.body).split(EMPTY)
      if (before === undefined || behind === undefined || more.length > 0)
        throw new Error('the request has no place for the message')
      const around = [`${before}"Data":"`, `"${behind}`] as const
      const hash = createHash('sha256')
      let length = 0
      for await (const piece of pieces(around, message)) {
        hash.update(piece)
        length += piece.length
      }
      request.body = Readable.from(pieces(around, message), { objectMode: false })
      request.headers['content-length'] = String(length)
      request.headers['x-amz-content-sha256'] = hash.digest('hex')
      return next(given)
    },
    { step: 'build', name: 'messageInPieces', priority: 'high' },
  )
}

/** The SDK's text may be bytes. */
function textOf(body: unknown): string {
  if (!(body instanceof Uint8Array)) return String(body)
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString()
}

async function* pieces([before, behind]: readonly [string, string], message: Uint8Array): AsyncGenerator<Buffer> {
  yield Buffer.from(before)
  for (let at = 0; at < message.length; at += PIECE) {
    const length = Math.min(PIECE, message.length - at)
    yield Buffer.from(Buffer.from(message.buffer, message.byteOffset + at, length).toString('base64'))
    await yieldToLoop()
  }
  yield Buffer.from(behind)
}

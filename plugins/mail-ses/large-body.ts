import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { SendEmailCommand } from '@aws-sdk/client-sesv2'
import { yieldToLoop } from '../../core/values/yield-to-loop.ts'

/** A message of more bytes would keep the event loop while the SDK writes, hashes and signs it in one go. */
export const LARGE = 1024 * 1024
/** Bytes of a piece: a multiple of three, so that the pieces in base64 are one text. */
const PIECE = 192 * 1024
/** The place of the message in a request that was written without it. */
const EMPTY = '"Data":""'

/** What of a request of the SDK is looked at. */
interface Request {
  body?: unknown
  readonly headers: Record<string, string>
}

/**
 * Lets the SDK write the request of a large message without it, and puts it in a piece at a time, others having their turn
 * in between: first to sign it (the hash of the body stands in a header field, which the SDK takes), then to send it.
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

/** The SDK's word for text may be bytes. */
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

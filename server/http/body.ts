import type { IncomingMessage } from 'node:http'
import type { H3Event } from 'h3'
import { EngineError } from '../../core/errors.ts'
import type { Untrusted } from '../../core/values/json.ts'
import type { JsonBodies } from './json-bodies.ts'

export const MEGABYTE = 1024 * 1024
/** A body with more bytes is collected in one buffer from the start. */
const LARGE_BODY = 256 * 1024

/** A body `{}` has no more, its blanks included. */
const NOTHING_BYTES = 16

/** The largest body about accounts. */
export const SMALL_BODY = 64 * 1024

/** The largest body with a public key, which anybody may have. */
export const PUBLIC_BODY = 64 * 1024

/**
 * Reads a JSON body of at most `limit` bytes. Throws EngineError `UNSUPPORTED_MEDIA_TYPE`, `PAYLOAD_TOO_LARGE` (by
 * Content-Length before reading, otherwise as soon as it is exceeded, or with too many values), `INVALID_JSON` (also
 * for an empty body and for bytes that are not UTF-8), `BAD_REQUEST` for a body that ends early.
 */
export async function readJson({ req }: H3Event, limit: number, bodies: JsonBodies): Promise<Untrusted> {
  requireJsonType(req.headers.get('content-type'))
  return bodies.read(await readBytes(req, limit))
}

/** Like `readJson`, but no body and `{}` are the same empty object, whatever their type. */
export async function readJsonIfAny({ req }: H3Event, limit: number, bodies: JsonBodies): Promise<Untrusted> {
  const bytes = await readBytes(req, limit)
  if (bytes.length === 0) return {}
  if (bytes.length <= NOTHING_BYTES && /^\s*\{\s*\}\s*$/.test(bytes.toString('latin1'))) return {}
  requireJsonType(req.headers.get('content-type'))
  return bodies.read(bytes)
}

/**
 * Reads a body of at most `limit` bytes. Throws EngineError `PAYLOAD_TOO_LARGE`, `BAD_REQUEST` for a body that ends early.
 */
export async function readBytes(req: H3Event['req'], limit: number): Promise<Buffer> {
  const stated = Number(req.headers.get('content-length') ?? 0)
  if (stated > limit) throw tooLarge(limit)
  const node = req.runtime?.node?.req as (IncomingMessage & { rawBody?: unknown }) | undefined
  const readable = node && !node.readableEnded && !node.destroyed && node.rawBody === undefined
  return readable ? nodeBytes(node, limit, stated) : webBytes(req.body, limit)
}

function requireJsonType(type: string | null): void {
  if (!type || type === 'application/json') return
  const essence = type.split(';', 1)[0]?.trim().toLowerCase()
  if (essence === 'application/json' || essence === '') return
  throw new EngineError('UNSUPPORTED_MEDIA_TYPE', `The body must be application/json, not ${essence}.`, {
    suggestion: 'Send "Content-Type: application/json".',
  })
}

/** Listens to the socket itself, since a web stream around it costs more than all the rest of a small request. */
function nodeBytes(req: IncomingMessage, limit: number, stated: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // copied into place as it comes, since joining many megabytes at the end would block for too long
    const whole = stated > LARGE_BODY ? Buffer.allocUnsafeSlow(stated) : undefined
    const chunks: Buffer[] = []
    let size = 0
    const settle = (error?: EngineError) => {
      req.off('data', onData).off('end', onEnd).off('error', onCut).off('close', onCut)
      if (error) return reject(error)
      if (whole) resolve(whole.subarray(0, size))
      else resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, size))
    }
    const onData = (chunk: Buffer) => {
      if (whole) chunk.copy(whole, size)
      else chunks.push(chunk)
      size += chunk.length
      if (size <= limit) return
      settle(tooLarge(limit))
    }
    const onEnd = () => settle()
    const onCut = () => settle(cutShort())
    req.on('data', onData).once('end', onEnd).once('error', onCut).once('close', onCut)
  })
}

async function webBytes(body: ReadableStream<Uint8Array> | null, limit: number): Promise<Buffer> {
  if (body === null) return Buffer.alloc(0)
  const chunks: Uint8Array[] = []
  let size = 0
  const reader = body.getReader()
  for (;;) {
    const { done, value } = await reader.read().catch((cause) => {
      throw cutShort(cause)
    })
    if (done) return Buffer.concat(chunks, size)
    size += value.byteLength
    chunks.push(value)
    if (size <= limit) continue
    reader.cancel().catch(() => {})
    throw tooLarge(limit)
  }
}

function tooLarge(limit: number): EngineError {
  const most = limit < MEGABYTE ? `${limit / 1024} KB` : `${limit / MEGABYTE} MB`
  return new EngineError('PAYLOAD_TOO_LARGE', `The body must be at most ${most}.`)
}

function cutShort(cause?: unknown): EngineError {
  return new EngineError('BAD_REQUEST', 'The body could not be read to its end.', cause === undefined ? {} : { cause })
}

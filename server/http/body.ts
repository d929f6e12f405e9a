import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Busboy } from '@fastify/busboy'
import type { H3Event } from 'h3'
import { EngineError } from '../../core/errors.ts'
import type { Untrusted } from '../../core/values/json.ts'
import { readJsonText } from '../../core/values/json-text.ts'
import { requireObject } from '../../core/values/parse.ts'
import { Thread, ThreadOverrun } from '../../core/work/thread.ts'

/*
 * Why not h3's `readBody`: it limits a body by another web stream around it, parses any length of JSON on the event loop,
 * and takes a key that stands twice. `readValidatedBody` would read unknown keys without a warning; the rooms validate.
 */

export const MEGABYTE = 1024 * 1024
/** A body with more bytes is collected in one buffer from the start, and its JSON parsed off the event loop; smaller ones take a few milliseconds. */
const LARGE_BODY = 256 * 1024

/** A body `{}` has no more, its blanks included. */
const NOTHING_BYTES = 16

/** The largest body about accounts. */
export const SMALL_BODY = 64 * 1024

/** The largest body with a public key, which any visitor may have. */
export const PUBLIC_BODY = 64 * 1024

/** How much time and memory the JSON of one body may take: 50 MB take a second and 400 MB. */
const PATIENCE_MS = 20_000
const MEMORY_MB = 1024

/** How many parts a form may have: ours have one, but reading many tiny ones keeps all others waiting. */
const MAX_PARTS = 100
/** How many bytes of a form are read in one go. */
const PIECE_BYTES = 64 * 1024

/** The kind of body a route reads: a JSON object, one that may be left out, or a form with files. */
export type BodyKind = 'json' | 'json-or-nothing' | 'multipart'

/** A part of a form: a text field, or the bytes of a file. */
export interface FormPart {
  readonly name: string
  readonly value: string | Uint8Array
  /** Of a file, where it has one. */
  readonly filename?: string
  /** Of a file. */
  readonly contentType?: string
}

/**
 * Reads a body of at most `limit` bytes: a JSON object, or a form (RFC 7578) as its parts by name. With `json-or-nothing`,
 * no body and `{}` are the same empty object, whatever their type. Throws EngineError `UNSUPPORTED_MEDIA_TYPE`,
 * `PAYLOAD_TOO_LARGE` (by Content-Length before reading, otherwise as soon as it is exceeded, or with too many values),
 * `INVALID_JSON` (also for an empty body and for bytes that are not UTF-8), `VALIDATION_ERROR` for JSON that is no object,
 * `BAD_REQUEST` for a body that ends early or is no form.
 */
export async function readBody(
  { req }: H3Event,
  kind: BodyKind,
  limit: number,
  bodies: JsonBodies,
): Promise<Untrusted> {
  const type = req.headers.get('content-type')
  if (kind === 'multipart') return readForm(req, type ?? '', limit)
  if (kind === 'json') requireJsonType(type)
  const bytes = await readBytes(req, limit)
  if (kind === 'json-or-nothing') {
    if (isNothing(bytes)) return {}
    requireJsonType(type)
  }
  const json = await bodies.read(bytes)
  // before anything is looked up: what is no object is wrong whatever it is sent to
  requireObject(json)
  return json
}

function isNothing(bytes: Buffer): boolean {
  return bytes.length === 0 || (bytes.length <= NOTHING_BYTES && /^\s*\{\s*\}\s*$/.test(bytes.toString('latin1')))
}

/**
 * Reads a body of at most `limit` bytes. Throws EngineError `PAYLOAD_TOO_LARGE`, `BAD_REQUEST` for a body that ends early.
 */
export async function readBytes(req: H3Event['req'], limit: number): Promise<Buffer> {
  const stated = Number(req.headers.get('content-length') ?? 0)
  if (stated > limit) throw tooLarge(limit)
  const node = req.runtime?.node?.req as (IncomingMessage & { rawBody?: unknown; body?: unknown }) | undefined
  const readable = node && !node.readableEnded && !node.destroyed && node.rawBody === undefined
  if (readable) return nodeBytes(node, limit, stated)
  return parsedBytes(node, limit) ?? webBytes(req.body, limit)
}

/**
 * The body that a parser of the server around this one has read already, such as `express.json()`: undefined where none
 * did. The bytes are not those that were sent, unless the server keeps them as `rawBody`.
 */
function parsedBytes(
  node: { readonly rawBody?: unknown; readonly body?: unknown } | undefined,
  limit: number,
): Buffer | undefined {
  if (node === undefined || node.rawBody !== undefined || node.body === undefined) return undefined
  const { body } = node
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
  if (bytes.length > limit) throw tooLarge(limit)
  return bytes
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
      req.off('data', onData).off('end', settle).off('error', onCut).off('close', onCut)
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
    const onCut = () => settle(cutShort())
    req.on('data', onData).once('end', settle).once('error', onCut).once('close', onCut)
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

/** Parses the JSON of bodies, large ones in a thread of their own. */
export class JsonBodies {
  readonly #thread = new Thread<Uint8Array>({
    file: new URL('./json-thread.ts', import.meta.url),
    name: 'mailwright-json',
    patience: PATIENCE_MS,
    memory: MEMORY_MB,
  })

  /**
   * A body's value. The buffer must not be used afterwards, since a large one moves to the thread. Throws as
   * `readJsonText` does.
   */
  async read(bytes: Buffer): Promise<Untrusted> {
    if (bytes.length <= LARGE_BODY) return readJsonText(bytes)
    const whole = bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes)
    try {
      return await this.#thread.ask(whole, { transfer: [whole.buffer as ArrayBuffer] })
    } catch (error) {
      if (!(error instanceof ThreadOverrun)) throw error
      throw new EngineError('PAYLOAD_TOO_LARGE', 'The body takes too much time or memory to read.', { cause: error })
    }
  }
}

/** A form's parts by name: a file as a Uint8Array, a text field as a string, several parts of one name as an array. */
async function readForm(req: H3Event['req'], type: string, limit: number): Promise<Untrusted> {
  const essence = type.split(';', 1)[0]?.trim().toLowerCase()
  if (essence !== 'multipart/form-data') {
    const given = essence === '' ? 'without a type' : essence
    throw new EngineError('UNSUPPORTED_MEDIA_TYPE', `The body must be multipart/form-data, not ${given}.`, {
      suggestion: 'Send a form with the file, as `curl -F file=@…` does.',
    })
  }
  const named = Map.groupBy(await parseForm(await readBytes(req, limit), type), ({ name }) => name)
  const values = [...named].map(([name, parts]) => [name, parts.map(({ value }) => value)] as const)
  return Object.fromEntries(values.map(([name, all]) => [name, all.length === 1 ? all[0] : all]))
}

/** The parts of the form in these bytes. Throws EngineError `BAD_REQUEST`. */
export async function parseForm(bytes: Buffer, type: string, most = MAX_PARTS): Promise<readonly FormPart[]> {
  try {
    return await partsOf(bytes, type, most)
  } catch (cause) {
    if (EngineError.is(cause)) throw cause
    throw new EngineError('BAD_REQUEST', 'The body does not match its Content-Type.', {
      suggestion: 'Let the HTTP client write the Content-Type: it names the boundary between the parts.',
      cause,
    })
  }
}

async function partsOf(bytes: Buffer, type: string, most: number): Promise<readonly FormPart[]> {
  const limits = { parts: most, fieldSize: bytes.length }
  const parser = new Busboy({ headers: { 'content-type': type }, limits })
  const parts: FormPart[] = []
  const files: Promise<void>[] = []
  // a part without a name is none of ours
  parser.on('field', (name = '', value) => parts.push({ name, value }))
  parser.on('file', (name = '', file, filename, _encoding, contentType) => {
    const about = { ...(filename ? { filename } : {}), ...(contentType ? { contentType } : {}) }
    const read = bytesOf(file, bytes).then((value) => void parts.push({ name, value, ...about }))
    files.push(read)
    // of a form that is cut short, too, which the parser says
    read.catch(() => {})
  })
  parser.once('partsLimit', () => parser.destroy(tooManyParts(most)))
  await pipeline(Readable.from(piecesOf(bytes)), parser)
  await Promise.all(files)
  return parts
}

/** The refusal of a form with more parts than are read. */
export function tooManyParts(most: number): EngineError {
  return new EngineError('BAD_REQUEST', `The form has more than ${most} parts; send each file and field once.`)
}

/**
 * The bytes of a file, which stand in the form as they are: so the place of its first piece and the length of all say where.
 * Only a small part of a form is copied, since it would keep all of the form in memory.
 */
function bytesOf(file: Readable, form: Buffer): Promise<Buffer> {
  let size = 0
  let begin: number | undefined
  // these are in memory of the parser, which it uses again
  const before: Buffer[] = []
  const see = (piece: Buffer) => {
    const at = piece.buffer === form.buffer ? piece.byteOffset - form.byteOffset : -1
    if (begin === undefined && at >= 0 && at < form.length) begin = at - size
    if (begin === undefined) before.push(Buffer.from(piece))
    size += piece.length
  }
  return new Promise((resolve, reject) => {
    const end = () => {
      if (begin === undefined) return resolve(Buffer.concat(before))
      const found = form.subarray(begin, begin + size)
      resolve(size < form.length / 2 ? Buffer.from(found) : found)
    }
    file.on('data', see).once('end', end).once('error', reject)
  })
}

function* piecesOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES)
}

/** If a refused body has at most this many unread bytes, it is dropped and the connection stays open. */
const SMALL_REST = 64 * 1024
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
  if (coding !== undefined || Number(length) > SMALL_REST) closeAfter(res as ServerResponse)
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

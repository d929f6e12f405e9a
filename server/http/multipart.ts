import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Busboy } from '@fastify/busboy'
import type { H3Event } from 'h3'
import { EngineError } from '../../core/errors.ts'
import type { Untrusted } from '../../core/values/json.ts'
import { readBytes } from './body.ts'

/** How many parts a form may have: ours have one, but whoever reads many tiny ones keeps all others waiting. */
const MAX_PARTS = 100
/** How many bytes are read in one go. */
const PIECE_BYTES = 64 * 1024

/** A part of a form: a text field, or the bytes of a file. */
export interface FormPart {
  readonly name: string
  readonly value: string | Uint8Array
}

/**
 * Reads a form (RFC 7578) of at most `limit` bytes: its parts by name, a file as a Uint8Array, a text field as a
 * string, several parts of one name as an array. Throws EngineError `UNSUPPORTED_MEDIA_TYPE`, `PAYLOAD_TOO_LARGE`,
 * `BAD_REQUEST` for a body that is no such form.
 */
export async function readForm({ req }: H3Event, limit: number): Promise<Untrusted> {
  const type = req.headers.get('content-type') ?? ''
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
export async function parseForm(bytes: Buffer, type: string): Promise<readonly FormPart[]> {
  try {
    return await partsOf(bytes, type)
  } catch (cause) {
    if (EngineError.is(cause)) throw cause
    throw new EngineError('BAD_REQUEST', 'The body is not a form as its Content-Type says.', {
      suggestion: 'Let the HTTP client write the Content-Type: it names the boundary between the parts.',
      cause,
    })
  }
}

async function partsOf(bytes: Buffer, type: string): Promise<readonly FormPart[]> {
  const limits = { parts: MAX_PARTS, fieldSize: bytes.length }
  const parser = new Busboy({ headers: { 'content-type': type }, limits })
  const parts: FormPart[] = []
  const files: Promise<void>[] = []
  // a part without a name is none of ours
  parser.on('field', (name = '', value) => parts.push({ name, value }))
  parser.on('file', (name = '', file) => {
    const read = bytesOf(file).then((value) => void parts.push({ name, value }))
    files.push(read)
    // of a form that is cut short, too, which the parser says
    read.catch(() => {})
  })
  parser.once('partsLimit', () => parser.destroy(new EngineError('BAD_REQUEST', TOO_MANY)))
  await pipeline(Readable.from(piecesOf(bytes)), parser)
  await Promise.all(files)
  return parts
}

const TOO_MANY = `The form has more than ${MAX_PARTS} parts; send each file and field once.`

async function bytesOf(file: Readable): Promise<Buffer> {
  return Buffer.concat(await file.toArray())
}

function* piecesOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES)
}

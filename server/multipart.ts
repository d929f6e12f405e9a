import type { H3Event } from 'h3'
import { EngineError } from '../core/errors.ts'
import type { Untrusted } from '../core/values/json.ts'
import { readBytes } from './body.ts'

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
      suggestion: 'Send a form with the file, as `curl -F file=@contacts.csv` does.',
    })
  }
  const parts = new Map<string, (string | Uint8Array)[]>()
  for (const [name, value] of await parseForm(await readBytes(req, limit), type)) {
    const part = typeof value === 'string' ? value : new Uint8Array(await value.arrayBuffer())
    const known = parts.get(name)
    if (known) known.push(part)
    else parts.set(name, [part])
  }
  return Object.fromEntries([...parts].map(([name, values]) => [name, values.length === 1 ? values[0] : values]))
}

/** The fields of the form in these bytes. Throws EngineError `BAD_REQUEST`. */
export async function parseForm(bytes: Buffer, type: string): Promise<FormData> {
  try {
    return await new Response(new Uint8Array(bytes), { headers: { 'content-type': type } }).formData()
  } catch (cause) {
    throw new EngineError('BAD_REQUEST', 'The body is not a form as its Content-Type says.', {
      suggestion: 'Let the HTTP client write the Content-Type: it names the boundary between the parts.',
      cause,
    })
  }
}

import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'

/* Reads which languages and encodings a reader takes, and whether it has this version already. */

/** How many entries of a field are read at most; a browser sends a handful. */
const MAX_ENTRIES = 20
/** A shorter body is sent as it is: packing it saves no packet. */
const LEAST = 1024
/** A longer body is packed in another thread, piece by piece, while it is sent. */
const AT_ONCE = 32 * 1024

/** The types that are packed: answers for programs. Pages for people are short, and are left alone. */
const PACKED = /^(?:application\/json|text\/plain)\b/

type Body = string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null
type Fields = Readonly<Record<string, string>>

/** A body and its header fields. */
interface Content {
  readonly body: Body
  readonly fields: Fields
}

/**
 * The languages of an `Accept-Language` field (RFC 9110, section 12.5.4), best first. Those of the same weight keep
 * their order; those of weight 0 are left out.
 */
export function acceptedLanguages(field: string | undefined): readonly string[] {
  const wanted = [...weightsOf(field)].filter(([tag, weight]) => tag !== '' && weight > 0)
  return wanted.sort(([, a], [, b]) => b - a).map(([tag]) => tag)
}

/** Whether `Accept-Encoding` allows this coding: by its name, else by `*`, and not with a weight of 0. */
export function takesEncoding(accepted: string | null | undefined, coding: 'br' | 'gzip'): boolean {
  const weights = weightsOf(accepted?.toLowerCase())
  return (weights.get(coding) ?? weights.get(`x-${coding}`) ?? weights.get('*') ?? 0) > 0
}

/** Whether a request is one of a script, which wants JSON: it sends JSON, or says so. */
export function wantsJson(headers: Headers): boolean {
  const isJson = (name: string) => /\bapplication\/json\b/i.test(headers.get(name) ?? '')
  return isJson('content-type') || isJson('accept')
}

/** The entries of a field with their weights (RFC 9110, section 12.4.2). */
function weightsOf(field: string | undefined): ReadonlyMap<string, number> {
  const entries = (field ?? '').split(',', MAX_ENTRIES).map((entry) => {
    const [name = '', ...parameters] = entry.split(';').map((part) => part.trim())
    const weight = parameters.find((parameter) => /^q=/i.test(parameter))?.slice(2)
    return [name, weight === undefined ? 1 : Number(weight)] as const
  })
  return new Map(entries)
}

/**
 * The same content, compressed when it is worth it and the reader takes gzip (RFC 9110, sections 8.4 and 12.5.3). A
 * stream is compressed whatever its length.
 */
export function compressed({ body, fields }: Content, accepted: string | null): Content {
  const isShort = body === null || (typeof body === 'string' && Buffer.byteLength(body) < LEAST)
  if (isShort || body instanceof Uint8Array || 'content-encoding' in fields) return { body, fields }
  if (!PACKED.test(fields['content-type'] ?? '')) return { body, fields }
  const varied = { ...fields, vary: [fields.vary, 'Accept-Encoding'].filter((each) => each !== undefined).join(', ') }
  if (!takesEncoding(accepted, 'gzip')) return { body, fields: varied }
  const { etag } = varied as { readonly etag?: string }
  return {
    body: packed(body),
    fields: {
      ...varied,
      'content-encoding': 'gzip',
      // its bytes are others than those of the same version unpacked (RFC 9110, section 8.8.1)
      ...(etag === undefined || etag.startsWith('W/') ? undefined : { etag: `W/${etag}` }),
    },
  }
}

/**
 * The header fields with the length of the body (RFC 9110, section 8.6) where it is known and the status allows it. Without it
 * the body goes in chunks, each with a write of its own; with it head and body are one. An answer to HEAD has no length but the
 * one that its route gives: GET may be compressed, or have a body that is not made for HEAD.
 */
export function withLength(status: number, { body, fields }: Content, method: string): Fields {
  if (body instanceof ReadableStream || status < 200 || status === 204 || status === 304) return fields
  if ('content-length' in fields || method === 'HEAD') return fields
  const length = body === null ? 0 : typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength
  return { ...fields, 'content-length': String(length) }
}

function packed(body: string | ReadableStream<Uint8Array>): Body {
  if (typeof body === 'string' && body.length <= AT_ONCE) return new Uint8Array(gzipSync(body))
  const stream = typeof body === 'string' ? new Blob([body]).stream() : body
  return stream.pipeThrough(new CompressionStream('gzip') as ReadableWritablePair<Uint8Array, Uint8Array>)
}

/** The strong validator of these bytes (RFC 9110, section 8.8.3). */
export function etagOf(bytes: string | Uint8Array): string {
  return `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`
}

/**
 * Whether the reader has this version already, so that 304 will do (RFC 9110, section 13.1.2); `known` is its
 * `If-None-Match`. h3's `handleCacheHeaders` also writes the fields of the answer, and these stay when the route fails
 * afterwards: caches would keep the error. They also win over the weak validator of a compressed answer.
 */
export function isFresh(known: string | undefined, etag: string): boolean {
  const etags = known?.split(',').map((each) => each.trim().replace(/^W\//, ''))
  return etags?.includes(etag) === true || etags?.includes('*') === true
}

import { gzipSync } from 'node:zlib'

/** A shorter body is sent as it is: packing it saves no packet. */
const LEAST = 1024
/** A longer body is packed in another thread, piece by piece, while it is sent. */
const AT_ONCE = 32 * 1024

/** What is packed: answers for programs. Pages for people are short, and are left alone. */
const PACKED = /^(?:application\/json|text\/plain)\b/

type Body = string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null
type Fields = Readonly<Record<string, string>>

/** A body and its header fields. */
interface Content {
  readonly body: Body
  readonly fields: Fields
}

/**
 * The same content, compressed when it is worth it and the reader takes gzip (RFC 9110, sections 8.4 and 12.5.3). A
 * stream is compressed whatever its length.
 */
export function compressed({ body, fields }: Content, accepted: string | undefined): Content {
  const isShort = body === null || (typeof body === 'string' && Buffer.byteLength(body) < LEAST)
  if (isShort || body instanceof Uint8Array || 'content-encoding' in fields) return { body, fields }
  if (!PACKED.test(fields['content-type'] ?? '')) return { body, fields }
  const varied = { ...fields, vary: [fields.vary, 'Accept-Encoding'].filter((each) => each !== undefined).join(', ') }
  if (!takesGzip(accepted)) return { body, fields: varied }
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

function packed(body: string | ReadableStream<Uint8Array>): Body {
  if (typeof body === 'string' && body.length <= AT_ONCE) return new Uint8Array(gzipSync(body))
  const stream = typeof body === 'string' ? new Blob([body]).stream() : body
  return stream.pipeThrough(new CompressionStream('gzip') as ReadableWritablePair<Uint8Array, Uint8Array>)
}

/** Whether `Accept-Encoding` allows gzip: by its name, else by `*`, and not with a weight of 0. */
function takesGzip(accepted: string | undefined): boolean {
  const weights = new Map(
    (accepted ?? '').split(',').map((each) => {
      const [coding = '', ...parameters] = each.split(';').map((part) => part.trim().toLowerCase())
      const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice('q='.length)
      return [coding, weight === undefined ? 1 : Number(weight)] as const
    }),
  )
  return (weights.get('gzip') ?? weights.get('x-gzip') ?? weights.get('*') ?? 0) > 0
}

import { FilePart, type Rendered } from './values.ts'

/** A body as it is sent. */
export interface Encoded {
  readonly body: string | Uint8Array
  readonly contentType: string
}

/** Writes a body in the format. In forms a list is a field that comes several times, and an object is written as JSON. */
export async function encode(format: 'json' | 'form' | 'multipart', body: Rendered): Promise<Encoded> {
  if (format === 'json') return { body: JSON.stringify(body), contentType: 'application/json' }
  const fields = Object.entries(body ?? {}).flatMap(([name, value]: [string, Rendered]) =>
    (Array.isArray(value) ? value : [value]).map((each: Rendered) => [name, each] as const),
  )
  if (format === 'form') {
    const form = new URLSearchParams(fields.map(([name, value]) => [name, textOf(value)] as [string, string]))
    return { body: form.toString(), contentType: 'application/x-www-form-urlencoded' }
  }
  const form = new FormData()
  for (const [name, value] of fields) {
    if (value instanceof FilePart) {
      form.append(name, new Blob([Uint8Array.from(value.content)], { type: value.contentType }), value.name)
    } else form.append(name, textOf(value))
  }
  const response = new Response(form)
  return { body: await response.bytes(), contentType: response.headers.get('content-type') ?? '' }
}

function textOf(value: Rendered): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

import { createHash } from 'node:crypto'
import type { H3Event } from 'h3'
import type { Engine } from '../../core/engine.ts'
import { EngineError } from '../../core/errors.ts'
import type {
  ForeignAnswer,
  ForeignApi,
  ForeignEndpoint,
  ForeignPart,
  ForeignRequest,
} from '../../core/ports/foreign-api.ts'
import type { KeyCaller } from '../../core/projects/caller.ts'
import type { Json, Untrusted } from '../../core/values/json.ts'
import { type JsonBodies, parseForm, readBytes, tooManyParts } from './body.ts'
import type { Problem } from './errors.ts'
import { encodedForm, plainForm } from './plain-form.ts'
import { decoded } from './requests.ts'
import type { ForeignRoute } from './route.ts'

/* Requests to other services' APIs: finding their callers, reading their bodies, writing their errors. */

/** A form names each of up to a thousand recipients. */
const MAX_PARTS = 2500
/** A form that is written like a query takes long to read, and has no files. */
const MAX_ENCODED = 5 * 1024 * 1024
const ENCODED_TOO_LARGE = 'A form of this type must be at most 5 MB; send multipart/form-data.'

/** Throws EngineError `MISSING_AUTH`, `INVALID_API_KEY`. */
export async function foreignCaller(
  engine: Engine,
  { keyOf, service, takesTokens }: ForeignApi,
  headers: Readonly<Record<string, string>>,
): Promise<KeyCaller> {
  const key = keyOf(headers)?.trim()
  if (key) return engine.projects.caller(key, takesTokens && 'mcp')
  const suggestion = `Send a key of this server (sk_…) where ${service}'s clients send theirs.`
  throw new EngineError('MISSING_AUTH', 'The request has no API key.', { suggestion })
}

/** The body of a request as its endpoint reads it. Throws as `readBody` does. */
export async function readForeignBody(
  { req }: H3Event,
  kind: NonNullable<ForeignEndpoint['body']>,
  limit: number,
  bodies: JsonBodies,
): Promise<ForeignRequest['body']> {
  const bytes = await readBytes(req, limit)
  const type = req.headers.get('content-type') ?? ''
  if (kind === 'form' || (kind === 'json-or-form' && !/^application\/json\b/i.test(type))) {
    if (/^multipart\/form-data\b/i.test(type)) {
      return plainForm(bytes, type, MAX_PARTS) ?? parseForm(bytes, type, MAX_PARTS)
    }
    if (/^application\/x-www-form-urlencoded\b/i.test(type) || bytes.length === 0) {
      if (bytes.length > MAX_ENCODED) throw new EngineError('PAYLOAD_TOO_LARGE', ENCODED_TOO_LARGE)
      const parts = encodedForm(bytes, MAX_PARTS)
      if (parts === undefined) throw tooManyParts(MAX_PARTS)
      return parts
    }
    const suggestion = 'Send multipart/form-data or application/x-www-form-urlencoded.'
    throw new EngineError('UNSUPPORTED_MEDIA_TYPE', 'The body must be a form.', { suggestion })
  }
  if (kind === 'json-or-nothing' && bytes.length === 0) return undefined
  return (await bodies.read(bytes)) as Json
}

/** The header fields of a request by lower-case name. Those of a web request cost more than all else that is read here. */
export function headersOf({ req }: H3Event): Readonly<Record<string, string>> {
  const given = req.runtime?.node?.req.headers ?? Object.fromEntries(req.headers)
  const fields: Record<string, string> = {}
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || name.startsWith(':')) continue
    fields[name] = Array.isArray(value) ? value.join(', ') : `${value}`
  }
  return fields
}

/** The parts of such a request that are known before its endpoint is called. */
interface ForeignParts {
  readonly caller: KeyCaller
  readonly base: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: ForeignRequest['body']
  readonly engine: Engine
}

/** The request as its endpoint takes it. Its address is taken apart only where it is read, which few endpoints do. */
export class RequestToForeign implements ForeignRequest {
  readonly params: ForeignRequest['params']
  readonly headers: ForeignRequest['headers']
  readonly body: ForeignRequest['body']
  readonly project: ForeignRequest['project']
  readonly scopes: ForeignRequest['scopes']
  readonly now: Date
  readonly #event: H3Event
  readonly #parts: ForeignParts

  constructor(event: H3Event, parts: ForeignParts) {
    const params: Record<string, string> = {}
    for (const [name, raw] of Object.entries(event.context.params ?? {})) params[name] = decoded(raw)
    const { id, name } = parts.caller.project
    this.params = params
    this.headers = parts.headers
    this.body = parts.body
    this.project = { id, name }
    this.scopes = parts.caller.scopes
    this.now = parts.engine.now()
    this.#event = event
    this.#parts = parts
  }

  get query(): URLSearchParams {
    return this.#event.url.searchParams
  }

  get api(): string {
    return this.#parts.base.split('/').at(-1) ?? ''
  }

  get url(): string {
    const { engine, base } = this.#parts
    return ownBase(engine, this.#event.url) + base
  }
}

/** The address of this server from outside, without a slash at its end. */
export function ownBase({ publicUrl }: Engine, url: { readonly origin: string }): string {
  // in this order: most requests need not be taken apart
  return publicUrl ?? url.origin
}

/** The challenge of an API that takes tokens: where its metadata are, and that the token sent is not valid (RFC 9728, section 5.1). */
export function tokenChallenge(base: string, path: string, code: string): string {
  const metadata = `resource_metadata="${base}/.well-known/oauth-protected-resource${path}"`
  return code === 'INVALID_API_KEY' ? `Bearer error="invalid_token", ${metadata}` : `Bearer ${metadata}`
}

/** The body as JSON to compare repeats by, with files as their digests. */
export function digestible(body: ForeignRequest['body']): Untrusted {
  if (!isForm(body)) return body
  return body.map(({ value, ...part }) => ({
    ...part,
    value: typeof value === 'string' ? value : createHash('sha256').update(value).digest('hex'),
  }))
}

function isForm(body: ForeignRequest['body']): body is readonly ForeignPart[] {
  return Array.isArray(body) && body.every((part) => part !== null && typeof part === 'object' && 'name' in part)
}

/** An error in the service's own form, with its names of the fields. */
export function foreignRefusal({ api, endpoint }: ForeignRoute, problem: Problem, requestId: string): ForeignAnswer {
  const { status, code, message, suggestion, retryAfter } = problem
  const names = new Map(Object.entries(endpoint.fields ?? {}))
  const fields = problem.fields.map((each) => {
    const [first = '', ...rest] = each.field.split('.')
    return { ...each, field: [names.get(first) ?? first, ...rest].join('.') }
  })
  const more = {
    ...(suggestion === undefined ? {} : { suggestion }),
    ...(retryAfter === undefined ? {} : { retryAfter }),
  }
  return api.refusal({ status, code, message, fields, requestId, ...more })
}

import { createHash } from 'node:crypto'
import type { Engine } from '../../core/engine.ts'
import { EngineError } from '../../core/errors.ts'
import type { IdempotencyScope } from '../../core/projects/idempotency.ts'
import { isJsonObject, type Json, type Untrusted } from '../../core/values/json.ts'
import { type AnyEndpoint, type Reply, replayedHeader, takesIdempotencyKey } from './route.ts'

/** Whose an idempotency key is: a project's, or a user's for what concerns no project. */
interface KeyOwner {
  readonly id: string
  readonly kind: NonNullable<IdempotencyScope['callerKind']>
}

/** A request that may repeat another one. */
interface RepeatableRequest {
  readonly route: AnyEndpoint
  /** The `Idempotency-Key`, unchecked; undefined without one. */
  readonly key: string | undefined
  /** Its path, with what stands for the parameters, and its query with the question mark. */
  readonly url: Pick<URL, 'pathname' | 'search'>
  readonly body: Untrusted
  readonly owner: KeyOwner
}

/** An answer as it is kept: without its body when that is secret. */
type KeptReply = {
  readonly status: number
  readonly body?: Json
  readonly headers?: Readonly<Record<string, string>>
  readonly isSecret?: true
}

/**
 * Answers a request once per `Idempotency-Key`, and its repeats with the first answer. Only answers of success are kept. A
 * repeat of what answered with a secret is refused, since secrets are not kept. Throws EngineError as `Projects.once`.
 */
export async function answeredOnce(
  { projects }: Pick<Engine, 'projects'>,
  { route, key, url, body, owner }: RepeatableRequest,
  act: () => Promise<Reply>,
): Promise<Reply> {
  if (key === undefined || route.idempotent === 'room' || !takesIdempotencyKey(route)) return act()
  const scope = { operation: `${route.method} ${url.pathname}`, callerKind: owner.kind }
  const isForm = 'body' in route && route.body === 'multipart'
  const read = isForm ? withoutBytes(body) : (body ?? {})
  const input = url.search === '' ? read : { query: url.search, body: read }
  const done = await projects.once(owner.id, { key, scope, input }, act, (reply) => keptOf(route, reply))
  if ('answer' in done) return done.answer
  const { isSecret, headers, ...kept } = done.kept
  if (isSecret) throw notKept()
  return { ...kept, headers: { ...headers, ...replayedHeader(true).headers } }
}

function keptOf({ secretAnswer }: AnyEndpoint, { status, body, headers, cookies }: Reply): KeptReply {
  // a cookie is a session
  if (secretAnswer || cookies) return { status, isSecret: true }
  // dates become what they are in the answer
  return JSON.parse(JSON.stringify({ status, body, headers }))
}

/** A form with its files as digests: as JSON, bytes take many times their size. */
function withoutBytes(form: Untrusted): Untrusted {
  if (form instanceof Uint8Array) return createHash('sha256').update(form).digest('hex')
  if (Array.isArray(form)) return form.map(withoutBytes)
  if (!isJsonObject(form)) return form
  return Object.fromEntries(Object.entries(form).map(([name, part]) => [name, withoutBytes(part)]))
}

function notKept(): EngineError {
  return new EngineError(
    'CONFLICT',
    'This was already done under this Idempotency-Key. The answer contained a secret, which is shown once and not kept.',
    { suggestion: 'If that answer never arrived, remove what was created, and repeat the request with a new key.' },
  )
}

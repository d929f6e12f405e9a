import { createHash } from 'node:crypto'
import { EngineError } from '../errors.ts'
import type { Kit } from '../kit.ts'
import type { AnswerRepository } from '../ports/store/answers.ts'
import type { KeyKind, Project } from '../ports/store/projects.ts'
import type { WriteBatch, WriteBatchOutcome, WriteBatchRequest } from '../ports/store/write-batch.ts'
import { digestOf } from '../values/digest.ts'
import { isJsonObject, type Json, type Untrusted, unstorable } from '../values/json.ts'
import { refused } from '../values/parse.ts'
import type { ProjectId } from '../values/project-id.ts'

/** How long an answer is remembered. */
const REMEMBERED_MS = 24 * 3600 * 1000
/** How long a key stays reserved when the process that works under it dies: longer than any request takes. */
const RESERVED_MS = 5 * 60 * 1000

/** The scope of an idempotency key: the operation, and the kind of caller. */
export interface IdempotencyScope {
  /** A name for method and path. */
  readonly operation: string
  /** Default `secret`. Public keys are known to everybody, so theirs must not block those of secret keys. */
  readonly callerKind?: KeyKind | 'member' | 'test' | undefined
}

/** A request's idempotency key in its scope, with the fingerprint of its input. */
interface Idempotency {
  readonly key: string
  readonly fingerprint: string
  readonly since: Date
}

/**
 * Reads an `Idempotency-Key` (1 to 255 printable ASCII characters). The fingerprint covers the whole input. Throws
 * EngineError `BAD_REQUEST` for a key of another form, `VALIDATION_ERROR` for input that cannot be stored.
 */
export function idempotencyOf(
  key: string,
  { operation, callerKind = 'secret' }: IdempotencyScope,
  input: Untrusted,
  now: Date,
): Idempotency {
  // null or a number of a host without a compiler would be the same key for every mail
  if (typeof key !== 'string' || !/^[\x20-\x7e]{1,255}$/.test(key)) {
    throw new EngineError('BAD_REQUEST', 'Idempotency-Key: must be 1 to 255 printable ASCII characters')
  }
  const problem = unstorable(input)
  if (problem) throw refused([problem])
  const fingerprint = fingerprintOf(input)
  // the key has no line ends, so no two scopes can make the same text
  return { key: `${callerKind}\n${operation}\n${key}`, fingerprint, since: new Date(now.getTime() - REMEMBERED_MS) }
}

/** A digest of the whole input, the same for the same JSON value: the order of keys and how it was written do not count. */
export function fingerprintOf(input: Untrusted): string {
  return createHash('sha256')
    .update(JSON.stringify(inOrder(withDigests(input))) ?? '')
    .digest('hex')
}

/** The value with the keys of all its objects in one order. */
function inOrder(value: Untrusted): Untrusted {
  if (Array.isArray(value)) return value.map(inOrder)
  if (!isJsonObject(value)) return value
  const names = Object.keys(value).sort()
  return Object.fromEntries(names.map((name) => [name, inOrder(value[name])]))
}

/** A longer text is hashed by its own digest: as JSON it would take far longer. */
const LONG = 1_000_000

function withDigests(input: Untrusted): Untrusted {
  if (!isJsonObject(input)) return input
  const texts = Object.entries(input).filter(([, value]) => typeof value === 'string' && value.length > LONG)
  return texts.length === 0
    ? input
    : { ...input, ...Object.fromEntries(texts.map(([key, value]) => [key, digestOf(String(value))])) }
}

/** Answers from before this time may be deleted. */
export function forgettableBefore(now: Date): Date {
  return new Date(now.getTime() - REMEMBERED_MS)
}

/** An answer, and whether it belongs to an earlier request under the same key. */
export interface Once<T> {
  /** The answer; of a repeated request that of the first. */
  readonly answer: T
  /** Whether the same key and input came before, so that nothing was done now. */
  readonly replayed: boolean
}

/** The input of `IdempotentRequest.of`: the caller's key, its scope, and the request's whole input. */
interface Keyed extends IdempotencyScope {
  readonly project: Project
  /** Without one, the request is worked on each time. */
  readonly key: string | undefined
  readonly input: Untrusted
  readonly now: Date
}

/**
 * A request that is done once per `Idempotency-Key`: `earlier` before it is checked, then `commit`, or `reserve` within a
 * transaction. Both keep the answer in the commit of the work itself.
 */
export class IdempotentRequest<T extends Json> {
  readonly #writes: WriteBatch
  readonly #project: Project
  readonly #now: Date
  readonly #idempotency: Idempotency | undefined

  private constructor(writes: WriteBatch, { project, now }: Keyed, idempotency: Idempotency | undefined) {
    this.#writes = writes
    this.#project = project
    this.#now = now
    this.#idempotency = idempotency
  }

  /** Throws EngineError `BAD_REQUEST` for a key of another form, `VALIDATION_ERROR` for input that cannot be stored. */
  static of<T extends Json>(writes: WriteBatch, keyed: Keyed): IdempotentRequest<T> {
    const { key, input, now } = keyed
    // what a test key sent is not what a live one asks for
    const scope = keyed.project.isForTests ? { operation: keyed.operation, callerKind: 'test' as const } : keyed
    return new IdempotentRequest<T>(
      writes,
      keyed,
      key === undefined ? undefined : idempotencyOf(key, scope, input, now),
    )
  }

  /**
   * The earlier answer under this key, looked up before the request is checked: an accepted request is answered the
   * same way again, whatever has changed since. Throws EngineError `IDEMPOTENCY_KEY_REUSED`.
   */
  async earlier(): Promise<Once<T> | undefined> {
    if (!this.#idempotency) return undefined
    const { key, fingerprint, since } = this.#idempotency
    const earlier = await this.#writes.remembered(this.#project.id, key, since)
    if (!earlier) return undefined
    if (earlier.fingerprint !== fingerprint) throw keyReused()
    return { answer: earlier.answer as T, replayed: true }
  }

  /** Commits what the request decides. Throws EngineError `IDEMPOTENCY_KEY_REUSED` and whatever `decide` throws. */
  async commit(request: Omit<WriteBatchRequest<T>, 'projectId' | 'now' | 'idempotency'>): Promise<Once<T>> {
    const idempotency = this.#idempotency ? { idempotency: this.#idempotency } : {}
    const whole = { ...request, ...idempotency, projectId: this.#project.id, now: this.#now }
    const outcome: WriteBatchOutcome<T> = await this.#writes.commit(whole)
    if (outcome.outcome === 'key-reused') throw keyReused()
    return { answer: outcome.answer, replayed: outcome.outcome === 'replayed' }
  }

  /**
   * Stores the answer in the transaction of the work, before the work is done. False when the key already has an
   * answer: then the work must not be done. Throws EngineError `IDEMPOTENCY_KEY_REUSED`.
   */
  async reserve(answers: AnswerRepository, answer: T): Promise<boolean> {
    if (!this.#idempotency) return true
    const earlier = await answers.saveIfAbsent(this.#project.id, this.#idempotency, answer, this.#now)
    if (earlier && earlier.fingerprint !== this.#idempotency.fingerprint) throw keyReused()
    return earlier === undefined
  }
}

/**
 * Does work of any kind once per key, and answers what `keptOf` made of the first answer when it was done before. The key
 * is reserved before the work and holds the answer after it; work that throws frees it. So the key and the work have
 * separate commits: work that can keep its answer in its own commit does so instead (`IdempotentRequest`). Throws EngineError
 * `IDEMPOTENCY_KEY_REUSED`, `IDEMPOTENCY_IN_PROGRESS` while another request works under the key, and what the work throws.
 */
export async function once<T, Kept extends Json>(
  answers: AnswerRepository,
  owner: ProjectId,
  { key, fingerprint, since }: Idempotency,
  kit: Kit,
  work: () => Promise<T>,
  keptOf: (answer: T) => Kept,
): Promise<{ readonly answer: T } | { readonly kept: Kept }> {
  const reservation = { reserved: kit.newId() }
  // of this age it counts as forgotten RESERVED_MS from now
  const reservedAt = new Date(since.getTime() + RESERVED_MS)
  const earlier = await answers.saveIfAbsent(owner, { key, fingerprint, since }, reservation, reservedAt)
  if (earlier) {
    if (earlier.fingerprint !== fingerprint) throw keyReused()
    if (isJsonObject(earlier.answer) && 'kept' in earlier.answer) return { kept: earlier.answer.kept as Kept }
    throw inProgress()
  }
  const settle = async (kept: Json | undefined) => {
    const next = kept === undefined ? undefined : { answer: { kept }, now: kit.now() }
    await answers.replace(owner, key, reservation, next).catch((error: unknown) => {
      // the caller has the answer all the same
      kit.log.warn('an answer could not be kept under its Idempotency-Key', { projectId: owner, error })
    })
  }
  try {
    const answer = await work()
    await settle(keptOf(answer))
    return { answer }
  } catch (error) {
    await settle(undefined)
    throw error
  }
}

function inProgress(): EngineError {
  return new EngineError(
    'IDEMPOTENCY_IN_PROGRESS',
    'Another request with this Idempotency-Key is still in progress; its response is not known yet.',
    { suggestion: 'Repeat the request with the same key in a moment.', retryAfter: 1 },
  )
}

function keyReused(): EngineError {
  return new EngineError('IDEMPOTENCY_KEY_REUSED', 'This Idempotency-Key was used before with another request.', {
    suggestion: 'Use a new key for a new request, and the same key only to repeat the same request.',
  })
}

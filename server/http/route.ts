import type * as v from 'valibot'
import type { Engine } from '../../core/engine.ts'
import type { ForeignApi, ForeignEndpoint } from '../../core/ports/foreign-api.ts'
import type { User } from '../../core/ports/store/users.ts'
import { type AreaName, areaOfRecords } from '../../core/projects/roles.ts'
import type { ProjectId } from '../../core/values/project-id.ts'
import type { Versioned } from '../../core/values/record-version.ts'
import { type BodyKind, MEGABYTE, SMALL_BODY } from './body.ts'
import type { Cookie } from './cookies.ts'
import type { HostPages, HostUser } from './host-login.ts'
import type { ApiRequest, PublicRequest, UserRequest } from './requests.ts'

/**
 * The answer to a request: a status, a body that becomes JSON, and further header fields. It is data until `Exchange`
 * sends it, not h3's response (`redirect`, `html`, `noContent`): the audit log and `Idempotency-Key` keep parts of it,
 * and warnings are added.
 */
export interface Reply {
  readonly status: number
  /** Dates in it become ISO 8601; undefined means no body. */
  readonly body?: unknown
  /** A body sent piece by piece as it is read, instead of `body`; `headers` give its type. */
  readonly stream?: AsyncIterable<string>
  /** For how long a piece of the stream may wait for its reader, in milliseconds; then the connection is cut. */
  readonly patienceMs?: number
  /** A page or a picture, sent unchanged instead of `body`; `headers` give its type. */
  readonly raw?: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>
  readonly headers?: Readonly<Record<string, string>>
  readonly cookies?: readonly Cookie[]
  /** For the audit log: who this was found to be, of a route without key or session, and the project it concerns. */
  readonly by?: { readonly user: User; readonly projectId?: ProjectId }
}

interface AnyRoute {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** The path with its parameters: `/contacts/:id`. A GET route also answers HEAD. */
  readonly path: string
  /** Its purpose in a few words, beginning with a verb: `List templates`. */
  readonly summary: string
  /** Details for a caller, in one to three sentences of Markdown. */
  readonly description: string
  /** True when machines may call it so often that it is logged only at level debug. */
  readonly quiet?: boolean
  /** Its name for clients and tools, in camel case: `listTemplates`. No other route has it. */
  readonly operation: string
  /** Its input, by the same schemas as the room: the query, an object, and the body or the form. */
  readonly takes?: { readonly query?: v.GenericSchema; readonly body?: v.GenericSchema }
  /**
   * Its answer by status of success: the schema of its JSON, a type such as `text/csv` for anything else, null for no
   * body.
   */
  readonly gives: Readonly<Record<number, Gives>>
  /** Requests that succeed. Each is sent in a test. Ids in them are those of `EXAMPLE_IDS`. */
  readonly examples?: readonly RouteExample[]
  /**
   * How an `Idempotency-Key` counts. Default: for every POST of a caller, by `answeredOnce`. `room`: the room keeps its
   * answer in the commit of its work. `ignored`: it changes nothing, or its body holds a password, of which not even a
   * digest is kept.
   */
  readonly idempotent?: 'room' | 'ignored'
  /** True when the answer has a secret that is not shown again: then it is not kept for a repeated `Idempotency-Key`. */
  readonly secretAnswer?: true
  /**
   * Whether the audit log keeps who asked for it; `people`: unless it was a key, since programs do it all day. Default
   * `always`, for GET `never`.
   */
  readonly audit?: 'always' | 'people' | 'never'
  /** True when what it answers is a project that the user has from now on, whose audit log then has the entry. */
  readonly makesProject?: true
  /** Statuses of errors besides those that follow from the rest. */
  readonly fails?: readonly number[]
}

/** An answer: the schema of its JSON, another type, either of these, or no body. */
export type Gives = v.GenericSchema | string | readonly [v.GenericSchema, string] | null

/** A request that succeeds. */
export interface RouteExample {
  /** The purpose of this one, when there are several. */
  readonly summary?: string
  readonly query?: Readonly<Record<string, string | number | boolean>>
  /** The JSON body, or a form's parts. */
  readonly body?: Readonly<Record<string, unknown>>
}

/** An endpoint for callers with an API key, and for members of the project who are logged in. */
export interface KeyRoute extends AnyRoute {
  /** `secret`: secret keys only; `public`: public keys too, and from any web origin. */
  readonly access: 'secret' | 'public'
  /**
   * The area that the caller needs; `any`: none in particular. Default `track` for `public`, `read` for GET, else the
   * area of the records that the path begins with.
   */
  readonly area?: AreaName | 'any'
  /**
   * Whether it reads a JSON body (optional with `json-or-nothing`) or a form with files. Without it, a body is ignored.
   */
  readonly body?: BodyKind
  /** Whether `:id` in the path is the project, instead of `X-Project-Id`. */
  readonly ofProject?: true
  /** The largest body, in bytes. Default 1 MB. */
  readonly bodyLimit?: number | ((engine: Engine) => number)
  /** As how many requests one counts for the limit of requests, once its body is read. Default 1. */
  readonly countsAs?: (request: ApiRequest) => number
  /** `flat`: 400 and 401 have the flat error body. */
  readonly errors?: 'flat'
  handle(engine: Engine, request: ApiRequest): Promise<Reply>
}

/** An endpoint for people who are logged in, whatever their projects. */
export interface UserRoute extends AnyRoute {
  readonly access: 'user'
  /** Whether it reads a JSON body, of at most 64 KB. */
  readonly body?: 'json'
  readonly errors?: undefined
  handle(engine: Engine, request: UserRequest): Promise<Reply>
  /** Answers a person who is logged in at the app around this one, and has no account here. Without it: 403. */
  ofHost?(engine: Engine, user: HostUser, pages: HostPages): Promise<Reply>
}

/** An endpoint without an API key. */
export interface OpenRoute extends AnyRoute {
  readonly access: 'open'
  /**
   * `page`: for people. Errors are HTML pages, and visits are counted by client address. `page-or-json`: the same, but
   * scripts that ask for JSON get the envelope.
   */
  readonly errors?: 'page' | 'page-or-json'
  /** The web origins whose pages may call it by script, by the first parameter of its path. */
  readonly origins?: (engine: Engine, id: string) => Promise<readonly string[]>
  /** Callers authenticate in their own way; those who do not are counted by client address. */
  readonly proves?: true
  /** It takes a key that belongs to no project: its name among the security schemes of the API document. */
  readonly ownKey?: 'operatorKey' | 'metricsKey'
  /** Whether it reads a JSON body, of at most 64 KB. */
  readonly body?: 'json'
  /** True when pages of other sites may not use it, such as to log people in to another person's account. */
  readonly ownPagesOnly?: true
  handle(engine: Engine, request: PublicRequest): Promise<Reply>
}

/** An endpoint of another service's API, for callers with an API key of ours. */
export interface ForeignRoute extends AnyRoute {
  readonly access: 'foreign'
  readonly api: ForeignApi
  readonly endpoint: ForeignEndpoint
  /** The path that the whole API begins with. */
  readonly base: string
  readonly body?: undefined
  readonly errors?: undefined
}

/** An endpoint of ours. */
export type Route = KeyRoute | UserRoute | OpenRoute

/** An endpoint of ours, or of another service's API. */
export type AnyEndpoint = Route | ForeignRoute

/** The rules that follow from a route for all of its requests, worked out when the app is made. */
export interface RouteRules {
  readonly area: AreaName | 'any'
  readonly audit: NonNullable<Route['audit']>
  /** The largest body, in bytes. */
  readonly bodyLimit: number
}

export function rulesOf(route: AnyEndpoint, engine: Engine): RouteRules {
  const audit = route.audit ?? (route.method === 'GET' ? 'never' : 'always')
  if (route.access === 'foreign') return { area: 'any', audit, bodyLimit: route.endpoint.bodyLimit ?? MEGABYTE }
  if (route.access === 'open' || route.access === 'user') return { area: 'any', audit, bodyLimit: SMALL_BODY }
  const { bodyLimit = MEGABYTE } = route
  return { area: areaOf(route), audit, bodyLimit: typeof bodyLimit === 'number' ? bodyLimit : bodyLimit(engine) }
}

/** The area that a caller of this endpoint needs. Throws for a change of records that no area has. */
export function areaOf({ area, access, method, path }: KeyRoute): AreaName | 'any' {
  const said =
    area ?? (access === 'public' ? 'track' : method === 'GET' ? 'read' : areaOfRecords(path.split('/')[1] ?? ''))
  if (said === undefined) throw new Error(`${method} ${path} names no area, and core/projects/roles.ts has none for it`)
  return said
}

/** Whether an `Idempotency-Key` counts. */
export function takesIdempotencyKey({ method, access, idempotent }: AnyEndpoint): boolean {
  return method === 'POST' && access !== 'open' && idempotent !== 'ignored'
}

/** 200 with a body. */
export function ok(body: unknown): Reply {
  return { status: 200, body }
}

/** 201 with the new record. */
export function created(body: unknown): Reply {
  return { status: 201, body }
}

/** 202 with what is known about the accepted work. */
export function accepted(body: unknown): Reply {
  return { status: 202, body }
}

/** 204 without a body. */
export const noContent: Reply = { status: 204 }

/** 200 with a record that people edit; its `ETag` is for the `If-Match` of a change. */
export function versioned<Record extends Versioned>(record: Record): Reply {
  return { status: 200, body: record, headers: tagOf(record) }
}

/** 201 with what was added to a record; the `ETag` is that of the record. */
export function added(part: object, record: Versioned): Reply {
  return { status: 201, body: part, headers: tagOf(record) }
}

/** 200 with a part of a record after its change; the `ETag` is that of the record. */
export function changedPart(part: object, record: Versioned): Reply {
  return { status: 200, body: part, headers: tagOf(record) }
}

/** 204 for what was removed from a record; the `ETag` is that of the record. */
export function removedFrom(record: Versioned): Reply {
  return { ...noContent, headers: tagOf(record) }
}

function tagOf({ version }: Versioned) {
  return { etag: `"${version}"` }
}

/** Says that an idempotency key was used before, and this is the answer of then. */
export function replayedHeader(replayed: boolean): Pick<Reply, 'headers'> {
  return replayed ? { headers: { 'idempotent-replayed': 'true' } } : {}
}

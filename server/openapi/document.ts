import type { JsonSchema } from '@valibot/to-json-schema'
import * as v from 'valibot'
import { AREAS, isOfInboxes, keyScopeOf } from '../../core/projects/roles.ts'
import { isId } from '../../core/values/id.ts'
import { placeOfVersion } from '../http/if-match.ts'
import { areaOf, type Gives, type Route, type RouteExample, takesIdempotencyKey } from '../http/route.ts'
import { described, describedComponent } from './described.ts'
import { ExampleAnswers } from './example-answers.ts'
import { type Failure, failuresOf } from './failures.ts'
import { ALL_GROUPS, groupOf } from './groups.ts'
import { jsonSchemas } from './json-schemas.ts'
import { pathParameters } from './path-parameters.ts'
import { WEBHOOK_SCHEMAS, WEBHOOKS } from './webhooks.ts'

/** The version of the interface (spec.md, "Versioning"). */
const API_VERSION = '1.0.0'

const JSON_TYPE = 'application/json'

/** An OpenAPI document, as far as this project looks into it. */
export interface OpenApiDocument {
  readonly openapi: string
  readonly servers: readonly { readonly url: string }[]
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly parameters: Readonly<Record<string, Parameter>>
    readonly schemas: Readonly<Record<string, JsonSchema>>
    readonly responses: Readonly<Record<string, Response>>
  }
}

/** One endpoint of the document. */
export interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly tags: readonly string[]
  /** Ways to prove who asks, one of which is enough, each with the scopes it needs. */
  readonly security: readonly Readonly<Record<string, readonly string[]>>[]
  readonly parameters?: readonly (Parameter | Reference)[]
  readonly requestBody?: { readonly required: boolean; readonly content: Readonly<Record<string, Content>> }
  readonly responses: Readonly<Record<string, Response | Reference>>
}

/** A part of a request beside its body. */
export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required: boolean
  readonly description?: string
  readonly deprecated?: true
  readonly schema: JsonSchema
  readonly example?: unknown
}

interface Reference {
  readonly $ref: string
}

interface Response {
  readonly description: string
  readonly headers?: Readonly<Record<string, Reference>>
  readonly content?: Readonly<Record<string, Content>>
}

interface Content {
  readonly schema: JsonSchema
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, { readonly summary?: string; readonly value: unknown }>>
}

/**
 * The OpenAPI 3.1 document of these routes, made from the schemas that read their requests and describe their answers.
 * `publicUrl` is the server's address; without it, the address the document was read from counts.
 */
export function openApiDocument(routes: readonly Route[], publicUrl?: string): OpenApiDocument {
  const failures = new Map(routes.flatMap(failuresOf).map((failure) => [failure.name, failure]))
  const made = jsonSchemas({
    ...Object.fromEntries(routes.flatMap(schemasOf)),
    ...WEBHOOK_SCHEMAS,
    ...Object.fromEntries([...failures].map(([name, { schema }]) => [name, schema])),
  })
  const schemas = { ...made.schemas, ...Object.fromEntries(routes.flatMap((route) => wordedOf(route, made.schemas))) }
  const examples = new ExampleAnswers(made.components)
  const paths: Record<string, Record<string, Operation>> = {}
  for (const route of routes) {
    const path = route.path.replace(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route, schemas, examples) }
  }
  const used = new Set(routes.map(({ path }) => groupOf(path)))
  return {
    openapi: '3.1.0',
    ...ABOUT,
    servers: [{ url: publicUrl?.replace(/(?<!\/)\/+$/, '') ?? '.' }],
    tags: ALL_GROUPS.filter((group) => used.has(group)).map(({ name, description }) => ({ name, description })),
    paths,
    webhooks: WEBHOOKS,
    components: {
      securitySchemes: SECURITY,
      headers: HEADERS,
      parameters: PARAMETERS,
      responses: Object.fromEntries(
        [...failures.values()].map((failure) => [failure.name, responseOf(failure, schemas)]),
      ),
      schemas: Object.fromEntries(
        Object.entries(made.components).map(([name, schema]) => [name, describedComponent(name, schema)]),
      ),
    },
  } as OpenApiDocument
}

const ABOUT = {
  info: {
    title: 'Mailwright',
    version: API_VERSION,
    description: 'An e-mail engine: transactional mail, campaigns, workflows, events and what became of each mail.',
    license: { name: 'MIT', identifier: 'MIT' },
  },
}

const SECURITY = {
  secretKey: {
    type: 'http',
    scheme: 'bearer',
    description:
      'A secret key, `sk_…`. Keep it on your server. A request with a test key, `sk_test_…`, may order a fault by the field `X-Mailwright-Simulate`: `429`, `500`, `timeout` (no answer, the connection is closed after 60 seconds) or `slow` (after 5 seconds). With another key the field is refused with 422.',
  },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'mailwright_session',
    description:
      'The session of who is logged in; over https its name begins with `__Host-`. Where a key would name the project, `X-Project-Id` does.',
  },
  publicKey: { type: 'http', scheme: 'bearer', description: 'A public key, `pk_…`, for tracking from a browser.' },
  operatorKey: { type: 'http', scheme: 'bearer', description: 'The key of the operator: `OPERATOR_KEY`.' },
  metricsKey: { type: 'http', scheme: 'bearer', description: 'The key of the monitoring system: `METRICS_KEY`.' },
}

const HEADERS = {
  RequestId: { description: 'The id of the request, as in the log', schema: { type: 'string' } },
  Warning: { description: 'Keys of the request that were ignored', schema: { type: 'string' } },
  Replayed: { description: '`true` for the first answer to this idempotency key', schema: { type: 'string' } },
  RateLimit: { description: 'Requests per minute of the project', schema: { type: 'integer' } },
  RateLimitRemaining: { description: 'How many are left', schema: { type: 'integer' } },
  RateLimitReset: { description: 'Seconds until all are there again', schema: { type: 'integer' } },
  RetryAfter: { description: 'Seconds after which to come back', schema: { type: 'integer' } },
}

/** The schemas of a route, by keys made of its operation and their place. */
function schemasOf({ operation, takes, gives }: Route): readonly (readonly [string, v.GenericSchema])[] {
  const answers = Object.entries(gives).flatMap(([status, given]) => {
    const [schema] = partsOf(given)
    return schema === undefined ? [] : [[`${operation} ${status}`, schema] as const]
  })
  return [
    ...(takes?.query ? [[`${operation} query`, takes.query] as const] : []),
    ...(takes?.body ? [[`${operation} body`, takes.body] as const] : []),
    ...answers,
  ]
}

/** The same places, with what is said about the fields. */
function wordedOf(route: Route, schemas: Schemas): readonly (readonly [string, JsonSchema])[] {
  const { operation, path } = route
  return schemasOf(route).map(([place]) => {
    const asked = place === `${operation} query` || place === `${operation} body`
    return [place, described(schemas[place] ?? {}, groupOf(path).words, [operation, ...(asked ? [] : ['answer'])])]
  })
}

/** The schema of the JSON and the other type that an answer may have. */
function partsOf(given: Gives): readonly [v.GenericSchema | undefined, string | undefined] {
  if (given === null) return [undefined, undefined]
  if (typeof given === 'string') return [undefined, given]
  return isPair(given) ? given : [given, undefined]
}

function isPair(given: Exclude<Gives, string | null>): given is readonly [v.GenericSchema, string] {
  return Array.isArray(given)
}

type Schemas = Readonly<Record<string, JsonSchema>>

function operationOf(route: Route, schemas: Schemas, examples: ExampleAnswers): Operation {
  const { operation, summary, description, path } = route
  const parameters = [...pathParametersOf(path), ...queryParametersOf(route, schemas), ...headerParametersOf(route)]
  const body = bodyOf(route, schemas)
  const failures = failuresOf(route).map(({ status, name }) => [status, { $ref: `#/components/responses/${name}` }])
  return {
    operationId: operation,
    summary,
    description,
    tags: [groupOf(path).name],
    security: securityOf(route),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body ? { requestBody: body } : {}),
    responses: {
      ...Object.fromEntries(failures),
      ...answersOf(route, schemas, examples),
      ...(route.errors === 'page' ? PAGE : {}),
    },
  } as Operation
}

const TROUBLE = {
  description: 'A page that says what is wrong',
  content: { 'text/html': { schema: { type: 'string' } } },
}

/** Errors of pages are pages. */
const PAGE = { '4XX': TROUBLE, '5XX': TROUBLE }

/** Who may ask, with the scope that a key needs, or the least role of a member (OpenAPI 3.1, "Security Requirement"). */
function securityOf(route: Route): Operation['security'] {
  if (route.access === 'open') return route.ownKey ? [{ [route.ownKey]: [] }] : []
  if (route.access === 'user') return [{ session: [] }]
  const area = areaOf(route)
  if (area === 'any') return [{ secretKey: [] }, { session: [] }]
  const scope = keyScopeOf(area)
  return [
    ...(route.access === 'public' ? [{ publicKey: [area] }] : []),
    // some is for members alone
    ...(scope === undefined ? [] : [{ secretKey: [scope] }]),
    ...(isOfInboxes(area) ? [{ secretKey: ['inbox'] }] : []),
    { session: [AREAS[area].role] },
  ]
}

function pathParametersOf(path: string): readonly Parameter[] {
  return pathParameters(path).map(({ name, description, example }) => ({
    name,
    in: 'path',
    required: true,
    description,
    schema: { type: 'string', ...(isId(example) && !name.includes('Or') ? { format: 'uuid' } : {}) },
    example,
  }))
}

function queryParametersOf({ operation, examples }: Route, schemas: Schemas): readonly Parameter[] {
  const query = schemas[`${operation} query`]
  return Object.entries(query?.properties ?? {}).map(([name, property]) => {
    const { description, deprecated, ...schema } = property as JsonSchema & { readonly deprecated?: true }
    const example = examples?.find((each) => each.query?.[name] !== undefined)?.query?.[name]
    return {
      name,
      in: 'query',
      required: query?.required?.includes(name) ?? false,
      ...(description === undefined ? {} : { description }),
      ...(deprecated ? { deprecated } : {}),
      schema,
      ...(example === undefined ? {} : { example }),
    }
  })
}

function headerParametersOf(route: Route): readonly Reference[] {
  const isKeyed = route.access === 'secret' || route.access === 'public'
  return [
    ...(isKeyed && !route.ofProject ? [{ $ref: '#/components/parameters/ProjectId' }] : []),
    ...(takesIdempotencyKey(route) ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
    ...(isKeyed && placeOfVersion(route) ? [{ $ref: '#/components/parameters/IfMatch' }] : []),
  ]
}

const PARAMETERS = {
  ProjectId: {
    name: 'X-Project-Id',
    in: 'header',
    required: false,
    description: 'The project to act for. Only with a session: a key says it.',
    schema: { type: 'string', format: 'uuid' },
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description: 'The same request with the same key within 24 hours is done once, and answered with the first answer.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    required: false,
    description:
      'The version that is changed, as the `ETag` of an answer has it: `"7"`. The same as `version`; 409 `VERSION_CONFLICT` when it is not the current one any more.',
    schema: { type: 'string', maxLength: 100 },
  },
}

function bodyOf(route: Route, schemas: Schemas): Operation['requestBody'] {
  const schema = schemas[`${route.operation} body`]
  if (schema === undefined) return undefined
  const kind = 'body' in route ? route.body : undefined
  const type = kind === 'multipart' ? 'multipart/form-data' : JSON_TYPE
  const examples = exampleBodies(route.examples ?? [])
  const content = { schema, ...(Object.keys(examples).length > 0 ? { examples } : {}) }
  return { required: kind !== 'json-or-nothing', content: { [type]: content } }
}

function exampleBodies(examples: readonly RouteExample[]): NonNullable<Content['examples']> {
  const bodies = examples.flatMap(({ body, summary }, i) => {
    if (body === undefined) return []
    return [[`example${i + 1}`, { ...(summary === undefined ? {} : { summary }), value: body }] as const]
  })
  return Object.fromEntries(bodies)
}

function answersOf(route: Route, schemas: Schemas, examples: ExampleAnswers): Readonly<Record<string, Response>> {
  const { operation, gives } = route
  const headers = headersOf(route)
  const answers = Object.entries(gives).map(([status, given]) => {
    const [, type] = partsOf(given)
    const schema = schemas[`${operation} ${status}`]
    const content = {
      ...(schema === undefined ? {} : { [JSON_TYPE]: { schema, example: examples.of(schema, operation) } }),
      ...(type === undefined ? {} : { [type]: { schema: { type: 'string' } } }),
    }
    const body = given === null ? {} : { content }
    return [status, { description: MEANINGS[status] ?? 'Done', headers, ...body }] as const
  })
  return Object.fromEntries(answers)
}

const MEANINGS: Readonly<Record<string, string>> = {
  200: 'OK',
  201: 'Made',
  202: 'Accepted: it is done in the background',
  204: 'Done; there is no body',
  302: 'Found: `Location` says where',
  303: 'Done: `Location` says where to go on',
}

const LIMITS = {
  'RateLimit-Limit': 'RateLimit',
  'RateLimit-Remaining': 'RateLimitRemaining',
  'RateLimit-Reset': 'RateLimitReset',
}

function headersOf(route: Route): Readonly<Record<string, { readonly $ref: string }>> {
  const names = {
    'X-Request-Id': 'RequestId',
    ...(route.access === 'open' ? {} : { ...LIMITS, 'Mailwright-Warning': 'Warning' }),
    ...(takesIdempotencyKey(route) && !route.secretAnswer ? { 'Idempotent-Replayed': 'Replayed' } : {}),
  }
  return Object.fromEntries(
    Object.entries(names).map(([field, name]) => [field, { $ref: `#/components/headers/${name}` }]),
  )
}

function responseOf({ name, status, description, isAlsoPage }: Failure, schemas: Schemas): Response {
  const schema = schemas[name] ?? {}
  const page = isAlsoPage ? { 'text/html': { schema: { type: 'string' } } } : {}
  const fields = [
    ['X-Request-Id', 'RequestId'],
    ...(status === 429 || status === 503 ? [['Retry-After', 'RetryAfter']] : []),
  ]
  const headers = Object.fromEntries(fields.map(([field, ref]) => [field, { $ref: `#/components/headers/${ref}` }]))
  return { description, headers, content: { [JSON_TYPE]: { schema }, ...page } } as Response
}

import type { JsonSchema } from '@valibot/to-json-schema'
import type { OpenApiDocument, Operation, Parameter } from '../openapi/document.ts'

/** A tool for a model: one operation of the API. */
export interface ApiTool {
  /** The operation's name. */
  readonly name: string
  readonly description: string
  readonly inputSchema: { readonly type: 'object'; readonly [key: string]: unknown }
  readonly annotations: {
    readonly title: string
    readonly readOnlyHint: boolean
    readonly destructiveHint?: boolean
    readonly idempotentHint?: boolean
  }
  readonly method: string
  readonly path: string
  /** The group in the document, as `--only` has it: `campaigns`. */
  readonly group: string
  /** The names of the arguments by where they go. */
  readonly places: Readonly<Record<'path' | 'query' | 'header', readonly string[]>>
  readonly required: readonly string[]
  readonly takesBody: boolean
  /** Whether its answer is JSON, or nothing. */
  readonly isJson: boolean
}

/**
 * Never offered, whatever the key may do: a model would get a secret into its words, or could give itself a key or end
 * that of others. Membership is for people.
 */
export const NEVER_OFFERED: readonly string[] = [
  'createApiKey',
  'revokeApiKey',
  'getWebhookSecret',
  'rotateWebhookSecret',
  'removeMember',
  // of pages that people have open
  'notePresence',
  // a client of MCP is a model itself
  'assistThread',
  'changeTexts',
]

/** POST requests that change nothing. */
export const READING_POSTS: readonly string[] = [
  'verifyAddress',
  'lookUpContacts',
  'renderTemplate',
  'checkDomainNow',
  'checkMail',
  'previewCampaign',
  'previewImport',
  'previewSeries',
  'testStep',
]

/**
 * The tools for a secret key with these scopes, made from the document, in its order. Left out is what the key may not do,
 * what takes files, and what shows or changes secrets. Throws for a document that this program cannot read.
 */
export function toolsFor(document: OpenApiDocument, scopes: readonly string[]): readonly ApiTool[] {
  const known = MADE.get(document) ?? new Map<string, readonly ApiTool[]>()
  MADE.set(document, known)
  const key = scopes.toSorted().join()
  const tools = known.get(key) ?? makeTools(document, scopes)
  known.set(key, tools)
  return tools
}

/** Those of each document, by scopes, of which there are few. */
const MADE = new WeakMap<OpenApiDocument, Map<string, readonly ApiTool[]>>()

function makeTools(document: OpenApiDocument, scopes: readonly string[]): readonly ApiTool[] {
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, operation]) => {
      if (!isAllowed(operation, scopes) || NEVER_OFFERED.includes(operation.operationId)) return []
      const content = operation.requestBody?.content
      if (content && !content[JSON_TYPE]) return []
      return [toolOf(document, method.toUpperCase(), path, operation)]
    }),
  )
}

const JSON_TYPE = 'application/json'

/** Whether a secret key with these scopes may do it: the document names the scope beside the key (`security`). */
function isAllowed({ security }: Operation, scopes: readonly string[]): boolean {
  const ways = security.flatMap(({ secretKey }) => (secretKey ? [secretKey] : []))
  if (ways.length === 0) return false
  return scopes.includes('full') || ways.some((needed) => needed.every((scope) => scopes.includes(scope)))
}

function toolOf(document: OpenApiDocument, method: string, path: string, operation: Operation): ApiTool {
  const { operationId: name, summary, description, tags, requestBody } = operation
  const parameters = (operation.parameters ?? [])
    .map((each) => ('$ref' in each ? parameterAt(document, each.$ref) : each))
    // a key says which project it is; `version` says the same as the tag
    .filter((each) => each.name !== 'X-Project-Id' && each.name !== 'If-Match')
  const body = requestBody?.content[JSON_TYPE]?.schema
  const properties: Record<string, JsonSchema> = Object.fromEntries(
    parameters.map((each) => [each.name, schemaOf(each)]),
  )
  if (body) properties.body = body
  const required = [
    ...parameters.filter((each) => each.required).map((each) => each.name),
    ...(requestBody?.required ? ['body'] : []),
  ]
  const named = (place: Parameter['in']) => parameters.filter((each) => each.in === place).map((each) => each.name)
  return {
    name,
    description: `${summary} (${method} ${path}). ${description}`,
    inputSchema: selfContained(document, { type: 'object', properties, required, additionalProperties: false }),
    annotations: { title: summary, ...hintsOf(method, operation) },
    method,
    path,
    group: slugOf(tags[0] ?? ''),
    places: { path: named('path'), query: named('query'), header: named('header') },
    required,
    takesBody: body !== undefined,
    isJson: answersJson(operation),
  }
}

function answersJson({ responses }: Operation): boolean {
  return Object.entries(responses).every(([status, response]) => {
    const types = 'content' in response && response.content ? Object.keys(response.content) : []
    return !status.startsWith('2') || types.length === 0 || types.includes(JSON_TYPE)
  })
}

/** The name of a group on the command line: `E-mails` is `e-mails`, `Public API` is `public-api`. */
function slugOf(tag: string): string {
  return tag.toLowerCase().replaceAll(' ', '-')
}

/**
 * The hints on what a client may do without asking a person. Only a POST that just makes a record adds without
 * destroying; mail cannot be taken back, so that whatever sends counts as destructive.
 */
function hintsOf(method: string, { operationId, responses, security }: Operation) {
  if (method === 'GET' || READING_POSTS.includes(operationId)) return { readOnlyHint: true }
  const onlyMakes =
    method === 'POST' &&
    Object.keys(responses)
      .filter((each) => each.startsWith('2'))
      .join() === '201'
  const sends = operationId === 'startExecution' || security.some((each) => each.secretKey?.includes('send'))
  return { readOnlyHint: false, destructiveHint: !onlyMakes || sends, idempotentHint: method !== 'POST' }
}

function parameterAt({ components }: OpenApiDocument, ref: string): Parameter {
  const found = components.parameters[ref.slice(ref.lastIndexOf('/') + 1)]
  if (!found) throw new Error(`The document has no ${ref}`)
  return found
}

function schemaOf({ schema, description, example }: Parameter): JsonSchema {
  return {
    ...schema,
    ...(description === undefined ? {} : { description }),
    ...(example === undefined ? {} : { examples: [example] as JsonSchema['examples'] }),
  } as JsonSchema
}

const COMPONENTS = '#/components/schemas/'

/** The schema with all it refers to in `$defs`, since a tool's schema stands for itself. */
function selfContained(document: OpenApiDocument, schema: object): ApiTool['inputSchema'] {
  const defs: Record<string, unknown> = {}
  const moved = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(moved)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value)
        // which is OpenAPI's own, and names schemas of the document
        .filter(([key]) => key !== 'discriminator')
        .map(([key, each]) => [key, key === '$ref' ? place(each) : moved(each)]),
    )
  }
  const place = (ref: unknown) => {
    if (typeof ref !== 'string' || !ref.startsWith(COMPONENTS)) return ref
    const name = ref.slice(COMPONENTS.length)
    if (!Object.hasOwn(defs, name)) {
      // before what it refers to, since filters contain filters
      defs[name] = {}
      defs[name] = moved(document.components.schemas[name])
    }
    return `#/$defs/${name}`
  }
  const whole = moved(schema) as object
  return { type: 'object', ...whole, ...(Object.keys(defs).length > 0 ? { $defs: defs } : {}) }
}

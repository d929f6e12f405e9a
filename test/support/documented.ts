import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { ROUTES } from '../../server/app.ts'
import { openApiDocument } from '../../server/openapi/document.ts'

/** The document of all routes, made once per worker. */
const DOCUMENT = openApiDocument(ROUTES)

/** Paths without parameters first, as the router looks for them. */
const PATHS = Object.keys(DOCUMENT.paths)
  .toSorted((one, other) => count(one) - count(other))
  .map((path) => ({ path, pattern: new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`) }))

// most schemas are used a few times: what they take to compile counts, and parts in common are compiled once
const compiling = { inlineRefs: false, code: { optimize: false } }
const ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false, ...compiling })
addFormats.default(ajv)
ajv.addFormat('idn-email', /^[^@\s]+@[^@\s]+$/)
ajv.addSchema(withoutFurtherKeys(DOCUMENT) as object, 'document')

interface AnswerToCheck {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly body: unknown
}

const validators = new Map<string, ValidateFunction>()

/**
 * Fails for an answer that the OpenAPI document does not describe: another status, another type, or a body that breaks its
 * schema. Keys that the schema does not name break it too, so that the document cannot fall behind.
 */
export function requireDocumented(method: string, url: string, { status, headers, text, body }: AnswerToCheck): void {
  const path = pathOf(url)
  const verb = method.toLowerCase()
  const operation = path === undefined ? undefined : DOCUMENT.paths[path]?.[verb]
  // 405 is what other methods than those of the document get
  if (path === undefined || operation === undefined || status === 405) return
  const wrong = (what: string) => new Error(`${method} ${path} answers ${status}, but ${what}\n${text.slice(0, 2000)}`)
  const given = operation.responses[status] ?? operation.responses[`${String(status)[0]}XX`]
  if (given === undefined) throw wrong('the OpenAPI document has no such status')
  const isShared = '$ref' in given
  const name = isShared ? given.$ref.slice('#/components/responses/'.length) : ''
  const { content } = isShared ? (DOCUMENT.components.responses[name] ?? {}) : given
  if (content === undefined) {
    if (text !== '') throw wrong('the OpenAPI document says that there is no body')
    return
  }
  const type = headers.get('content-type')?.split(';', 1)[0] ?? ''
  if (content[type] === undefined) {
    if (content['*/*']) return
    throw wrong(`the OpenAPI document says ${Object.keys(content).join(', ')}`)
  }
  if (type !== 'application/json') return
  const place = isShared
    ? `/components/responses/${name}`
    : `/paths/${path.replaceAll('/', '~1')}/${verb}/responses/${status}`
  const validate = validatorOf(`${place}/content/application~1json/schema`)
  if (validate(body)) return
  throw wrong(
    `its body breaks the schema: ${ajv.errorsText(validate.errors)} ${JSON.stringify(validate.errors?.[0]?.params)}`,
  )
}

function pathOf(url: string): string | undefined {
  const [path = ''] = url.split(/[?#]/, 1)
  return PATHS.find(({ pattern }) => pattern.test(path))?.path
}

function validatorOf(place: string): ValidateFunction {
  const known = validators.get(place)
  if (known) return known
  const made = ajv.compile({ $ref: `document#${encodeURI(place)}` })
  validators.set(place, made)
  return made
}

/** The same schemas, but objects have no other keys than those named. */
function withoutFurtherKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutFurtherKeys)
  if (typeof value !== 'object' || value === null) return value
  const all = Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withoutFurtherKeys(each)]))
  const isClosed = all.type === 'object' && 'properties' in all && !('additionalProperties' in all)
  return isClosed ? { ...all, additionalProperties: false } : all
}

function count(path: string): number {
  return path.split('{').length
}

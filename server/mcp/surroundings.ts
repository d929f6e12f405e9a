import * as v from 'valibot'
import type { OpenApiDocument } from '../openapi/document.ts'
import { Api, type ApiAnswer } from './api.ts'
import { EX_CONFIG, EX_NOPERM, EX_UNAVAILABLE, EX_USAGE, McpProblem } from './problem.ts'

/** The server that is asked, what it offers, and who asks. */
export interface Surroundings {
  readonly api: Api
  readonly document: OpenApiDocument
  readonly key: v.InferOutput<typeof OwnKey>
}

const OwnKey = v.object({ name: v.string(), projectId: v.string(), scopes: v.array(v.string()) })

/** As much of a document as tells that it is Mailwright's. */
const Document = v.looseObject({
  info: v.looseObject({ title: v.literal('Mailwright') }),
  paths: v.looseObject({}),
  components: v.looseObject({ parameters: v.looseObject({}), schemas: v.looseObject({}) }),
})

/**
 * Asks the server for its document, and then, with the key, what the key may do. Throws McpProblem when the address or the
 * key is missing or wrong, or nobody answers. The key is sent only to an address that has proved to be a Mailwright.
 */
export async function lookAround(
  urlOption: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Surroundings> {
  const url = apiUrl(urlOption, environment.MAILWRIGHT_URL)
  const secret = environment.MAILWRIGHT_API_KEY?.trim() ?? ''
  if (secret === '')
    throw new McpProblem('MAILWRIGHT_API_KEY is missing: set it to a secret key of the project.', EX_CONFIG)
  // what a header cannot carry, such as a line break, is not a key
  if (!/^[\x21-\x7e]+$/.test(secret)) throw new McpProblem('MAILWRIGHT_API_KEY is not a key.', EX_CONFIG)
  const api = new Api(url, secret)
  const document = documentIn(url, await reached(url, () => api.askOpenly('/openapi.json')))
  const key = keyIn(await reached(url, () => api.ask('/keys/@me')))
  return { api, document, key }
}

function apiUrl(option: string | undefined, variable: string | undefined): string {
  const [name, text, exitCode] =
    option === undefined ? ['MAILWRIGHT_URL', variable, EX_CONFIG] : ['--url', option, EX_USAGE]
  if (text === undefined || text.trim() === '')
    throw new McpProblem('The address of the server is missing: give --url, or set MAILWRIGHT_URL.', exitCode)
  const url = URL.parse(text.trim())
  const isFit = url && /^https?:$/.test(url.protocol) && !url.username && !url.password && !url.search && !url.hash
  if (!isFit)
    throw new McpProblem(
      `${name} must be an address such as https://mail.example.com, without a password, ? or #.`,
      exitCode,
    )
  return url.href.replace(/\/+$/, '')
}

async function reached(url: string, ask: () => Promise<ApiAnswer>): Promise<ApiAnswer> {
  try {
    return await ask()
  } catch (error) {
    throw new McpProblem(`${url} cannot be reached: ${reasonOf(error)}`, EX_UNAVAILABLE)
  }
}

/** What fetch hides in the cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { cause } = error
  if (cause instanceof AggregateError && cause.errors[0] instanceof Error) return cause.errors[0].message
  return cause instanceof Error && cause.message !== '' ? cause.message : error.message
}

function documentIn(url: string, answer: ApiAnswer): OpenApiDocument {
  const { status, location, text } = answer
  if (location !== null && status >= 300 && status < 400)
    throw new McpProblem(`${url} leads to ${location.slice(0, 200)}: name the address of the API itself.`, EX_CONFIG)
  refuseUnavailable(url, answer)
  const document = jsonIn(text)
  if (status === 200 && isDocument(document)) return document
  throw new McpProblem(
    `${url} is not the API of a Mailwright (${url}/openapi.json answers ${status}): name its address, a sub-path included.`,
    EX_CONFIG,
  )
}

function isDocument(value: unknown): value is OpenApiDocument {
  return v.is(Document, value)
}

function keyIn(answer: ApiAnswer): Surroundings['key'] {
  const { status, text } = answer
  refuseUnavailable('The server', answer)
  const parsed = v.safeParse(OwnKey, jsonIn(text))
  if (status === 200 && parsed.success) return parsed.output
  const body = v.safeParse(v.object({ message: v.string() }), jsonIn(text))
  const why = body.success ? body.output.message.replace(/\s+/g, ' ').slice(0, 500) : `it answers ${status}`
  throw new McpProblem(`The server refuses MAILWRIGHT_API_KEY: ${why}`, EX_NOPERM)
}

function refuseUnavailable(url: string, { status }: ApiAnswer): void {
  if (status === 429 || status >= 500)
    throw new McpProblem(`${url} answers ${status} just now: try again later.`, EX_UNAVAILABLE)
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

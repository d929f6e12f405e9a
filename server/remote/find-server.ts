import * as v from 'valibot'
import { readVariableFiles } from '../../config/variable-files.ts'
import type { OpenApiDocument } from '../openapi/document.ts'
import { type ApiAnswer, ask, keyHeaders, reasonOf } from './ask.ts'
import { EX_CONFIG, EX_NOPERM, EX_UNAVAILABLE, EX_USAGE, RemoteProblem } from './problem.ts'

/** A running server, and what it offers. */
export interface FoundServer {
  /** The address of the API, a sub-path included, without a slash at its end. */
  readonly url: string
  readonly document: OpenApiDocument
}

/** The key that asks it. */
export interface FoundKey extends v.InferOutput<typeof OwnKey> {
  readonly secret: string
}

const OwnKey = v.object({ name: v.string(), projectId: v.string(), scopes: v.array(v.string()) })

/** As much of a document as tells that it is Mailwright's. */
const Document = v.looseObject({
  info: v.looseObject({ title: v.literal('Mailwright') }),
  paths: v.looseObject({}),
  components: v.looseObject({ parameters: v.looseObject({}), schemas: v.looseObject({}) }),
})

type Variables = Readonly<Record<string, string | undefined>>

/** The settings that a command needs before it asks a server. */
export interface ServerSettings {
  /** The address of the API, a sub-path included, without a slash at its end. */
  readonly url: string
  /** Empty only where another key was found. */
  readonly secret: string
}

/**
 * The address of the server and the project's key, which `isOptional` says need not be there; `needed` names variables with
 * other keys. Throws one RemoteProblem with all that is missing or wrong.
 */
export function requireSettings(
  urlOption: string | undefined,
  variables: Variables,
  { isOptional = false, needed = [] }: { readonly isOptional?: boolean; readonly needed?: readonly string[] } = {},
): ServerSettings {
  const [url, secret] = allOf(
    () => apiUrl(urlOption, variables.MAILWRIGHT_URL),
    () =>
      secretIn(variables, 'MAILWRIGHT_API_KEY') ??
      (isOptional ? '' : missing('MAILWRIGHT_API_KEY is missing: set it to a secret key of the project.')),
    ...needed.map((name) => () => secretIn(variables, name) ?? missing(`${name} is missing.`)),
  )
  return { url, secret }
}

/** The answers of these functions. Throws one RemoteProblem with the words of all that they throw. */
function allOf<T extends readonly (() => unknown)[]>(...reads: T): { [K in keyof T]: ReturnType<T[K]> } {
  const problems: RemoteProblem[] = []
  const found: unknown[] = []
  for (const read of reads) {
    try {
      found.push(read())
    } catch (error) {
      if (!(error instanceof RemoteProblem)) throw error
      problems.push(error)
    }
  }
  const [first] = problems
  if (first) throw new RemoteProblem(problems.map(({ message }) => message).join('\n'), first.exitCode)
  return found as { [K in keyof T]: ReturnType<T[K]> }
}

/**
 * Asks the server for its document: a key is sent only to an address that has proved to be a Mailwright. Throws
 * RemoteProblem when it is not one, or there is no answer.
 */
export async function findServer({ url }: Pick<ServerSettings, 'url'>): Promise<FoundServer> {
  const asked = { method: 'GET' }
  const document = documentIn(url, await reached(url, () => ask(`${url}/openapi.json`, asked)))
  return { url, document }
}

/** Asks what the key may do. Throws RemoteProblem when it is refused, or there is no answer. */
export async function findKey({ url }: FoundServer, secret: string): Promise<FoundKey> {
  const asked = { method: 'GET', headers: keyHeaders(secret) }
  return { ...keyIn(await reached(url, () => ask(`${url}/keys/@me`, asked))), secret }
}

function missing(message: string): never {
  throw new RemoteProblem(message, EX_CONFIG)
}

/** The key in this variable; undefined when there is none. Throws RemoteProblem when it is not a key. */
export function secretIn(variables: Variables, name: string): string | undefined {
  const secret = variables[name]?.trim() ?? ''
  if (secret === '') return undefined
  // what a header cannot carry, such as a line break, is not a key
  if (/^[\x21-\x7e]+$/.test(secret)) return secret
  throw new RemoteProblem(`${name} is not a key.`, EX_CONFIG)
}

function apiUrl(option: string | undefined, variable: string | undefined): string {
  const [name, text, exitCode] =
    option === undefined ? ['MAILWRIGHT_URL', variable, EX_CONFIG] : ['--url', option, EX_USAGE]
  if (text === undefined || text.trim() === '')
    throw new RemoteProblem('The address of the server is missing: give --url, or set MAILWRIGHT_URL.', exitCode)
  const url = URL.parse(text.trim())
  const isFit = url && /^https?:$/.test(url.protocol) && !url.username && !url.password && !url.search && !url.hash
  if (!isFit)
    throw new RemoteProblem(
      `${name} must be an address such as https://mail.example.com, without a password, ? or #.`,
      exitCode,
    )
  return url.href.replace(/(?<!\/)\/+$/, '')
}

async function reached(url: string, ask: () => Promise<ApiAnswer>): Promise<ApiAnswer> {
  try {
    return await ask()
  } catch (error) {
    throw new RemoteProblem(`${url} cannot be reached: ${reasonOf(error)}`, EX_UNAVAILABLE)
  }
}

function documentIn(url: string, answer: ApiAnswer): OpenApiDocument {
  const { status, location, text } = answer
  if (location !== null && status >= 300 && status < 400)
    throw new RemoteProblem(`${url} leads to ${location.slice(0, 200)}: name the address of the API itself.`, EX_CONFIG)
  refuseUnavailable(url, answer)
  const document = jsonIn(text)
  if (status === 200 && isDocument(document)) return document
  throw new RemoteProblem(
    `${url} is not the API of a Mailwright (${url}/openapi.json answers ${status}): name its address, a sub-path included.`,
    EX_CONFIG,
  )
}

function isDocument(value: unknown): value is OpenApiDocument {
  return v.is(Document, value)
}

function keyIn(answer: ApiAnswer): v.InferOutput<typeof OwnKey> {
  const { status, text } = answer
  refuseUnavailable('The server', answer)
  const parsed = v.safeParse(OwnKey, jsonIn(text))
  if (status === 200 && parsed.success) return parsed.output
  const body = v.safeParse(v.object({ message: v.string() }), jsonIn(text))
  const why = body.success ? body.output.message.replace(/\s+/g, ' ').slice(0, 500) : `it answers ${status}`
  throw new RemoteProblem(`The server refuses MAILWRIGHT_API_KEY: ${why}`, EX_NOPERM)
}

function refuseUnavailable(url: string, { status }: ApiAnswer): void {
  if (status === 429 || status >= 500)
    throw new RemoteProblem(`${url} answers ${status} just now: try again later.`, EX_UNAVAILABLE)
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The environment, with what `X_FILE` names for these variables `X`. Throws RemoteProblem when a file cannot be read. */
export async function readVariables(names: readonly string[]): Promise<Readonly<Record<string, string | undefined>>> {
  const { env, problems } = await readVariableFiles(process.env, names, process.cwd())
  if (problems.length > 0) {
    throw new RemoteProblem(problems.map(({ field, message }) => `${field} ${message}.`).join('\n'), EX_CONFIG)
  }
  return env
}

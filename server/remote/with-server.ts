import { setTimeout as pause } from 'node:timers/promises'
import { createClient, type MailwrightClient } from '../client/index.ts'
import { patientFetch, reasonOf } from './ask.ts'
import { findKey, findServer, readVariables, requireSettings } from './find-server.ts'
import { EX_NOPERM, EX_UNAVAILABLE, RemoteProblem } from './problem.ts'

/**
 * Does a piece of work with a running server, by the key of MAILWRIGHT_API_KEY, and answers the exit code. What is wrong is
 * told on stderr.
 */
export function withServer(
  url: string | undefined,
  work: (
    client: MailwrightClient,
    variables: Readonly<Record<string, string | undefined>>,
    url: string,
  ) => Promise<number>,
  { needed = [], isPatient = false }: Wanted = {},
): Promise<number> {
  return tellingProblems(async () => {
    const env = await readVariables(['MAILWRIGHT_API_KEY', ...needed])
    const settings = requireSettings(url, env, { needed })
    const server = await findServer(settings)
    const { secret: key } = await findKey(server, settings.secret)
    const fetch = isPatient ? unhurried : (request: Request) => patientFetch(request)
    return work(createClient({ baseUrl: server.url, key, fetch }), env, server.url)
  })
}

/** Further needs of some work with a server. */
interface Wanted {
  /** Other keys it needs, by the names of their variables. */
  readonly needed?: readonly string[]
  /** Whether it waits when the server is asked too often. */
  readonly isPatient?: boolean
}

/** Asks again after the pause that a server wishes which is asked too often. */
async function unhurried(request: Request): Promise<Response> {
  for (let tries = 1; ; tries++) {
    const response = await patientFetch(request.clone())
    if (response.status !== 429 || tries >= MAX_TRIES) return response
    await response.body?.cancel()
    const seconds = Number(response.headers.get('retry-after'))
    await pause(1000 * (seconds >= 1 && seconds <= 120 ? seconds : 5))
  }
}

const MAX_TRIES = 20

/** Runs the work. A RemoteProblem is printed on stderr, and its exit code is returned. */
export async function tellingProblems(work: () => Promise<number>): Promise<number> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof RemoteProblem)) throw error
    process.stderr.write(`${error.message}\n`)
    return error.exitCode
  }
}

/** The answer of a call of the client. */
export interface Called<T> {
  readonly data?: T
  readonly error?: unknown
  readonly response: Response
}

/** The answer of a call. Throws RemoteProblem, with what the server says, when it refuses, or gives no answer. */
export async function answered<T>(call: Promise<Called<T>>): Promise<T> {
  const { data, error, response } = await call.catch((cause: unknown): never => {
    const isLate = cause instanceof Error && cause.name === 'TimeoutError'
    const why = isLate ? 'it did not answer within 30 seconds' : reasonOf(cause)
    throw new RemoteProblem(`The server cannot be reached any more: ${why}`, EX_UNAVAILABLE)
  })
  if (response.ok) return data as T
  const refusal = refusalIn(error)
  throw new RemoteProblem(refusalText(response.status, refusal), exitCodeOf(response.status, refusal))
}

/**
 * The answer of a call that only reads, repeated while the server is away: it may be started anew meanwhile. Undefined when
 * `signal` aborts before there is one. Throws RemoteProblem when the server stays away for a minute, or refuses.
 */
export async function patiently<T>(call: () => Promise<Called<T>>, signal: AbortSignal): Promise<T | undefined> {
  const end = performance.now() + AWAY_MS
  while (!signal.aborted) {
    try {
      return await answered(call())
    } catch (error) {
      const isAway = error instanceof RemoteProblem && error.exitCode === EX_UNAVAILABLE
      if (signal.aborted) return undefined
      if (!isAway || performance.now() > end) throw error
    }
    await pause(AGAIN_MS, undefined, { signal }).catch(() => {})
  }
  return undefined
}

const AWAY_MS = 60_000
const AGAIN_MS = 1_000

function exitCodeOf(status: number, { error }: RefusalBody): number {
  // any other 403 is about what was asked, such as a domain
  if (status === 401 || error?.code === 'FORBIDDEN') return EX_NOPERM
  return status === 429 || status >= 500 ? EX_UNAVAILABLE : 1
}

/** The server's words: what is wrong, field by field where it names fields, then what to do. */
function refusalText(status: number, { message, error = {} }: RefusalBody): string {
  const { errors, suggestion } = error
  const fields = Array.isArray(errors) ? errors.map(({ field, message }) => `${field}: ${message}`) : []
  const whole = typeof message === 'string' ? message : `The server answers ${status}.`
  return [...(fields.length > 0 ? fields : [whole]), ...(typeof suggestion === 'string' ? [suggestion] : [])].join('\n')
}

/** The body of a refusal, as far as it is one: a proxy may answer in its place. */
function refusalIn(body: unknown): RefusalBody {
  const { message, error } = (typeof body === 'object' && body !== null ? body : {}) as RefusalBody
  return { message, ...(typeof error === 'object' && error !== null ? { error } : {}) }
}

/** As far as it is what the API describes. */
interface RefusalBody {
  readonly message?: unknown
  readonly error?: {
    readonly errors?: readonly { readonly field: string; readonly message: string }[]
    readonly suggestion?: unknown
    readonly code?: unknown
  }
}

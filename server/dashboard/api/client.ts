import { createClient, type MailwrightClient } from '../../client/index.ts'
import { ApiError, Unreachable } from './api-error.ts'
import { API_URL } from './base.ts'
import { noteAnswer, noteFailure } from './connection.ts'
import { untilSignedIn } from './ended.ts'

export type Api = MailwrightClient
export type { components, operations } from '../../client/index.ts'

const BASE = { baseUrl: API_URL.href.replace(/\/$/, ''), credentials: 'same-origin' } as const

/**
 * The API as the signed-in user may use it, for one project or for none. When the session ends, requests wait until
 * there is one again, so that nothing typed is lost.
 */
export function apiOf(project?: string): Api {
  const headers = project === undefined ? {} : { headers: { 'X-Project-Id': project } }
  return createClient({ ...BASE, fetch: reachSignedIn, ...headers })
}

/** The API for pages that need no session: a request without a session is refused at once. */
export function openApi(): Api {
  return createClient({ ...BASE, fetch: reach })
}

/** The answer of an endpoint that succeeds. Throws ApiError when it refuses. */
export async function answerOf<Data>(
  call: Promise<{ readonly data?: Data; readonly error?: unknown; readonly response: Response }>,
): Promise<Data> {
  const { data, error, response } = await call
  if (!response.ok) throw new ApiError(response.status, error)
  return data as Data
}

/** Refusals by 401 of what was typed, such as a key; all others mean that the session has ended. */
const OF_WHAT_WAS_TYPED: ReadonlySet<unknown> = new Set(['INVALID_API_KEY', 'INVALID_CREDENTIALS'])

/** `fetch` that sends a request once more after its session had ended; the server did nothing for it before. */
export async function reachSignedIn(request: Request): Promise<Response> {
  const again = request.clone()
  const response = await reach(request)
  if (response.status !== 401) return response
  const body = await response
    .clone()
    .json()
    .catch(() => undefined)
  if (OF_WHAT_WAS_TYPED.has(body?.error?.code)) return response
  await untilSignedIn()
  return reachSignedIn(again)
}

/** `fetch` that notes whether the server can be reached. */
async function reach(request: Request): Promise<Response> {
  try {
    const response = await fetch(request)
    noteAnswer()
    return response
  } catch (error) {
    if (request.signal.aborted) throw error
    noteFailure()
    throw new Unreachable('The server could not be reached.', { cause: error })
  }
}

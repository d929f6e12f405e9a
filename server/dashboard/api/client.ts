import { createClient, type MailwrightClient } from '../../client/index.ts'
import { ApiError, Unreachable } from './api-error.ts'
import { API_URL } from './base.ts'
import { noteAnswer, noteFailure } from './connection.ts'

export type Api = MailwrightClient
export type { components, operations } from '../../client/index.ts'

/** The API as whoever is signed in may use it, for one project or for none. */
export function apiOf(project?: string): Api {
  return createClient({
    baseUrl: API_URL.href.replace(/\/$/, ''),
    credentials: 'same-origin',
    fetch: reach,
    ...(project === undefined ? {} : { headers: { 'X-Project-Id': project } }),
  })
}

/** What an endpoint answers when it succeeds. Throws ApiError when it refuses. */
export async function answerOf<Data>(
  call: Promise<{ readonly data?: Data; readonly error?: unknown; readonly response: Response }>,
): Promise<Data> {
  const { data, error, response } = await call
  if (!response.ok) throw new ApiError(response.status, error)
  return data as Data
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

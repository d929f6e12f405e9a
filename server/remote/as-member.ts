import { createClient, type MailwrightClient } from '../client/index.ts'
import { ask, patientFetch } from './ask.ts'
import { EX_NOPERM, RemoteProblem } from './problem.ts'
import { answered } from './with-server.ts'

/** A member of a project, who logs in. */
interface Member {
  readonly email: string
  readonly password: string
  /** Of the second factor. */
  readonly code?: string | undefined
  readonly projectId: string
}

/**
 * Does a piece of work with a running server as a member, and logs out again. Throws RemoteProblem when the login is refused,
 * or needs a code that is not given.
 */
export async function asMember(
  url: string,
  { email, password, code, projectId }: Member,
  work: (client: MailwrightClient) => Promise<number>,
): Promise<number> {
  let cookie = ''
  const headers = { origin: new URL(url).origin, 'x-project-id': projectId }
  const client = createClient({
    baseUrl: url,
    headers,
    fetch: async (request: Request) => {
      if (cookie !== '') request.headers.set('cookie', cookie)
      const response = await patientFetch(request)
      const given = response.headers.getSetCookie().map((each) => each.split(';', 1)[0] ?? '')
      if (given.length > 0) cookie = given.join('; ')
      return response
    },
  })
  const { data } = await answered(client.POST('/auth/login', { body: { email, password } }))
  if ('secondFactor' in data) {
    if (code === undefined) throw new RemoteProblem('This account has a second factor: give --code, too.', EX_NOPERM)
    await answered(client.POST('/auth/login/code', { body: { token: data.token, code } }))
  }
  try {
    return await work(client)
  } finally {
    await ask(`${url}/auth/logout`, { headers: { cookie } }).catch(() => undefined)
  }
}

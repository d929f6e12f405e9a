import type { ClientRefusal } from '../../core/accounts/grants.ts'
import { EngineError } from '../../core/errors.ts'
import { INBOX_RIGHTS } from '../../core/ports/store/projects.ts'
import { untrusted } from '../../core/values/input.ts'
import { ownBase } from '../http/foreign.ts'
import type { PublicRequest } from '../http/requests.ts'
import { created, type OpenRoute, ok, type Reply } from '../http/route.ts'
import { refusedClientPage } from '../pages/account-pages.ts'
import { accountWords } from '../pages/account-words.ts'

/** A registration has five addresses at most, and a request for tokens the text of one. */
const MOST_BYTES = 16_384

/** Read and called by clients themselves; no browser's page does. */
const OF_CLIENTS = { access: 'open', errors: 'page-or-json', quiet: true } as const

/**
 * OAuth 2.1 for clients of `/mcp`, as the authorization of MCP asks for it (revision 2025-11-25): where they register and
 * get tokens. They belong to the protocol, as `/mcp` does, and so are not in the API document. The person decides on a page
 * of the dashboard, which sends `POST /projects/{id}/grants`.
 */
export const clientLoginRoutes: readonly OpenRoute[] = [
  ...['', '/mcp'].map(
    (path): OpenRoute => ({
      ...OF_CLIENTS,
      method: 'GET',
      path: `/.well-known/oauth-protected-resource${path}`,
      operation: `getProtectedResource${path === '' ? '' : 'OfMcp'}`,
      summary: 'Get where tokens for /mcp come from',
      description: 'RFC 9728.',
      gives: { 200: 'application/json' },
      async handle(engine, request) {
        const base = ownBase(engine, request)
        return ok({
          resource: `${base}/mcp`,
          authorization_servers: [base],
          scopes_supported: INBOX_RIGHTS,
          bearer_methods_supported: ['header'],
          resource_name: 'Mailwright',
        })
      },
    }),
  ),
  {
    ...OF_CLIENTS,
    method: 'GET',
    path: '/.well-known/oauth-authorization-server',
    operation: 'getAuthorizationServer',
    summary: 'Get where clients register and ask',
    description: 'RFC 8414.',
    gives: { 200: 'application/json' },
    async handle(engine, request) {
      const base = ownBase(engine, request)
      return ok({
        issuer: base,
        authorization_endpoint: `${base}/oauth/authorize`,
        token_endpoint: `${base}/oauth/token`,
        registration_endpoint: `${base}/oauth/register`,
        revocation_endpoint: `${base}/oauth/revoke`,
        scopes_supported: INBOX_RIGHTS,
        response_types_supported: ['code'],
        response_modes_supported: ['query'],
        grant_types_supported: ['authorization_code', 'refresh_token'],
        code_challenge_methods_supported: ['S256'],
        token_endpoint_auth_methods_supported: ['none'],
        revocation_endpoint_auth_methods_supported: ['none'],
        authorization_response_iss_parameter_supported: true,
      })
    },
  },
  {
    ...OF_CLIENTS,
    method: 'POST',
    path: '/oauth/register',
    operation: 'registerClient',
    summary: 'Register a client',
    description: 'RFC 7591. Nothing is stored: the id holds the rest, signed.',
    gives: { 201: 'application/json' },
    handle: (engine, request) =>
      inWords(async () => {
        const client = await engine.accounts.grants.register(untrusted(jsonOf(await request.bytes(MOST_BYTES))))
        return created({
          client_id: client.id,
          client_id_issued_at: Math.floor(client.at.getTime() / 1000),
          client_name: client.name,
          redirect_uris: client.uris,
          grant_types: ['authorization_code', 'refresh_token'],
          response_types: ['code'],
          token_endpoint_auth_method: 'none',
        })
      }),
  },
  {
    method: 'GET',
    path: '/oauth/authorize',
    operation: 'askGrant',
    summary: 'Ask a person to let a client in',
    description:
      'Leads to a page of the dashboard. A request that is wrong is answered here: only after a decision of a person the browser is sent to an address of the client.',
    access: 'open',
    errors: 'page',
    gives: { 302: null },
    async handle(engine, request) {
      const words = accountWords(request.languages)
      if (request.dashboard === false) return refusedClientPage(words, 404, words.client.noDashboard)
      const twice = repeated(request.query)
      if (twice !== undefined) return refusedClientPage(words, 400, words.problem([], `${twice} comes twice`))
      const issuer = ownBase(engine, request)
      const place = { issuer, resource: `${issuer}/mcp` }
      try {
        const asked = await engine.accounts.grants.ask(untrusted(Object.fromEntries(request.query)), place)
        return { status: 302, headers: { location: `..${request.dashboard}/connect?request=${asked}` } }
      } catch (error) {
        if (!EngineError.is(error) || error.code !== 'VALIDATION_ERROR') throw error
        return refusedClientPage(words, 400, words.problem(error.fields, error.message))
      }
    },
  },
  {
    ...OF_CLIENTS,
    method: 'POST',
    path: '/oauth/token',
    operation: 'getTokens',
    summary: 'Get tokens for a code or a refresh token',
    description: 'RFC 6749, section 4.1.3 and 6, with PKCE. Each code and each refresh token works once.',
    gives: { 200: 'application/json' },
    handle: (engine, request) =>
      withForm(request, async (form) => {
        const found = await engine.accounts.grants.tokens(form, `${ownBase(engine, request)}/mcp`)
        if ('error' in found) return refused(found)
        return ok({
          access_token: found.access,
          token_type: 'Bearer',
          expires_in: found.seconds,
          refresh_token: found.refresh,
          scope: found.rights.join(' '),
        })
      }),
  },
  {
    ...OF_CLIENTS,
    method: 'POST',
    path: '/oauth/revoke',
    operation: 'revokeTokens',
    summary: 'End the grant of a token',
    description: 'RFC 7009.',
    gives: { 200: 'application/json' },
    handle: (engine, request) =>
      withForm(request, async (form) => {
        const refusal = await engine.accounts.grants.revoke(form)
        return refusal ? refused(refusal) : ok({})
      }),
  },
]

/** RFC 6749, section 3.1: a parameter comes once. */
function repeated(fields: URLSearchParams): string | undefined {
  const names = [...fields.keys()]
  return names.find((name, i) => names.indexOf(name) !== i)?.slice(0, 100)
}

async function withForm(
  request: PublicRequest,
  handle: (form: Readonly<Record<string, string>>) => Promise<Reply>,
): Promise<Reply> {
  if (!/^application\/x-www-form-urlencoded\b/i.test(request.header('content-type') ?? '')) {
    return problem(400, 'invalid_request', 'The body must be application/x-www-form-urlencoded.')
  }
  return inWords(async () => {
    const form = new URLSearchParams(Buffer.from(await request.bytes(MOST_BYTES)).toString('utf8'))
    const twice = repeated(form)
    if (twice !== undefined) return problem(400, 'invalid_request', `${twice} comes twice.`)
    return handle(Object.fromEntries(form))
  })
}

/** Answers what is wrong with a request in the words of OAuth (RFC 6749, section 5.2; RFC 7591, section 3.2.2). */
async function inWords(handle: () => Promise<Reply>): Promise<Reply> {
  try {
    return await handle()
  } catch (error) {
    if (!EngineError.is(error)) throw error
    if (error.code === 'PAYLOAD_TOO_LARGE') return problem(413, 'invalid_request', error.message)
    if (error.code === 'BAD_REQUEST') return problem(400, 'invalid_request', error.message)
    if (error.code !== 'VALIDATION_ERROR') throw error
    const isUri = error.fields.some(({ field }) => field.startsWith('redirect_uris'))
    const reasons = error.fields.map(({ field, message }) => `${field || 'body'} ${message}`)
    return problem(400, isUri ? 'invalid_redirect_uri' : 'invalid_client_metadata', `${reasons.join(', ')}.`)
  }
}

function refused({ error, reason }: ClientRefusal): Reply {
  return problem(error === 'invalid_client' ? 401 : 400, error, reason)
}

/** A description has only letters of ASCII without quotes and backslashes (RFC 6749, section 5.2). */
function problem(status: number, error: string, reason: string): Reply {
  const description = reason.replaceAll(/["\\]|[^\x20-\x7e]/g, ' ').slice(0, 500)
  return { status, body: { error, error_description: description } }
}

function jsonOf(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'))
  } catch {
    throw new EngineError('BAD_REQUEST', 'The body must be JSON.')
  }
}

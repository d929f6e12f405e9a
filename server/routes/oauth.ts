import { safePath } from '../../core/accounts/safe-path.ts'
import type { LoggedIn } from '../../core/accounts/user.ts'
import type { Engine } from '../../core/engine.ts'
import { EngineError } from '../../core/errors.ts'
import { untrusted } from '../../core/values/input.ts'
import { OAuthConfig } from '../answers/users.ts'
import { type Cookie, sessionCookies } from '../http/cookies.ts'
import type { PublicRequest } from '../http/requests.ts'
import { type OpenRoute, ok, type Reply } from '../http/route.ts'
import { accountDonePage, accountProblemPage, codePage } from '../pages/account-pages.ts'
import { accountWords } from '../pages/account-words.ts'

/** The cookie of a login that is at a provider, and of one that waits for its second factor. */
const STATE = 'mailwright_login'
const STEP = 'mailwright_step'
const STATE_SECONDS = 600
const STEP_SECONDS = 300
const NO_STATE: Cookie = { name: STATE, value: '', maxAge: 0 }
const NO_STEP: Cookie = { name: STEP, value: '', maxAge: 0 }

/** Logging in at other providers. */
export const oauthRoutes: readonly OpenRoute[] = [
  {
    method: 'GET',
    path: '/auth/oauth-config',
    operation: 'getOAuthConfig',
    summary: 'Get the providers people can log in with',
    description: 'For a login page to show the right buttons.',
    access: 'open',
    gives: { 200: OAuthConfig },
    async handle(_engine, { providers, hostPages }) {
      return ok({ success: true, data: { ...providers.available, host: hostPages.logIn ?? null } })
    },
  },
  {
    method: 'GET',
    path: '/auth/oauth/:provider',
    operation: 'beginOAuth',
    summary: 'Log in with a provider',
    description: 'Sends the browser there. `returnTo` in the query is a path to go to afterwards.',
    access: 'open',
    errors: 'page',
    gives: { 200: 'text/html', 302: null },
    handle: (engine, request) => withPages(engine, request, () => start(engine, request)),
  },
  {
    method: 'GET',
    path: '/auth/oauth/:provider/callback',
    operation: 'finishOAuth',
    summary: 'Return from a provider',
    description: 'Providers send the browser here after the login.',
    access: 'open',
    errors: 'page',
    gives: { 200: 'text/html', 302: null },
    handle: (engine, request) => withPages(engine, request, () => comeBack(engine, request)),
  },
  {
    method: 'GET',
    path: '/auth/second-factor',
    operation: 'secondFactorPage',
    summary: 'Show the page for the second factor',
    description: 'After a login with a provider.',
    access: 'open',
    errors: 'page',
    gives: { 200: 'text/html' },
    async handle(_engine, request) {
      return request.cookie(STEP) === undefined ? tooLate(request) : codePage(accountWords(request.languages))
    },
  },
  {
    method: 'POST',
    path: '/auth/second-factor',
    operation: 'submitSecondFactor',
    summary: 'Submit the second factor',
    description: 'What the button of the page sends after a login with a provider.',
    access: 'open',
    errors: 'page',
    proves: true,
    gives: { 200: 'text/html', 302: null },
    async handle(engine, request) {
      const token = request.cookie(STEP)
      if (token === undefined) return tooLate(request)
      const code = (await request.form()).get('code') ?? ''
      try {
        const loggedIn = await engine.accounts.secondFactor.finishLogin(untrusted({ token, code }), request)
        return entered(engine, request, loggedIn, safePath(request.query.get('returnTo')))
      } catch (error) {
        if (EngineError.is(error) && error.code === 'INVALID_SESSION') return tooLate(request)
        if (!EngineError.is(error) || !['INVALID_CREDENTIALS', 'VALIDATION_ERROR'].includes(error.code)) throw error
        const words = accountWords(request.languages)
        return codePage(words, words.code.wrong)
      }
    },
  },
]

async function start(engine: Engine, request: PublicRequest): Promise<Reply> {
  const [name, provider] = providerOf(request)
  const { token, state } = await engine.accounts.providers.begin(name, request.query.get('returnTo') ?? undefined)
  const url = await told(engine, name, async () => (await provider).start(state, redirectUri(engine, name)))
  return redirect(url.toString(), [{ name: STATE, value: token, maxAge: STATE_SECONDS }])
}

async function comeBack(engine: Engine, request: PublicRequest): Promise<Reply> {
  const [name, provider] = providerOf(request)
  const state = await engine.accounts.providers.resume(name, request.cookie(STATE), request.query.get('state'))
  if (request.query.has('error')) {
    throw new EngineError('FORBIDDEN', 'The provider did not log you in.', { suggestion: 'Log in again.' })
  }
  const address = new URL(`${redirectUri(engine, name)}?${request.query}`)
  const login = await told(engine, name, async () => (await provider).finish(state, address))
  const found = await engine.accounts.providers.enter(login, request)
  if ('session' in found) return entered(engine, request, found, state.returnTo)
  const query = state.returnTo === undefined ? '' : `?returnTo=${encodeURIComponent(state.returnTo)}`
  const cookies = [NO_STATE, { name: STEP, value: found.secondFactorToken, maxAge: STEP_SECONDS }]
  return redirect(`${engine.publicUrl}/auth/second-factor${query}`, cookies)
}

/** Sends on who is logged in: to a path of the dashboard, or of this server, or shows a page that says so. */
function entered(
  engine: Engine,
  { languages }: PublicRequest,
  { user, session }: LoggedIn,
  path: string | undefined,
): Reply {
  const { dashboardUrl } = engine.accounts.settings
  const cookies = [NO_STATE, NO_STEP, ...sessionCookies(session, engine.now())]
  if (dashboardUrl === undefined && path === undefined) {
    const words = accountWords(languages)
    const { title, sentence } = words.loggedIn
    return { ...accountDonePage(words, title, sentence, undefined), cookies, by: { user } }
  }
  const base = dashboardUrl ?? engine.publicUrl
  return { ...redirect(path === undefined ? (base ?? '/') : new URL(path, base).toString(), cookies), by: { user } }
}

function providerOf(request: PublicRequest) {
  const name = request.param('provider')
  const provider = request.providers.find(name)
  if (provider) return [name, provider] as const
  throw new EngineError('RESOURCE_NOT_FOUND', 'Logging in with this provider is not possible here.')
}

function redirectUri({ publicUrl }: Engine, name: string): string {
  return `${publicUrl}/auth/oauth/${name}/callback`
}

function redirect(location: string, cookies: readonly Cookie[]): Reply {
  return { status: 302, headers: { location }, cookies }
}

/** Logs trouble with the provider for the operator; the user sees only that there was some. */
async function told<T>(engine: Engine, provider: string, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    // of the errors only what they say: their details may hold the provider's answer with its tokens
    engine.log.warn('a login at a provider failed', { provider, reason: reasonsOf(error) })
    throw new EngineError('FORBIDDEN', 'The provider could not be reached, or did not confirm who you are.', {
      suggestion: 'Log in again; if that does not help, ask the operator of this server.',
    })
  }
}

/** The messages of an error and its causes. */
function reasonsOf(error: unknown): string {
  const reasons: string[] = []
  for (let each = error; each instanceof Error && reasons.length < 4; each = each.cause) reasons.push(each.message)
  return reasons.join(': ').slice(0, 500)
}

/** A browser is there, so what is wrong is said in words. */
async function withPages(engine: Engine, request: PublicRequest, handle: () => Promise<Reply>): Promise<Reply> {
  try {
    return await handle()
  } catch (error) {
    if (!EngineError.is(error)) throw error
    const status = STATUS[error.code]
    if (status === undefined) throw error
    const words = accountWords(request.languages)
    const isEnglish = words.language === 'en'
    const more = isEnglish && error.suggestion !== undefined ? [error.suggestion] : []
    const sentence = [words.problem([], error.message), ...more].join(' ')
    return accountProblemPage(words, status, sentence, engine.accounts.settings.dashboardUrl)
  }
}

const STATUS: Readonly<Record<string, number>> = { BAD_REQUEST: 400, FORBIDDEN: 403, RESOURCE_NOT_FOUND: 404 }

function tooLate({ languages }: PublicRequest): Reply {
  const words = accountWords(languages)
  return accountProblemPage(words, 400, words.tooLate, undefined)
}

import type { Engine } from '../../core/engine.ts'
import { EngineError } from '../../core/errors.ts'
import type { TokenPurpose, UserToken } from '../../core/ports/store/user-tokens.ts'
import { untrusted } from '../../core/values/input.ts'
import { accountDonePage, deadLinkPage, invitePage, resetPage, verifyPage } from '../pages/account-pages.ts'
import type { PublicRequest } from '../public-request.ts'
import type { OpenRoute, Reply } from '../route.ts'

/** A page that a mail about an account links to. */
interface LinkedPage {
  readonly path: string
  /** The name of what its button does, for clients. */
  readonly operation: string
  readonly what: string
  readonly purpose: TokenPurpose
  /** The page; `problem` says what was wrong with what was filled in. */
  show(engine: Engine, token: UserToken, problem?: string): Promise<Reply>
  /** What its button does. */
  act(engine: Engine, request: PublicRequest, form: URLSearchParams): Promise<Reply>
}

const PAGES: readonly LinkedPage[] = [
  {
    path: '/auth/verify-email/:token',
    operation: 'confirmAddress',
    what: 'Confirm an address',
    purpose: 'verify',
    show: async (_engine, { email = '' }) => verifyPage(email),
    async act(engine, request) {
      const user = await engine.mailedLinks.verifyEmail({ token: request.param('token') })
      const done = accountDonePage('Thank you', 'Your address is confirmed.', engine.accounts.settings.dashboardUrl)
      return { ...done, by: { user } }
    },
  },
  {
    path: '/auth/reset-password/:token',
    operation: 'setNewPassword',
    what: 'Set a new password',
    purpose: 'reset',
    show: async (_engine, { email = '' }, problem) => resetPage(email, problem),
    async act(engine, request, form) {
      const user = await engine.mailedLinks.resetPassword(filled(request, form, 'password'), request)
      const sentence = 'Log in with your new password. All earlier sessions have ended.'
      const done = accountDonePage('Your password is set', sentence, engine.accounts.settings.dashboardUrl)
      return { ...done, by: { user } }
    },
  },
  {
    path: '/auth/accept-invite/:token',
    operation: 'acceptInvitation',
    what: 'Accept an invitation',
    purpose: 'invite',
    async show(engine, token, problem) {
      const { email, project, isNew } = await engine.mailedLinks.invited(token)
      return invitePage(email, project, isNew, problem)
    },
    async act(engine, request, form) {
      const accepted = await engine.mailedLinks.acceptInvite(filled(request, form, 'password', 'name'))
      const { session, user, projectId } = accepted
      const page = accountDonePage('Welcome', 'You are a member now.', engine.accounts.settings.dashboardUrl)
      const done = { ...page, by: { user, projectId } }
      return session ? { ...done, cookies: [request.sessionCookie(session, engine.now())] } : done
    },
  },
]

/**
 * The pages that mails about accounts link to; they need no dashboard. Opening one never changes anything, since mail
 * scanners and browsers prefetch links.
 */
export const accountPageRoutes: readonly OpenRoute[] = PAGES.flatMap((page) => routesOf(page))

function routesOf({ path, operation, what, purpose, show, act }: LinkedPage): readonly OpenRoute[] {
  const open = { path, access: 'open', errors: 'page', gives: { 200: 'text/html' } } as const
  return [
    {
      ...open,
      method: 'GET',
      operation: `${operation}Page`,
      summary: `${what}: the page`,
      async handle(engine, request) {
        const token = await engine.mailedLinks.look(request.param('token'), purpose)
        return token ? show(engine, token) : deadLinkPage()
      },
    },
    {
      ...open,
      method: 'POST',
      // it may log somebody in, and another site's page must not do that for them
      ownPagesOnly: true,
      operation,
      summary: `${what}: the page's button`,
      async handle(engine, request) {
        const token = await engine.mailedLinks.look(request.param('token'), purpose)
        if (!token) return deadLinkPage()
        try {
          return await act(engine, request, await request.form())
        } catch (error) {
          if (!EngineError.is(error)) throw error
          if (error.code === 'INVALID_TOKEN') return deadLinkPage()
          if (error.code !== 'VALIDATION_ERROR') throw error
          return show(engine, token, error.fields.map(({ field, message }) => `${field} ${message}`).join(', '))
        }
      },
    },
  ]
}

/** The token with these fields of the form; an empty one counts as missing. */
function filled(request: PublicRequest, form: URLSearchParams, ...names: readonly string[]) {
  const fields = names.flatMap((name) => {
    const value = form.get(name)
    return value ? [[name, value] as const] : []
  })
  return untrusted({ token: request.param('token'), ...Object.fromEntries(fields) })
}

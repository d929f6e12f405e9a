import type { LinkedToken } from '../../core/accounts/mailed-links.ts'
import type { Engine } from '../../core/engine.ts'
import { EngineError } from '../../core/errors.ts'
import type { TokenPurpose } from '../../core/ports/store/user-tokens.ts'
import { untrusted } from '../../core/values/input.ts'
import { sessionCookies } from '../http/cookies.ts'
import type { PublicRequest } from '../http/requests.ts'
import type { OpenRoute, Reply } from '../http/route.ts'
import {
  accountDonePage,
  deadLinkPage,
  invitePage,
  isSetUpPage,
  resetPage,
  setUpPage,
  verifyPage,
  welcomePage,
} from '../pages/account-pages.ts'
import { type AccountWords, accountWords } from '../pages/account-words.ts'

/** A page that a mail about an account, or the start of the server, links to. */
interface LinkedPage {
  readonly path: string
  /** The name of what its button does, for clients. */
  readonly operation: string
  /** The page's purpose, and the result of its button, for the API document. */
  readonly what: string
  readonly done: string
  readonly purpose: TokenPurpose
  /** The page; `problem` says what was wrong with what was filled in, which is the form. */
  show(
    engine: Engine,
    words: AccountWords,
    token: LinkedToken,
    problem?: string,
    form?: URLSearchParams,
  ): Promise<Reply>
  /** The action of its button. */
  act(engine: Engine, words: AccountWords, request: PublicRequest, form: URLSearchParams): Promise<Reply>
}

const PAGES: readonly LinkedPage[] = [
  {
    path: '/auth/setup/:token',
    operation: 'createFirstUser',
    what: 'sets the server up',
    done: 'Makes the first user, as OWNER of all projects, and logs in.',
    purpose: 'setup',
    async show({ accounts }, words, _token, problem, form) {
      const { firstUser, settings } = accounts
      return (await firstUser.isThere()) ? isSetUpPage(words, settings.dashboardUrl) : setUpPage(words, problem, form)
    },
    async act(engine, words, request, form) {
      const { firstUser, settings } = engine.accounts
      const made = await firstUser.setUp(filled(request, form, 'email', 'password', 'name'), request)
      const page = welcomePage(words, made.user.email, made.projects, settings.dashboardUrl)
      return { ...page, by: { user: made.user }, cookies: sessionCookies(made.session, engine.now()) }
    },
  },
  {
    path: '/auth/verify-email/:token',
    operation: 'confirmAddress',
    what: 'confirms an address',
    done: 'The address counts as confirmed from then on.',
    purpose: 'verify',
    show: async (_engine, words, { email = '' }) => verifyPage(words, email),
    async act(engine, words, request) {
      const user = await engine.accounts.links.verifyEmail({ token: request.param('token') })
      const { thanks, done } = words.verify
      return { ...accountDonePage(words, thanks, done, engine.accounts.settings.dashboardUrl), by: { user } }
    },
  },
  {
    path: '/auth/reset-password/:token',
    operation: 'setNewPassword',
    what: 'sets a new password',
    done: 'Ends all sessions of the user.',
    purpose: 'reset',
    show: async (_engine, words, { email = '' }, problem) => resetPage(words, email, problem),
    async act(engine, words, request, form) {
      const user = await engine.accounts.links.resetPassword(filled(request, form, 'password'), request)
      const { done, doneSentence } = words.reset
      return { ...accountDonePage(words, done, doneSentence, engine.accounts.settings.dashboardUrl), by: { user } }
    },
  },
  {
    path: '/auth/accept-invite/:token',
    operation: 'acceptInvitation',
    what: 'accepts an invitation',
    done: 'The person is a member of the project from then on.',
    purpose: 'invite',
    async show(engine, words, token, problem) {
      const { links, settings } = engine.accounts
      return invitePage(words, await links.invited(token), settings.dashboardUrl, problem)
    },
    async act(engine, words, request, form) {
      const accepted = await engine.accounts.links.acceptInvite(filled(request, form, 'password', 'name'), request)
      const { session, user, projectId } = accepted
      const { welcome, done: sentence } = words.invite
      const page = accountDonePage(words, welcome, sentence, engine.accounts.settings.dashboardUrl)
      const done = { ...page, by: { user, projectId } }
      return session ? { ...done, cookies: sessionCookies(session, engine.now()) } : done
    },
  },
]

/**
 * The pages that mails about accounts link to; they need no dashboard. Opening one never changes anything, since mail
 * scanners and browsers prefetch links.
 */
export const accountPageRoutes: readonly OpenRoute[] = PAGES.flatMap((page) => routesOf(page))

function routesOf({ path, operation, what, done, purpose, show, act }: LinkedPage): readonly OpenRoute[] {
  const open = { path, access: 'open', errors: 'page', gives: { 200: 'text/html' } } as const
  return [
    {
      ...open,
      method: 'GET',
      operation: `${operation}Page`,
      summary: `Show the page that ${what}`,
      description: 'The address in the mail or the set-up link. Opening it changes nothing.',
      async handle(engine, request) {
        const words = accountWords(request.languages)
        const token = await engine.accounts.links.look(request.param('token'), purpose)
        return token ? show(engine, words, token) : deadLinkPage(words, engine.accounts.settings.dashboardUrl)
      },
    },
    {
      ...open,
      method: 'POST',
      // it may log a visitor in, and another site's page must not do that for them
      ownPagesOnly: true,
      operation,
      summary: `Submit the page that ${what}`,
      description: done,
      async handle(engine, request) {
        const words = accountWords(request.languages)
        const token = await engine.accounts.links.look(request.param('token'), purpose)
        if (!token) return deadLinkPage(words, engine.accounts.settings.dashboardUrl)
        const form = await request.form()
        try {
          return await act(engine, words, request, form)
        } catch (error) {
          if (!EngineError.is(error)) throw error
          if (error.code === 'INVALID_TOKEN') return deadLinkPage(words, engine.accounts.settings.dashboardUrl)
          if (error.code !== 'CONFLICT' && error.code !== 'VALIDATION_ERROR') throw error
          return show(engine, words, token, words.problem(error.fields, error.message), form)
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

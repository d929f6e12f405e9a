import { SetUp } from '../../core/accounts/first-user.ts'
import { AcceptInvite, RequestReset, ResetPassword, VerifyEmail } from '../../core/accounts/mailed-links.ts'
import { SecondStep } from '../../core/accounts/second-factor.ts'
import { type LoggedIn, Login, Signup } from '../../core/accounts/user.ts'
import { untrusted } from '../../core/values/input.ts'
import { parse } from '../../core/values/parse.ts'
import {
  Asked,
  Done,
  LoggedInUser,
  LoginAnswer,
  SetUpDone,
  SetUpQuery,
  SetUpState,
  SignedUp,
} from '../answers/users.ts'
import { NO_SESSION, sessionCookies } from '../http/cookies.ts'
import { type OpenRoute, ok, type Reply } from '../http/route.ts'

/** Logging in and out, and what the links in mails about accounts do. */
export const authRoutes: readonly OpenRoute[] = [
  {
    method: 'POST',
    path: '/auth/signup',
    operation: 'signUp',
    summary: 'Create an account and log in',
    description: 'Only if sign-up is open, or as the first user with a secret key.',
    access: 'open',
    proves: true,
    ownPagesOnly: true,
    body: 'json',
    takes: { body: Signup },
    gives: { 200: SignedUp },
    fails: [401, 403, 409],
    async handle(engine, request) {
      const { mailed, ...entered } = await engine.accounts.signup(request.body, request)
      const verification = mailed ? { verification: 'sent' } : { verification: 'unavailable', note: NO_MAIL }
      return loggedIn(entered, engine.now(), verification)
    },
  },
  {
    method: 'GET',
    path: '/auth/setup',
    operation: 'getSetUp',
    summary: 'Check whether the server is set up',
    description: 'Whether it is waiting for its first user, whether a set-up link works, and whether sign-up is open.',
    access: 'open',
    takes: { query: SetUpQuery },
    gives: { 200: SetUpState },
    async handle({ accounts }, { query }) {
      const { token } = parse(SetUpQuery, untrusted(Object.fromEntries(query)))
      const needed = !(await accounts.firstUser.isThere())
      const valid = token !== undefined && (await accounts.firstUser.works(token))
      return ok({ success: true, data: { needed, valid, signup: accounts.settings.signup } })
    },
  },
  {
    method: 'POST',
    path: '/auth/setup',
    operation: 'setUp',
    summary: 'Create the first user',
    description: 'With the token of the set-up link, as OWNER of all projects, and log in.',
    access: 'open',
    ownPagesOnly: true,
    body: 'json',
    takes: { body: SetUp },
    gives: { 200: SetUpDone },
    fails: [403, 409],
    async handle(engine, request) {
      const { projects, ...entered } = await engine.accounts.firstUser.setUp(request.body, request)
      return loggedIn(entered, engine.now(), { projects: projects.map(({ id, name }) => ({ id, name })) })
    },
  },
  {
    method: 'POST',
    path: '/auth/login',
    operation: 'logIn',
    summary: 'Log in with a password',
    description: 'Sets the session cookie, or returns a token that needs the code of the second factor.',
    access: 'open',
    proves: true,
    ownPagesOnly: true,
    body: 'json',
    takes: { body: Login },
    gives: { 200: LoginAnswer },
    fails: [401, 403],
    async handle(engine, request) {
      const entered = await engine.accounts.login(request.body, request)
      if ('session' in entered) return loggedIn(entered, engine.now())
      return ok({ success: true, data: { secondFactor: true, token: entered.secondFactorToken } })
    },
  },
  {
    method: 'POST',
    path: '/auth/login/code',
    operation: 'logInWithCode',
    summary: 'Log in with the second factor',
    description: 'With the token of the login and a code, or a recovery code.',
    access: 'open',
    proves: true,
    ownPagesOnly: true,
    body: 'json',
    takes: { body: SecondStep },
    gives: { 200: LoggedInUser },
    fails: [401, 403],
    async handle(engine, request) {
      return loggedIn(await engine.accounts.secondFactor.finishLogin(request.body, request), engine.now())
    },
  },
  {
    method: 'GET',
    path: '/auth/logout',
    operation: 'logOut',
    summary: 'Log out',
    description: 'Ends the session, and removes its cookie.',
    access: 'open',
    gives: { 200: Done },
    async handle(engine, { session }) {
      if (session !== undefined) await engine.accounts.sessions.leave(session)
      return { ...ok({ success: true }), cookies: [NO_SESSION] }
    },
  },
  {
    method: 'POST',
    path: '/auth/verify-email',
    operation: 'verifyEmail',
    summary: 'Confirm an e-mail address',
    description: 'With the token of the link in the mail.',
    access: 'open',
    ownPagesOnly: true,
    body: 'json',
    takes: { body: VerifyEmail },
    gives: { 200: Done },
    fails: [403],
    async handle(engine, { body }) {
      const user = await engine.accounts.links.verifyEmail(body)
      return { ...ok({ success: true }), by: { user } }
    },
  },
  {
    method: 'POST',
    path: '/auth/request-password-reset',
    operation: 'requestPasswordReset',
    summary: 'Send a link to set a new password',
    description: 'The response is the same whether the address has an account or not.',
    access: 'open',
    ownPagesOnly: true,
    body: 'json',
    takes: { body: RequestReset },
    gives: { 200: Asked },
    fails: [403],
    async handle(engine, request) {
      const { canSend } = await engine.accounts.links.requestReset(request.body, request)
      return ok({ success: true, data: { message: canSend ? ASKED : NO_MAIL } })
    },
  },
  {
    method: 'POST',
    path: '/auth/reset-password',
    operation: 'resetPassword',
    summary: 'Set a new password',
    description: 'With the token of the link in the mail. It ends all sessions.',
    access: 'open',
    ownPagesOnly: true,
    body: 'json',
    takes: { body: ResetPassword },
    gives: { 200: Done },
    fails: [403],
    async handle(engine, request) {
      const user = await engine.accounts.links.resetPassword(request.body, request)
      return { ...ok({ success: true }), by: { user } }
    },
  },
  {
    method: 'POST',
    path: '/auth/accept-invite',
    operation: 'acceptInvite',
    summary: 'Accept an invitation to a project',
    description: 'With the token of the link in the mail. Without an account, `password` creates one.',
    access: 'open',
    ownPagesOnly: true,
    body: 'json',
    takes: { body: AcceptInvite },
    gives: { 200: LoggedInUser },
    fails: [403, 409],
    async handle(engine, request) {
      const { user, projectId, session } = await engine.accounts.links.acceptInvite(request.body, request)
      const by = { user, projectId }
      if (session) return { ...loggedIn({ user, session }, engine.now()), by }
      return { ...ok({ success: true, data: { id: user.id, email: user.email } }), by }
    },
  },
]

const ASKED = 'If there is an account with this address, a mail with a link is on its way.'
const NO_MAIL = 'This server cannot send mail about accounts; its operator sets accounts.from (docs/accounts.md).'

/** 200 with the cookie of the new session. */
function loggedIn({ user, session }: LoggedIn, now: Date, more: object = {}): Reply {
  const data = { id: user.id, email: user.email, ...more }
  return { ...ok({ success: true, data }), cookies: sessionCookies(session, now), by: { user } }
}

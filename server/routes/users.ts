import { ChangeUser } from '../../core/accounts/accounts.ts'
import { AddProject } from '../../core/accounts/members.ts'
import { Confirm, Disable, Enrol, RenewCodes } from '../../core/accounts/second-factor.ts'
import { EngineError } from '../../core/errors.ts'
import { CursorQuery } from '../../core/values/page.ts'
import { AuditAnswer } from '../answers/audit.ts'
import { cursorList, listed } from '../answers/lists.ts'
import { InvitationAnswer, InvitationList, ProjectAnswer, ProjectList } from '../answers/projects.ts'
import {
  ChangedUser,
  Done,
  hostUser,
  Me,
  NewSecondFactor,
  ownUser,
  RecoveryCodes,
  SessionAnswer,
  SessionList,
} from '../answers/users.ts'
import { NO_SESSION, sessionCookies } from '../http/cookies.ts'
import { created, noContent, ok, type UserRoute } from '../http/route.ts'

/** The account of who is logged in. */
export const userRoutes: readonly UserRoute[] = [
  {
    method: 'GET',
    path: '/users/@me',
    operation: 'getMe',
    summary: 'Get your account',
    description: 'Shows your address and your name, whether you have a second factor, and whether you run this server.',
    access: 'user',
    gives: { 200: Me.schema },
    async handle(engine, { user }) {
      const operator = await engine.accounts.members.isOperator(user)
      const recoveryCodesLeft = await engine.accounts.secondFactor.codesLeft(user)
      return ok(Me.of({ ...ownUser(user), operator, recoveryCodesLeft }))
    },
    async ofHost(_engine, user, { logOut = null }) {
      return ok(Me.of({ ...hostUser(user), operator: false, host: { logOut } }))
    },
  },
  {
    method: 'PATCH',
    path: '/users/@me',
    operation: 'changeMe',
    summary: 'Change your name, language or password',
    description: 'A new password needs the current one, and ends all other sessions: `endedSessions` are those.',
    access: 'user',
    body: 'json',
    takes: { body: ChangeUser },
    gives: { 200: ChangedUser.schema },
    async handle(engine, request) {
      const { user, session, ended } = await engine.accounts.change(request.user, request.body, request.session)
      const cookies = session ? sessionCookies(session, engine.now()) : []
      return { ...ok(ChangedUser.of({ ...ownUser(user), endedSessions: ended.map(SessionAnswer.of) })), cookies }
    },
  },
  {
    method: 'GET',
    path: '/users/@me/sessions',
    operation: 'listMySessions',
    summary: 'List your sessions',
    description: 'The browsers in which you are logged in, last used first.',
    access: 'user',
    gives: { 200: SessionList },
    async handle(engine, { user, session }) {
      return ok((await engine.accounts.sessions.list(user, session)).map(SessionAnswer.of))
    },
  },
  {
    method: 'DELETE',
    path: '/users/@me/sessions/:sessionId',
    operation: 'endMySession',
    summary: 'End a session',
    description: 'That browser has to log in again.',
    access: 'user',
    gives: { 204: null },
    fails: [404],
    async handle(engine, request) {
      await engine.accounts.sessions.end(request.user, request.param('sessionId'))
      return noContent
    },
  },
  {
    method: 'DELETE',
    path: '/users/@me/sessions',
    operation: 'endMyOtherSessions',
    summary: 'End all other sessions',
    description: 'Answers those that have ended. The one that asks gets a new cookie.',
    access: 'user',
    gives: { 200: SessionList },
    async handle(engine, request) {
      const { session, ended } = await engine.accounts.sessions.endOthers(request.user, request.session)
      return { ...ok(ended.map(SessionAnswer.of)), cookies: sessionCookies(session, engine.now()) }
    },
  },
  {
    method: 'GET',
    path: '/users/@me/projects',
    operation: 'listMyProjects',
    summary: 'List your projects',
    description: 'Each with your role in it.',
    access: 'user',
    gives: { 200: ProjectList },
    async handle(engine, { user }) {
      return ok(
        (await engine.accounts.members.projectsOf(user)).map(({ project, role }) =>
          ProjectAnswer.of(project, role, engine.installation),
        ),
      )
    },
    async ofHost(engine, { roles }) {
      const found = [...roles].map(async ([id, role]) => {
        const project = await engine.projects.get(id).catch(onlyMissing)
        return project && ProjectAnswer.of(project, role, engine.installation)
      })
      return ok((await Promise.all(found)).filter((project) => project !== undefined))
    },
  },
  {
    method: 'POST',
    path: '/users/@me/projects',
    operation: 'addMyProject',
    makesProject: true,
    summary: 'Create a project, or take one over',
    description:
      'A `name` creates a new project; a `secretKey` takes over the project of that key, as long as it has no OWNER.',
    access: 'user',
    body: 'json',
    takes: { body: AddProject },
    gives: { 201: ProjectAnswer.schema },
    async handle(engine, { user, body }) {
      const { project, role } = await engine.accounts.members.addProject(user, body)
      return created(ProjectAnswer.of(project, role, engine.installation))
    },
  },
  {
    method: 'GET',
    path: '/users/@me/invitations',
    operation: 'listMyInvitations',
    summary: 'List the projects you are invited to',
    description: 'Newest first. The list is empty until your address is confirmed.',
    access: 'user',
    gives: { 200: InvitationList },
    async handle(engine, { user }) {
      return ok((await engine.accounts.members.invitationsOf(user)).map(InvitationAnswer.of))
    },
  },
  {
    method: 'POST',
    path: '/users/@me/invitations/:invitationId/accept',
    operation: 'acceptMyInvitation',
    makesProject: true,
    summary: 'Accept an invitation',
    description: 'You become a member of the project, with the role of the invitation.',
    access: 'user',
    gives: { 201: ProjectAnswer.schema },
    fails: [404, 409],
    async handle(engine, request) {
      const { project, role } = await engine.accounts.members.acceptInvitation(
        request.user,
        request.param('invitationId'),
      )
      return created(ProjectAnswer.of(project, role, engine.installation))
    },
  },
  {
    method: 'DELETE',
    path: '/users/@me/invitations/:invitationId',
    operation: 'declineMyInvitation',
    summary: 'Decline an invitation',
    description: 'It is removed; you may be invited again.',
    access: 'user',
    gives: { 204: null },
    fails: [404],
    async handle(engine, request) {
      await engine.accounts.members.declineInvitation(request.user, request.param('invitationId'))
      return noContent
    },
  },
  {
    method: 'POST',
    path: '/users/@me/totp',
    operation: 'enrolSecondFactor',
    idempotent: 'ignored',
    summary: 'Start setting up a second factor',
    description:
      'Returns a secret for an app. It takes effect once `POST /users/@me/totp/confirm` has received a code.',
    access: 'user',
    body: 'json',
    takes: { body: Enrol },
    gives: { 200: NewSecondFactor },
    async handle(engine, { user, body }) {
      return ok(await engine.accounts.secondFactor.enrol(user, body))
    },
  },
  {
    method: 'POST',
    path: '/users/@me/totp/confirm',
    operation: 'confirmSecondFactor',
    idempotent: 'ignored',
    summary: 'Turn the second factor on',
    description: 'Needs the first code, and returns ten recovery codes, which are shown only once.',
    access: 'user',
    body: 'json',
    takes: { body: Confirm },
    gives: { 200: RecoveryCodes },
    async handle(engine, request) {
      const { recoveryCodes, session } = await engine.accounts.secondFactor.confirm(request.user, request.body)
      return { ...ok({ recoveryCodes }), cookies: sessionCookies(session, engine.now()) }
    },
  },
  {
    method: 'POST',
    path: '/users/@me/totp/recovery-codes',
    operation: 'renewRecoveryCodes',
    idempotent: 'ignored',
    summary: 'Make new recovery codes',
    description: 'Needs the password and a code of the app. The old recovery codes no longer work.',
    access: 'user',
    body: 'json',
    takes: { body: RenewCodes },
    gives: { 200: RecoveryCodes },
    async handle(engine, { user, body }) {
      return ok(await engine.accounts.secondFactor.renewCodes(user, body))
    },
  },
  {
    method: 'DELETE',
    path: '/users/@me/totp',
    operation: 'disableSecondFactor',
    summary: 'Turn the second factor off',
    description: 'Needs the password and a code. It ends all other sessions.',
    access: 'user',
    body: 'json',
    takes: { body: Disable },
    gives: { 204: null },
    async handle(engine, { user, body }) {
      const session = await engine.accounts.secondFactor.disable(user, body)
      return { ...noContent, cookies: sessionCookies(session, engine.now()) }
    },
  },
  {
    method: 'GET',
    path: '/users/@me/audit',
    operation: 'listMyAudit',
    summary: 'List what was done to your account',
    description: 'Logins, passwords and the second factor, newest first.',
    access: 'user',
    takes: { query: CursorQuery },
    gives: { 200: cursorList(AuditAnswer.schema) },
    async handle(engine, { user, query }) {
      return ok(listed(await engine.accounts.audit.listOfUser(user, query), AuditAnswer.of))
    },
  },
  {
    method: 'POST',
    path: '/auth/request-verification',
    operation: 'requestVerification',
    audit: 'never',
    summary: 'Send the link to confirm your address again',
    description: 'The link works for 24 hours, once.',
    access: 'user',
    gives: { 200: Done },
    async handle(engine, { user }) {
      await engine.accounts.links.requestVerification(user)
      return ok({ success: true })
    },
  },
  {
    method: 'POST',
    path: '/auth/logout-everywhere',
    operation: 'logOutEverywhere',
    summary: 'End all your sessions',
    description: 'Including this one.',
    access: 'user',
    gives: { 200: Done },
    async handle(engine, request) {
      await engine.accounts.endSessions(request.user)
      return { ...ok({ success: true }), cookies: [NO_SESSION] }
    },
  },
]

/** A project that the host names may be gone. */
function onlyMissing(error: unknown): undefined {
  if (!EngineError.is(error) || error.kind !== 'missing') throw error
}

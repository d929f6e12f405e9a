import { ChangeUser } from '../../core/accounts/accounts.ts'
import { AddProject } from '../../core/accounts/members.ts'
import { Confirm, Disable, Enrol } from '../../core/accounts/second-factor.ts'
import { CursorQuery } from '../../core/values/page.ts'
import { projectOnWire, userOnWire } from '../account-wire.ts'
import { auditOnWire } from '../audit-wire.ts'
import { created, noContent, ok, type UserRoute } from '../route.ts'
import { Done, NewSecondFactor, ProjectList, ProjectRecord, RecoveryCodes, UserRecord } from '../schemas/accounts.ts'
import { AuditRecord } from '../schemas/audit.ts'
import { cursorList } from '../schemas/parts.ts'
import { listOnWire } from '../wire.ts'

/** The account of who is logged in. */
export const userRoutes: readonly UserRoute[] = [
  {
    method: 'GET',
    path: '/users/@me',
    operation: 'getMe',
    summary: 'Get your account',
    access: 'user',
    gives: { 200: UserRecord },
    async handle(_engine, { user }) {
      return ok(userOnWire(user))
    },
  },
  {
    method: 'PATCH',
    path: '/users/@me',
    operation: 'changeMe',
    summary: 'Change your name or password',
    access: 'user',
    body: 'json',
    takes: { body: ChangeUser },
    gives: { 200: UserRecord },
    async handle(engine, request) {
      const { user, session } = await engine.accounts.change(request.user, request.body)
      const cookies = session ? [request.sessionCookie(session, engine.now())] : []
      return { ...ok(userOnWire(user)), cookies }
    },
  },
  {
    method: 'GET',
    path: '/users/@me/projects',
    operation: 'listMyProjects',
    summary: 'List your projects',
    access: 'user',
    gives: { 200: ProjectList },
    async handle(engine, { user }) {
      return ok((await engine.members.projectsOf(user)).map(({ project, role }) => projectOnWire(project, role)))
    },
  },
  {
    method: 'POST',
    path: '/users/@me/projects',
    operation: 'addMyProject',
    makesProject: true,
    summary: 'Make a project, or take over one without an OWNER by its secret key',
    access: 'user',
    body: 'json',
    takes: { body: AddProject },
    gives: { 201: ProjectRecord },
    async handle(engine, { user, body }) {
      const { project, role } = await engine.members.addProject(user, body)
      return created(projectOnWire(project, role))
    },
  },
  {
    method: 'POST',
    path: '/users/@me/totp',
    operation: 'enrolSecondFactor',
    summary: 'Begin to set up a second factor',
    access: 'user',
    body: 'json',
    takes: { body: Enrol },
    gives: { 200: NewSecondFactor },
    async handle(engine, { user, body }) {
      return ok(await engine.secondFactor.enrol(user, body))
    },
  },
  {
    method: 'POST',
    path: '/users/@me/totp/confirm',
    operation: 'confirmSecondFactor',
    summary: 'Turn the second factor on with its first code',
    access: 'user',
    body: 'json',
    takes: { body: Confirm },
    gives: { 200: RecoveryCodes },
    async handle(engine, request) {
      const { recoveryCodes, session } = await engine.secondFactor.confirm(request.user, request.body)
      return { ...ok({ recoveryCodes }), cookies: [request.sessionCookie(session, engine.now())] }
    },
  },
  {
    method: 'DELETE',
    path: '/users/@me/totp',
    operation: 'disableSecondFactor',
    summary: 'Turn the second factor off',
    access: 'user',
    body: 'json',
    takes: { body: Disable },
    gives: { 204: null },
    async handle(engine, { user, body }) {
      await engine.secondFactor.disable(user, body)
      return noContent
    },
  },
  {
    method: 'GET',
    path: '/users/@me/audit',
    operation: 'listMyAudit',
    summary: 'List what was done to your account: logins, passwords, the second factor',
    access: 'user',
    takes: { query: CursorQuery },
    gives: { 200: cursorList(AuditRecord) },
    async handle(engine, { user, query }) {
      return ok(listOnWire(await engine.audit.listOfUser(user, query), auditOnWire))
    },
  },
  {
    method: 'POST',
    path: '/auth/request-verification',
    operation: 'requestVerification',
    audit: 'never',
    summary: 'Have the link to confirm your address sent again',
    access: 'user',
    gives: { 200: Done },
    async handle(engine, { user }) {
      await engine.mailedLinks.requestVerification(user)
      return ok({ success: true })
    },
  },
  {
    method: 'POST',
    path: '/auth/logout-everywhere',
    operation: 'logOutEverywhere',
    summary: 'End all your sessions',
    access: 'user',
    gives: { 200: Done },
    async handle(engine, request) {
      await engine.accounts.endSessions(request.user)
      return { ...ok({ success: true }), cookies: [request.noSessionCookie] }
    },
  },
]

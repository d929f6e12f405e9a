import { AddMember, ChangeMember } from '../../core/accounts/members.ts'
import type { Caller } from '../../core/projects/caller.ts'
import { ChangeProject } from '../../core/projects/change-project.ts'
import { memberOnWire, projectOnWire } from '../account-wire.ts'
import { created, type KeyRoute, noContent, ok } from '../route.ts'
import { MemberList, MemberRecord, ProjectRecord } from '../schemas/accounts.ts'

/** A project and who belongs to it. */
export const projectRoutes: readonly KeyRoute[] = [
  {
    method: 'GET',
    path: '/projects/:id',
    operation: 'getProject',
    summary: 'Get a project',
    access: 'secret',
    ofProject: true,
    gives: { 200: ProjectRecord },
    async handle(_engine, { caller }) {
      return ok(projectOnWire(caller.project, roleOf(caller)))
    },
  },
  {
    method: 'PATCH',
    path: '/projects/:id',
    operation: 'changeProject',
    summary: "Change a project's name, tracking, language or sender",
    access: 'secret',
    ofProject: true,
    body: 'json',
    takes: { body: ChangeProject },
    gives: { 200: ProjectRecord },
    examples: [{ body: { tracking: 'MARKETING_ONLY' } }],
    async handle(engine, { caller, body }) {
      return ok(projectOnWire(await engine.projects.change(caller.project, body), roleOf(caller)))
    },
  },
  {
    method: 'GET',
    path: '/projects/:id/members',
    operation: 'listMembers',
    summary: 'List members and those invited',
    access: 'secret',
    ofProject: true,
    gives: { 200: MemberList },
    async handle(engine, { caller }) {
      return ok((await engine.members.list(caller.project)).map(memberOnWire))
    },
  },
  {
    method: 'POST',
    path: '/projects/:id/members',
    operation: 'addMember',
    summary: 'Make somebody a member, or invite them by mail',
    access: 'secret',
    scope: 'own',
    ofProject: true,
    body: 'json',
    takes: { body: AddMember },
    gives: { 201: MemberRecord },
    async handle(engine, { caller, body }) {
      return created(memberOnWire(await engine.members.add(caller, body)))
    },
  },
  {
    method: 'PATCH',
    path: '/projects/:id/members/:memberId',
    operation: 'changeMember',
    summary: "Change a member's role",
    access: 'secret',
    scope: 'own',
    ofProject: true,
    body: 'json',
    takes: { body: ChangeMember },
    gives: { 200: MemberRecord },
    async handle(engine, request) {
      const { caller, body } = request
      return ok(memberOnWire(await engine.members.change(caller, request.param('memberId'), body)))
    },
  },
  {
    method: 'DELETE',
    path: '/projects/:id/members/:memberId',
    operation: 'removeMember',
    summary: 'Remove a member or an invitation; members may remove themselves',
    access: 'secret',
    // more than this is asked for unless it is oneself
    scope: 'read',
    ofProject: true,
    gives: { 204: null },
    async handle(engine, request) {
      await engine.members.remove(request.caller, request.param('memberId'))
      return noContent
    },
  },
]

function roleOf(caller: Caller) {
  return caller.kind === 'member' ? caller.role : null
}

import { AddMember, ChangeMember } from '../../core/accounts/members.ts'
import type { Engine } from '../../core/engine.ts'
import type { Project } from '../../core/ports/store/projects.ts'
import { allows, type Caller } from '../../core/projects/caller.ts'
import { ChangeProject } from '../../core/projects/change-project.ts'
import { MemberAnswer, MemberList, ProjectAnswer, SendingLimits } from '../answers/projects.ts'
import { created, type KeyRoute, noContent, ok, versioned } from '../http/route.ts'

/** A project and who belongs to it. */
export const projectRoutes: readonly KeyRoute[] = [
  {
    method: 'GET',
    path: '/projects/:id',
    operation: 'getProject',
    summary: 'Get a project',
    description: 'Shows its name, its tracking, its language and its default sender.',
    access: 'secret',
    ofProject: true,
    gives: { 200: ProjectAnswer.schema },
    async handle(engine, { caller }) {
      return versioned(shown(engine, caller, caller.project))
    },
  },
  {
    method: 'PATCH',
    path: '/projects/:id',
    operation: 'changeProject',
    summary: 'Change a project',
    description: 'Only the fields in the request change.',
    access: 'secret',
    ofProject: true,
    body: 'json',
    takes: { body: ChangeProject },
    gives: { 200: ProjectAnswer.schema },
    examples: [{ body: { tracking: 'MARKETING_ONLY' } }],
    async handle(engine, { caller, body }) {
      return versioned(shown(engine, caller, await engine.projects.change(caller.project, body)))
    },
  },
  {
    method: 'GET',
    path: '/projects/:id/limits',
    operation: 'getSendingLimits',
    summary: 'Get the quotas and warm-up ramps of a project, and how much of them is used',
    description:
      'The operator sets both. `quotas` has the daily and the monthly one, as far as there are any; `ramps` each sender domain that is being warmed up, with its share of today. While `state` is not `ok`, a ramp does not grow.',
    access: 'secret',
    ofProject: true,
    gives: { 200: SendingLimits },
    async handle(engine, { caller }) {
      return ok(await engine.analytics.limits(caller.project))
    },
  },
  {
    method: 'GET',
    path: '/projects/:id/members',
    operation: 'listMembers',
    summary: 'List the members of a project',
    description: 'An OWNER also sees who is invited.',
    access: 'secret',
    ofProject: true,
    gives: { 200: MemberList },
    async handle(engine, { caller }) {
      const whom = allows(caller, 'members') ? 'all' : 'members'
      return ok((await engine.accounts.members.list(caller.project, whom)).map(MemberAnswer.of))
    },
  },
  {
    method: 'POST',
    path: '/projects/:id/members',
    operation: 'addMember',
    summary: 'Invite someone to a project',
    description:
      'By mail, with a link that works for seven days. `link` is one to pass on, also when no mail can be sent. The person becomes a member by accepting.',
    secretAnswer: true,
    access: 'secret',
    area: 'members',
    ofProject: true,
    body: 'json',
    takes: { body: AddMember },
    gives: { 201: MemberAnswer.schema },
    async handle(engine, { caller, body, languages }) {
      return created(MemberAnswer.of(await engine.accounts.members.add(caller, body, { languages })))
    },
  },
  {
    method: 'PATCH',
    path: '/projects/:id/members/:memberId',
    operation: 'changeMember',
    summary: 'Change the role of a member',
    description: 'The last OWNER must stay OWNER (409).',
    access: 'secret',
    area: 'members',
    ofProject: true,
    body: 'json',
    takes: { body: ChangeMember },
    gives: { 200: MemberAnswer.schema },
    async handle(engine, request) {
      const { caller, body } = request
      return ok(MemberAnswer.of(await engine.accounts.members.change(caller, request.param('memberId'), body)))
    },
  },
  {
    method: 'DELETE',
    path: '/projects/:id/members/:memberId',
    operation: 'removeMember',
    summary: 'Remove a member or an invitation',
    description: 'Members may remove themselves; the last OWNER cannot (409).',
    access: 'secret',
    // members may remove themselves, whatever they may do besides
    area: 'any',
    ofProject: true,
    gives: { 204: null },
    async handle(engine, request) {
      await engine.accounts.members.remove(request.caller, request.param('memberId'))
      return noContent
    },
  },
]

function shown(engine: Engine, caller: Caller, project: Project) {
  return ProjectAnswer.of(project, caller.kind === 'member' ? caller.role : null, engine.installation)
}

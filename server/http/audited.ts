import type { Deed, DeedDone } from '../../core/accounts/audit.ts'
import type { Engine } from '../../core/engine.ts'
import type { User } from '../../core/ports/store/users.ts'
import type { Caller } from '../../core/projects/caller.ts'
import { isId } from '../../core/values/id.ts'
import type { UntrustedInput } from '../../core/values/input.ts'
import type { ProjectId } from '../../core/values/project-id.ts'
import { toProblem } from './errors.ts'
import type { Reply, Route, RouteRules } from './route.ts'

/** The part of a request that the audit log keeps. */
export interface AuditedRequest {
  readonly route: Route
  /** The parameters of its path. */
  readonly params: Readonly<Record<string, string>> | undefined
  readonly requestId: string
  /** The client's address, if known. */
  readonly address: string | undefined
}

/** Whether the audit log keeps what this caller asks of a route. */
export function isAudited(audit: RouteRules['audit'], by: Caller | User): boolean {
  return audit === 'always' || (audit === 'people' && (!('kind' in by) || by.kind === 'member'))
}

/** Answers a request of a caller, which the audit log keeps. Throws what `act` throws. */
export async function audited(
  engine: Engine,
  request: AuditedRequest,
  by: Caller | User,
  body: UntrustedInput,
  act: () => Promise<Reply>,
): Promise<Reply> {
  const { route } = request
  const target = targetOf(request)
  const deed = {
    ...deedOf(request, fieldsOf(body)),
    ...actorOf(by),
    ...('kind' in by ? { projectId: by.project.id } : undefined),
    ...target,
  }
  return engine.accounts.audit.during(deed, act, {
    doneOf: (reply) => doneOf(reply, target.targetId, route),
    // what is answered with 4xx changed nothing
    isRefused: (error) => toProblem(error).status < 500,
  })
}

/** Writes down who a caller without a key or a session turned out to be, such as by a login. */
export async function noteEntrance(
  engine: Engine,
  request: AuditedRequest,
  { user, projectId }: NonNullable<Reply['by']>,
): Promise<void> {
  const about = projectId === undefined ? undefined : { projectId }
  const deed = { ...deedOf(request, []), ...actorOf(user), ...about }
  await engine.accounts.audit.note({ ...deed, targetType: 'users', targetId: user.id })
}

function deedOf({ route, requestId, address }: AuditedRequest, fields: readonly string[]) {
  return { action: route.operation, fields, requestId, ...(address === undefined ? undefined : { address }) }
}

function actorOf(by: Caller | User) {
  if ('kind' in by && by.kind !== 'member')
    return { actorType: 'key', actorId: by.keyId, actorName: by.keyName } as const
  const { id, email } = 'kind' in by ? by.user : by
  return { actorType: 'user', actorId: id, actorName: email } as const
}

/** The target of a request, as the audit log keeps it. */
interface Target extends Pick<Deed, 'targetType'>, Partial<Pick<Deed, 'targetId' | 'parentType' | 'parentId'>> {}

/** The target of a path: of `/campaigns/:id/send` this campaign, of `/workflows/:id/steps/:stepId` this step of this workflow. */
function targetOf({ route, params = {} }: AuditedRequest): Target {
  const { last, own } = placeOfTarget(route)
  const targetType = kindOfTarget(route)
  const idAt = (place: number) => {
    const id = params[own[place]?.slice(1) ?? '']
    // not a person's address, which would outlive its erasure here
    return id === undefined || id.includes('@') || id.includes('%') ? undefined : id.slice(0, 200)
  }
  const targetId = idAt(last)
  if (targetId === undefined) return { targetType }
  const first = own.findIndex((part) => part.startsWith(':'))
  const parentType = own[first - 1]
  const parentId = first === last ? undefined : idAt(first)
  const target = { targetType, targetId }
  return parentType === undefined || parentId === undefined ? target : { ...target, parentType, parentId }
}

/** The kind of thing that a route changes, by its word in the path. */
export function kindOfTarget(route: Route): string {
  if (route.makesProject) return 'projects'
  const { last, own } = placeOfTarget(route)
  return own[last === -1 ? 0 : last - 1] ?? ''
}

function placeOfTarget(route: Route) {
  const parts = route.path.split('/').filter((part) => part !== '' && part !== '@me')
  const isOfProject = route.access !== 'open' && route.access !== 'user' && route.ofProject === true
  // the project in the path is said by itself
  const own = isOfProject && parts.length > 2 ? parts.slice(2) : parts
  return { own, last: own.findLastIndex((part) => part.startsWith(':')) }
}

function doneOf({ status, body }: Reply, targetId: string | undefined, route: Route): DeedDone {
  const id = status === 201 || status === 202 ? idIn(body) : undefined
  if (id === undefined || id === targetId) return {}
  return route.makesProject ? { createdId: id, projectId: id as ProjectId } : { createdId: id }
}

function idIn(body: unknown): string | undefined {
  const { id, data } = (body ?? {}) as { readonly id?: unknown; readonly data?: unknown }
  // that of a campaign stands in an envelope
  if (id === undefined && data !== undefined) return idIn(data)
  return typeof id === 'string' && isId(id) ? id : undefined
}

function fieldsOf(body: UntrustedInput): readonly string[] {
  return typeof body === 'object' && body !== null && !Array.isArray(body) ? Object.keys(body) : []
}

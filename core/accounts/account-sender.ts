import type { Project } from '../ports/store/projects.ts'
import { isVerifiedDomain } from '../projects/project.ts'
import { idOfName } from '../projects/projects.ts'
import type { EngineValues } from '../settings/engine-values.ts'
import { domainOf } from '../values/email-address.ts'
import type { NamedAddress } from '../values/mailbox.ts'

/** As much of a project as decides whether it sends mails about accounts. */
export type MaySend = Pick<Project, 'id' | 'name' | 'from' | 'trustedDomains' | 'verifiedDomains' | 'disabled'>

/** The project that sends mails about accounts, or why there is none. */
export type AccountSender<P extends MaySend> =
  | { readonly project: P; readonly from: NamedAddress; readonly problem?: undefined }
  | { readonly problem: string }

/** Chooses the sender of mails about accounts among these projects. `isPublic`: links of mails lead somewhere. */
export function accountSender<P extends MaySend>(
  projects: readonly P[],
  { from: wished, project: named }: EngineValues['accounts'],
  isPublic: boolean,
): AccountSender<P> {
  if (!isPublic) return { problem: 'server.publicUrl is not set, so links would lead nowhere' }
  const candidates = named === undefined ? projects.filter(mayBeMeant(wished)) : projectsNamed(named, projects)
  const [project, ...more] = candidates
  if (project === undefined) return { problem: noProject(named, wished) }
  if (more.length > 0) return { problem: 'several projects could send it: name one in accounts.project' }
  const from = wished ?? project.from
  if (from === undefined) return { problem: 'accounts.from is not set' }
  if (project.disabled) return { problem: `the project ${project.name} is disabled` }
  if (!maySendAs(project, from)) return { problem: `the project ${project.name} may not send as ${from.email}` }
  return { project, from }
}

/**
 * Without a name in the settings, only domains that the operator trusts decide, and those no other project can prove:
 * users make projects, too, and choose their senders.
 */
function mayBeMeant(wished: NamedAddress | undefined): (project: MaySend) => boolean {
  if (wished) return (project) => maySendAs(project, wished)
  return ({ from, trustedDomains }) => from !== undefined && trustedDomains.includes(domainOf(from.email))
}

/** By id, or by name among those of the operator, since users may give their projects any name. */
function projectsNamed<P extends MaySend>(named: string, projects: readonly P[]): readonly P[] {
  const known = projects.filter(({ id }) => id === named || id === idOfName(named))
  if (known.length > 0) return known
  return projects.filter(({ name, trustedDomains }) => name === named && trustedDomains.length > 0)
}

function noProject(named: string | undefined, wished: NamedAddress | undefined): string {
  if (named !== undefined) return `there is no project ${named}`
  return wished ? `no project may send as ${wished.email}` : 'accounts.from is not set'
}

function maySendAs(project: MaySend, { email }: NamedAddress): boolean {
  return isVerifiedDomain(project, domainOf(email))
}

import { linkProblem } from '../mail/links/public-address.ts'
import type { MailTransport } from '../ports/mail-transport.ts'
import type { ProjectMode } from '../ports/store/projects.ts'
import { type CheckFinding, finding } from './check-sentences.ts'

/**
 * The reasons why readers do not get the mail: the mode of the project, and settings of this server, which are no next
 * hop or links that only this machine can open. The sandbox takes all mail of a project for tests before any next hop is asked.
 */
export function serverFindings(
  mode: ProjectMode,
  reaches: readonly MailTransport['reach'][],
  publicUrl: string | undefined,
): readonly CheckFinding[] {
  if (mode === 'test') return [finding('project_test', 'project'), ...linkFindings(reaches, publicUrl)]
  const members = mode === 'members' ? [finding('project_members', 'project')] : []
  if (reaches.length > 0 && reaches.every((reach) => reach === 'nobody'))
    return [...members, finding('server_folder', 'server')]
  return [...members, ...linkFindings(reaches, publicUrl)]
}

function linkFindings(
  reaches: readonly MailTransport['reach'][],
  publicUrl: string | undefined,
): readonly CheckFinding[] {
  const blocks = linkProblem(publicUrl, reaches)?.blocksMarketing
  return blocks && publicUrl !== undefined ? [finding('server_address', 'server', { address: publicUrl })] : []
}

import { linkProblem } from '../mail/links/public-address.ts'
import type { MailTransport } from '../ports/mail-transport.ts'
import type { ProjectMode } from '../ports/store/projects.ts'
import { type CheckFinding, finding } from './check-sentences.ts'

/** The mode of the project, where it keeps the mail from some or all of its readers. */
export function modeFindings(mode: ProjectMode): readonly CheckFinding[] {
  if (mode === 'live') return []
  return [finding(mode === 'test' ? 'project_test' : 'project_members', 'project')]
}

/**
 * The settings of this server that keep the mail from its readers: no next hop, or links that only this machine can
 * open.
 */
export function serverFindings(
  reaches: readonly MailTransport['reach'][],
  publicUrl: string | undefined,
): readonly CheckFinding[] {
  if (reaches.length > 0 && reaches.every((reach) => reach === 'nobody')) return [finding('server_folder', 'server')]
  const blocks = linkProblem(publicUrl, reaches)?.blocksMarketing
  return blocks && publicUrl !== undefined ? [finding('server_address', 'server', { address: publicUrl })] : []
}

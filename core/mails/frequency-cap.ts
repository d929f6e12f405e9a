import type { FrequencyCap } from '../ports/store/projects.ts'
import type { Repositories } from '../ports/store/store.ts'
import type { ProjectId } from '../values/project-id.ts'

const DAY_MS = 86_400_000

/**
 * How many marketing mails each of these contacts had in the days of the cap, with those that wait; those without any are
 * left out. The contacts must be locked, so that nothing else mails them meanwhile.
 */
export function mailedInDays(
  tx: Pick<Repositories, 'mails'>,
  projectId: ProjectId,
  { days }: FrequencyCap,
  contactIds: readonly string[],
  now: Date,
): Promise<ReadonlyMap<string, number>> {
  return tx.mails.mailedSince(projectId, contactIds, new Date(now.getTime() - days * DAY_MS), 'marketing')
}

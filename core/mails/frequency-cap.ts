import type { Contact } from '../ports/store/contacts.ts'
import type { FrequencyCap } from '../ports/store/projects.ts'
import type { Repositories } from '../ports/store/store.ts'
import type { ProjectId } from '../values/project-id.ts'

const DAY_MS = 86_400_000
/** A weekly mail is not written at the same minute each week, and whoever wants one a week must not miss it. */
const GRACE_MS = 6 * 3_600_000

/**
 * How many more marketing mails each of these contacts may get: the stricter of the project's cap and what the contact
 * set (`everyDays`) decides. Mails that wait count, too. Those without any limit are left out, and need no query. The
 * contacts must be locked, so that nothing else mails them meanwhile.
 */
export async function roomUnderCaps(
  tx: Pick<Repositories, 'mails'>,
  projectId: ProjectId,
  cap: FrequencyCap | undefined,
  contacts: readonly Pick<Contact, 'id' | 'everyDays'>[],
  now: Date,
): Promise<Map<string, number>> {
  const room = new Map<string, number>()
  const limit = async (spanMs: number, mails: number, ids: readonly string[]) => {
    const since = new Date(now.getTime() - spanMs)
    const had = await tx.mails.mailedSince(projectId, ids, since, 'marketing')
    for (const id of ids) room.set(id, Math.min(room.get(id) ?? mails, mails - (had.get(id) ?? 0)))
  }
  if (cap) {
    const ids = new Set(contacts.map(({ id }) => id))
    await limit(cap.days * DAY_MS, cap.mails, [...ids])
  }
  const own = Map.groupBy(contacts, ({ everyDays }) => everyDays)
  for (const [days, those] of own) {
    if (days === undefined) continue
    const ids = new Set(those.map(({ id }) => id))
    await limit(days * DAY_MS - GRACE_MS, 1, [...ids])
  }
  return room
}

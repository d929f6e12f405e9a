import type { Contact } from '../ports/store/contacts.ts'
import type { FrequencyCap } from '../ports/store/projects.ts'
import type { Repositories } from '../ports/store/store.ts'
import type { ProjectId } from '../values/project-id.ts'

const DAY_MS = 86_400_000
/** A weekly mail is not written at the same minute each week, and a contact who wants one a week must not miss it. */
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
  const limits = [...new Map(contacts.map((contact) => [contact.id, contact])).values()].flatMap(
    ({ id, everyDays }) => [
      ...(cap ? [{ contactId: id, spanMs: cap.days * DAY_MS, mails: cap.mails }] : []),
      ...(everyDays === undefined ? [] : [{ contactId: id, spanMs: everyDays * DAY_MS - GRACE_MS, mails: 1 }]),
    ],
  )
  const room = new Map<string, number>()
  if (limits.length === 0) return room
  const asked = limits.map(({ contactId, spanMs }) => ({ contactId, since: new Date(now.getTime() - spanMs) }))
  const had = await tx.mails.marketingSince(projectId, asked)
  for (const [i, { contactId, mails }] of limits.entries())
    room.set(contactId, Math.min(room.get(contactId) ?? mails, mails - (had[i] ?? 0)))
  return room
}

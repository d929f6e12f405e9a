/* SQL by hand: the open drafts of a project are found by those of its inboxes, which have an index. */
import type { Correspondent } from '../../../../../core/ports/store/threads.ts'
import type { ProjectId } from '../../../../../core/values/project-id.ts'
import type { Dialect } from '../../engine/dialect.ts'
import type { Session } from '../../engine/session.ts'
import type { Tables } from '../../engine/tables.ts'

const FIELDS = ['to', 'cc', 'bcc'] as const

/**
 * Takes these addresses out of the drafts of a project that are not sent, inside a transaction; drafts to no one else go, with
 * their files. Each is another version from then on, so that what was seen before is neither sent nor approved.
 */
export async function eraseFromDrafts(
  dialect: Dialect,
  tables: Tables,
  session: Session,
  projectId: ProjectId,
  addresses: readonly string[],
  at: Date,
): Promise<void> {
  const gone = new Set(addresses.map((address) => address.toLowerCase()))
  const sql = `select "id", "to", "cc", "bcc" from "inbox_drafts" where status <> 'sent'
    and "inbox_id" in (select "id" from "inboxes" where "project_id" = ?) order by "id"${dialect.lockRows('"inbox_drafts"')}`
  const emptied: string[] = []
  for (const row of await session.all(sql, [projectId])) {
    const draft = tables.inboxDrafts.record(row)
    const named = FIELDS.map((field) => draft[field])
    const left = named.map((people) => people.filter(({ email }: Correspondent) => !gone.has(email.toLowerCase())))
    if (left.every((people, i) => people.length === named[i]?.length)) continue
    if (left.every((people) => people.length === 0)) {
      emptied.push(draft.id)
      continue
    }
    const written = left.map((people) => dialect.encode('json')(people))
    const change = `update "inbox_drafts" set "to" = ?, "cc" = ?, "bcc" = ?, "version" = "version" + 1, "updated_at" = ? where "id" = ?`
    await session.run(change, [...written, dialect.encode('date')(at), draft.id])
  }
  await removeDrafts(dialect, session, emptied)
}

/** Removes drafts with their files, inside a transaction. */
export async function removeDrafts(dialect: Dialect, session: Session, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  const these = [dialect.list(ids)]
  await session.run(`delete from "draft_attachments" where "draft_id" ${dialect.listed('uuid')}`, these)
  await session.run(`delete from "inbox_drafts" where "id" ${dialect.listed('uuid')}`, these)
}

/* SQL by hand: the open drafts of a project are found by those of its inboxes, which have an index. */
import type { InboxDraft } from '../../../../../core/ports/store/drafts.ts'
import type { Correspondent } from '../../../../../core/ports/store/threads.ts'
import type { ProjectId } from '../../../../../core/values/project-id.ts'
import type { Dialect } from '../../engine/dialect.ts'
import type { Row, Session } from '../../engine/session.ts'
import type { Tables } from '../../engine/tables.ts'

const FIELDS = ['to', 'cc', 'bcc'] as const
type Recipients = Pick<InboxDraft, (typeof FIELDS)[number]>

/**
 * Takes the addresses of these contacts out of the drafts of a project that are not sent, and out of what people were asked about,
 * inside a transaction; drafts to no one else go, with their files. Each is another version from then on, so that what was seen
 * before is neither sent nor approved.
 */
export async function eraseFromDrafts(
  dialect: Dialect,
  tables: Tables,
  session: Session,
  projectId: ProjectId,
  contactIds: readonly string[],
  at: Date,
): Promise<void> {
  const ours = `${dialect.unindexed('"project_id"')} and "id" ${dialect.listed('uuid')}`
  const named = await session.all(`select "email" from "contacts" where ${ours}`, [projectId, dialect.list(contactIds)])
  const gone = new Set(named.map(({ email }) => String(email).toLowerCase()))
  const isGone = ({ email }: Correspondent) => gone.has(email.toLowerCase())
  const names = (draft: Recipients) => FIELDS.some((field) => draft[field].some(isGone))
  const without = (draft: Recipients) => FIELDS.map((field) => draft[field].filter((each) => !isGone(each)))
  const open = `select "id", "to", "cc", "bcc", "changed_from" from "inbox_drafts" where status <> 'sent'`
  const all = await session.all(`${open} and "inbox_id" in (select "id" from "inboxes" where "project_id" = ?)`, [
    projectId,
  ])
  const drafts = (rows: readonly Row[]) =>
    rows
      .map((row) => tables.inboxDrafts.record(row))
      .filter((draft) => names(draft) || (draft.changedFrom !== undefined && names(draft.changedFrom)))
  const ids = drafts(all).map(({ id }) => id)
  if (ids.length === 0) return
  // only those that name them are locked, and looked at once more
  const locked = `${open} and "id" ${dialect.listed('uuid')} order by "id"${dialect.lockRows('"inbox_drafts"')}`
  const emptied: string[] = []
  for (const { id, changedFrom, ...draft } of drafts(await session.all(locked, [dialect.list(ids)]))) {
    const left = without(draft)
    if (names(draft) && left.every((people) => people.length === 0)) {
      emptied.push(id)
      continue
    }
    const [to = [], cc = [], bcc = []] = changedFrom === undefined ? [] : without(changedFrom)
    const asked = changedFrom === undefined ? null : dialect.encode('json')({ ...changedFrom, to, cc, bcc })
    const written = left.map((people) => dialect.encode('json')(people))
    await session.run(CHANGE, [...written, asked, dialect.encode('date')(at), id])
  }
  await removeDrafts(dialect, session, emptied)
}

const CHANGE = `update "inbox_drafts" set "to" = ?, "cc" = ?, "bcc" = ?, "changed_from" = ?, "version" = "version" + 1,
  "updated_at" = ? where "id" = ?`

/** Removes drafts with their files, inside a transaction. */
export async function removeDrafts(dialect: Dialect, session: Session, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  const these = [dialect.list(ids)]
  await session.run(`delete from "draft_attachments" where "draft_id" ${dialect.listed('uuid')}`, these)
  await session.run(`delete from "inbox_drafts" where "id" ${dialect.listed('uuid')}`, these)
}

import type { Dialect } from '../../engine/dialect.ts'
import type { Session } from '../../engine/session.ts'

/**
 * Removes those of these contents that no mail uses and that belong to no campaign, with their attachments, inside the
 * transaction that took the last mail from them. They are locked first. Whoever is about to use one (`storeContents`)
 * locks it too: either the second statement sees its mail, or it waits, finds the content gone and stores it anew.
 */
export async function purgeContents(dialect: Dialect, session: Session, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  const listed = dialect.listed('uuid')
  const given = [dialect.list([...new Set(ids)])]
  const hold = `select "id" from "mail_contents" where "id" ${listed} order by "id"${dialect.lockRows('"mail_contents"')}`
  await session.all(hold, given)
  const sql = `delete from "mail_contents" where "id" ${listed}
    and "of_campaign" is null and not exists (select 1 from "emails" as e
      where e."content_id" = "mail_contents"."id" and e."campaign_id" is null) returning "id"`
  const removed = await session.all(sql, given)
  if (removed.length === 0) return
  const gone = dialect.list(removed.map(({ id }) => String(id)))
  await session.run(`delete from "mail_attachments" where "mail_content_id" ${listed}`, [gone])
}

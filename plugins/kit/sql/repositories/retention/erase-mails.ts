import type { MailContent } from '../../../../../core/ports/store/contents.ts'
import { DELETED_RECIPIENT } from '../../../../../core/ports/store/emails.ts'
import type { MailContentChange } from '../../../../../core/ports/store/retention.ts'
import type { ProjectId } from '../../../../../core/values/project-id.ts'
import type { Dialect, GivenColumn } from '../../engine/dialect.ts'
import type { Session } from '../../engine/session.ts'
import type { Tables } from '../../engine/tables.ts'
import { storeContents } from '../emails/contents.ts'
import { removePersonalLinks } from '../emails/link-clicks.ts'
import { purgeContents } from './purge-contents.ts'

/** Nobody can fill in these mails any more, so those that wait are not sent. */
export const SKIP_REMOVED = `"status" = case when "emails"."status" = 'QUEUED' then 'SKIPPED' else "emails"."status" end,
  "skip_reason" = case when "emails"."status" = 'QUEUED' then 'contact-removed' else "emails"."skip_reason" end`

/** Removes the person from mails and gives them their new contents, inside a transaction. */
export async function eraseMails(
  dialect: Dialect,
  tables: Tables,
  session: Session,
  projectId: ProjectId,
  mails: readonly MailContentChange[],
  contents: readonly MailContent[],
  now: Date,
): Promise<void> {
  const [json, date] = [dialect.encode('json'), dialect.encode('date')(now)]
  const sql = `update "emails" set "to" = '${DELETED_RECIPIENT}', "to_name" = null, "contact_id" = null, "variables" = ?,
    "tags" = ?, "accepted" = ?, "error" = null, "tries" = null, "redacted_at" = ?, "updated_at" = ?, ${SKIP_REMOVED},
    "content_id" = given."new_content_id"
    from ${dialect.given(GIVEN)} as given where "emails"."id" = given."new_id" and ("emails"."project_id" = ?) is true`
  const values = [json({}), json({}), json([]), date, date, ...givenMails(dialect, mails), projectId]
  await storeContents(dialect, tables, session, byId(contents))
  await session.run(sql, values)
  await removePersonalLinks(
    dialect,
    session,
    mails.map(({ id }) => id),
  )
  await purgeLeft(dialect, session, mails)
}

/** Gives mails that are done their new contents, inside a transaction. */
export async function changeContents(
  dialect: Dialect,
  tables: Tables,
  session: Session,
  mails: readonly MailContentChange[],
  contents: readonly MailContent[],
): Promise<void> {
  const sql = `update "emails" set "content_id" = given."new_content_id", "tries" = null from ${dialect.given(GIVEN)} as given
    where "emails"."id" = given."new_id" and "emails"."status" not in ('QUEUED', 'SENDING')`
  await storeContents(dialect, tables, session, byId(contents))
  await session.run(sql, givenMails(dialect, mails))
  await purgeLeft(dialect, session, mails)
}

/** The new contents are purged, too: a mail that waits again by now did not take its new one. */
function purgeLeft(dialect: Dialect, session: Session, mails: readonly MailContentChange[]): Promise<void> {
  const changed = mails.filter(({ contentId, newContentId }) => contentId !== newContentId)
  return purgeContents(
    dialect,
    session,
    changed.flatMap(({ contentId, newContentId }) => [contentId, newContentId]),
  )
}

function byId(contents: readonly MailContent[]): ReadonlyMap<string, MailContent> {
  return new Map(contents.map((content) => [content.id, content]))
}

const GIVEN: readonly GivenColumn[] = [
  { name: 'new_id', kind: 'uuid' },
  { name: 'new_content_id', kind: 'uuid' },
]

function givenMails(dialect: Dialect, mails: readonly MailContentChange[]) {
  return dialect.givenParams(
    GIVEN,
    mails.map(({ id, newContentId }) => [id, newContentId]),
  )
}

/* SQL by hand: a part of very many rows is removed by its index, and removed rows are counted down. */
import type { MailContent } from '../../../../../core/ports/store/contents.ts'
import { DELETED_RECIPIENT } from '../../../../../core/ports/store/emails.ts'
import type { MailContentChange } from '../../../../../core/ports/store/retention.ts'
import { isId } from '../../../../../core/values/id.ts'
import type { ProjectId } from '../../../../../core/values/project-id.ts'
import type { Dialect } from '../../engine/dialect.ts'
import type { StoredEmail } from '../../engine/email-table.ts'
import type { Params, Session } from '../../engine/session.ts'
import { EVENT_FIGURES, type EventTable } from '../../engine/stored-events.ts'
import type { Patch } from '../../engine/table.ts'
import type { Tables } from '../../engine/tables.ts'
import { storeContents } from '../emails/contents.ts'
import { removePersonalLinks } from '../emails/link-clicks.ts'

/** These mails can no longer be filled in, so those that wait are not sent. */
const SKIP_REMOVED = `"status" = case when "emails"."status" = 'QUEUED' then 'SKIPPED' else "emails"."status" end,
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
  await storeContents(dialect, tables, session, byId(contents))
  const erased = {
    projectId,
    to: DELETED_RECIPIENT,
    variables: {},
    tags: {},
    accepted: [],
    redactedAt: now,
    updatedAt: now,
  }
  await tables.emails.patch(
    session,
    ERASED,
    mails.map(({ id, newContentId }) => ({ ...erased, id, contentId: newContentId })),
  )
  await removePersonalLinks(
    dialect,
    session,
    mails.map(({ id }) => id),
  )
  await emptyThreads(dialect, session, mails)
  await purgeLeft(dialect, session, mails)
}

/** Removes what threads say of these mails besides the mails themselves: who takes part, their words, and drafts. */
async function emptyThreads(dialect: Dialect, session: Session, mails: readonly MailContentChange[]): Promise<void> {
  const about = `(select "thread_id" from "thread_mails" where "email_id" ${dialect.listed('uuid')})`
  const ids = dialect.list(mails.map(({ id }) => id))
  const empty = `update "threads" set "subject" = '', "subject_key" = '', "snippet" = '', "participants" = ?
    where "id" in ${about}`
  await session.run(empty, [dialect.encode('json')([]), ids])
  const drafts = `from "inbox_drafts" where thread_id is not null and "thread_id" in ${about}`
  await session.run(`delete from "draft_attachments" where "draft_id" in (select "id" ${drafts})`, [ids])
  await session.run(`delete ${drafts}`, [ids])
  await emptyWords(dialect, session, ids)
}

/** Removes the words by which these mails are found, also those of the index. */
async function emptyWords(dialect: Dialect, session: Session, ids: unknown): Promise<void> {
  const emptied = `update "mail_words" set "subject" = '', "people" = '', "body" = '', "files" = ''
    where "email_id" ${dialect.listed('uuid')} and ("subject" <> '' or "people" <> '' or "body" <> '' or "files" <> '')`
  if (dialect.forgetWords !== undefined) await session.run(dialect.forgetWords, [])
  await session.run(emptied, [ids])
}

/** Removes the beginnings of these mails, which are too old, from threads, and the drafts that they were made of. */
async function shortenThreads(dialect: Dialect, session: Session, mails: readonly MailContentChange[]): Promise<void> {
  const listed = dialect.listed('uuid')
  const about = `(select "thread_id" from "thread_mails" where "email_id" ${listed})`
  const ids = dialect.list(mails.map(({ id }) => id))
  const shorten = `update "threads" set "snippet" = '' where "id" in ${about} and "last_message_id" ${listed}`
  await session.run(shorten, [ids, ids])
  await emptyWords(dialect, session, ids)
  const drafts = `delete from "inbox_drafts" where thread_id is not null and "thread_id" in ${about} and "email_id" ${listed}`
  await session.run(drafts, [ids, ids])
}

/** Gives mails that are done their new contents, inside a transaction. */
export async function changeContents(
  dialect: Dialect,
  tables: Tables,
  session: Session,
  mails: readonly MailContentChange[],
  contents: readonly MailContent[],
): Promise<void> {
  await storeContents(dialect, tables, session, byId(contents))
  await tables.emails.patch(
    session,
    CHANGED,
    mails.map(({ id, newContentId }) => ({ id, contentId: newContentId })),
  )
  await shortenThreads(dialect, session, mails)
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

const ERASED: Patch<StoredEmail> = {
  by: ['id', 'projectId'],
  set: [
    ...(['to', 'toName', 'contactId', 'variables', 'tags', 'accepted', 'error', 'tries'] as const),
    ...(['redactedAt', 'updatedAt', 'contentId'] as const),
  ],
  also: SKIP_REMOVED,
}

const CHANGED: Patch<StoredEmail> = {
  by: ['id'],
  set: ['contentId', 'tries'],
  where: `"emails"."status" not in ('QUEUED', 'SENDING')`,
}

/**
 * CONTENTS WITHOUT MAIL: removes those of these contents that no mail uses and that belong to no campaign, with their
 * attachments, inside the transaction that took the last mail from them. They are locked first. A transaction that is
 * about to use one (`storeContents`) locks it, too: either the second statement sees its mail, or it waits, finds the
 * content gone and stores it anew. Index: `emails_by_content`.
 */
async function purgeContents(dialect: Dialect, session: Session, ids: readonly string[]): Promise<void> {
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

/** Whose history is erased, and how many rows of each kind at a time. */
interface History {
  readonly projectId: ProjectId
  readonly contactIds: readonly string[]
  readonly limit: number
  readonly now: Date
}

/** Removes what was recorded about contacts, up to a limit, inside a transaction. Answers whether more may be left. */
export async function eraseHistory(
  dialect: Dialect,
  events: EventTable,
  session: Session,
  history: History,
): Promise<boolean> {
  const { projectId, contactIds, limit, now } = history
  const ids = dialect.list(contactIds)
  const listed = dialect.listed('uuid')
  // by the index of contacts; SQLite would use one of the project's
  const theirs = `"contact_id" ${listed} and ("project_id" = ?) is true limit ?`
  const remove = (table: string, where: string, params: Params) =>
    session.run(`delete from "${table}" where "id" in (select "id" from "${table}" where ${where})`, params)
  const forget = `delete from "events" where "id" in (select "id" from "events"
    where "project_id" = ? and "contact_id" ${listed} limit ?) returning ${EVENT_FIGURES}`
  await session.run(`delete from "topic_choices" where "contact_id" ${listed} and ("project_id" = ?) is true`, [
    ids,
    projectId,
  ])
  // the row stays, so that the list of those left out is as long as the count
  const nameless = `update "campaign_left_out" set "contact_id" = null where ("campaign_id", "reason", "id") in (
    select "campaign_id", "reason", "id" from "campaign_left_out" where "contact_id" is not null and ${theirs})`
  const removed = [
    await session.run(nameless, [ids, projectId, limit]),
    await remove('webhook_deliveries', `"contact_id" is not null and ${theirs}`, [ids, projectId, limit]),
    await remove('segment_stays', theirs, [ids, projectId, limit]),
    await remove('form_submissions', theirs, [ids, projectId, limit]),
    (await events.remove(session, forget, [projectId, ids, limit])).length,
  ]
  const which = `"contact_id" ${listed} and ("project_id" = ?) is true and "redacted_at" is null limit ?`
  const found = await session.all(`select "id" from "workflow_executions" where ${which}`, [ids, projectId, limit])
  const executions = found.map(({ id }) => String(id))
  const isDone = await redactExecutions(dialect, session, executions, limit, now, (emailIds) =>
    removeVariablesAbout(dialect, session, projectId, emailIds, now),
  )
  return !isDone || executions.length === limit || removed.some((count) => count === limit)
}

/**
 * Erases what executions were given and answered, `limit` step runs at a time. False when more are left. `about` gets
 * the ids of the mails that the steps sent.
 */
export async function redactExecutions(
  dialect: Dialect,
  session: Session,
  executionIds: readonly string[],
  limit: number,
  now: Date,
  about: (emailIds: readonly string[]) => Promise<void> = async () => {},
): Promise<boolean> {
  if (executionIds.length === 0) return true
  const listed = dialect.listed('uuid')
  const ids = dialect.list(executionIds)
  const filled = `select "id", "output" from "workflow_step_runs" where "execution_id" ${listed}
    and ("output" is not null or "error" is not null) limit ?`
  const runs = await session.all(filled, [ids, limit])
  if (runs.length > 0) {
    const json = dialect.decode('json')
    await about(runs.flatMap(({ output }) => (output === null ? [] : emailIdIn(json(output)))))
    const clear = `update "workflow_step_runs" set "output" = null, "error" = null where "id" ${listed}`
    await session.run(clear, [dialect.list(runs.map(({ id }) => String(id)))])
  }
  if (runs.length === limit) return false
  const empty = dialect.encode('json')({})
  const redact = `update "workflow_executions" set "context" = ?, "event" = ?, "error" = null, "redacted_at" = ?
    where "id" ${listed} and "status" not in ('RUNNING', 'WAITING')`
  await session.run(redact, [empty, empty, dialect.encode('date')(now), ids])
  return true
}

/** A mail that a workflow sent to another person about the contact holds the contact's data. */
async function removeVariablesAbout(
  dialect: Dialect,
  session: Session,
  projectId: ProjectId,
  emailIds: readonly string[],
  now: Date,
): Promise<void> {
  if (emailIds.length === 0) return
  const sql = `update "emails" set "variables" = ?, "tries" = null, "redacted_at" = ?, "updated_at" = ?, ${SKIP_REMOVED}
    where ${dialect.unindexed('"project_id"')} and "id" ${dialect.listed('uuid')} and "redacted_at" is null`
  const date = dialect.encode('date')(now)
  await session.run(sql, [dialect.encode('json')({}), date, date, projectId, dialect.list(emailIds)])
}

function emailIdIn(output: unknown): readonly string[] {
  const isObject = typeof output === 'object' && output !== null
  const id = isObject && 'emailId' in output ? output.emailId : undefined
  return typeof id === 'string' && isId(id) ? [id] : []
}

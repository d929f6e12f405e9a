/* SQL by hand: one statement for the news of many mails. */
import type { Email } from '../../../../../core/ports/store/emails.ts'
import type { FeedbackRepository, MailNews, ReachedMail, ReportKey } from '../../../../../core/ports/store/feedback.ts'
import { isId } from '../../../../../core/values/id.ts'
import type { ProjectId } from '../../../../../core/values/project-id.ts'
import type { Access } from '../../engine/access.ts'
import { ActivityDeltas } from '../../engine/activity-deltas.ts'
import type { StoredEmail } from '../../engine/email-table.ts'
import { inOrder } from '../../engine/in-order.ts'
import { Repository } from '../../engine/repository.ts'
import type { Session } from '../../engine/session.ts'
import type { Patch } from '../../engine/table.ts'
import { HIDDEN_OF_MAIL, type Tables } from '../../engine/tables.ts'

/** Feedback about sent mail, over all projects. */
export class SqlFeedback extends Repository implements FeedbackRepository {
  readonly #list = this.tables.emails.listOf('', HIDDEN_OF_MAIL)
  readonly #firstTime: string

  constructor(access: Access, tables: Tables) {
    super(access, tables)
    const { name, list, columns } = tables.feedbackReports
    // without the `where`, SQLite would take the conflict clause for a join
    this.#firstTime = `insert into ${name} (${list}) select ${list} from ${access.dialect.given(columns)} as given where true
      on conflict do nothing returning ${list}`
  }

  mails(ids: readonly string[]): Promise<readonly Email[]> {
    return this.#mails(ids, '')
  }

  async mailsOfProvider(providerIds: readonly string[]): Promise<readonly Email[]> {
    if (providerIds.length === 0) return []
    const { dialect } = this
    // MAIL BY ITS PROVIDER'S ID: repeats the index's condition word for word, so that both databases use it.
    // Index: `emails_by_provider`.
    const sql = `select ${this.#list} from "emails" where "provider_id" ${dialect.listed('text')}
      and provider_id is not null and (delivered_at is null or delivered_at <> sent_at)`
    const rows = await this.access.all(sql, [dialect.list(providerIds)])
    return rows.map((row) => this.tables.emails.record(row))
  }

  lock(ids: readonly string[]): Promise<readonly Email[]> {
    return this.#mails(ids, ` order by "id"${this.dialect.lockRows('"emails"')}`)
  }

  async write(news: readonly MailNews[]): Promise<void> {
    if (news.length === 0) return
    const { dialect } = this
    await this.access.write(async (session) => {
      const figures = await this.#figuresOf(session, news)
      const rows = news.map(({ emailId, at, ...told }) => ({ ...told, id: emailId, updatedAt: at }))
      await this.tables.emails.patch(session, NEWS, rows)
      await figures.write(dialect, session)
    })
  }

  async mailsTo(projectId: ProjectId, contactId: string, since: Date, limit: number): Promise<readonly ReachedMail[]> {
    const sql = `select "id", "status", "opened_at", "clicked_at", "delivered_at", "bounced_at", "soft_bounced_at"
      from "emails" where "project_id" = ? and "contact_id" = ? and "created_at" >= ? order by "id" desc limit ?`
    const params = [projectId, contactId, this.dialect.encode('date')(since), limit]
    const rows = await this.access.all(sql, params)
    return rows.map((row) => this.tables.emails.record(row))
  }

  async repliesTo(projectId: ProjectId, emailId: string, limit: number): Promise<readonly Email[]> {
    const sql = `select ${this.#list} from "emails" where "in_reply_to" = ? and in_reply_to is not null
      and ("project_id" = ?) is true order by "id" desc limit ?`
    const rows = await this.access.all(sql, [emailId, projectId, limit])
    return rows.map((row) => this.tables.emails.record(row))
  }

  async replied(projectId: ProjectId, emailId: string, at: Date): Promise<void> {
    const sql = `update "emails" set "replied_at" = ? where "id" = ? and "project_id" = ? and "replied_at" is null`
    await this.access.run(sql, [this.dialect.encode('date')(at), emailId, projectId])
  }

  async firstTime(keys: readonly ReportKey[]): Promise<readonly ReportKey[]> {
    if (keys.length === 0) return []
    const byName = new Map<string, ReportKey>()
    for (const key of keys) byName.set(nameOf(key), key)
    const { dialect } = this
    const { feedbackReports: table } = this.tables
    const rows = inOrder([...byName.values()], nameOf).map((key) => table.values(key))
    const params = dialect.givenParams(table.columns, rows)
    const written = await this.access.writeOnce((session) => session.all(this.#firstTime, params))
    return written.flatMap((row) => byName.get(nameOf(table.record(row))) ?? [])
  }

  forget(before: Date, limit: number): Promise<number> {
    const { dialect } = this
    const which = `select "email_id", "key" from "feedback_reports" where "at" < ? order by "at" limit ?`
    const sql = `delete from "feedback_reports" where ("email_id", "key") in (${which})`
    return this.access.run(sql, [dialect.encode('date')(before), limit])
  }

  /** The counts that these changes, which are about to be written, add to the figures. */
  async #figuresOf(session: Session, news: readonly MailNews[]): Promise<ActivityDeltas> {
    const figures = new ActivityDeltas()
    const dated = news.filter((each) => each.deliveredAt ?? each.bouncedAt ?? each.complainedAt ?? each.status)
    if (dated.length === 0) return figures
    const { dialect } = this
    const sql = `select "id", "project_id", "campaign_id", "status", "delivered_at", "bounced_at", "complained_at" from "emails"
      where "id" ${dialect.listed('uuid')} order by "id"${dialect.lockRows('"emails"')}`
    const rows = await session.all(sql, [dialect.list(dated.map(({ emailId }) => emailId))])
    const before = new Map(rows.map((row) => [String(row.id), this.tables.emails.record(row)]))
    for (const { projectId, emailId, status, deliveredAt, bouncedAt, complainedAt } of dated) {
      const mail = before.get(emailId)
      if (mail?.projectId !== projectId) continue
      figures.mail(projectId, mail, {
        campaignId: mail.campaignId,
        status: status ?? mail.status,
        deliveredAt: deliveredAt ?? mail.deliveredAt,
        bouncedAt: bouncedAt ?? mail.bouncedAt,
        complainedAt: complainedAt ?? mail.complainedAt,
      })
    }
    return figures
  }

  async #mails(ids: readonly string[], behind: string): Promise<readonly Email[]> {
    const wanted = [...new Set(ids)].filter(isId)
    if (wanted.length === 0) return []
    const { dialect } = this
    const sql = `select ${this.#list} from "emails" where "id" ${dialect.listed('uuid')}${behind}`
    const rows = await this.access.all(sql, [dialect.list(wanted)])
    return rows.map((row) => this.tables.emails.record(row))
  }
}

function nameOf({ emailId, key }: ReportKey): string {
  return `${emailId} ${key}`
}

/** A later report says more; what was erased of a mail does not come back with it. */
const NEWS: Patch<StoredEmail> = {
  by: ['id', 'projectId'],
  set: ['updatedAt'],
  given: ['status', 'deliveredAt', 'bouncedAt', 'softBouncedAt', 'complainedAt'],
  used: ['error'],
  also: `"error" = case when "emails"."redacted_at" is null
    then coalesce(given."new_error", "emails"."error") else "emails"."error" end`,
}

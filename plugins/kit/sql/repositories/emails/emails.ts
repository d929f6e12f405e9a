/* SQL by hand: the ledger, on the hot path of every mail. */
import type { Lane } from '../../../../../core/ports/queue.ts'
import type { MailContent } from '../../../../../core/ports/store/contents.ts'
import type {
  Activity,
  ActivityOutcome,
  ClaimedEmail,
  DeliveryResult,
  DueMail,
  Email,
  EmailFilter,
  EmailRepository,
  Lease,
  PutOff,
  WaitingMail,
} from '../../../../../core/ports/store/emails.ts'
import type { PageRequest } from '../../../../../core/values/page.ts'
import type { ProjectId } from '../../../../../core/values/project-id.ts'
import type { Access } from '../../engine/access.ts'
import { laneCodec } from '../../engine/email-table.ts'
import { LeasedRows } from '../../engine/leased-rows.ts'
import { Repository } from '../../engine/repository.ts'
import { HIDDEN_OF_MAIL, type Tables } from '../../engine/tables.ts'
import { campaignCounters } from '../campaigns/campaign-counters.ts'
import { chosenMails } from './chosen-mails.ts'
import { bringForward, claimDue, releaseEmails, WAITING_OF_LANE, waitingBy } from './claim-emails.ts'
import { readContents, storeContents } from './contents.ts'
import type { LedgerWrites } from './ledger-writes.ts'
import { recordResults } from './record-results.ts'

/** The ledger. Every frequent method is one statement for all its rows. */
export class SqlEmails extends Repository implements EmailRepository {
  readonly #writes: LedgerWrites
  readonly #leased = new LeasedRows(this.access, 'emails')
  readonly #list = this.tables.emails.listOf('', HIDDEN_OF_MAIL)

  constructor(access: Access, tables: Tables, writes: LedgerWrites) {
    super(access, tables)
    this.#writes = writes
  }

  async find(projectId: ProjectId, id: string): Promise<Email | undefined> {
    const sql = `select ${this.#list} from "emails" where "project_id" = ? and "id" = ?`
    const [row] = await this.access.all(sql, [projectId, id])
    return row && this.tables.emails.record(row)
  }

  async some(projectId: ProjectId, ids: readonly string[]): Promise<readonly Email[]> {
    if (ids.length === 0) return []
    const { dialect } = this
    const sql = `select ${this.#list} from "emails" where ${dialect.unindexed('"project_id"')} and "id" ${dialect.listed('uuid')}`
    const rows = await this.access.all(sql, [projectId, dialect.list(ids)])
    return rows.map((row) => this.tables.emails.record(row))
  }

  async page(projectId: ProjectId, filter: EmailFilter, page: PageRequest): Promise<readonly Email[]> {
    const { from, where } = chosenMails(this.dialect, projectId, filter)
    if (page.after) where.and('"id" < ?', page.after.id)
    const sql = `select ${this.#list} from ${from} where ${where.text} order by "id" desc limit ?`
    const rows = await this.access.all(sql, [...where.params, page.limit + 1])
    return rows.map((row) => this.tables.emails.record(row))
  }

  async count(projectId: ProjectId, filter: EmailFilter): Promise<number> {
    const { campaignId, contactId, status } = filter
    if (campaignId !== undefined && contactId === undefined && status === undefined) {
      const counters = await this.access.read((session) => campaignCounters(session, projectId, campaignId))
      return counters.recipients
    }
    const { from, where } = chosenMails(this.dialect, projectId, filter)
    const sql = `select count(*) as "count" from ${from} where ${where.text}`
    const [row] = await this.access.scan(projectId, (session) => session.all(sql, where.params))
    return Number(row?.count)
  }

  contents(ids: readonly string[], maxBytes?: number): Promise<readonly MailContent[]> {
    const { dialect } = this
    return this.access.read((session) => readContents(dialect, this.tables, session, ids, maxBytes))
  }

  async contentHeads(ids: readonly string[]): Promise<readonly MailContent[]> {
    const { dialect } = this
    const { contents } = this.tables
    const sql = `select ${contents.listOf('', ['html', 'text'])} from "mail_contents" where "id" ${dialect.listed('uuid')}`
    const rows = await this.access.all(sql, [dialect.list([...new Set(ids)])])
    return rows.map((row) => ({ ...contents.record(row), html: '', attachments: [] }))
  }

  add(emails: readonly Email[], contents: readonly MailContent[]): Promise<void> {
    const { dialect } = this
    return this.access.write(async (session) => {
      await storeContents(dialect, this.tables, session, new Map(contents.map((content) => [content.id, content])))
      await this.tables.emails.insert(session, emails)
    })
  }

  claimDue(due: DueMail, now: Date, lease: Lease): Promise<readonly ClaimedEmail[]> {
    const { dialect } = this
    return this.access.claim((session) => claimDue(dialect, this.tables, session, due, { now, lease }))
  }

  release(ids: readonly string[], token: string, now: Date, later?: PutOff): Promise<void> {
    const { dialect } = this
    return this.access.write((session) => releaseEmails(dialect, session, ids, token, now, later))
  }

  bringForward(mails: readonly { readonly id: string; readonly until: Date }[], now: Date): Promise<void> {
    const { dialect } = this
    return this.access.write((session) => bringForward(dialect, session, mails, now))
  }

  async record(results: readonly DeliveryResult[]): Promise<ReadonlySet<string>> {
    if (results.length === 0) return new Set()
    return this.access.write((session) => recordResults(this.dialect, this.tables, session, results))
  }

  async recordActivity(activities: readonly Activity[]): Promise<readonly ActivityOutcome[]> {
    return activities.length === 0 ? [] : this.#writes.activity(activities)
  }

  async unsubscribedBy(projectId: ProjectId, emailId: string, at: Date): Promise<boolean> {
    const sql = `update "emails" set "unsubscribed_at" = ?, "updated_at" = ?
      where "project_id" = ? and "id" = ? and "unsubscribed_at" is null`
    const date = this.dialect.encode('date')(at)
    return (await this.access.run(sql, [date, date, projectId, emailId])) > 0
  }

  expireLeases(now: Date): Promise<number> {
    return this.#leased.expire(now)
  }

  async waiting(lane: Lane): Promise<readonly WaitingMail[]> {
    const given = laneCodec.encode(lane)
    const sql = `${waitingBy('project_id', WAITING_OF_LANE)}
      select "id" as "project_id", (select "due_at" from "emails" where ${WAITING_OF_LANE} and "project_id" = "waiting"."id"
        order by "due_at" limit 1) as "due_at" from "waiting" where "id" is not null`
    const rows = await this.access.all(sql, [given, given, given])
    // without a date: claimed between one part of the statement and the next
    return rows.flatMap((row) => (row.due_at === null ? [] : this.tables.emails.record(row)))
  }
}

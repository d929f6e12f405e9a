/* SQL by hand: a part of very many rows is removed by its index, and removed rows are counted down. */
import { setTimeout as pause } from 'node:timers/promises'
import type { CampaignStatus } from '../../../../../core/ports/store/campaigns.ts'
import type { MailContent } from '../../../../../core/ports/store/contents.ts'
import { DELETED_RECIPIENT } from '../../../../../core/ports/store/emails.ts'
import type {
  AgedExecution,
  AgedMail,
  Erasure,
  MailContentChange,
  RetentionRepository,
  StoredMail,
  Stretch,
} from '../../../../../core/ports/store/retention.ts'
import { EVENTS } from '../../../../../core/values/event-names.ts'
import type { ProjectId } from '../../../../../core/values/project-id.ts'
import { isStrangerId } from '../../../../../core/values/stranger-id.ts'
import { Repository } from '../../engine/repository.ts'
import type { Row } from '../../engine/session.ts'
import { EVENT_FIGURES } from '../../engine/stored-events.ts'
import { removePersonalLinks } from '../emails/link-clicks.ts'
import { changeContents, eraseHistory, eraseMails, redactExecutions } from './erase.ts'

/** Removes data for good, over all projects. */
export class SqlRetention extends Repository implements RetentionRepository {
  async dueErasures(now: Date, limit: number): Promise<readonly Erasure[]> {
    const sql = `select "contact_id", "project_id", "removed_at" from "erasures"
      where "due_at" <= ? order by "due_at", "contact_id" limit ?`
    const rows = await this.#all(sql, [this.#date(now), limit])
    return rows.map((row) => this.tables.erasures.record(row))
  }

  async erased(contactIds: readonly string[], again?: Date): Promise<void> {
    const these = `"contact_id" ${this.dialect.listed('uuid')}`
    const ids = this.dialect.list(contactIds)
    await this.access.write((session) => {
      session.forget?.()
      return again
        ? session.run(`update "erasures" set "due_at" = ? where ${these}`, [this.#date(again), ids])
        : session.run(`delete from "erasures" where ${these}`, [ids])
    })
  }

  async mailsTo(projectId: ProjectId, contactIds: readonly string[], limit: number): Promise<readonly StoredMail[]> {
    const { dialect } = this
    const sql = `select "id", "content_id", "campaign_id" from "emails"
      where "project_id" = ? and "contact_id" ${dialect.listed('uuid')} limit ?`
    const params = [projectId, dialect.list(contactIds), limit]
    const rows = await this.#all(sql, params)
    // only its events name a stranger, and not its mails
    const isBySome = rows.length === 0 && contactIds.some(isStrangerId)
    const found = isBySome ? await this.#all(receivedFrom(dialect.listed('uuid')), params) : rows
    return found.map((row) => this.tables.emails.record(row))
  }

  eraseMails(
    projectId: ProjectId,
    mails: readonly MailContentChange[],
    contents: readonly MailContent[],
    now: Date,
  ): Promise<void> {
    const { dialect } = this
    return this.access.write((session) => eraseMails(dialect, this.tables, session, projectId, mails, contents, now))
  }

  eraseHistory(projectId: ProjectId, contactIds: readonly string[], limit: number, now: Date): Promise<boolean> {
    const { dialect } = this
    const history = { projectId, contactIds, limit, now }
    return this.access.write((session) => eraseHistory(dialect, this.tables.events, session, history))
  }

  async position(rule: string): Promise<string | undefined> {
    const [row] = await this.#all('select "position" from "retention_positions" where "name" = ?', [rule])
    return row && String(row.position)
  }

  async setPosition(rule: string, position: string): Promise<void> {
    const { retentionPositions } = this.tables
    const clause = retentionPositions.overwrite({ on: ['name'] })
    await this.access.background((session) => retentionPositions.insert(session, [{ name: rule, position }], clause))
  }

  async mails({ after, before, limit }: Stretch): Promise<readonly AgedMail[]> {
    const sql = `select e."id", e."content_id", e."campaign_id", e."status", e."sent_at", e."redacted_at",
        e."updated_at",
        c."status" as "campaign_status", coalesce(c."sent_at", c."updated_at") as "campaign_ended_at"
      from "emails" as e left join "campaigns" as c on c."id" = e."campaign_id"
      where e."id" > ? and e."id" < ? order by e."id" limit ?`
    const rows = await this.#all(sql, [after, before, limit])
    return rows.map((row) => this.#agedMail(row))
  }

  async removeVariables(ids: readonly string[], now: Date): Promise<void> {
    const most = this.dialect.strides.mails
    for (let at = 0; at < ids.length; at += most) {
      const begun = performance.now()
      await this.#removeVariables(ids.slice(at, at + most), now)
      if (at + most < ids.length) await pause(performance.now() - begun)
    }
  }

  async #removeVariables(ids: readonly string[], now: Date): Promise<void> {
    const { dialect } = this
    const sql = `update "emails" set "variables" = ?, "tries" = null, "redacted_at" = ?
      where "id" ${dialect.listed('uuid')} and "redacted_at" is null and "status" not in ('QUEUED', 'SENDING')`
    const parts = dialect.partsOfRewrite
    for (let part = 0; part < parts; part++) {
      const own = ids.filter((_, place) => place % parts === part)
      if (own.length === 0) continue
      await this.access.background(async (session) => {
        await session.run(sql, [dialect.encode('json')({}), this.#date(now), dialect.list(own)])
        // with the first, since no mail is looked at again once its variables are gone
        if (part === 0) await removePersonalLinks(dialect, session, ids)
      })
    }
  }

  changeContents(mails: readonly MailContentChange[], contents: readonly MailContent[]): Promise<void> {
    const { dialect } = this
    return this.access.write((session) => changeContents(dialect, this.tables, session, mails, contents))
  }

  async contents(contentIds: readonly string[], maxBytes: number): Promise<readonly MailContent[]> {
    const { dialect } = this
    const { contents } = this.tables
    const of = `from "mail_contents" where "id" ${dialect.listed('uuid')} order by "id"`
    const sizes = await this.#all(`select "id", ${dialect.octets('"html"')} as "size" ${of}`, [
      dialect.list(contentIds),
    ])
    let sum = 0
    const within = sizes.filter(({ size }, i) => {
      sum += Number(size)
      return i === 0 || sum <= maxBytes
    })
    const ids = dialect.list(within.map(({ id }) => String(id)))
    const rows = await this.#all(`select ${contents.listOf('', ['text'])} ${of}`, [ids])
    return rows.map((row) => ({ ...contents.record(row), attachments: [] }))
  }

  async executions({ after, before, limit }: Stretch): Promise<readonly AgedExecution[]> {
    const sql = `select "id", "status", "completed_at", "redacted_at" from "workflow_executions"
      where "id" > ? and "id" < ? order by "id" limit ?`
    const rows = await this.#all(sql, [after, before, limit])
    return rows.map((row) => this.tables.executions.record(row))
  }

  async redactExecutions(ids: readonly string[], now: Date): Promise<void> {
    const { dialect } = this
    const some = () => this.access.background((session) => redactExecutions(dialect, session, ids, RUNS_AT_A_TIME, now))
    while (!(await some())) await new Promise((resolve) => setImmediate(resolve))
  }

  async removeLedgerEvents(ids: readonly string[], before: Date): Promise<void> {
    const sql = `update "emails" set "ledger_events" = null
      where "id" ${this.dialect.listed('uuid')} and "ledger_events" is not null and "sent_at" < ?`
    const params = [this.dialect.list(ids), this.#date(before)]
    await this.access.background((session) => session.run(sql, params))
  }

  async removeEvents({ after, before, limit }: Stretch): Promise<string | undefined> {
    let last: string | undefined
    for (let left = limit; left > 0; ) {
      const begun = performance.now()
      const most = Math.min(left, this.dialect.strides.events)
      const removed = await this.#removeEvents({ after: last ?? after, before, limit: most })
      if (removed === undefined) break
      last = removed
      left -= most
      if (left > 0) await pause(performance.now() - begun)
    }
    return last
  }

  #removeEvents({ after, before, limit }: Stretch): Promise<string | undefined> {
    const { dialect } = this
    const which = 'select "id" from "events" where "id" > ? and "id" < ? order by "id" limit ?'
    const remove = `delete from "events" where "id" ${dialect.listed('uuid')} returning ${EVENT_FIGURES}`
    return this.access.background(async (session) => {
      const ids = (await session.all(which, [after, before, limit])).map(({ id }) => String(id))
      if (ids.length > 0) await this.tables.events.remove(session, remove, [dialect.list(ids)])
      return ids.at(-1)
    })
  }

  #agedMail(row: Row): AgedMail {
    const { campaign_status: status, campaign_ended_at: endedAt } = row
    const mail = this.tables.emails.record(row)
    if (status === null) return mail
    const campaign = { status: status as CampaignStatus, endedAt: this.dialect.decode('date')(endedAt) as Date }
    return { ...mail, campaign }
  }

  #all(sql: string, params: readonly unknown[]): Promise<readonly Row[]> {
    return this.access.all(sql, params)
  }

  #date(date: Date): unknown {
    return this.dialect.encode('date')(date)
  }
}

/** How many step runs are erased at a time. */
const RUNS_AT_A_TIME = 500

/** Mails that came in from strangers among these, and are not erased yet. */
function receivedFrom(listed: string): string {
  return `select m."id", m."content_id", m."campaign_id" from "events" as e join "emails" as m on m."id" = e."email_id"
    where e."project_id" = ? and e."contact_id" ${listed} and e."name" = '${EVENTS.received}'
    and m."project_id" = e."project_id" and m."to" <> '${DELETED_RECIPIENT}' limit ?`
}

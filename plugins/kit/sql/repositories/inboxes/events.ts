/* SQL by hand: numbers are given by the row of the inbox, which stays locked until they are committed. */
import type { InboxEvent, InboxEventRepository } from '../../../../../core/ports/store/inbox-events.ts'
import type { ProjectId } from '../../../../../core/values/project-id.ts'
import { Repository } from '../../engine/repository.ts'
import { Rows } from '../../engine/rows.ts'

const NUMBERED = `update "inboxes" set "last_event" = coalesce("last_event", 0) + ? where "id" = ? and "project_id" = ?
  returning "last_event"`

/** The events of inboxes. */
export class SqlInboxEvents extends Repository implements InboxEventRepository {
  readonly #events = new Rows(this.access, this.tables.inboxEvents)

  async add(events: readonly Omit<InboxEvent, 'number'>[]): Promise<void> {
    if (events.length === 0) return
    // in one order, so that two transactions do not wait for each other
    const groups = [...Map.groupBy(events, ({ inboxId }) => inboxId)].sort(([a], [b]) => (a < b ? -1 : 1))
    await this.access.write(async (session) => {
      const numbered: InboxEvent[] = []
      for (const [inboxId, own] of groups) {
        const [row] = await session.all(NUMBERED, [own.length, inboxId, own[0]?.projectId])
        if (row === undefined) continue
        const before = Number(row.last_event) - own.length
        numbered.push(...own.map((event, i) => ({ ...event, number: before + i + 1 })))
      }
      await this.#events.in(session).insert(...numbered)
    })
  }

  after(projectId: ProjectId, inboxId: string, number: number, limit: number): Promise<readonly InboxEvent[]> {
    return this.#events.list({ inboxId, number: { $gt: number }, projectId }, { orderBy: { number: 'asc' }, limit })
  }

  async last(inboxIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    if (inboxIds.length === 0) return new Map()
    const sql = `select "id", coalesce("last_event", 0) as "last" from "inboxes" where "id" ${this.dialect.listed('uuid')}`
    const rows = await this.access.all(sql, [this.dialect.list(inboxIds)])
    return new Map(rows.map(({ id, last }) => [String(id), Number(last)]))
  }

  removeOf(projectId: ProjectId, inboxId: string, limit: number): Promise<number> {
    const sql = `delete from "inbox_events" where "inbox_id" = ? and "number" in (
      select "number" from "inbox_events" where "inbox_id" = ? and ${this.dialect.unindexed('"project_id"')} limit ?)`
    return this.access.run(sql, [inboxId, inboxId, projectId, limit])
  }

  removeBefore(before: Date, limit: number): Promise<number> {
    const sql = `delete from "inbox_events" where ("inbox_id", "number") in (
      select "inbox_id", "number" from "inbox_events" where "at" < ? order by "at" limit ?)`
    return this.access.run(sql, [this.dialect.encode('date')(before), limit])
  }
}

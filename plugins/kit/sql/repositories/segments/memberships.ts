/* SQL by hand: statements about whole sets: who comes into a segment, and who leaves it. */
import type { Audience } from '../../../../../core/ports/store/audiences.ts'
import type { Among, MembershipRepository, SegmentMembership } from '../../../../../core/ports/store/memberships.ts'
import type { ProjectId } from '../../../../../core/values/project-id.ts'
import { Conditions } from '../../engine/conditions.ts'
import { Repository } from '../../engine/repository.ts'
import type { Params, Row } from '../../engine/session.ts'
import { audienceSql } from '../../filters/audience-sql.ts'

/** Who is and was in segments. Questions about all contacts are answered by the database. */
export class SqlMemberships extends Repository implements MembershipRepository {
  /**
   * Only existing contacts enter. They are locked, so that none is removed meanwhile and leaves a membership behind.
   */
  async enter(memberships: readonly SegmentMembership[]): Promise<readonly string[]> {
    const [first] = memberships
    if (first === undefined) return []
    const { dialect } = this
    const table = this.tables.memberships
    const { columns } = table
    const ids = dialect.list(memberships.map(({ contactId }) => contactId))
    const there = `select "id" from "contacts" where ${dialect.unindexed('"project_id"')} and "id" ${dialect.listed('uuid')}
      order by "id"${dialect.lockRows('"contacts"')}`
    const names = columns.map(({ name }) => `"${name}"`).join(', ')
    // without the `where`, SQLite would take the conflict clause for a join
    const sql = `insert into "segment_stays" (${names}) select ${names} from ${dialect.given(columns)} as given where true
      on conflict ("segment_id", "contact_id") where "left_at" is null do nothing returning "contact_id"`
    return this.access.write(async (session) => {
      const found = new Set((await session.all(there, [first.projectId, ids])).map((row) => String(row.id)))
      const rows = memberships
        .filter(({ contactId }) => found.has(contactId))
        .map((membership) => table.values(membership))
      return contactsOf(await session.all(sql, dialect.givenParams(columns, rows)))
    })
  }

  leave(projectId: ProjectId, segmentId: string, contactIds: readonly string[], at: Date): Promise<readonly string[]> {
    const { dialect } = this
    const sql = `update "segment_stays" set "left_at" = ? where "project_id" = ? and "segment_id" = ?
      and "contact_id" ${dialect.listed('uuid')} and "left_at" is null returning "contact_id"`
    const params = [dialect.encode('date')(at), projectId, segmentId, dialect.list(contactIds)]
    return this.access.writeOnce(async (session) => contactsOf(await session.all(sql, params)))
  }

  /** Ended memberships are in no index, so one walk along all memberships finds them, beside the other statements. */
  async forget(projectId: ProjectId, segmentId: string, limit: number, after = ''): Promise<string | undefined> {
    const { dialect } = this
    const where = new Conditions().and('"project_id" = ? and "segment_id" = ?', projectId, segmentId)
    if (after !== '') where.and('"id" > ?', after)
    const next = `select "id" from "segment_stays" where ${where.text} order by "id" limit ?`
    const rows = await this.access.scan(projectId, (session) => session.all(next, [...where.params, limit]))
    const ids = rows.map((row) => String(row.id))
    if (ids.length === 0) return undefined
    const sql = `delete from "segment_stays" where "id" ${dialect.listed('uuid')}`
    await this.access.run(sql, [dialect.list(ids)])
    return ids.at(-1)
  }

  entering(projectId: ProjectId, segmentId: string, audience: Audience, among: Among): Promise<readonly string[]> {
    const { text, params } = audienceSql(this.dialect, audience, 'c')
    const where = this.#contacts(projectId, among, 'c."id"').and(text, ...params)
    if (among.changedSince) return this.#ofChanged(projectId, segmentId, where, 'not exists', among)
    where.and(`not exists (${membershipOf('c."id"')})`, segmentId)
    const sql = `select c."id" from "contacts" as c where ${where.text} order by c."id" limit ?`
    return this.#ids(projectId, sql, where.params, among)
  }

  leaving(projectId: ProjectId, segmentId: string, audience: Audience, among: Among): Promise<readonly string[]> {
    const { text, params } = audienceSql(this.dialect, audience, 'c')
    const where = this.#contacts(projectId, among, among.changedSince ? 'c."id"' : 's."contact_id"')
    where.and(`not (${text})`, ...params)
    if (among.changedSince) return this.#ofChanged(projectId, segmentId, where, 'exists', among)
    where.and('s."segment_id" = ? and s."left_at" is null and c."id" = s."contact_id"', segmentId)
    const sql = `select s."contact_id" as "id" from "segment_stays" as s cross join "contacts" as c
      where ${where.text} order by s."contact_id" limit ?`
    return this.#ids(projectId, sql, where.params, among)
  }

  async count(projectId: ProjectId, segmentIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const { dialect } = this
    const sql = `select "segment_id", count(*) as "count" from "segment_stays"
      where "segment_id" ${dialect.listed('uuid')} and "left_at" is null and "project_id" = ? group by "segment_id"`
    const rows = await this.access.scan(projectId, (session) => session.all(sql, [dialect.list(segmentIds), projectId]))
    return new Map(rows.map((row) => [String(row.segment_id), Number(row.count)]))
  }

  async current(
    projectId: ProjectId,
    contactId: string,
    segmentIds: readonly string[],
  ): Promise<readonly SegmentMembership[]> {
    const { dialect } = this
    const { memberships } = this.tables
    // one look into the index of members for each segment, however often the contact came and went
    const sql = `select ${memberships.list} from ${dialect.byIndex('segment_stays', 'segment_stays_now')}
      where "segment_id" ${dialect.listed('uuid')} and "contact_id" = ? and "left_at" is null
      and ${dialect.unindexed('"project_id"')}`
    const params = [dialect.list(segmentIds), contactId, projectId]
    return (await this.access.all(sql, params)).map((row) => memberships.record(row))
  }

  #contacts(projectId: ProjectId, { after, ids, changedSince }: Among, id: string): Conditions {
    const { dialect } = this
    const where = new Conditions().and('c."project_id" = ?', projectId)
    if (after !== undefined) where.and(`${id} > ?`, after)
    if (ids !== undefined) where.and(`${id} ${dialect.listed('uuid')}`, dialect.list(ids))
    if (changedSince !== undefined) where.and('c."updated_at" >= ?', dialect.encode('date')(changedSince))
    return where
  }

  /**
   * CHANGED MEMBERS: finds the changed contacts by their index, and then looks up each among the members. Materialized, so that a wrong
   * estimate cannot make the database start with all contacts or all members. Index: `contacts_changed`, `segment_stays_now`.
   */
  #ofChanged(
    projectId: ProjectId,
    segmentId: string,
    where: Conditions,
    member: 'exists' | 'not exists',
    among: Among,
  ) {
    const sql = `with "changed" as materialized (select c."id" from "contacts" as c where ${where.text})
      select "id" from "changed" where ${member} (${membershipOf('"changed"."id"')}) order by "id" limit ?`
    return this.#ids(projectId, sql, [...where.params, segmentId], among)
  }

  async #ids(projectId: ProjectId, sql: string, params: Params, { limit }: Among): Promise<readonly string[]> {
    const rows = await this.access.scan(projectId, (session) => session.all(sql, [...params, limit]))
    return rows.map((row) => String(row.id))
  }
}

/**
 * MEMBERSHIP OF ONE CONTACT, found by its index; its parameter is the segment. The offset keeps PostgreSQL from turning
 * it into a join, which would go through all members for every contact if it underestimates their number.
 * Index: `segment_stays_now`.
 */
function membershipOf(contactId: string): string {
  return `select 1 from "segment_stays" as s
    where s."segment_id" = ? and s."contact_id" = ${contactId} and s."left_at" is null limit 1 offset 0`
}

function contactsOf(rows: readonly Row[]): readonly string[] {
  return rows.map((row) => String(row.contact_id))
}

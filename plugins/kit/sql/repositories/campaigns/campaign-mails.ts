/* SQL by hand: statements about whole sets: a campaign becomes mails without a round trip for each. */
import type { Audience } from '../../../../../core/ports/store/audiences.ts'
import type {
  AudienceAbout,
  AudienceCounts,
  AudienceMember,
  AudiencePage,
  CampaignCounters,
  CampaignLink,
  CampaignMailRepository,
  CampaignMoments,
  CampaignQueue,
  RefusedMail,
  TestCounters,
  WaitingCampaign,
} from '../../../../../core/ports/store/campaign-mails.ts'
import type { CampaignStatus, TestPart } from '../../../../../core/ports/store/campaigns.ts'
import type { Email, Lease } from '../../../../../core/ports/store/emails.ts'
import type { SuppressionReason } from '../../../../../core/ports/store/suppressions.ts'
import type { JsonObject } from '../../../../../core/values/json.ts'
import type { ProjectId } from '../../../../../core/values/project-id.ts'
import type { TrackingConsent } from '../../../../../core/values/tracking-consent.ts'
import type { Access } from '../../engine/access.ts'
import { ActivityDeltas, courseName, momentOfQuarter, quarterOf } from '../../engine/activity-deltas.ts'
import { Conditions } from '../../engine/conditions.ts'
import type { StoredEmail } from '../../engine/email-table.ts'
import { Repository } from '../../engine/repository.ts'
import type { Row, Session } from '../../engine/session.ts'
import { audienceSql } from '../../filters/audience-sql.ts'
import { withoutTopic } from '../contacts/topics.ts'
import { ofCampaignBy, ofCampaignWhere } from '../emails/chosen-mails.ts'
import { waitingBy } from '../emails/claim-emails.ts'
import { campaignCounters, testCounters } from './campaign-counters.ts'

/** The figures that are kept of each campaign by quarters of an hour. */
const KEPT = ['delivered', 'opened', 'clicked'] as const

/** Of a contact that the campaign has already, nothing more is written. */
const UNLESS_THERE = 'on conflict ("campaign_id", "contact_id") where "campaign_id" is not null do nothing'

/** The ledger as one campaign sees it. */
export class SqlCampaignMails extends Repository implements CampaignMailRepository {
  counters(projectId: ProjectId, id: string): Promise<CampaignCounters> {
    return this.access.read((session) => campaignCounters(session, projectId, id))
  }

  testCounters(
    projectId: ProjectId,
    id: string,
    event?: { readonly name: string; readonly from: Date },
  ): Promise<ReadonlyMap<TestPart, TestCounters>> {
    const read = (session: Session) => testCounters(this.dialect, session, projectId, id, event)
    return event ? this.access.scan(projectId, read) : this.access.read(read)
  }

  links(projectId: ProjectId, id: string, limit: number): Promise<readonly CampaignLink[]> {
    const { dialect } = this
    // CLICKED LINKS: they are joined at the end, since each was clicked in many mails. Index: `link_clicks_of_campaign`.
    const sql = `select l."url", k.* from (
        select "link_id", sum("clicks") as "clicks", sum("human_clicks") as "human",
          sum(case when "human_clicks" > 0 then 1 else 0 end) as "people"
        from ${dialect.byIndex('link_clicks', 'link_clicks_of_campaign')}
        where "campaign_id" = ? and ("project_id" = ?) is true group by "link_id") as k
      join "links" as l on l."project_id" = ? and l."id" = k."link_id"
      order by "people" desc, "clicks" desc, "url" limit ?`
    return this.access.scan(projectId, async (session) => {
      const rows = await session.all(sql, [id, projectId, projectId, limit])
      return rows.map(({ url, clicks, human, people }) => ({
        url: String(url),
        clicks: Number(clicks),
        humanClicks: Number(human),
        people: Number(people),
      }))
    })
  }

  course(projectId: ProjectId, id: string, from: Date, to: Date): Promise<readonly CampaignMoments[]> {
    const { dialect } = this
    const kept = KEPT.map((figure) => `sum("${figure}") as "${figure}"`).join(', ')
    const counts = `select "start", ${kept} from "activity_counts"
      where "project_id" = ? and "length" = 1 and "name" = ? and "start" >= ? and "start" < ? group by "start"`
    // few do, and these are found by an index
    const left = ofCampaignWhere(dialect, projectId, id, 'unsubscribed')
    left.where.and('"unsubscribed_at" >= ? and "unsubscribed_at" < ?', ...[from, to].map(dialect.encode('date')))
    const unsubscribed = `select ${dialect.quarterOf('"unsubscribed_at"')} as "start", count(*) as "unsubscribed"
      from ${left.from} where ${left.where.text} group by 1`
    const moments = (rows: readonly Row[], figures: readonly CampaignMoments['figure'][]) =>
      rows.flatMap((row) => {
        const at = momentOfQuarter(Number(row.start))
        return figures.flatMap((figure) => (Number(row[figure]) > 0 ? { figure, at, count: Number(row[figure]) } : []))
      })
    return this.access.read(async (session) => [
      ...moments(await session.all(counts, [projectId, courseName(id), quarterOf(from), quarterOf(to)]), KEPT),
      ...moments(await session.all(unsubscribed, left.where.params), ['unsubscribed']),
    ])
  }

  async audiencePage(projectId: ProjectId, audience: Audience, page: AudiencePage): Promise<readonly AudienceMember[]> {
    if (page.upTo === '') return []
    const { dialect } = this
    const { text, params } = audienceSql(dialect, audience, 'c')
    const where = new Conditions().and('c."project_id" = ?', projectId).and('c."id" <= ?', page.upTo)
    if (page.after !== '') where.and('c."id" > ?', page.after)
    where.and(text, ...params)
    const topic = page.topicId === undefined ? undefined : withoutTopic(projectId, page.topicId)
    const sql = `select c."id", c."email", c."subscribed", c."data", c."paused_until", c."every_days", c."tracking",
        (select p."mode" from "projects" as p where p."id" = ? and p."mode" <> 'live') as "mode", (select s."reason" from "suppressions" as s
        where s."project_id" = c."project_id" and s."email" = c."email"
        and (s."expires_at" is null or s."expires_at" > ?)) as "suppressed"${topic ? `, ${topic.text} as "without_topic"` : ''}
      from "contacts" as c where ${where.text} order by c."id" limit ?`
    const all = [projectId, dialect.encode('date')(page.now), ...(topic?.params ?? []), ...where.params, page.limit]
    const read = (session: Session) => session.all(sql, all)
    // of everybody a page is as many rows of an index, which a thread that reads would only make slower
    const rows = await (isEverybody(audience) ? this.access.read(read) : this.access.scan(projectId, read))
    const [json, boolean, date] = [dialect.decode('json'), dialect.decode('boolean'), dialect.decode('date')]
    return rows.map(
      ({ id, email, subscribed, data, suppressed, paused_until, every_days, tracking, mode, without_topic }) => ({
        id: String(id),
        email: String(email),
        subscribed: boolean(subscribed) === true,
        ...(suppressed !== null && { suppressed: suppressed as SuppressionReason }),
        ...(paused_until !== null && (date(paused_until) as Date) > page.now && { paused: true }),
        ...(every_days !== null && { everyDays: Number(every_days) }),
        ...(topic && boolean(without_topic) === true && { withoutTopic: true }),
        tracking: tracking as TrackingConsent,
        ...(mode !== null && { mode: mode as NonNullable<AudienceMember['mode']> }),
        data: json(data) as JsonObject,
      }),
    )
  }

  countAudience(projectId: ProjectId, audience: Audience, now: Date, about?: AudienceAbout): Promise<AudienceCounts> {
    return countAudience(this.access, projectId, audience, now, about)
  }

  /**
   * FAN-OUT: the mails of a page of the audience, 19 µs each. One statement of JSON for all rows took SQLite 53, and with a
   * trigger at inserts each row takes 28. What is there already is left alone, so a page can be written twice.
   * Index: `emails_campaign`.
   */
  add(emails: readonly Email[]): Promise<number> {
    return this.access.write((session) => this.tables.emails.insert(session, emails, UNLESS_THERE))
  }

  addClaimed(emails: readonly Email[], { token, until }: Lease): Promise<ReadonlySet<string>> {
    const rows = emails.map(
      (email): StoredEmail => ({ ...email, status: 'SENDING', attempts: 1, leaseToken: token, leaseUntil: until }),
    )
    const ids = emails.map(({ id }) => id)
    return this.access.write(async (session) => {
      if ((await this.tables.emails.insert(session, rows, UNLESS_THERE)) === rows.length) return new Set(ids)
      const sql = `select "id" from "emails" where "id" ${this.dialect.listed('uuid')}`
      const there = await session.all(sql, [this.dialect.list(ids)])
      return new Set(there.map(({ id }) => String(id)))
    })
  }

  async hasOpen(id: string): Promise<boolean> {
    // OPEN MAILS: few are being sent at a time, so they are all looked through; by campaign, they would have to be found
    // among all its mails. Index: `emails_campaign_due`, `emails_leases`.
    const sql = `with "working" as materialized (select "campaign_id" from "emails" where "status" = 'SENDING')
      select 1 as "one" where (select 1 from "emails" where "campaign_id" = ? and "status" = 'QUEUED' order by "due_at" limit 1) is not null
      or exists (select 1 from "working" where "campaign_id" = ?)`
    return (await this.access.all(sql, [id, id])).length > 0
  }

  async isSending(id: string): Promise<boolean> {
    // as above: a campaign has many mails, and few are being sent
    const sql = `with "working" as materialized (select "campaign_id" from "emails" where "status" = 'SENDING')
      select 1 as "one" where exists (select 1 from "working" where "campaign_id" = ?)`
    return (await this.access.all(sql, [id])).length > 0
  }

  async queue(id: string): Promise<CampaignQueue | undefined> {
    const end = (order: string) =>
      `select "due_at", "error" from "emails" where "campaign_id" = ? and "status" = 'QUEUED' order by "due_at" ${order} limit 1`
    const date = this.dialect.decode('date')
    return this.access.read(async (session) => {
      const [first] = await session.all(end('asc'), [id])
      const [last] = await session.all(end('desc'), [id])
      if (first === undefined || last === undefined) return undefined
      const [firstDueAt, lastDueAt] = [first, last].map(({ due_at }) => date(due_at) as Date) as [Date, Date]
      return { firstDueAt, lastDueAt, ...(first.error === null ? {} : { error: String(first.error) }) }
    })
  }

  async waiting(): Promise<readonly WaitingCampaign[]> {
    const mails = `"status" = 'QUEUED' and "campaign_id" is not null`
    const first = (column: string) =>
      `(select "${column}" from "emails" where ${mails} and "campaign_id" = "waiting"."id" order by "due_at" limit 1)`
    const sql = `${waitingBy('campaign_id', mails)}
      select "id", ${first('project_id')} as "project_id", ${first('due_at')} as "due_at",
        (select c."status" from "campaigns" as c where c."id" = "waiting"."id") as "status"
      from "waiting" where "id" is not null`
    const rows = await this.access.all(sql, [])
    const date = this.dialect.decode('date')
    return rows.flatMap(({ id, project_id, due_at, status }) => {
      // claimed between one part of the statement and the next
      if (project_id === null || due_at === null) return []
      return {
        projectId: project_id as ProjectId,
        id: String(id),
        status: (status ?? undefined) as CampaignStatus | undefined,
        dueAt: date(due_at) as Date,
      }
    })
  }

  retryFailed(projectId: ProjectId, id: string, now: Date, limit: number, expiresAt: Date): Promise<number> {
    const { dialect } = this
    const date = dialect.encode('date')(now)
    // mails that failed again since the retry began are not retried once more
    const { from, where } = ofCampaignBy(dialect, projectId, id, 'FAILED')
    where.and('"redacted_at" is null and "updated_at" <= ?', date)
    const sql = `update "emails" set "status" = 'QUEUED', "attempts" = 0, "due_at" = ?, "expires_at" = ?, "updated_at" = ?,
      "delivered_at" = null, "soft_bounced_at" = null where ${dialect.firstFree(from, where.text, '"id"')}`
    const params = [date, dialect.encode('date')(expiresAt), date, ...where.params, limit]
    return this.access.run(sql, params)
  }

  async refused(projectId: ProjectId, id: string, after: string, limit: number): Promise<readonly RefusedMail[]> {
    const { dialect } = this
    const found = (['BOUNCED', 'FAILED'] as const).map((status) => {
      const { from, where } = ofCampaignBy(dialect, projectId, id, status)
      if (after !== '') where.and('"id" > ?', after)
      const sql = `select "id", "to", "contact_id", "error", "bounced_at" from ${from} where ${where.text} order by "id" limit ?`
      return { sql, params: [...where.params, limit] }
    })
    const rows = await this.access.read(async (session) => {
      const lists = []
      for (const { sql, params } of found) lists.push(await session.all(sql, params))
      return lists.flat()
    })
    const mails: readonly RefusedMail[] = rows.map((row) => this.tables.emails.record(row))
    return mails.toSorted((a, b) => (a.id < b.id ? -1 : 1)).slice(0, limit)
  }

  requeue(projectId: ProjectId, id: string, ids: readonly string[], now: Date, expiresAt: Date): Promise<number> {
    if (ids.length === 0) return Promise.resolve(0)
    const { dialect } = this
    const [date, end] = [dialect.encode('date')(now), dialect.encode('date')(expiresAt)]
    const where = `"id" ${dialect.listed('uuid')} and ("campaign_id" = ?) is true and ("project_id" = ?) is true
      and "status" in ('BOUNCED', 'FAILED') and "redacted_at" is null and "updated_at" <= ?`
    const params = [dialect.list(ids), id, projectId, date]
    const sql = `update "emails" set "status" = 'QUEUED', "attempts" = 0, "due_at" = ?, "expires_at" = ?, "updated_at" = ?,
      "delivered_at" = null, "bounced_at" = null, "soft_bounced_at" = null where ${where}`
    const bounced = `select "bounced_at" from "emails" where ${where} and "bounced_at" is not null order by "id"${dialect.lockRows('"emails"')}`
    return this.access.write(async (session) => {
      const figures = new ActivityDeltas()
      for (const row of await session.all(bounced, params))
        figures.mail(projectId, { bouncedAt: dialect.decode('date')(row.bounced_at) as Date }, {})
      const count = await session.run(sql, [date, end, date, ...params])
      await figures.write(dialect, session)
      return count
    })
  }

  skipQueued(projectId: ProjectId, id: string, now: Date, limit: number): Promise<number> {
    const { dialect } = this
    const queued = `"campaign_id" = ? and "status" = 'QUEUED' and ("project_id" = ?) is true`
    const sql = `update "emails" set "status" = 'SKIPPED', "skip_reason" = 'campaign-cancelled', "error" = null, "updated_at" = ?
      where ${dialect.firstFree('"emails"', queued, '"due_at", "id"')}`
    return this.access.run(sql, [dialect.encode('date')(now), id, projectId, limit])
  }
}

function isEverybody(audience: Audience): boolean {
  return audience.kind === 'all' && audience.of.length === 0
}

/** Counts an audience by what would happen to its mails, in one pass over the contacts. */
async function countAudience(
  access: Access,
  projectId: ProjectId,
  audience: Audience,
  now: Date,
  { topicId, leavers = false }: AudienceAbout = {},
): Promise<AudienceCounts> {
  const { dialect } = access
  const { text, params } = audienceSql(dialect, audience, 'c')
  const where = new Conditions().and('c."project_id" = ?', projectId).and(text, ...params)
  const date = dialect.encode('date')(now)
  const topic = topicId === undefined ? { text: 'false', params: [] } : withoutTopic(projectId, topicId)
  const left = leavers ? LEFT_A_TOPIC : 'false'
  const sql = `select count(*) as "all", count(*) filter (where "suppressed") as "suppressed",
      count(*) filter (where not "suppressed" and not "subscribed") as "unsubscribed",
      count(*) filter (where not "suppressed" and "subscribed" and "paused") as "paused",
      count(*) filter (where not "suppressed" and "subscribed" and not "paused" and "without_topic") as "without_topic",
      count(*) filter (where not "suppressed" and "subscribed" and not "paused" and not "without_topic" and "left_a_topic") as "leavers"
    from (select c."subscribed", coalesce(c."paused_until" > ?, false) as "paused", ${topic.text} as "without_topic", ${left} as "left_a_topic", exists (select 1 from "suppressions" as s
        where s."project_id" = c."project_id" and s."email" = c."email"
        and (s."expires_at" is null or s."expires_at" > ?)) as "suppressed"
      from "contacts" as c where ${where.text}) as "those"`
  const [row] = await access.scan(projectId, (session) =>
    session.all(sql, [date, ...topic.params, date, ...where.params]),
  )
  const [all, suppressed, unsubscribed] = [Number(row?.all), Number(row?.suppressed), Number(row?.unsubscribed)]
  const [paused, without] = [Number(row?.paused), Number(row?.without_topic)]
  const mailable = all - suppressed - unsubscribed - paused - without
  return { mailable, unsubscribed, suppressed, paused, withoutTopic: without, leavers: Number(row?.leavers) }
}

/** A condition: the contact `c` has left a topic that can still be chosen. */
const LEFT_A_TOPIC = `exists (select 1 from "topic_choices" as l join "topics" as lt on lt."id" = l."topic_id"
  where l."contact_id" = c."id" and not l."subscribed" and lt."archived" is not true)`

/* SQL by hand: sums over the counters, which the database makes. */
import {
  type ActivityFigures,
  type AnalyticsRepository,
  type CampaignResults,
  type EventCount,
  FIGURES,
  type FigureDifference,
  type Period,
} from '../../../../core/ports/store/analytics.ts'
import type { Campaign } from '../../../../core/ports/store/campaigns.ts'
import { isReservedEvent } from '../../../../core/values/event-names.ts'
import { NIL_ID } from '../../../../core/values/id.ts'
import type { ProjectId } from '../../../../core/values/project-id.ts'
import { yieldToLoop } from '../../../../core/values/yield-to-loop.ts'
import type { Access } from '../engine/access.ts'
import { ActivityDeltas, DAY, type Kept, momentOfQuarter, quarterOf } from '../engine/activity-deltas.ts'
import type { Dialect, GivenColumn } from '../engine/dialect.ts'
import { Repository } from '../engine/repository.ts'
import type { Row, Session } from '../engine/session.ts'
import type { Tables } from '../engine/tables.ts'
import { largestCounters } from './counters.ts'

/** How many names are looked at: any client that may track can make them up. */
const NAMES = 1000

const RESULTS = ['sent', 'delivered', 'opened', 'clicked', 'bounced'] as const

/** The figures by moment. */
export class SqlAnalytics extends Repository implements AnalyticsRepository {
  figures(projectId: ProjectId, periods: readonly Period[]): Promise<readonly ActivityFigures[]> {
    return this.access.scan(projectId, (session) => figuresOf(this.dialect, session, projectId, periods))
  }

  toFolder(projectId: ProjectId, periods: readonly Period[]): Promise<readonly number[]> {
    const [first, last] = [periods[0]?.from, periods.at(-1)?.to]
    if (first === undefined || last === undefined) return Promise.resolve([])
    const sql = `select ${this.dialect.quarterOf('"delivered_at"')} as "start", count(*) as "count" from "emails"
      where to_folder is not null and "project_id" = ? and "delivered_at" >= ? and "delivered_at" < ? group by 1`
    return this.access.scan(projectId, async (session) => {
      const rows = await session.all(sql, [projectId, ...[first, last].map(this.dialect.encode('date'))])
      return periods.map(({ from, to }) => {
        const within = rows.filter(({ start }) => Number(start) >= quarterOf(from) && Number(start) < quarterOf(to))
        return within.reduce((sum, { count }) => sum + Number(count), 0)
      })
    })
  }

  async topEvents(projectId: ProjectId, period: Period, before: Period, limit: number): Promise<readonly EventCount[]> {
    const { dialect } = this
    const sql = `select c."name", sum(case when given."now" = 1 then c."events" else 0 end) as "count",
        sum(case when given."now" = 0 then c."events" else 0 end) as "before"
      from ${dialect.given(STRETCH)} as given cross join "activity_counts" as c
      where c."project_id" = ? and c."length" = given."of" and c."name" = given."name"
        and c."start" >= given."first" and c."start" < given."end" group by c."name"`
    return this.access.scan(projectId, async (session) => {
      const { rows: known } = await largestCounters(session, projectId, 'event', NAMES)
      const names = known.map(({ name }) => name).filter((name) => !isReservedEvent(name))
      if (names.length === 0) return []
      const stretches = [...stretchesOf(period, 1), ...stretchesOf(before, 0)]
      const values = names.flatMap((name) => stretches.map((stretch) => [name, ...stretch]))
      const rows = await session.all(sql, [...dialect.givenParams(STRETCH, values), projectId])
      const counts = rows.map(({ name, count, before }) => ({
        name: String(name),
        count: Number(count),
        before: Number(before),
      }))
      const most = counts.filter(({ count }) => count > 0)
      return most.sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1)).slice(0, limit)
    })
  }

  campaigns(projectId: ProjectId): Promise<readonly CampaignResults[]> {
    // two lists summed, since a join would sum each counter as often as the other has rows
    const sums = [...RESULTS, 'toFolder'].map(
      (kind) => `sum(case when k."kind" = '${kind}' then k."count" else 0 end) as "${kind}"`,
    )
    const anonymous = `case a."kind" when 'anonymousOpened' then 'opened' else 'clicked' end`
    const sql = `select c."id", c."status", ${sums.join(', ')} from "campaigns" as c left join (
        select t."name" as "id", t."kind", t."count" from "tallies" as t
          where t."project_id" = ? and t."subject" = 'campaign' and t."kind" in (${RESULTS.map((kind) => `'${kind}'`)})
        union all select cast(a."campaign_id" as text), ${anonymous}, a."count" from "anonymous_counts" as a
          where a."project_id" = ? and a."kind" in ('anonymousOpened', 'anonymousClicked')
        union all select cast(m."campaign_id" as text), 'toFolder', count(m."delivered_at") from "emails" as m
          where m."project_id" = ? and m.to_folder is not null and m."campaign_id" is not null group by 1) as k on k."id" = cast(c."id" as text)
      where c."project_id" = ? group by c."id", c."status"`
    return this.access.scan(projectId, async (session) => {
      const rows = await session.all(sql, [projectId, projectId, projectId, projectId])
      return rows.map((row) => {
        const of = (kind: (typeof RESULTS)[number]) => Number(row[kind])
        const arrived = { sent: of('sent'), delivered: of('delivered'), toFolder: Number(row.toFolder) }
        const counts = { ...arrived, opened: of('opened') }
        const status = row.status as CampaignResults['status']
        return { id: String(row.id), status, ...counts, clicked: of('clicked'), bounced: of('bounced') }
      })
    })
  }

  async campaignTitles(
    projectId: ProjectId,
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, Pick<Campaign, 'name' | 'subject'>>> {
    const { dialect } = this
    const sql = `select "id", "name", "subject" from "campaigns"
      where ${dialect.unindexed('"project_id"')} and "id" ${dialect.listed('uuid')}`
    const rows = await this.access.all(sql, [projectId, dialect.list(ids)])
    return new Map(rows.map(({ id, name, subject }) => [String(id), { name: String(name), subject: String(subject) }]))
  }

  recount(projectId: ProjectId, mend: boolean): Promise<readonly FigureDifference[]> {
    return recount(this.access, this.tables, projectId, mend)
  }

  joinParts(before: Date, limit: number): Promise<number> {
    return joinSlots(this.access, before, limit)
  }
}

/** The whole days of a period, and the quarters before and after them. */
function stretchesOf({ from, to }: Period, now: 0 | 1): readonly (readonly number[])[] {
  const [first, end] = [quarterOf(from), quarterOf(to)]
  const [day, lastDay] = [Math.ceil(first / DAY) * DAY, Math.floor(end / DAY) * DAY]
  if (day > lastDay) return [[now, 1, first, end]]
  const stretches = [
    [now, 1, first, day],
    [now, DAY, day, lastDay],
    [now, 1, lastDay, end],
  ]
  return stretches.filter(([, , start = 0, stop = 0]) => start < stop)
}

const STRETCH: readonly GivenColumn[] = [
  { name: 'name', kind: 'text' },
  { name: 'now', kind: 'integer' },
  { name: 'of', kind: 'integer' },
  { name: 'first', kind: 'integer' },
  { name: 'end', kind: 'integer' },
]

/** One number for each of FIGURES, in their order: objects of them would take longer than the query. */
type Sums = readonly number[]

const NOTHING: Sums = FIGURES.map(() => 0)

/**
 * The figures of periods that begin and end with quarters of an hour. Each is what there was up to its end without what
 * there was up to its beginning: the days before, and of the day itself the quarters up to then or, if these are fewer,
 * those after it. So a year of days in whatever zone takes 366 days and 48 quarters of each at most.
 */
async function figuresOf(
  dialect: Dialect,
  session: Session,
  projectId: ProjectId,
  periods: readonly Period[],
): Promise<readonly ActivityFigures[]> {
  if (periods.length === 0) return []
  const bounds = periods.flatMap(({ from, to }) => [quarterOf(from), quarterOf(to)])
  const unique = [...new Set(bounds)].sort((a, b) => a - b)
  const [first = 0, last = 0] = [unique[0], unique.at(-1)]
  const byDay = await days(session, projectId, dayOf(first), dayOf(last))
  const parts = await partsOf(dialect, session, projectId, unique)
  const upTo = new Map<number, Sums>()
  const passed = [...byDay.keys()].sort((a, b) => b - a)
  let sum = NOTHING
  for (const bound of unique) {
    const day = dayOf(bound)
    while ((passed.at(-1) ?? day) < day) sum = added(sum, byDay.get(passed.pop() ?? day), 1)
    const part = parts.get(bound)
    upTo.set(bound, isLate(bound) ? added(added(sum, byDay.get(day), 1), part, -1) : added(sum, part, 1))
  }
  return periods.map(({ from, to }) => {
    const sums = added(upTo.get(quarterOf(to)) ?? NOTHING, upTo.get(quarterOf(from)) ?? NOTHING, -1)
    return Object.fromEntries(FIGURES.map((figure, place) => [figure, sums[place]])) as ActivityFigures
  })
}

/** The first quarter of the day (UTC) of this one. */
function dayOf(quarter: number): number {
  return Math.floor(quarter / DAY) * DAY
}

/** Whether fewer quarters of the day come after it than before. */
function isLate(quarter: number): boolean {
  return (quarter - dayOf(quarter)) * 2 > DAY
}

async function days(
  session: Session,
  projectId: ProjectId,
  from: number,
  to: number,
): Promise<ReadonlyMap<number, Sums>> {
  const sums = FIGURES.map((figure) => `sum(c."${figure}") as "${figure}"`).join(', ')
  const sql = `select c."start", ${sums} from "activity_counts" as c
    where c."project_id" = ? and c."length" = ${DAY} and c."name" = '' and c."start" >= ? and c."start" <= ?
    group by c."start"`
  const rows = await session.all(sql, [projectId, from, to])
  return new Map(rows.map((row) => [Number(row.start), FIGURES.map((figure) => Number(row[figure]))]))
}

/** All sums in one text, since a subquery answers one value. */
const SUMS = FIGURES.map((figure) => `coalesce(sum(c."${figure}"), 0)`).join(` || ',' || `)

/**
 * For each of these moments within a day, the figures of the day's quarters before or, if it is late, from then on. One
 * subquery each: a join with `group by` would have SQLite sort all quarters first, which takes longer than reading them.
 */
async function partsOf(
  dialect: Dialect,
  session: Session,
  projectId: ProjectId,
  bounds: readonly number[],
): Promise<ReadonlyMap<number, Sums>> {
  const within = bounds.filter((bound) => bound !== dayOf(bound))
  if (within.length === 0) return new Map()
  const sql = `select given."at", (select ${SUMS} from "activity_counts" as c where c."project_id" = ?
      and c."length" = 1 and c."name" = '' and c."start" >= given."first" and c."start" < given."end") as "sums"
    from ${dialect.given(PART)} as given`
  const values = within.map((bound) =>
    isLate(bound) ? [bound, bound, dayOf(bound) + DAY] : [bound, dayOf(bound), bound],
  )
  const rows = await session.all(sql, [projectId, ...dialect.givenParams(PART, values)])
  return new Map(rows.map(({ at, sums }) => [Number(at), String(sums).split(',').map(Number)]))
}

const PART: readonly GivenColumn[] = [
  { name: 'at', kind: 'integer' },
  { name: 'first', kind: 'integer' },
  { name: 'end', kind: 'integer' },
]

function added(some: Sums, others: Sums | undefined, sign: 1 | -1): Sums {
  if (others === undefined) return some
  return some.map((sum, place) => sum + sign * (others[place] ?? 0))
}

/** How many rows are read at a time. */
const ROWS = 5000

/**
 * Counts all rows of a project, and compares what is kept; with `mend` adds what is missing. All of it is read as it was
 * at one moment, and what is written are differences, so that others may go on counting meanwhile. The project's row is
 * held, so that two at once do not both add them.
 */
function recount(
  access: Access,
  tables: Tables,
  projectId: ProjectId,
  mend: boolean,
): Promise<readonly FigureDifference[]> {
  const { dialect } = access
  return access.write(async (session) => {
    if (dialect.snapshot !== '') await session.run(dialect.snapshot, [])
    await session.all(`select "id" from "projects" where "id" = ?${dialect.lockRows('"projects"')}`, [projectId])
    const counted = new ActivityDeltas()
    await countMails(session, tables, projectId, counted)
    await countEvents(session, projectId, counted)
    await countExecutions(session, tables, projectId, counted)
    const differences = counted.differences(projectId, await keptOf(session, projectId))
    if (mend) {
      const missing = new ActivityDeltas()
      for (const { days, at, name, figure, kept, counted: right } of differences)
        missing.addTo(projectId, days ? DAY : 1, at, name, figure, right - kept)
      await missing.write(dialect, session)
    }
    return differences
  })
}

async function countMails(
  session: Session,
  { emails }: Tables,
  projectId: ProjectId,
  counted: ActivityDeltas,
): Promise<void> {
  const columns = `"id", "status", "created_at", "sent_at", "delivered_at", "opened_at", "clicked_at", "bounced_at",
    "complained_at", "campaign_id"`
  await eachRow(session, 'emails', columns, projectId, (row) => {
    const mail = emails.record(row)
    counted.mail(projectId, {}, mail)
    if (mail.status === 'RECEIVED') counted.add(projectId, 'received', mail.createdAt, 1)
  })
}

/** Ids and names alone, which stand in an index. */
async function countEvents(session: Session, projectId: ProjectId, counted: ActivityDeltas): Promise<void> {
  const sql = `select "name", "id" from "events" where "project_id" = ? and ("name", "id") > (?, ?)
    order by "name", "id" limit ${ROWS}`
  for (let last = { name: '', id: NIL_ID }; ; ) {
    const rows = await session.all(sql, [projectId, last.name, last.id])
    for (const { name, id } of rows) counted.event(projectId, String(name), String(id), 1)
    const end = rows.at(-1)
    if (rows.length < ROWS || end === undefined) return
    last = { name: String(end.name), id: String(end.id) }
    await yieldToLoop()
  }
}

async function countExecutions(
  session: Session,
  { executions }: Tables,
  projectId: ProjectId,
  counted: ActivityDeltas,
): Promise<void> {
  await eachRow(session, 'workflow_executions', '"id", "status", "started_at", "completed_at"', projectId, (row) => {
    const execution = executions.record(row)
    counted.add(projectId, 'started', execution.startedAt, 1)
    counted.ended(projectId, execution, 1)
  })
}

async function eachRow(
  session: Session,
  table: string,
  columns: string,
  projectId: ProjectId,
  take: (row: Row) => void,
): Promise<void> {
  const sql = `select ${columns} from "${table}" where "project_id" = ? and "id" > ? order by "id" limit ${ROWS}`
  for (let last = NIL_ID; ; ) {
    const rows = await session.all(sql, [projectId, last])
    for (const row of rows) take(row)
    const end = rows.at(-1)
    if (rows.length < ROWS || end === undefined) return
    last = String(end.id)
    await yieldToLoop()
  }
}

async function keptOf(session: Session, projectId: ProjectId): Promise<readonly Kept[]> {
  const sums = FIGURES.map((figure) => `sum("${figure}") as "${figure}"`).join(', ')
  const sql = `select "length", "name", "start", ${sums} from "activity_counts" where "project_id" = ?
    group by "length", "name", "start"`
  const rows = await session.all(sql, [projectId])
  return rows.map((row) => ({
    length: Number(row.length),
    name: String(row.name),
    start: Number(row.start),
    by: FIGURES.map((figure) => Number(row[figure])),
  }))
}

/** The slot of what is joined, which is the only one of a database with one writer. */
const JOINED = '0'

/**
 * Adds what connections have counted apart, before this moment, to one row for each quarter of an hour and day: each
 * connection there ever was would leave rows of its own. Reads `limit` rows at most, and answers how many there were.
 */
async function joinSlots(access: Access, before: Date, limit: number): Promise<number> {
  const { dialect } = access
  const columns = KEY.map(({ name }) => `"${name}"`).join(', ')
  const figures = FIGURES.map((figure) => `"${figure}"`).join(', ')
  const some = `select ${columns}, ${figures} from "activity_counts" where slot <> 0 and "start" < ?
    order by "start", "project_id", "length", "name", "slot" limit ?${dialect.lockRows('"activity_counts"')}`
  const remove = `delete from "activity_counts"
    where (${columns}) in (select ${columns} from ${dialect.given(KEY)} as given)`
  return access.write(async (session) => {
    const rows = await session.all(some, [quarterOf(before), limit])
    if (rows.length === 0) return 0
    const keys = rows.map((row) => KEY.map(({ name }) => row[name]))
    await session.run(remove, dialect.givenParams(KEY, keys))
    const sums = new ActivityDeltas()
    for (const row of rows) {
      const at = momentOfQuarter(Number(row.start))
      for (const figure of FIGURES)
        sums.addTo(row.project_id as ProjectId, Number(row.length), at, String(row.name), figure, Number(row[figure]))
    }
    await sums.write(dialect, session, JOINED)
    return rows.length
  })
}

const KEY: readonly GivenColumn[] = [
  { name: 'project_id', kind: 'uuid' },
  { name: 'length', kind: 'integer' },
  { name: 'name', kind: 'text' },
  { name: 'start', kind: 'integer' },
  { name: 'slot', kind: 'integer' },
]

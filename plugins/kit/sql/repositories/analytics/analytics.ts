import type {
  ActivityFigures,
  AnalyticsRepository,
  CampaignResults,
  EventCount,
  FigureDifference,
  Period,
} from '../../../../../core/ports/store/analytics.ts'
import type { Campaign } from '../../../../../core/ports/store/campaigns.ts'
import { isReservedEvent } from '../../../../../core/values/event-names.ts'
import type { ProjectId } from '../../../../../core/values/project-id.ts'
import { DAY, quarterOf } from '../../engine/activity-deltas.ts'
import type { GivenColumn } from '../../engine/dialect.ts'
import { Repository } from '../../engine/repository.ts'
import { largestCounters } from '../counters.ts'
import { figuresOf } from './figures.ts'
import { joinSlots } from './join-slots.ts'
import { recount } from './recount.ts'

/** How many names are looked at: anybody who may track can make them up. */
const NAMES = 1000

const RESULTS = ['sent', 'delivered', 'opened', 'clicked', 'bounced'] as const

/** The figures by moment. */
export class SqlAnalytics extends Repository implements AnalyticsRepository {
  figures(projectId: ProjectId, periods: readonly Period[]): Promise<readonly ActivityFigures[]> {
    return this.access.scan(projectId, (session) => figuresOf(this.dialect, session, projectId, periods))
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
    const sums = RESULTS.map((kind) => `sum(case when k."kind" = '${kind}' then k."count" else 0 end) as "${kind}"`)
    const anonymous = `case a."kind" when 'anonymousOpened' then 'opened' else 'clicked' end`
    const sql = `select c."id", c."status", ${sums.join(', ')} from "campaigns" as c left join (
        select t."name" as "id", t."kind", t."count" from "tallies" as t
          where t."project_id" = ? and t."subject" = 'campaign' and t."kind" in (${RESULTS.map((kind) => `'${kind}'`)})
        union all select cast(a."campaign_id" as text), ${anonymous}, a."count" from "anonymous_counts" as a
          where a."project_id" = ? and a."kind" in ('anonymousOpened', 'anonymousClicked')) as k on k."id" = cast(c."id" as text)
      where c."project_id" = ? group by c."id", c."status"`
    return this.access.scan(projectId, async (session) => {
      const rows = await session.all(sql, [projectId, projectId, projectId])
      return rows.map((row) => {
        const of = (kind: (typeof RESULTS)[number]) => Number(row[kind])
        const counts = { sent: of('sent'), delivered: of('delivered'), opened: of('opened') }
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

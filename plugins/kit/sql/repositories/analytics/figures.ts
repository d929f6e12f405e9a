import { type ActivityFigures, FIGURES, type Figure, type Period } from '../../../../../core/ports/store/analytics.ts'
import type { ProjectId } from '../../../../../core/values/project-id.ts'
import { DAY, quarterOf } from '../../engine/activity-deltas.ts'
import type { Dialect, GivenColumn } from '../../engine/dialect.ts'
import type { Row, Session } from '../../engine/session.ts'

/** The figures of nothing at all. */
const NO_FIGURES = Object.fromEntries(FIGURES.map((figure) => [figure, 0])) as ActivityFigures

const SUMS = FIGURES.map((figure) => `sum(c."${figure}") as "${figure}"`).join(', ')

/**
 * The figures of periods that begin and end with quarters of an hour. Each is what there was up to its end without what
 * there was up to its beginning: the days before, and of the day itself the quarters up to then or, if these are fewer,
 * those after it. So a year of days in whatever zone takes 366 days and 48 quarters of each at most.
 */
export async function figuresOf(
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
  const upTo = new Map<number, ActivityFigures>()
  const passed = [...byDay.keys()].sort((a, b) => b - a)
  let sum = NO_FIGURES
  for (const bound of unique) {
    const day = dayOf(bound)
    while ((passed.at(-1) ?? day) < day) sum = added(sum, byDay.get(passed.pop() ?? day), 1)
    const part = parts.get(bound)
    upTo.set(bound, isLate(bound) ? added(added(sum, byDay.get(day), 1), part, -1) : added(sum, part, 1))
  }
  return periods.map(({ from, to }) =>
    added(upTo.get(quarterOf(to)) ?? NO_FIGURES, upTo.get(quarterOf(from)) ?? NO_FIGURES, -1),
  )
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
): Promise<ReadonlyMap<number, ActivityFigures>> {
  const sql = `select c."start", ${SUMS} from "activity_counts" as c
    where c."project_id" = ? and c."length" = ${DAY} and c."name" = '' and c."start" >= ? and c."start" <= ?
    group by c."start"`
  const rows = await session.all(sql, [projectId, from, to])
  return new Map(rows.map((row) => [Number(row.start), figuresIn(row)]))
}

/** For each of these moments within a day, the figures of the day's quarters before or, if it is late, from then on. */
async function partsOf(
  dialect: Dialect,
  session: Session,
  projectId: ProjectId,
  bounds: readonly number[],
): Promise<ReadonlyMap<number, ActivityFigures>> {
  const within = bounds.filter((bound) => bound !== dayOf(bound))
  if (within.length === 0) return new Map()
  const sql = `select given."at", ${SUMS} from ${dialect.given(PART)} as given cross join "activity_counts" as c
    where c."project_id" = ? and c."length" = 1 and c."name" = '' and c."start" >= given."first"
      and c."start" < given."end" group by given."at"`
  const values = within.map((bound) =>
    isLate(bound) ? [bound, bound, dayOf(bound) + DAY] : [bound, dayOf(bound), bound],
  )
  const rows = await session.all(sql, [...dialect.givenParams(PART, values), projectId])
  return new Map(rows.map((row) => [Number(row.at), figuresIn(row)]))
}

const PART: readonly GivenColumn[] = [
  { name: 'at', kind: 'integer' },
  { name: 'first', kind: 'integer' },
  { name: 'end', kind: 'integer' },
]

function figuresIn(row: Row): ActivityFigures {
  return Object.fromEntries(FIGURES.map((figure) => [figure, Number(row[figure])])) as ActivityFigures
}

function added(some: ActivityFigures, others: ActivityFigures | undefined, sign: 1 | -1): ActivityFigures {
  if (others === undefined) return some
  const sum = (figure: Figure) => some[figure] + sign * others[figure]
  return Object.fromEntries(FIGURES.map((figure) => [figure, sum(figure)])) as ActivityFigures
}

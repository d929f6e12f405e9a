import { type ActivityFigures, FIGURES, type Period } from '../../../../../core/ports/store/analytics.ts'
import type { ProjectId } from '../../../../../core/values/project-id.ts'
import { DAY, quarterOf } from '../../engine/activity-deltas.ts'
import type { Dialect, GivenColumn } from '../../engine/dialect.ts'
import type { Session } from '../../engine/session.ts'

/** One number for each of FIGURES, in their order: objects of them would take longer than the query. */
type Sums = readonly number[]

const NOTHING: Sums = FIGURES.map(() => 0)

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

import { FIGURES, type Figure, type FigureDifference } from '../../../../core/ports/store/analytics.ts'
import { activityTypeOf } from '../../../../core/values/activity-type.ts'
import { isReservedEvent } from '../../../../core/values/event-names.ts'
import { momentOf } from '../../../../core/values/id.ts'
import type { ProjectId } from '../../../../core/values/project-id.ts'
import type { Dialect, GivenColumn } from './dialect.ts'
import { valuesInOrder } from './in-order.ts'
import type { Params, Session } from './session.ts'

/** A quarter of an hour, in milliseconds: every time zone begins its days with one. */
const QUARTER_MS = 900_000
/** Quarters in a day. */
export const DAY = 96

/** The quarter of an hour that this moment lies in, counted from 1970. */
export function quarterOf(at: Date): number {
  return Math.floor(at.getTime() / QUARTER_MS)
}

/** The moment at which this quarter of an hour begins. */
export function momentOfQuarter(quarter: number): Date {
  return new Date(quarter * QUARTER_MS)
}

/** The name of a campaign's own figures. */
export function courseName(campaignId: string): string {
  return `campaign:${campaignId}`
}

/** The moments that make a mail count, its status, and the campaign it counts for. */
export interface MailTimes {
  readonly status?: string | undefined
  readonly campaignId?: string | undefined
  readonly sentAt?: Date | undefined
  readonly deliveredAt?: Date | undefined
  readonly openedAt?: Date | undefined
  readonly clickedAt?: Date | undefined
  readonly bouncedAt?: Date | undefined
  readonly complainedAt?: Date | undefined
}

/** The moments that make an execution count. */
export interface ExecutionTimes {
  readonly startedAt: Date
  readonly status: string
  readonly completedAt?: Date | undefined
}

/** The span of a count: a quarter of an hour or a day. */
export interface Kept {
  readonly length: number
  readonly name: string
  readonly start: number
  readonly by: readonly number[]
}

interface Row {
  readonly of: readonly [projectId: string, length: number, name: string, start: number]
  readonly by: number[]
}

/**
 * The counts that rows being written add to the figures of each quarter of an hour and day (see
 * entities/activity-counts.ts), summed up, so that a figure is written once for all of them.
 */
export class ActivityDeltas {
  readonly #rows = new Map<string, Row>()

  /** A mail whose times are now others than before. One that came back after it was accepted was not delivered. */
  mail(projectId: ProjectId, before: MailTimes, after: MailTimes): void {
    const campaignId = after.campaignId ?? before.campaignId
    for (const [figure, time] of TIMES) {
      const [old, now] = [momentThat(before, time), momentThat(after, time)]
      if (old?.getTime() === now?.getTime()) continue
      const ofCampaign = campaignId !== undefined && COURSE.has(figure) ? courseName(campaignId) : undefined
      if (old) this.#mail(projectId, figure, old, -1, ofCampaign)
      if (now) this.#mail(projectId, figure, now, 1, ofCampaign)
    }
  }

  #mail(projectId: ProjectId, figure: Figure, at: Date, by: number, ofCampaign: string | undefined): void {
    this.add(projectId, figure, at, by)
    if (ofCampaign !== undefined) this.#add(projectId, 1, quarterOf(at), ofCampaign, FIGURES.indexOf(figure), by)
  }

  /** Events that are stored, or (by -1) removed. They belong to the moment of their id, by which they are listed. */
  event(projectId: ProjectId, name: string, id: string, by: 1 | -1): void {
    if (activityTypeOf(name) !== 'event.triggered') return
    const at = momentOf(id)
    this.add(projectId, 'events', at, by)
    if (!isReservedEvent(name)) this.add(projectId, 'events', at, by, name)
  }

  /** The end of an execution; one that was cancelled or has failed has not come to its end. */
  ended(projectId: ProjectId, { status, completedAt }: Omit<ExecutionTimes, 'startedAt'>, by: 1 | -1): void {
    if (completedAt && (status === 'COMPLETED' || status === 'EXITED'))
      this.add(projectId, 'completed', completedAt, by)
  }

  add(projectId: ProjectId, figure: Figure, at: Date, by: number, name = ''): void {
    this.addAt(projectId, figure, quarterOf(at), by, name)
  }

  /** The same for a quarter of an hour. */
  addAt(projectId: ProjectId, figure: Figure, quarter: number, by: number, name = ''): void {
    const place = FIGURES.indexOf(figure)
    this.#add(projectId, 1, quarter, name, place, by)
    this.#add(projectId, DAY, quarter - (quarter % DAY), name, place, by)
  }

  #add(projectId: ProjectId, length: number, start: number, name: string, place: number, by: number): void {
    const key = keyOf(projectId, length, start, name)
    let row = this.#rows.get(key)
    if (row === undefined) {
      row = { of: [projectId, length, name, start], by: new Array<number>(FIGURES.length).fill(0) }
      this.#rows.set(key, row)
    }
    row.by[place] = (row.by[place] ?? 0) + by
  }

  /** Adds to the figure of one quarter of an hour (`length` 1) or one day alone. */
  addTo(projectId: ProjectId, length: number, at: Date, name: string, figure: Figure, by: number): void {
    this.#add(projectId, length, quarterOf(at), name, FIGURES.indexOf(figure), by)
  }

  /** Where these sums, all of one project's rows, are not what is kept of it; in order of time. */
  differences(projectId: ProjectId, kept: readonly Kept[]): readonly FigureDifference[] {
    const rows = new Map<string, Kept>(kept.map((row) => [keyOf(projectId, row.length, row.start, row.name), row]))
    for (const [key, { of, by }] of this.#rows) {
      const [, length, name, start] = of
      if (!rows.has(key) && by.some(isChange)) rows.set(key, { length, name, start, by: [] })
    }
    const differences = [...rows].flatMap(([key, { length, name, start, by }]) =>
      FIGURES.flatMap((figure, place) => {
        const [is, counted] = [by[place] ?? 0, this.#rows.get(key)?.by[place] ?? 0]
        if (is === counted) return []
        return { figure, name, at: momentOfQuarter(start), days: length === DAY, kept: is, counted }
      }),
    )
    return differences.sort((a, b) => a.at.getTime() - b.at.getTime())
  }

  /** Writes them, inside the transaction that writes the rows, into the connection's slot unless told another. */
  async write(dialect: Dialect, session: Session, slot = dialect.counterSlot): Promise<void> {
    const rows: Params[] = []
    for (const { of, by } of valuesInOrder(this.#rows)) if (by.some(isChange)) rows.push([...of, ...by])
    if (rows.length > 0) await session.run(addSql(dialect, slot), dialect.givenParams(DELTA, rows))
  }
}

function momentThat(mail: MailTimes, time: (typeof TIMES)[number][1]): Date | undefined {
  const cameBack = time === 'deliveredAt' && (mail.bouncedAt !== undefined || mail.status === 'FAILED')
  return cameBack ? undefined : mail[time]
}

function isChange(number: number): boolean {
  return number !== 0
}

function keyOf(projectId: string, length: number, start: number, name: string): string {
  return `${projectId} ${length} ${start} ${name}`
}

/** The figures that are kept of each campaign, too, by quarters of an hour. */
const COURSE: ReadonlySet<Figure> = new Set(['delivered', 'opened', 'clicked'])

const TIMES = [
  ['sent', 'sentAt'],
  ['delivered', 'deliveredAt'],
  ['opened', 'openedAt'],
  ['clicked', 'clickedAt'],
  ['bounced', 'bouncedAt'],
  ['complained', 'complainedAt'],
] as const

const KEY = ['project_id', 'length', 'name', 'start'] as const
const DELTA: readonly GivenColumn[] = [
  { name: 'project_id', kind: 'uuid' },
  { name: 'length', kind: 'integer' },
  { name: 'name', kind: 'text' },
  { name: 'start', kind: 'integer' },
  ...FIGURES.map((name) => ({ name, kind: 'integer' }) as const),
]

const names = (of: readonly string[]) => of.map((name) => `"${name}"`).join(', ')
const [KEY_NAMES, FIGURE_NAMES] = [names(KEY), names(FIGURES)]
const SUMS = FIGURES.map((name) => `"${name}" = "activity_counts"."${name}" + excluded."${name}"`).join(', ')

function addSql(dialect: Dialect, slot: string): string {
  // without the `where`, SQLite would take the conflict clause for a join
  return `insert into "activity_counts" (${KEY_NAMES}, "slot", ${FIGURE_NAMES})
    select ${KEY_NAMES}, ${slot}, ${FIGURE_NAMES} from ${dialect.given(DELTA)} as given
    where true on conflict (${KEY_NAMES}, "slot") do update set ${SUMS}`
}

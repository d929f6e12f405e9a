/* SQL by hand: hot path: openings and clicks of many mails, a statement of each kind for all of them. */
import { type Activity, type ActivityOutcome, stagesBefore } from '../../../../../core/ports/store/emails.ts'
import type { TrackingConsent } from '../../../../../core/values/tracking-consent.ts'
import { ActivityDeltas } from '../../engine/activity-deltas.ts'
import type { Dialect } from '../../engine/dialect.ts'
import type { StoredEmail } from '../../engine/email-table.ts'
import type { Row, Session } from '../../engine/session.ts'
import type { Patch } from '../../engine/table.ts'
import type { Tables } from '../../engine/tables.ts'
import { type AnonymousAct, countAnonymous } from '../campaigns/anonymous-counts.ts'
import { burstsOf, type CountedVisit, countClicks, isMachine, takeBack } from './link-clicks.ts'

/**
 * Writes openings and clicks in one transaction. It locks the rows and reads what they held and what their contacts
 * allow, then writes what is new, then the events. Answers the outcomes in the order of the activities.
 */
export async function recordActivity(
  dialect: Dialect,
  tables: Tables,
  session: Session,
  activities: readonly Activity[],
): Promise<readonly ActivityOutcome[]> {
  const before = await rowsBefore(dialect, session, activities)
  const bursts = await burstsOf(dialect, session, activities, before)
  const visits: CountedVisit[] = []
  const changes = new Map<string, Change>()
  const events: Activity['event'][] = []
  const anonymous: AnonymousAct[] = []
  const outcomes = activities.map((activity): ActivityOutcome => {
    const { kind, emailId } = activity
    const row = before.get(emailId)
    if (row === undefined || row.project_id !== activity.projectId) return 'unknown'
    const allowed = allowedBy(row)
    if (allowed === 'none' || (kind === 'look' && allowed === 'anonymous')) return 'untracked'
    if (kind === 'look') {
      visits.push({ activity, campaignId: campaignOf(row), machine: true })
      return 'repeat'
    }
    if (allowed === 'anonymous') {
      const { campaign_id: campaignId, [FIRST[kind].column]: first } = row
      // one from the time when more was allowed is already in the counters
      if (campaignId !== null && first === null) anonymous.push({ activity, campaignId: String(campaignId) })
      return 'anonymous'
    }
    const machine = isMachine(activity, bursts.get(emailId))
    visits.push({ activity, campaignId: campaignOf(row), machine })
    const known = changes.get(emailId) ?? NOTHING
    const isFirst = row[FIRST[kind].column] === null && known[FIRST[kind].property] === undefined
    changes.set(emailId, changed(known, kind, { ...activity, machine }))
    const event = isFirst ? activity.event : activity.repeatEvent
    if (row.contact_id !== null) events.push(event && machine ? { ...event, data: { ...event.data, machine } } : event)
    return isFirst ? 'first' : 'repeat'
  })
  const figures = new ActivityDeltas()
  if (bursts.size > 0) await takeBack(dialect, session, bursts)
  await tables.emails.patch(
    session,
    OPENED,
    [...changes].map(([id, { at, ...change }]) => ({ ...change, id, updatedAt: at })),
  )
  for (const [id, { openedAt, clickedAt }] of changes) {
    const { project_id, campaign_id, opened_at, clicked_at } = before.get(id) ?? {}
    const first = {
      campaignId: (campaign_id ?? undefined) as string | undefined,
      openedAt: opened_at === null ? openedAt : undefined,
      clickedAt: clicked_at === null ? clickedAt : undefined,
    }
    figures.mail(project_id as Activity['projectId'], {}, first)
  }
  await countClicks(tables, session, visits)
  if (anonymous.length > 0) await countAnonymous(tables, session, anonymous)
  await tables.events.insertShort(
    session,
    events.filter((event) => event !== undefined),
  )
  await figures.write(dialect, session)
  return outcomes
}

/** The recording that the contact allows. A removed contact allows nothing; a test mail has no contact. */
function allowedBy({ contact_id, redacted_at, tracking }: Row): TrackingConsent {
  if (contact_id === null) return redacted_at === null ? 'full' : 'none'
  return (tracking as TrackingConsent | null) ?? 'none'
}

const FIRST = {
  open: { column: 'opened_at', property: 'openedAt' },
  click: { column: 'clicked_at', property: 'clickedAt' },
} as const

/** The changes to one mail's row. */
interface Change {
  readonly opens: number
  readonly clicks: number
  readonly openedAt?: Date
  readonly clickedAt?: Date
  readonly humanOpenedAt?: Date
  readonly humanClickedAt?: Date
  readonly at?: Date
}

const NOTHING: Change = { opens: 0, clicks: 0 }

function campaignOf({ campaign_id }: Row): string | undefined {
  return campaign_id === null ? undefined : String(campaign_id)
}

function changed(known: Change, kind: 'open' | 'click', { at, machine }: Activity): Change {
  if (kind === 'open') {
    const human = machine ? {} : { humanOpenedAt: known.humanOpenedAt ?? at }
    return { ...known, opens: known.opens + 1, openedAt: known.openedAt ?? at, ...human, at }
  }
  const human = machine ? {} : { humanClickedAt: known.humanClickedAt ?? at }
  return { ...known, clicks: known.clicks + 1, clickedAt: known.clickedAt ?? at, ...human, at }
}

/** The rows by id, locked in the order of ids, so that two recorders of the same mails do not block each other. */
async function rowsBefore(
  dialect: Dialect,
  session: Session,
  activities: readonly Activity[],
): Promise<ReadonlyMap<string, Row>> {
  const ids = new Set(activities.map(({ emailId }) => emailId))
  const sql = `select "id", "project_id", "contact_id", "campaign_id", "redacted_at", "opened_at", "clicked_at", "sent_at",
    (select c."tracking" from "contacts" as c
      where c."id" = "emails"."contact_id" and c."project_id" = "emails"."project_id") as "tracking" from "emails"
    where "id" ${dialect.listed('uuid')} order by "id"${dialect.lockRows('"emails"')}`
  const rows = await session.all(sql, [dialect.list([...ids])])
  return new Map(rows.map((row) => [String(row.id), row]))
}

/** While a mail is being sent its status belongs to the worker, whose result takes these times into account. */
const OPENED: Patch<StoredEmail> = {
  by: ['id'],
  set: ['updatedAt'],
  first: ['openedAt', 'clickedAt', 'humanOpenedAt', 'humanClickedAt'],
  added: ['opens', 'clicks'],
  also: `"status" = case
    when given."new_clicked_at" is not null and "emails"."status" in ('${stagesBefore('CLICKED').join("', '")}') then 'CLICKED'
    when given."new_opened_at" is not null and "emails"."status" in ('${stagesBefore('OPENED').join("', '")}') then 'OPENED'
    else "emails"."status" end`,
}

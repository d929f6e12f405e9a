/* SQL by hand: hot path: the clicks of many mails, a statement of each kind for all of them. */
import type { Activity } from '../../../../../core/ports/store/emails.ts'
import { type Burst, burstIn, isWithin, mayBurst, PAGE, type Visit } from '../../../../../core/values/burst.ts'
import { digestOf } from '../../../../../core/values/digest.ts'
import { NIL_ID } from '../../../../../core/values/id.ts'
import type { ProjectId } from '../../../../../core/values/project-id.ts'
import type { Dialect } from '../../engine/dialect.ts'
import { inOrder } from '../../engine/in-order.ts'
import type { Row, Session } from '../../engine/session.ts'
import type { StoredLink, StoredLinkClick, Tables } from '../../engine/tables.ts'

/** The id of a link in every project: an index of addresses would be too wide for some of them. */
export function linkId(url: string): string {
  return digestOf(url).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5')
}

/** Finds the mails of which gateways opened all there is, together with these new activities. By the mail's id. */
export async function burstsOf(
  dialect: Dialect,
  session: Session,
  activities: readonly Activity[],
  before: ReadonlyMap<string, Row>,
): Promise<ReadonlyMap<string, Burst>> {
  const date = dialect.decode('date')
  const sentAt = (id: string) => (date(before.get(id)?.sent_at ?? null) as Date | null) ?? undefined
  const fresh = activities.filter(({ emailId, at }) => before.has(emailId) && mayBurst(sentAt(emailId), at))
  if (fresh.length === 0) return NONE
  const ids = [...new Set(fresh.map(({ emailId }) => emailId))]
  const sql = `select "email_id", "link_id", "seen_at" from "link_clicks"
    where "email_id" ${dialect.listed('uuid')} and "seen_at" is not null`
  const visits = new Map<string, Visit[]>(ids.map((id) => [id, []]))
  for (const { email_id, link_id, seen_at } of await session.all(sql, [dialect.list(ids)])) {
    const what = link_id === NIL_ID ? PAGE : String(link_id)
    visits.get(String(email_id))?.push({ what, at: date(seen_at) as Date })
  }
  for (const { emailId, kind, link, machine, at } of fresh) {
    if (machine || kind === 'open') continue
    visits.get(emailId)?.push({ what: kind === 'look' ? PAGE : linkId(link ?? ''), at })
  }
  const bursts = new Map<string, Burst>()
  for (const [id, seen] of visits) {
    const burst = burstIn(seen, sentAt(id))
    if (burst) bursts.set(id, burst)
  }
  return bursts
}

const NONE: ReadonlyMap<string, Burst> = new Map()

/** Takes back what counted as a person's before these bursts were known. */
export async function takeBack(dialect: Dialect, session: Session, bursts: ReadonlyMap<string, Burst>): Promise<void> {
  const date = dialect.encode('date')
  for (const [id, { from, to }] of inOrder([...bursts], ([id]) => id)) {
    const [begin, end] = [date(from), date(to)]
    const within = (column: string) => `case when "${column}" between ? and ? then null else "${column}" end`
    await session.run(
      `update "emails" set "human_opened_at" = ${within('human_opened_at')}, "human_clicked_at" = ${within('human_clicked_at')}
        where "id" = ? and ("human_opened_at" between ? and ? or "human_clicked_at" between ? and ?)`,
      [begin, end, begin, end, id, begin, end, begin, end],
    )
    await session.run(
      `update "link_clicks" set "human_clicks" = 0 where "email_id" = ? and "human_clicks" > 0 and "seen_at" between ? and ?`,
      [id, begin, end],
    )
  }
}

/** A click, or a look at a page of the subscription, in a mail. */
export interface CountedVisit {
  readonly activity: Activity
  readonly campaignId: string | undefined
  /** Whether a machine made it, also one that was found out by its burst. */
  readonly machine: boolean
}

/** Counts clicks by mail and link, in rows that are locked in a fixed order. */
export async function countClicks(tables: Tables, session: Session, visits: readonly CountedVisit[]): Promise<void> {
  const links = new Map<string, StoredLink>()
  const clicks = new Map<string, StoredLinkClick>()
  for (const { activity, campaignId, machine } of visits) {
    const { projectId, emailId, kind, link = '', personal = true, at } = activity
    if (kind === 'open' || (kind === 'click' && link === '')) continue
    const id = kind === 'look' ? NIL_ID : linkId(link)
    const counts = kind === 'click'
    if (counts) links.set(`${projectId} ${id}`, { projectId, id, url: link, personal })
    const key = `${emailId} ${id}`
    const known = clicks.get(key)
    const seenAt = known?.seenAt ?? (activity.machine ? undefined : at)
    clicks.set(key, {
      emailId,
      linkId: id,
      projectId,
      ...(campaignId === undefined ? {} : { campaignId }),
      clicks: (known?.clicks ?? 0) + Number(counts),
      humanClicks: (known?.humanClicks ?? 0) + Number(counts && !machine),
      ...(seenAt ? { seenAt } : {}),
    })
  }
  if (clicks.size === 0) return
  const inPlace = <Stored>(rows: ReadonlyMap<string, Stored>) =>
    inOrder([...rows], ([key]) => key).map(([, row]) => row)
  await tables.links.insertShort(session, inPlace(links), 'on conflict do nothing')
  await tables.linkClicks.insertShort(
    session,
    inPlace(clicks),
    `on conflict ("email_id", "link_id") do update set "clicks" = "link_clicks"."clicks" + excluded."clicks",
      "human_clicks" = "link_clicks"."human_clicks" + excluded."human_clicks",
      "seen_at" = coalesce("link_clicks"."seen_at", excluded."seen_at")`,
  )
}

/** Whether something in a mail belongs to its burst. */
export function isMachine({ machine, at }: Activity, burst: Burst | undefined): boolean {
  return machine || isWithin(burst, at)
}

/**
 * Removes addresses made of the values of these mails, whose values are gone or about to go, with what was counted of
 * them; those that were followed in mails whose values are kept stay.
 */
export async function removePersonalLinks(
  dialect: Dialect,
  session: Session,
  emailIds: readonly string[],
): Promise<void> {
  const listed = dialect.listed('uuid')
  const sql = `select distinct l."project_id", l."id" from "link_clicks" as k
    join "links" as l on l."project_id" = k."project_id" and l."id" = k."link_id"
    where k."email_id" ${listed} and l."personal" and not exists (
      select 1 from "link_clicks" as o join "emails" as m on m."id" = o."email_id"
      where o."link_id" = k."link_id" and (o."project_id" = k."project_id") is true and m."redacted_at" is null
        and not (m."id" ${listed} and m."status" not in ('QUEUED', 'SENDING')))`
  const found = await session.all(sql, [dialect.list(emailIds), dialect.list(emailIds)])
  for (const [projectId, own] of Map.groupBy(found, (row) => row.project_id as ProjectId)) {
    const ids = dialect.list(own.map(({ id }) => id).sort())
    await session.run(`delete from "link_clicks" where "link_id" ${listed} and ("project_id" = ?) is true`, [
      ids,
      projectId,
    ])
    await session.run(`delete from "links" where "project_id" = ? and "id" ${listed}`, [projectId, ids])
  }
}

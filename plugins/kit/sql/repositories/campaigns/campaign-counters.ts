/* SQL by hand: sums over the counters that triggers keep. */
import type { CampaignCounters, TestCounters } from '../../../../../core/ports/store/campaign-mails.ts'
import { TEST_PARTS, type TestPart } from '../../../../../core/ports/store/campaigns.ts'
import type { ProjectId } from '../../../../../core/values/project-id.ts'
import type { Dialect } from '../../engine/dialect.ts'
import type { Session } from '../../engine/session.ts'

/**
 * The counts of a campaign's mails by the triggers (see entities/counters.ts), the anonymous counts, and how many were
 * answered: so few that an index of them is counted. All zero when there are none.
 */
export async function campaignCounters(session: Session, projectId: ProjectId, id: string): Promise<CampaignCounters> {
  const sql = `select "kind", sum("count") as "count" from "tallies"
    where "project_id" = ? and "subject" = 'campaign' and "name" = ? group by "kind" having sum("count") > 0
    union all select "kind", "count" from "anonymous_counts" where "campaign_id" = ? and "project_id" = ?
    union all select 'replied', count(*) from "emails" where "campaign_id" = ? and ("project_id" = ?) is true
      and campaign_id is not null and replied_at is not null
    union all select 'toFolder', count("delivered_at") from "emails" where ${IN_FOLDER}`
  const counts = { ...NOTHING }
  const skipped: Record<string, number> = {}
  for (const { kind, count } of await session.all(sql, [projectId, id, id, projectId, id, projectId, projectId, id])) {
    const name = String(kind)
    if (name.startsWith(SKIPPED)) skipped[name.slice(SKIPPED.length)] = Number(count)
    else if (isCount(name)) counts[name] = Number(count)
  }
  return { ...counts, skipped }
}

/** The same for each part of its test that has mails; with an event, how many of the contacts it happened to. */
export async function testCounters(
  dialect: Dialect,
  session: Session,
  projectId: ProjectId,
  id: string,
  event?: { readonly name: string; readonly from: Date },
): Promise<ReadonlyMap<TestPart, TestCounters>> {
  const sql = `select "name", "kind", sum("count") as "count" from "tallies"
    where "project_id" = ? and "subject" = 'variant' and "name" ${dialect.listed('text')}
    group by "name", "kind" having sum("count") > 0`
  const names = dialect.list(TEST_PARTS.map((part) => `${id}:${part}`))
  const inFolder = `select "variant", count("delivered_at") as "count" from "emails" where ${IN_FOLDER} group by "variant"`
  const toFolder = new Map(
    (await session.all(inFolder, [projectId, id])).map((row) => [row.variant, Number(row.count)]),
  )
  const happened = event ? await happenedTo(dialect, session, projectId, id, event) : NONE
  const parts = new Map<TestPart, TestCounters & { readonly skipped: Record<string, number> }>()
  for (const { name, kind, count } of await session.all(sql, [projectId, names])) {
    const part = String(name).slice(id.length + 1) as TestPart
    const { skipped, ...known } = parts.get(part) ?? {
      ...NO_MAILS,
      skipped: {},
      happened: happened.get(part) ?? 0,
      toFolder: toFolder.get(part) ?? 0,
    }
    const what = String(kind)
    if (what.startsWith(SKIPPED)) skipped[what.slice(SKIPPED.length)] = Number(count)
    parts.set(part, { ...known, ...(isCount(what) ? { [what]: Number(count) } : {}), skipped })
  }
  return parts
}

/** The mails of a campaign that were only written to a folder; `emails_to_folder` has no others. */
const IN_FOLDER = `to_folder is not null and "project_id" = ? and "campaign_id" = ?`

/** Found by the events: mostly there are fewer of them than mails. */
async function happenedTo(
  dialect: Dialect,
  session: Session,
  projectId: ProjectId,
  id: string,
  { name, from }: { readonly name: string; readonly from: Date },
): Promise<ReadonlyMap<string, number>> {
  const sql = `select m."variant", count(*) as "count" from (
      select distinct "contact_id" from "events" where "project_id" = ? and "name" = ? and "created_at" >= ?) as e
    join "emails" as m on m."campaign_id" = ? and m."contact_id" = e."contact_id"
    where m."project_id" = ? and m."variant" is not null group by m."variant"`
  const rows = await session.all(sql, [projectId, name, dialect.encode('date')(from), id, projectId])
  return new Map(rows.map(({ variant, count }) => [String(variant), Number(count)]))
}

const NONE: ReadonlyMap<string, number> = new Map()

const SKIPPED = 'skipped:'

const NO_MAILS = {
  recipients: 0,
  sent: 0,
  delivered: 0,
  toFolder: 0,
  opened: 0,
  humanOpened: 0,
  clicked: 0,
  humanClicked: 0,
  bounced: 0,
  bouncedLater: 0,
  complained: 0,
  unsubscribed: 0,
  failed: 0,
  failedLater: 0,
}

const NOTHING = {
  ...NO_MAILS,
  replied: 0,
  anonymousOpened: 0,
  anonymousHumanOpened: 0,
  anonymousClicked: 0,
  anonymousHumanClicked: 0,
}

function isCount(kind: string): kind is keyof typeof NOTHING {
  return Object.hasOwn(NOTHING, kind)
}

/* SQL by hand: a claim is one statement, which locks, changes and reads its rows. */
import type { ClaimedEmail, DueMail, Lease, PutOff } from '../../../../../core/ports/store/emails.ts'
import type { SuppressionReason } from '../../../../../core/ports/store/suppressions.ts'
import type { TrackingConsent } from '../../../../../core/values/tracking-consent.ts'
import { FREE, togetherOr } from '../../engine/claim.ts'
import type { Dialect, GivenColumn } from '../../engine/dialect.ts'
import { laneCodec } from '../../engine/email-table.ts'
import type { Params, Session } from '../../engine/session.ts'
import { HIDDEN_OF_MAIL, type Tables } from '../../engine/tables.ts'

/** The lease a claim is made under, and the time. */
interface Claim {
  readonly now: Date
  readonly lease: Lease
}

/**
 * CLAIM OF MAIL: mails that wait and are due, the oldest first, 18 µs each in batches. A campaign's status is read in
 * the same statement and cannot be locked meanwhile, so after it was paused or cancelled no claim is under way. The
 * texts are few, one for each number of projects: planned anew each time, the claim of one mail takes SQLite 132 µs,
 * and 12 like this. Index: `emails_due`, `emails_campaign_due`, `emails_alone`.
 */
export async function claimDue(
  dialect: Dialect,
  tables: Tables,
  session: Session,
  due: DueMail,
  claim: Claim,
): Promise<readonly ClaimedEmail[]> {
  const [condition, rows] = looks(dialect, due, claim.now)
  if (rows.length === 0) return []
  const look = dialect.firstFree('"emails"', condition, '"due_at", "id"')
  const which = new Array<string>(rows.length).fill(look).join(' or ')
  const claimed = await take(dialect, tables, session, claim, which, rows.flat())
  return claimed.toSorted((a, b) => a.dueAt.getTime() - b.dueAt.getTime() || (a.id < b.id ? -1 : 1))
}

function looks(dialect: Dialect, due: DueMail, now: Date): Looks {
  if (due === 'alone') {
    const sending = `("campaign_id" is null or ${isSending(dialect, '"emails"."campaign_id"')})`
    return [
      `${togetherOr(true)} and "status" = 'QUEUED' and "due_at" <= ? and ${sending}`,
      [[dialect.encode('date')(now), 1]],
    ]
  }
  const [condition, rows] = 'lane' in due ? ofLane(dialect, due, now) : ofCampaign(dialect, due, now)
  return [`${condition} and ${togetherOr(false)}`, rows]
}

/** A condition, and its parameters for each look. */
type Looks = readonly [condition: string, params: readonly Params[]]

function ofLane(dialect: Dialect, { lane, projectIds, share }: Extract<DueMail, { lane: unknown }>, now: Date): Looks {
  const params = projectIds.map((id) => [laneCodec.encode(lane), id, dialect.encode('date')(now), share])
  return [`${WAITING_OF_LANE} and "project_id" = ? and "due_at" <= ?`, params]
}

function ofCampaign(
  dialect: Dialect,
  { campaignId, limit }: Extract<DueMail, { campaignId: unknown }>,
  now: Date,
): Looks {
  const condition = `"campaign_id" = ? and "status" = 'QUEUED' and "due_at" <= ? and ${isSending(dialect, '?')}`
  return [condition, [[campaignId, dialect.encode('date')(now), campaignId, limit]]]
}

/** Gives back mails that are still under the lease, for a later time if `dueAt` is given. */
export async function releaseEmails(
  dialect: Dialect,
  session: Session,
  ids: readonly string[],
  token: string,
  now: Date,
  { dueAt, reason, expiresAt }: PutOff = {},
): Promise<void> {
  const encode = dialect.encode('date')
  const date = (moment: Date | undefined) => (moment ? encode(moment) : null)
  const sql = `update "emails" set "status" = 'QUEUED', "attempts" = "attempts" - 1, ${FREE}, "due_at" = coalesce(?, "due_at"), "expires_at" = coalesce(?, "expires_at"), "error" = coalesce(?, "error"), "updated_at" = ?
    where "id" ${dialect.listed('uuid')} and "status" = 'SENDING' and "lease_token" = ?`
  await session.run(sql, [date(dueAt), date(expiresAt), reason ?? null, encode(now), dialect.list(ids), token])
}

/** Makes mails due now that still wait for the time given with them. */
export async function bringForward(
  dialect: Dialect,
  session: Session,
  mails: readonly { readonly id: string; readonly until: Date }[],
  now: Date,
): Promise<void> {
  const at = dialect.encode('date')
  const sql = `update "emails" set "due_at" = ? from ${dialect.given(GIVEN)} as given
    where "emails"."id" = given."new_id" and "emails"."due_at" = given."old_due_at" and "emails"."status" = 'QUEUED'`
  const rows = mails.map(({ id, until }) => [id, at(until)])
  await session.run(sql, [at(now), ...dialect.givenParams(GIVEN, rows)])
}

const GIVEN: readonly GivenColumn[] = [
  { name: 'new_id', kind: 'uuid' },
  { name: 'old_due_at', kind: 'date' },
]

function isSending(dialect: Dialect, campaignId: string): string {
  return `exists (select 1 from "campaigns" as c
    where c."id" = ${campaignId} and c."status" = 'SENDING'${dialect.keepRows('c')})`
}

/** Claims the rows that match. The same statement reads what decides whether a mail may still be sent. */
async function take(
  dialect: Dialect,
  tables: Tables,
  session: Session,
  { now, lease }: Claim,
  which: string,
  params: Params,
): Promise<readonly ClaimedEmail[]> {
  const sql = `update "emails" set "status" = 'SENDING', "attempts" = "attempts" + 1, "lease_token" = ?,
    "lease_until" = ?, "updated_at" = ?
    where ${which}
    returning ${tables.emails.listOf('', HIDDEN_OF_CLAIM)},
    (select case when not c."subscribed" then '0' when c."paused_until" > ? then '2' else '1' end || c."tracking"
      from "contacts" as c where c."id" = "emails"."contact_id" and c."project_id" = "emails"."project_id") as "contact",
    (select p."mode" from "projects" as p where p."id" = "emails"."project_id" and p."mode" <> 'live') as "mode",
    (select s."reason" from "suppressions" as s
      where s."project_id" = "emails"."project_id" and s."email" = "emails"."to"
      and (s."expires_at" is null or s."expires_at" > ?)) as "suppressed"`
  const date = dialect.encode('date')
  const rows = await session.all(sql, [lease.token, date(lease.until), date(now), ...params, date(now), date(now)])
  return rows.map((row) => {
    const suppressed = row.suppressed as SuppressionReason | null
    return {
      ...tables.emails.record(row),
      lease,
      ...(suppressed !== null && { suppressed }),
      ...contactIn(row.contact),
      ...(row.mode !== null && { mode: row.mode as NonNullable<ClaimedEmail['mode']> }),
    }
  })
}

/** A claim says how often the mail was interrupted. */
const HIDDEN_OF_CLAIM = HIDDEN_OF_MAIL.filter((column) => column !== 'interrupted')

/**
 * A claim reads a contact as one text, since each value of its own would be another look: a digit for its subscription (0
 * for none, 2 while it wants no marketing mail), and its consent to tracking.
 */
function contactIn(text: unknown): Pick<ClaimedEmail, 'subscribed' | 'paused' | 'tracking'> {
  if (typeof text !== 'string') return {}
  const [subscription, tracking] = [text[0], text.slice(1) as TrackingConsent]
  return { subscribed: subscription !== '0', ...(subscription === '2' && { paused: true }), tracking }
}

/** Mail that waits and belongs to no campaign. Its one parameter is the lane. */
export const WAITING_OF_LANE = `"status" = 'QUEUED' and "campaign_id" is null and "lane" = ?`

/**
 * WHO WAITS: begins a statement with the table "waiting": each different value of this column in the rows that match, found by as
 * many looks into an index that begins with it (after what the condition fixes), and a null at the end. The
 * condition's parameters come twice. `select distinct` would read all waiting mails of a large campaign.
 * Index: `emails_due`, `emails_campaign_due`.
 */
export function waitingBy(column: string, condition: string): string {
  const first = (more: string) =>
    `(select "${column}" from "emails" where ${condition}${more} order by "${column}" limit 1)`
  return `with recursive "waiting"("id") as (
    select ${first('')}
    union all
    select ${first(` and "${column}" > "waiting"."id"`)} from "waiting" where "waiting"."id" is not null)`
}

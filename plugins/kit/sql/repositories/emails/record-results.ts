/* SQL by hand: hot path: the results of many mails, a statement of each kind for all of them. */
import { type DeliveryResult, KEPT_TRIES, STAGES, stagesBefore } from '../../../../../core/ports/store/emails.ts'
import type { ContactEvent, EventRecord } from '../../../../../core/ports/store/events.ts'
import type { Counted } from '../../../../../core/ports/store/reputation.ts'
import type { Suppression } from '../../../../../core/ports/store/suppressions.ts'
import { ActivityDeltas, type MailTimes } from '../../engine/activity-deltas.ts'
import type { Dialect, GivenColumn, Sql } from '../../engine/dialect.ts'
import { inOrder } from '../../engine/in-order.ts'
import type { Params, Row, Session } from '../../engine/session.ts'
import { FREE, type Tables } from '../../engine/tables.ts'
import { holdingCampaigns } from '../campaigns/holding-campaigns.ts'
import { putSuppressions } from '../contacts/suppressions.ts'
import { addCounted } from '../domains/counted.ts'
import { awaitedEvents } from '../events/awaited-events.ts'
import { bitsOf, countLedgerEvents } from '../events/ledger-events.ts'
import { storedTry } from './stored-tries.ts'

/**
 * Writes results in one transaction: the rows whose lease still holds, then what belongs to them. Answers the ids of
 * the mails that were written. Of two results under one lease, the first counts. Whatever is about a contact removed meanwhile is
 * left out, so that nothing of it comes back.
 */
export async function recordResults(
  dialect: Dialect,
  tables: Tables,
  session: Session,
  results: readonly DeliveryResult[],
): Promise<ReadonlySet<string>> {
  const given = new Map<string, DeliveryResult>()
  for (const result of results) {
    const key = `${result.emailId} ${result.token}`
    if (!given.has(key)) given.set(key, result)
  }
  const all = [...given.values()]
  const ledgerEvents: EventRecord[] = []
  const campaigns: string[] = []
  for (const { ledgerEvents: events = [], campaignId } of all) {
    ledgerEvents.push(...events)
    if (campaignId !== undefined) campaigns.push(campaignId)
  }
  const awaited = ledgerEvents.length > 0 ? await awaitedEvents(dialect, session, ledgerEvents) : NONE
  // before the rows, in the order in which those who end a hold lock them
  const holding = campaigns.length > 0 ? await holdingCampaigns(dialect, session, campaigns) : NONE
  const figures = new ActivityDeltas()
  const contacts = new Map<string, unknown>()
  for (const row of await writeRows(dialect, session, all, awaited, figures))
    contacts.set(String(row.id), row.contact_id)

  const written = new Set<string>()
  const [toStore, ofLedger, counted]: [EventRecord[], EventRecord[], Counted[]] = [[], [], []]
  const [suppressing, unsubscribing]: [Suppression[], ContactEvent[]] = [[], []]
  for (const result of all) {
    const contact = contacts.get(result.emailId)
    if (contact === undefined) continue
    written.add(result.emailId)
    const isHeld = result.campaignId !== undefined && holding.has(result.campaignId)
    if (result.suppress && !isHeld) suppressing.push(result.suppress)
    if (result.counted) counted.push(isHeld ? unbounced(result.counted) : result.counted)
    if (contact === null) continue
    for (const event of result.ledgerEvents ?? []) (awaited.has(event) ? toStore : ofLedger).push(event)
    toStore.push(...result.events)
    if (result.unsubscribe && !isHeld) unsubscribing.push(result.unsubscribe)
  }
  if (toStore.length > 0) await tables.events.insertShort(session, toStore)
  if (ofLedger.length > 0) {
    tables.events.stored.note(session, ofLedger)
    await countLedgerEvents(dialect, session, ofLedger)
  }
  if (suppressing.length > 0) await suppress(tables, session, suppressing)
  if (unsubscribing.length > 0) await unsubscribe(dialect, tables, session, unsubscribing)
  if (counted.length > 0) await addCounted(tables, session, counted)
  await figures.write(dialect, session)
  return written
}

const NONE: ReadonlySet<never> = new Set<never>()

/**
 * Writes the rows and adds them to the figures. Nearly all mails have never been sent, delivered or bounced before, so
 * they are written on that condition; what was is read for the others alone.
 */
async function writeRows(
  dialect: Dialect,
  session: Session,
  results: readonly DeliveryResult[],
  awaited: ReadonlySet<EventRecord>,
  figures: ActivityDeltas,
): Promise<readonly Row[]> {
  const write = (some: readonly DeliveryResult[], condition: string) => {
    const values = some.map((result) => valuesOf(dialect, result, awaited))
    const { text, params } = givenRows(dialect, GIVEN, OWN, values)
    return session.all(recordSql(dialect, text, condition), params)
  }
  const first = await write(results, NEVER_BEFORE)
  for (const row of first) figures.mail(row.project_id as DeliveryResult['projectId'], {}, timesOf(dialect, row))
  if (first.length === results.length) return first
  const done = new Set(first.map(({ id }) => id))
  const others = results.filter(({ emailId }) => !done.has(emailId))
  if (others.length === 0) return first
  const hold = `select "id", "campaign_id", "sent_at", "delivered_at", "bounced_at" from "emails"
    where "id" ${dialect.listed('uuid')} order by "id"${dialect.lockRows('"emails"')}`
  const ids = [...new Set(others.map(({ emailId }) => emailId))]
  const before = new Map((await session.all(hold, [dialect.list(ids)])).map((row) => [row.id, timesOf(dialect, row)]))
  const again = await write(others, '')
  for (const row of again)
    figures.mail(row.project_id as DeliveryResult['projectId'], before.get(row.id) ?? {}, timesOf(dialect, row))
  return [...first, ...again]
}

const NEVER_BEFORE = ` and "emails"."sent_at" is null and "emails"."delivered_at" is null
    and "emails"."bounced_at" is null`

function timesOf(dialect: Dialect, { campaign_id, sent_at, delivered_at, bounced_at }: Row): MailTimes {
  const date = (value: unknown) => (value === null ? undefined : (dialect.decode('date')(value) as Date))
  const campaignId = campaign_id === null ? undefined : String(campaign_id)
  return { campaignId, sentAt: date(sent_at), deliveredAt: date(delivered_at), bouncedAt: date(bounced_at) }
}

/**
 * How many of the given columns are each result's own; in the others most batches agree. Those by which rows are met belong
 * to them: as constants they could lead SQLite to an index that finds far too much.
 */
const OWN = 8

/** The values a result is written with, in the order of `valuesOf`, named apart from the row's own columns. */
const GIVEN = [
  { name: 'new_id', kind: 'uuid' },
  { name: 'new_project_id', kind: 'uuid' },
  { name: 'new_token', kind: 'text' },
  { name: 'new_at', kind: 'date' },
  { name: 'new_sent_at', kind: 'date' },
  { name: 'new_delivered_at', kind: 'date' },
  { name: 'new_accepted', kind: 'json' },
  { name: 'new_tries', kind: 'json' },
  { name: 'new_status', kind: 'text' },
  { name: 'new_transport', kind: 'text' },
  { name: 'new_ledger_events', kind: 'integer' },
  { name: 'new_due_at', kind: 'date' },
  { name: 'new_provider_id', kind: 'text' },
  { name: 'new_error', kind: 'text' },
  { name: 'new_skip_reason', kind: 'text' },
  { name: 'new_soft_bounced_at', kind: 'date' },
  { name: 'new_bounced_at', kind: 'date' },
] as const satisfies readonly GivenColumn[]

type Given = (typeof GIVEN)[number]['name']

function valuesOf(dialect: Dialect, result: DeliveryResult, awaited: ReadonlySet<EventRecord>): Params {
  const { status, at, tries = [] } = result
  const values: Readonly<Record<Given, unknown>> = {
    new_id: result.emailId,
    new_project_id: result.projectId,
    new_token: result.token,
    new_at: at,
    new_sent_at: status === 'SENT' || status === 'DELIVERED' ? at : undefined,
    new_delivered_at: status === 'DELIVERED' ? at : undefined,
    new_accepted: result.accepted,
    new_tries: tries.length > 0 ? storedTry(tries) : undefined,
    new_status: status,
    new_transport: result.transport,
    new_ledger_events: bitsOf(result, awaited),
    new_due_at: status === 'QUEUED' ? (result.dueAt ?? at) : undefined,
    new_provider_id: result.providerId,
    new_error: result.error,
    new_skip_reason: result.skipReason,
    new_soft_bounced_at: result.softBounced ? at : undefined,
    new_bounced_at: status === 'BOUNCED' ? at : undefined,
  }
  const params: unknown[] = []
  for (const { name, kind } of GIVEN) params.push(dialect.encode(kind)(values[name]))
  return params
}

/**
 * A status never falls back to an earlier one: a mail may have been opened, or its bounce reported, before the result
 * of its try is stored. A refusal stays, since scanners open mails that they are about to refuse.
 */
const RAISED = `case ${STAGES.slice(1)
  .map(({ status, time }) => ({ status, reached: `"emails"."${time.replace('At', '_at')}" is not null` }))
  .map(
    ({ status, reached }) =>
      `when given."new_status" in ('${stagesBefore(status).join("', '")}') and ${reached} then '${status}'`,
  )
  .reverse()
  .join(' ')} else given."new_status" end`

/** What stays as it is where a result says nothing of it. */
const KEPT = ['due_at', 'transport', 'provider_id', 'delivered_at', 'bounced_at', 'soft_bounced_at', 'ledger_events']
  .map((name) => `"${name}" = coalesce(given."new_${name}", "emails"."${name}")`)
  .join(', ')

/**
 * What was erased from a mail while it was being sent does not come back with its result, since both `error` and
 * `accepted` quote addresses.
 */
function recordSql(dialect: Dialect, given: string, condition: string): string {
  return `update "emails" set "status" = ${RAISED}, "updated_at" = given."new_at", ${FREE}, "skip_reason" = given."new_skip_reason", ${KEPT},
    "sent_at" = case when "emails"."ledger_events" is null
      then coalesce(given."new_sent_at", "emails"."sent_at") else "emails"."sent_at" end,
    "error" = case when "emails"."redacted_at" is null then given."new_error" end,
    "tries" = case when "emails"."redacted_at" is null
      then ${dialect.appended('"emails"."tries"', 'given."new_tries"', KEPT_TRIES)} end,
    "accepted" = case when "emails"."redacted_at" is null
      then coalesce(given."new_accepted", "emails"."accepted") else "emails"."accepted" end
    from ${given} as given
    where "emails"."id" = given."new_id" and "emails"."project_id" = given."new_project_id"
    and "emails"."lease_token" = given."new_token"${condition}
    returning "id", "contact_id", "campaign_id", "project_id", "sent_at", "delivered_at", "bounced_at"`
}

/** A bounce that is held back is not counted either: whoever ends the hold does it. */
function unbounced(counted: Counted): Counted {
  return { ...counted, facts: counted.facts.filter((fact) => fact !== 'bounced') }
}

async function suppress(tables: Tables, session: Session, given: readonly Suppression[]): Promise<void> {
  // one statement cannot write a row twice, so of several entries for an address the last counts
  const entries = new Map(given.map((entry) => [`${entry.projectId} ${entry.email}`, entry]))
  const ordered = inOrder([...entries.values()], ({ projectId, email }) => projectId + email)
  await putSuppressions(tables, session, ordered)
}

async function unsubscribe(
  dialect: Dialect,
  tables: Tables,
  session: Session,
  given: readonly ContactEvent[],
): Promise<void> {
  const events = new Map<string, ContactEvent>()
  for (const event of given) if (!events.has(event.contactId)) events.set(event.contactId, event)
  const boolean = dialect.encode('boolean')
  const [date, uuid] = [dialect.encode('date'), dialect.encode('uuid')]
  const values: Params[] = inOrder([...events.values()], ({ contactId }) => contactId).map((event) => [
    uuid(event.contactId),
    uuid(event.projectId),
    date(event.createdAt),
    event.data.reason,
  ])
  const sql = `update "contacts" set "subscribed" = ?, "left_by" = given."new_left_by", "updated_at" = given."new_at"
    from ${dialect.given(UNSUBSCRIBED)} as given
    where "contacts"."id" = given."new_id" and "contacts"."project_id" = given."new_project_id"
    and "contacts"."subscribed" = ?
    returning "id"`
  const params = [boolean(false), ...dialect.givenParams(UNSUBSCRIBED, values), boolean(true)]
  const changed = await session.all(sql, params)
  await tables.events.insert(
    session,
    changed.flatMap(({ id }) => events.get(String(id)) ?? []),
  )
}

const UNSUBSCRIBED: readonly GivenColumn[] = [
  { name: 'new_id', kind: 'uuid' },
  { name: 'new_project_id', kind: 'uuid' },
  { name: 'new_at', kind: 'date' },
  { name: 'new_left_by', kind: 'text' },
]

/**
 * A table expression over these rows of encoded values. When all rows agree in every column from `own` on, those are given
 * once: taken out of every row, such a value costs SQLite as much as one that differs. Together or not at all, since each
 * combination would be a statement that is prepared and kept.
 */
function givenRows(dialect: Dialect, columns: readonly GivenColumn[], own: number, rows: readonly Params[]): Sql {
  const [first = [], ...others] = rows
  const common = first.slice(own)
  const agree = others.every((row) => common.every((value, i) => row[own + i] === value))
  if (!agree) return { text: dialect.given(columns), params: dialect.givenParams(columns, rows) }
  const listed = columns.slice(0, own)
  const ownParams = dialect.givenParams(
    listed,
    rows.map((row) => row.slice(0, own)),
  )
  return { text: dialect.given(listed, columns.slice(own)), params: [...common, ...ownParams] }
}

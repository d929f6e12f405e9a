/* SQL by hand: hot path: the results of many mails, a statement of each kind for all of them. */
import type { Contact } from '../../../../../core/ports/store/contacts.ts'
import { type DeliveryResult, KEPT_TRIES, STAGES, stagesBefore } from '../../../../../core/ports/store/emails.ts'
import type { ContactEvent, EventRecord } from '../../../../../core/ports/store/events.ts'
import type { Counted } from '../../../../../core/ports/store/reputation.ts'
import type { Suppression } from '../../../../../core/ports/store/suppressions.ts'
import { ActivityDeltas, type MailTimes } from '../../engine/activity-deltas.ts'
import { FREE } from '../../engine/claim.ts'
import type { Dialect } from '../../engine/dialect.ts'
import type { StoredEmail } from '../../engine/email-table.ts'
import { inOrder } from '../../engine/in-order.ts'
import { allEnded, type Row, type Session, together } from '../../engine/session.ts'
import type { Patch } from '../../engine/table.ts'
import type { Tables } from '../../engine/tables.ts'
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
  // the campaigns before the rows, in the order in which those who end a hold lock them
  const asked = awaitedEvents(dialect, session, ledgerEvents)
  if (!session.isPipelined) await asked
  const [awaited, holding] = await allEnded([asked, holdingCampaigns(dialect, session, campaigns)])
  const figures = new ActivityDeltas()
  const contacts = new Map<string, unknown>()
  for (const row of await writeRows(dialect, tables, session, all, awaited, figures))
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
  tables.events.stored.note(session, ofLedger)
  if (suppressing.length > 0) await suppress(tables, session, suppressing)
  if (unsubscribing.length > 0) await unsubscribe(tables, session, unsubscribing)
  await together(
    session,
    () => countLedgerEvents(dialect, session, ofLedger),
    () => addCounted(tables, session, counted),
    () => figures.write(dialect, session),
  )
  return written
}

/**
 * Writes the rows and adds them to the figures. Nearly all mails have never been sent, delivered or bounced before, so
 * they are written on that condition; what was is read for the others alone.
 */
async function writeRows(
  dialect: Dialect,
  tables: Tables,
  session: Session,
  results: readonly DeliveryResult[],
  awaited: ReadonlySet<EventRecord>,
  figures: ActivityDeltas,
): Promise<readonly Row[]> {
  const write = (some: readonly DeliveryResult[], change: Patch<StoredEmail>) => {
    const rows: ReturnType<typeof rowOf>[] = []
    for (const result of some) rows.push(rowOf(result, awaited))
    return tables.emails.patch(session, change, rows)
  }
  const first = await write(results, FIRST_RESULT)
  for (const row of first) figures.mail(row.project_id as DeliveryResult['projectId'], {}, timesOf(dialect, row))
  if (first.length === results.length) return first
  const done = new Set(first.map(({ id }) => id))
  const others = results.filter(({ emailId }) => !done.has(emailId))
  if (others.length === 0) return first
  const hold = `select "id", "campaign_id", "status", "sent_at", "delivered_at", "bounced_at" from "emails"
    where "id" ${dialect.listed('uuid')} order by "id"${dialect.lockRows('"emails"')}`
  const ids = [...new Set(others.map(({ emailId }) => emailId))]
  const before = new Map((await session.all(hold, [dialect.list(ids)])).map((row) => [row.id, timesOf(dialect, row)]))
  const again = await write(others, RESULT)
  for (const row of again)
    figures.mail(row.project_id as DeliveryResult['projectId'], before.get(row.id) ?? {}, timesOf(dialect, row))
  return [...first, ...again]
}

function timesOf(dialect: Dialect, { campaign_id, status, sent_at, delivered_at, bounced_at }: Row): MailTimes {
  const date = (value: unknown) => (value === null ? undefined : (dialect.decode('date')(value) as Date))
  const campaignId = campaign_id === null ? undefined : String(campaign_id)
  const times = { sentAt: date(sent_at), deliveredAt: date(delivered_at), bouncedAt: date(bounced_at) }
  return { campaignId, status: String(status), ...times }
}

/** The columns of a mail that a result changes. */
function rowOf(result: DeliveryResult, awaited: ReadonlySet<EventRecord>) {
  const { status, at, tries = [] } = result
  return {
    id: result.emailId,
    projectId: result.projectId,
    leaseToken: result.token,
    updatedAt: at,
    sentAt: status === 'SENT' || status === 'DELIVERED' ? at : undefined,
    deliveredAt: status === 'DELIVERED' ? at : undefined,
    accepted: result.accepted,
    tries: tries.length > 0 ? storedTry(tries) : undefined,
    status,
    transport: result.transport,
    toFolder: result.toFolder === true ? true : undefined,
    ledgerEvents: bitsOf(result, awaited),
    dueAt: status === 'QUEUED' ? (result.dueAt ?? at) : undefined,
    providerId: result.providerId,
    error: result.error,
    skipReason: result.skipReason,
    softBouncedAt: result.softBounced ? at : undefined,
    bouncedAt: status === 'BOUNCED' ? at : undefined,
  }
}

/**
 * A status never falls back to an earlier one: a mail may have been opened, or its bounce reported, before the result
 * of its try is stored. A refusal stays, since scanners open mails that they are about to refuse. A soft bounce that was
 * reported before is the end of the mail.
 */
const RAISED = `case ${STAGES.slice(1)
  .map(({ status, time }) => ({ status, reached: `"emails"."${time.replace('At', '_at')}" is not null` }))
  .map(
    ({ status, reached }) =>
      `when given."new_status" in ('${stagesBefore(status).join("', '")}') and ${reached} then '${status}'`,
  )
  .reverse()
  .join(' ')} when given."new_status" in ('SENT', 'DELIVERED') and "emails"."soft_bounced_at" is not null then 'FAILED'
  else given."new_status" end`

/**
 * RESULTS OF MAILS: written under their leases, which end with it, 27 µs each in batches. What was erased from a mail while it was being sent does not come back with
 * its result, since both `error` and `accepted` quote addresses. Tried without effect: each result bound to a prepared
 * statement, larger batches, and reading the rows before and after instead of triggers.
 * Index: `emails_page`, or the primary key.
 */
const RESULT: Patch<StoredEmail> = {
  by: ['id', 'projectId', 'leaseToken'],
  set: ['updatedAt', 'skipReason'],
  given: ['dueAt', 'transport', 'toFolder', 'providerId', 'deliveredAt', 'bouncedAt', 'softBouncedAt', 'ledgerEvents'],
  used: ['status', 'sentAt', 'error', 'tries', 'accepted'],
  alike: [
    ...(['status', 'transport', 'toFolder', 'ledgerEvents', 'dueAt', 'providerId'] as const),
    ...(['error', 'skipReason', 'softBouncedAt', 'bouncedAt'] as const),
  ],
  also: (dialect) => `"status" = ${RAISED}, ${FREE},
    "sent_at" = case when "emails"."ledger_events" is null
      then coalesce(given."new_sent_at", "emails"."sent_at") else "emails"."sent_at" end,
    "error" = case when "emails"."redacted_at" is not null then null
      when given."new_error" is null and coalesce("emails"."bounced_at", "emails"."soft_bounced_at") is not null
      then "emails"."error"
      else given."new_error" end,
    "tries" = case when "emails"."redacted_at" is null
      then ${dialect.appended('"emails"."tries"', 'given."new_tries"', KEPT_TRIES)} end,
    "accepted" = case when "emails"."redacted_at" is null
      then coalesce(given."new_accepted", "emails"."accepted") else "emails"."accepted" end`,
  returning: '"id", "contact_id", "campaign_id", "project_id", "status", "sent_at", "delivered_at", "bounced_at"',
}

/** The same for a mail that was never sent, delivered or bounced before, as nearly all. */
const FIRST_RESULT: Patch<StoredEmail> = {
  ...RESULT,
  where: '"emails"."sent_at" is null and "emails"."delivered_at" is null and "emails"."bounced_at" is null',
}

/** A bounce that is held back is not counted either: the end of the hold does it. */
function unbounced(counted: Counted): Counted {
  return { ...counted, facts: counted.facts.filter((fact) => fact !== 'bounced') }
}

async function suppress(tables: Tables, session: Session, given: readonly Suppression[]): Promise<void> {
  // one statement cannot write a row twice, so of several entries for an address the last counts
  const entries = new Map(given.map((entry) => [`${entry.projectId} ${entry.email}`, entry]))
  const ordered = inOrder([...entries.values()], ({ projectId, email }) => projectId + email)
  await putSuppressions(tables, session, ordered)
}

async function unsubscribe(tables: Tables, session: Session, given: readonly ContactEvent[]): Promise<void> {
  const events = new Map<string, ContactEvent>()
  for (const event of given) if (!events.has(event.contactId)) events.set(event.contactId, event)
  const rows = inOrder([...events.values()], ({ contactId }) => contactId).map(
    ({ contactId: id, projectId, createdAt: updatedAt, data: { reason: leftBy } }) => {
      return { id, projectId, subscribed: false, leftBy, updatedAt }
    },
  )
  const changed = await tables.contacts.patch(session, UNSUBSCRIBED, rows)
  await tables.events.insert(
    session,
    changed.flatMap(({ id }) => events.get(String(id)) ?? []),
  )
}

const UNSUBSCRIBED: Patch<Contact> = {
  by: ['id', 'projectId'],
  set: ['subscribed', 'leftBy', 'updatedAt'],
  where: '"contacts"."subscribed" <> given."new_subscribed"',
  returning: '"id"',
}

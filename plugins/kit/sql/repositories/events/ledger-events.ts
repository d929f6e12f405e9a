/* SQL by hand: rows of mails are read as events, by the index of their moment. */
import type { DeliveryResult } from '../../../../../core/ports/store/emails.ts'
import { type EventFilter, type EventRecord, type EventWithContact } from '../../../../../core/ports/store/events.ts'
import { EVENTS, type LedgerEventName, ledgerEventId } from '../../../../../core/values/event-names.ts'
import type { PageRequest } from '../../../../../core/values/page.ts'
import type { ProjectId } from '../../../../../core/values/project-id.ts'
import type { Access } from '../../engine/access.ts'
import { Conditions } from '../../engine/conditions.ts'
import { CounterDeltas } from '../../engine/counter-deltas.ts'
import type { Dialect } from '../../engine/dialect.ts'
import { LEDGER_BITS } from '../../engine/email-table.ts'
import { inOrder } from '../../engine/in-order.ts'
import type { Session } from '../../engine/session.ts'
import { type Between, rowsByMoment } from '../activity/by-moment.ts'

/*
 * Events that have no row of their own: the row of their mail stands for them. Its column `ledger_events` says for which, as a
 * sum of LEDGER_BITS; both happened at `sent_at`.
 */

export function isLedgerEvent(name: string): name is LedgerEventName {
  return Object.hasOwn(LEDGER_BITS, name)
}

/** A condition: this mail's row stands for an event of this name. */
export function standsFor(name: LedgerEventName, mail = ''): string {
  return `(${mail}"ledger_events" & ${LEDGER_BITS[name]}) <> 0`
}

/**
 * The events that the row of a mail is to stand for, as bits: its events of the ledger but those that become rows;
 * undefined for none.
 */
export function bitsOf({ ledgerEvents = [] }: DeliveryResult, rows: ReadonlySet<EventRecord>): number | undefined {
  let bits = 0
  for (const event of ledgerEvents) if (!rows.has(event) && isLedgerEvent(event.name)) bits += LEDGER_BITS[event.name]
  return bits === 0 ? undefined : bits
}

/** Counts events that rows of mails now stand for; for use inside the transaction that writes these rows. */
export async function countLedgerEvents(
  dialect: Dialect,
  session: Session,
  events: readonly EventRecord[],
): Promise<void> {
  const deltas = new CounterDeltas()
  for (const { projectId, name } of events) deltas.add(projectId, 'event', name, '')
  await deltas.write(dialect, session)
}

/** Up to `limit + 1` events that rows of mails stand for, newest first (by id), of mails sent between two moments. */
export async function pageOfLedger(
  access: Access,
  session: Session,
  projectId: ProjectId,
  { name, contactId, emailId }: EventFilter,
  { after, limit }: PageRequest,
  between: Between = {},
): Promise<readonly EventWithContact[]> {
  if (name !== undefined && !isLedgerEvent(name)) return []
  const { dialect } = access
  const where = new Conditions()
    // by the primary key for one mail: the index of the project's mails by moment would be gone through to find it
    .and(emailId === undefined ? 'm."project_id" = ?' : dialect.unindexed('m."project_id"'), projectId)
    .and(
      name === undefined
        ? 'm."ledger_events" is not null'
        : `m."ledger_events" is not null and ${standsFor(name, 'm.')}`,
    )
    .equal('m."contact_id"', contactId)
    .equal('m."id"', emailId)
  // a contact has few mails, so theirs are found by the contact and sorted. Index: `emails_by_contact`, `emails_ledger_events`.
  const mails = contactId === undefined ? '"emails" as m' : dialect.byIndex('emails', 'emails_by_contact', 'm')
  const moments = {
    list: 'm."id", m."project_id", m."contact_id", m."ledger_events", c."email" as "contact_email"',
    from: `${mails} join "contacts" as c on c."id" = m."contact_id" and c."project_id" = m."project_id"`,
    where,
    column: 'm."sent_at"',
  }
  const rows = await rowsByMoment(dialect, session, moments, { limit, ...(after ? { after } : {}) }, between)
  const toDate = dialect.decode('date')
  const events = rows.flatMap((row) => {
    const [mailId, contact] = [String(row.id), String(row.contact_id)]
    const createdAt = toDate(row.moment) as Date
    return NAMES.filter((each) => (Number(row.ledger_events) & LEDGER_BITS[each]) !== 0 && (name ?? each) === each).map(
      (each) => ({
        id: ledgerEventId(each, mailId, createdAt),
        projectId,
        name: each,
        contactId: contact,
        emailId: mailId,
        data: {},
        createdAt,
        contact: { id: contact, email: String(row.contact_email) },
        ofLedger: true as const,
      }),
    )
  })
  const behind = after ? events.filter(({ id }) => id < after.id) : events
  return inOrder(behind, ({ id }) => id)
    .reverse()
    .slice(0, limit + 1)
}

/** How many events of each name rows of mails stand for that were sent between these dates, and the last moment. */
export async function statsOfLedger(
  dialect: Dialect,
  session: Session,
  projectId: ProjectId,
  { from, to }: { readonly from?: Date; readonly to?: Date },
): Promise<readonly { readonly name: string; readonly count: number; readonly lastAt: Date }[]> {
  const date = dialect.encode('date')
  const where = new Conditions().and(
    '"project_id" = ? and "ledger_events" is not null and "contact_id" is not null',
    projectId,
  )
  if (from) where.and('"sent_at" >= ?', date(from))
  if (to) where.and('"sent_at" <= ?', date(to))
  const sql = `select "ledger_events", count(*) as "count", max("sent_at") as "last_at" from "emails"
    where ${where.text} group by "ledger_events"`
  const rows = await session.all(sql, where.params)
  const toDate = dialect.decode('date')
  return NAMES.flatMap((name) => {
    const own = rows.filter((row) => (Number(row.ledger_events) & LEDGER_BITS[name]) !== 0)
    if (own.length === 0) return []
    const moments = own.map(({ last_at }) => toDate(last_at) as Date)
    const lastAt = moments.reduce((a, b) => (a > b ? a : b))
    return [{ name, count: own.reduce((sum, { count }) => sum + Number(count), 0), lastAt }]
  })
}

const NAMES = [EVENTS.sent, EVENTS.delivery] as const

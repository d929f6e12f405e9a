import type { MikroORM } from '@mikro-orm/sql'
import { LANES, type Lane } from '../../../../core/ports/queue.ts'
import type { Email } from '../../../../core/ports/store/emails.ts'
import type { LedgerEventName } from '../../../../core/values/event-names.ts'
import { EVENTS } from '../../../../core/values/event-names.ts'
import { EmailRow } from '../entities/emails.ts'
import type { StoredTry } from '../repositories/emails/stored-tries.ts'
import { ActivityDeltas } from './activity-deltas.ts'
import type { Claimed } from './claim.ts'
import { CounterDeltas, newOf, selectStored } from './counter-deltas.ts'
import type { Dialect } from './dialect.ts'
import { type Session, together } from './session.ts'
import { type Codec, Table } from './table.ts'

/** A row of the ledger: the record and its lease, if any. */
export interface StoredEmail extends Email, Claimed {
  readonly ledgerEvents?: number
  readonly tries?: readonly StoredTry[]
}

/**
 * The ledger, which counts the mails it inserts. What becomes of them is counted by triggers; one that runs at each
 * insert would take SQLite more time than all indexes of the row.
 */
export class EmailTable extends Table<StoredEmail> {
  override readonly isCounted = true
  constructor(dialect: Dialect, orm: MikroORM) {
    super(dialect, orm, EmailRow, { lane: laneCodec })
  }

  override async insert(session: Session, records: readonly StoredEmail[], onConflict = ''): Promise<number> {
    if (!records.some(isCounted)) return super.insert(session, records, onConflict)
    // without a clause all are written, or none
    const { text, params } = selectStored(this, records)
    const before = onConflict === '' ? [] : await session.all(text, params)
    const written = await super.insert(session, records, onConflict)
    const after = written === records.length ? records : await session.all(text, params)
    const deltas = new CounterDeltas()
    const figures = new ActivityDeltas()
    for (const record of newOf(records, before, after)) {
      if (!isCounted(record)) continue
      count(deltas, record)
      figures.mail(record.projectId, {}, record)
      if (record.status === 'RECEIVED') figures.add(record.projectId, 'received', record.createdAt, 1)
    }
    await together(
      session,
      () => deltas.write(this.dialect, session),
      () => figures.write(this.dialect, session),
    )
    return written
  }

  override insertShort(session: Session, records: readonly StoredEmail[], onConflict = ''): Promise<number> {
    return this.insert(session, records, onConflict)
  }
}

/** A lane is stored as its index in LANES, so that rows sort in the order lanes are served. */
export const laneCodec: Codec = {
  encode: (lane) => LANES.indexOf(lane as Lane),
  decode: (place) => LANES[Number(place)],
}

/** The bits of `ledger_events`, by the events they stand for. */
export const LEDGER_BITS: Readonly<Record<LedgerEventName, number>> = { [EVENTS.sent]: 1, [EVENTS.delivery]: 2 }

/** A mail that waits and belongs to no campaign counts for nothing yet. */
function isCounted(mail: StoredEmail): boolean {
  const { campaignId, ledgerEvents, status } = mail
  if (campaignId !== undefined || ledgerEvents !== undefined || status === 'RECEIVED') return true
  for (const [, time] of TIMES) if (mail[time] !== undefined) return true
  return false
}

/** As the triggers count it that see the mail change. */
function count(deltas: CounterDeltas, mail: StoredEmail): void {
  const { projectId, campaignId, variant, contactId, status, skipReason, ledgerEvents = 0 } = mail
  const parts = variant === undefined ? OF_CAMPAIGN : OF_BOTH
  for (const subject of campaignId === undefined ? [] : parts) {
    const name = subject === 'campaign' ? `${campaignId}` : `${campaignId}:${variant}`
    deltas.add(projectId, subject, name, 'recipients')
    for (const kind of countersOf(mail)) deltas.add(projectId, subject, name, kind)
    if (status === 'SKIPPED' && skipReason) deltas.add(projectId, subject, name, `skipped:${skipReason}`)
  }
  if (contactId === undefined) return
  for (const [name, bit] of Object.entries(LEDGER_BITS))
    if ((ledgerEvents & bit) !== 0) deltas.add(projectId, 'event', name, '')
}

const OF_CAMPAIGN = ['campaign'] as const
const OF_BOTH = ['campaign', 'variant'] as const

/** The counters of a campaign in which a mail counts. One that came back after it was accepted was not delivered. */
function countersOf(mail: StoredEmail): readonly string[] {
  const [isBounced, isFailed] = [mail.bouncedAt !== undefined, mail.status === 'FAILED']
  const kinds: string[] = []
  for (const [kind, time] of TIMES)
    if (mail[time] !== undefined && !(kind === 'delivered' && (isBounced || isFailed))) kinds.push(kind)
  if (isFailed) kinds.push('failed')
  if (isBounced && mail.sentAt !== undefined) kinds.push('bouncedLater')
  if (isFailed && mail.sentAt !== undefined) kinds.push('failedLater')
  return kinds
}

/** The counters of a campaign, by the time that makes a mail count. */
const TIMES = [
  ['sent', 'sentAt'],
  ['delivered', 'deliveredAt'],
  ['opened', 'openedAt'],
  ['humanOpened', 'humanOpenedAt'],
  ['clicked', 'clickedAt'],
  ['humanClicked', 'humanClickedAt'],
  ['bounced', 'bouncedAt'],
  ['complained', 'complainedAt'],
  ['unsubscribed', 'unsubscribedAt'],
] as const

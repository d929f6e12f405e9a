/* SQL by hand: hot path: an insert that counts rows up which are there. */
import { COUNTED, type Counted, type Figures } from '../../../../../core/ports/store/reputation.ts'
import type { StoredCount, StoredRefusal } from '../../engine/count-table.ts'
import { valuesInOrder } from '../../engine/in-order.ts'
import type { Session } from '../../engine/session.ts'
import type { Tables } from '../../engine/tables.ts'

const DAY_MS = 86_400_000
/** Above the days that counts are kept. */
const MAX_DAYS = 100

/** Adds to this process's counts. Other processes may wait for these rows, so do it last in a transaction. */
export async function addCounted(tables: Tables, session: Session, counted: readonly Counted[]): Promise<void> {
  if (counted.length === 0) return
  const counts = new Map<string, Mutable<StoredCount>>()
  const refusals = new Map<string, StoredRefusal>()
  const { slot } = tables.deliveryCounts
  for (const each of counted) {
    if (each.facts.length > 0) {
      add(counts, each, each.recipientDomain, slot)
      if (each.recipientDomain !== '') add(counts, each, '', slot)
    }
    const { projectId, sendingDomain, recipientDomain, refusal, at } = each
    if (!refusal) continue
    const key = [projectId, sendingDomain, recipientDomain, refusal.code].join(' ')
    refusals.set(key, { projectId, sendingDomain, recipientDomain, ...refusal, at })
  }
  await tables.deliveryCounts.insertShort(session, valuesInOrder(counts), ADD)
  if (refusals.size === 0) return
  await tables.deliveryRefusals.insert(session, valuesInOrder(refusals), tables.deliveryRefusals.overwrite(RENEWED))
}

const RENEWED = { on: ['projectId', 'sendingDomain', 'recipientDomain', 'code'] } as const

/** All days that may have counts, starting with this one. They are listed because the index begins with the day. */
export function daysFrom(since: Date): readonly number[] {
  return Array.from({ length: MAX_DAYS }, (_, i) => dayOf(since) + i)
}

/** Days in UTC, counted from 1970. */
export function dayOf(at: Date): number {
  return Math.floor(at.getTime() / DAY_MS)
}

/** Such a day as `YYYY-MM-DD`. */
export function dateOf(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10)
}

const ADD = `on conflict ("day", "project_id", "sending_domain", "recipient_domain", "slot") do update set
  ${COUNTED.map((fact) => `"${fact}" = "delivery_counts"."${fact}" + excluded."${fact}"`).join(', ')}`

/** This runs for every mail, so existing rows are counted up instead of made anew. */
function add(
  counts: Map<string, Mutable<StoredCount>>,
  { projectId, at, sendingDomain, facts }: Counted,
  recipientDomain: string,
  slot: number,
): void {
  const day = dayOf(at)
  const key = `${day} ${projectId} ${sendingDomain} ${recipientDomain}`
  let row = counts.get(key)
  if (row === undefined) {
    row = { day, projectId, sendingDomain, recipientDomain, slot, ...NOTHING }
    counts.set(key, row)
  }
  for (const fact of facts) row[fact]++
}

type Mutable<T> = { -readonly [Property in keyof T]: T[Property] }

/** Figures of no mail at all. */
export const NOTHING: Figures = { sent: 0, delivered: 0, deferred: 0, bounced: 0, complained: 0 }

import { COUNTED, type Counted, type Figures } from '../../../../../core/ports/store/reputation.ts'
import type { StoredCount, StoredRefusal } from '../../engine/count-table.ts'
import { inOrder } from '../../engine/in-order.ts'
import type { Session } from '../../engine/session.ts'
import type { Tables } from '../../engine/tables.ts'

const DAY_MS = 86_400_000
/** Counts are kept for fewer days. */
const KEPT_DAYS = 100

/** Adds to the counts of this process. Others may have to wait for these rows: to be the last a transaction does. */
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
  await tables.deliveryCounts.insertShort(session, sorted(counts), ADD)
  const renew = tables.deliveryRefusals.overwrite({ on: ['projectId', 'sendingDomain', 'recipientDomain', 'code'] })
  await tables.deliveryRefusals.insert(session, sorted(refusals), renew)
}

/** Every day there may be something of, from this one on: the index begins with the day. */
export function daysFrom(since: Date): readonly number[] {
  return Array.from({ length: KEPT_DAYS }, (_, i) => dayOf(since) + i)
}

/** The days of UTC are counted from 1970. */
export function dayOf(at: Date): number {
  return Math.floor(at.getTime() / DAY_MS)
}

const ADD = `on conflict ("day", "project_id", "sending_domain", "recipient_domain", "slot") do update set
  ${COUNTED.map((fact) => `"${fact}" = "delivery_counts"."${fact}" + excluded."${fact}"`).join(', ')}`

/** One order for everybody, so that nobody waits for somebody who waits for him. */
function sorted<T>(rows: ReadonlyMap<string, T>): readonly T[] {
  return inOrder([...rows], ([key]) => key).map(([, row]) => row)
}

/** On the way of every mail: nothing is made anew that can be counted up. */
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

/** Figures of no mail. */
export const NOTHING: Figures = { sent: 0, delivered: 0, deferred: 0, bounced: 0, complained: 0 }

/* SQL by hand: one statement counts on many rows, which it locks in a fixed order. */
import type { Activity } from '../../../../../core/ports/store/emails.ts'
import type { Session } from '../../engine/session.ts'
import type { AnonymousKind, StoredAnonymousCount, Tables } from '../../engine/tables.ts'

/** An opening or a click of a campaign's mail that is counted without the contact. */
export interface AnonymousAct {
  readonly activity: Activity
  readonly campaignId: string
}

/**
 * Counts these. The rows are locked in a fixed order, so that two processes that count the same do not
 * block each other for good.
 */
export async function countAnonymous(tables: Tables, session: Session, acts: readonly AnonymousAct[]): Promise<void> {
  const counts = new Map<string, StoredAnonymousCount>()
  for (const { activity, campaignId } of acts) {
    for (const kind of kindsOf(activity)) {
      const key = `${campaignId} ${kind}`
      const count = 1 + (counts.get(key)?.count ?? 0)
      counts.set(key, { campaignId, kind, projectId: activity.projectId, count })
    }
  }
  if (counts.size === 0) return
  const rows = [...counts].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row)
  await tables.anonymousCounts.insertShort(
    session,
    rows,
    `on conflict ("campaign_id", "kind") do update set "count" = "anonymous_counts"."count" + excluded."count"`,
  )
}

function kindsOf({ kind, machine, newTo = 'all' }: Activity): readonly AnonymousKind[] {
  const [all, people] =
    kind === 'open'
      ? (['anonymousOpened', 'anonymousHumanOpened'] as const)
      : (['anonymousClicked', 'anonymousHumanClicked'] as const)
  const ofPeople = machine || newTo === 'nobody' ? [] : [people]
  return newTo === 'all' ? [all, ...ofPeople] : ofPeople
}

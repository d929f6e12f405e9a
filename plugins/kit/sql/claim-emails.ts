import type { ClaimedEmail, Lease } from '../../../core/sending/email.ts'
import type { SuppressionReason } from '../../../core/suppressions/suppression.ts'
import type { Dialect } from './dialect.ts'
import type { Session } from './session.ts'
import type { Tables } from './tables.ts'

/**
 * Claims rows in one statement. What decides whether a row may still be sent is read by the same statement. Answers the
 * rows in the order of the ids.
 */
export async function claimEmails(
  dialect: Dialect,
  tables: Tables,
  session: Session,
  claim: { readonly ids: readonly string[]; readonly now: Date; readonly lease: Lease },
): Promise<readonly ClaimedEmail[]> {
  const { ids, now, lease } = claim
  if (ids.length === 0) return []
  const date = dialect.encode('date')
  const rows = await session.all(claimSql(dialect, tables), [
    lease.token,
    date(lease.until),
    date(now),
    dialect.list(ids),
    date(now),
    date(now),
  ])
  const claimed = new Map<string, ClaimedEmail>()
  const boolean = dialect.decode('boolean') as (value: unknown) => boolean
  for (const row of rows) {
    const email = tables.emails.record(row)
    const suppressed = row.suppressed as SuppressionReason | null
    claimed.set(email.id, {
      ...email,
      lease,
      ...(suppressed !== null && { suppressed }),
      ...(row.subscribed !== null && { subscribed: boolean(row.subscribed) }),
    })
  }
  return ids.flatMap((id) => {
    const email = claimed.get(id)
    claimed.delete(id)
    return email ? [email] : []
  })
}

/** Gives rows back that are still under the lease. */
export async function releaseEmails(
  dialect: Dialect,
  session: Session,
  ids: readonly string[],
  token: string,
  now: Date,
): Promise<void> {
  const sql = `update "emails" set "status" = 'QUEUED', "attempts" = "attempts" - 1, "lease_token" = null,
    "lease_until" = null, "updated_at" = ?
    where "id" ${dialect.listed('uuid')} and "status" = 'SENDING' and "lease_token" = ?`
  await session.run(sql, [dialect.encode('date')(now), dialect.list(ids), token])
}

function claimSql(dialect: Dialect, tables: Tables): string {
  const due = `"id" ${dialect.listed('uuid')} and "status" = 'QUEUED' and "due_at" <= ?`
  return `update "emails" set "status" = 'SENDING', "attempts" = "attempts" + 1, "lease_token" = ?, "lease_until" = ?,
    "updated_at" = ?
    where ${dialect.free('"emails"', due)}
    returning ${tables.emails.listOf('', ['leaseToken', 'leaseUntil'])},
    (select c."subscribed" from "contacts" as c
      where c."id" = "emails"."contact_id" and c."project_id" = "emails"."project_id") as "subscribed",
    (select s."reason" from "suppressions" as s
      where s."project_id" = "emails"."project_id" and s."email" = "emails"."to"
      and (s."expires_at" is null or s."expires_at" > ?)) as "suppressed"`
}

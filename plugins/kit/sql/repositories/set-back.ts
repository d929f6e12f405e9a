/* SQL by hand: the same statement for every table with a due time. */
import type { Access } from '../engine/access.ts'

/** Rows whose due time was computed from the time they were written, and the order in which an index has them. */
interface Kind {
  readonly table: string
  readonly waiting: string
  readonly order: string
}

const KINDS: readonly Kind[] = [
  {
    table: 'emails',
    // A mail that was not touched since it was accepted keeps its scheduled time.
    waiting: `"status" = 'QUEUED' and "campaign_id" is null and not ("updated_at" = "created_at" and "due_at" > "created_at")`,
    order: '"lane", "id"',
  },
  {
    table: 'emails',
    waiting: `"status" = 'QUEUED' and "campaign_id" is not null`,
    order: '"campaign_id", "due_at", "id"',
  },
  { table: 'workflow_executions', waiting: '"due_at" is not null', order: '"due_at", "id"' },
  { table: 'webhook_deliveries', waiting: `"status" = 'PENDING'`, order: '"due_at", "id"' },
]

/**
 * Moves up rows written between `now` and `from`, two times in the future, because the clock was set back since. A row
 * that was due some time after it was written becomes due the same time after now. Answers whether there may be more.
 */
export async function moveUp(access: Access, now: Date, from: Date, limit: number): Promise<boolean> {
  const { dialect } = access
  const date = dialect.encode('date')
  const [present, last] = [date(now), date(from)]
  let isMore = false
  for (const { table, waiting, order } of KINDS) {
    const written = `${waiting} and "due_at" > ? and "updated_at" > ? and "updated_at" <= ?`
    const sql = `update "${table}" set "due_at" = "due_at" - ("updated_at" - ?), "updated_at" = ?
      where ${dialect.firstFree(`"${table}"`, written, order)}`
    const params = [present, present, present, present, last, limit]
    const moved = await access.run(sql, params)
    isMore ||= moved === limit
  }
  // segments are computed in full at their next tick, which is soon
  const begun = `update "segments" set "begun_at" = ?, "computed_at" = null, "fully_computed_at" = null
    where "begun_at" > ? and "begun_at" <= ?`
  await access.run(begun, [present, present, last])
  return isMore
}

/** Mail that waits and belongs to no campaign. Its one parameter is the lane. */
export const WAITING_OF_LANE = `"status" = 'QUEUED' and "campaign_id" is null and "lane" = ?`

/**
 * Begins a statement with the table "waiting": each different value of this column in the rows that match, found by as
 * many looks into an index that begins with it (after what the condition fixes), and a null at the end. The
 * condition's parameters come twice.
 */
export function waitingBy(column: string, condition: string): string {
  const first = (more: string) =>
    `(select "${column}" from "emails" where ${condition}${more} order by "${column}" limit 1)`
  return `with recursive "waiting"("id") as (
    select ${first('')}
    union all
    select ${first(` and "${column}" > "waiting"."id"`)} from "waiting" where "waiting"."id" is not null)`
}

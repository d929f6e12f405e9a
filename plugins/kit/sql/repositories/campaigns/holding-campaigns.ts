/* SQL by hand: hot path, and rows are kept from changing without being locked. */
import type { Dialect } from '../../engine/dialect.ts'
import { inOrder } from '../../engine/in-order.ts'
import type { Session } from '../../engine/session.ts'

/** Those of these campaigns that hold bounces back, as `CampaignRepository.holding` says. */
export async function holdingCampaigns(
  dialect: Dialect,
  session: Session,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set()
  const sql = `select c."id", c."hold" from "campaigns" as c
    where c."id" ${dialect.listed('uuid')} order by c."id"${dialect.keepRows('c')}`
  const rows = await session.all(sql, [dialect.list(inOrder([...new Set(ids)], (id) => id))])
  return new Set(rows.filter(({ hold }) => hold !== null && hold !== 'accept').map(({ id }) => String(id)))
}

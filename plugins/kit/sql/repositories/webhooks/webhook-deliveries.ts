/* SQL by hand: results under a lease, and a statement of each kind for many requests. */
import type { ClaimLease, Interrupted } from '../../../../../core/ports/store/interrupted.ts'
import type {
  DeliveryFilter,
  WebhookDelivery,
  WebhookDeliveryRepository,
} from '../../../../../core/ports/store/webhook-deliveries.ts'
import type { PageRequest } from '../../../../../core/values/page.ts'
import type { ProjectId } from '../../../../../core/values/project-id.ts'
import { CLAIM, FREE } from '../../engine/claim.ts'
import { Conditions } from '../../engine/conditions.ts'
import type { Dialect } from '../../engine/dialect.ts'
import { inOrder } from '../../engine/in-order.ts'
import { LeasedRows } from '../../engine/leased-rows.ts'
import { Repository } from '../../engine/repository.ts'
import type { Session } from '../../engine/session.ts'

/** The requests to webhook endpoints and from workflows, waiting and done. */
export class SqlWebhookDeliveries extends Repository implements WebhookDeliveryRepository {
  readonly #list = this.tables.webhookDeliveries.listOf('', CLAIM)
  readonly #leased = new LeasedRows(this.access, 'webhook_deliveries')
  readonly #brief = this.tables.webhookDeliveries.listOf('', [...CLAIM, 'body'])

  async find(projectId: ProjectId, id: string): Promise<WebhookDelivery | undefined> {
    const sql = `select ${this.#list} from "webhook_deliveries" where "project_id" = ? and "id" = ?`
    const [row] = await this.access.all(sql, [projectId, id])
    return row && this.tables.webhookDeliveries.record(row)
  }

  async page(projectId: ProjectId, filter: DeliveryFilter, page: PageRequest): Promise<readonly WebhookDelivery[]> {
    const where = chosen(projectId, filter)
    if (page.after) where.and('"id" < ?', page.after.id)
    const sql = `select ${this.#brief} from "webhook_deliveries" where ${where.text} order by "id" desc limit ?`
    const rows = await this.access.all(sql, [...where.params, page.limit + 1])
    return rows.map((row) => this.tables.webhookDeliveries.record(row))
  }

  async count(projectId: ProjectId, filter: DeliveryFilter): Promise<number> {
    const where = chosen(projectId, filter)
    const sql = `select count(*) as "count" from "webhook_deliveries" where ${where.text}`
    const [row] = await this.access.scan(projectId, (session) => session.all(sql, where.params))
    return Number(row?.count)
  }

  add(deliveries: readonly WebhookDelivery[]): Promise<number> {
    const ordered = inOrder([...deliveries], ({ endpointId, eventId, id }) => `${endpointId} ${eventId} ${id}`)
    return this.access.write((session) =>
      this.tables.webhookDeliveries.insert(session, ordered, 'on conflict do nothing'),
    )
  }

  claim(now: Date, limit: number, lease: ClaimLease): Promise<readonly (WebhookDelivery & Interrupted)[]> {
    return this.#leased.claim(this.tables.webhookDeliveries, now, limit, lease)
  }

  async record(delivery: WebhookDelivery, token: string): Promise<boolean> {
    const date = this.dialect.encode('date')
    const sql = `update "webhook_deliveries" set "status" = ?, "attempts" = ?, "due_at" = ?, "response_status" = ?,
      "response_body" = ?, "error" = ?, "completed_at" = ?, "updated_at" = ?, ${FREE}
      where "project_id" = ? and "id" = ? and "lease_token" = ?`
    const { status, attempts, dueAt, responseStatus, responseBody, error, completedAt, updatedAt } = delivery
    const answer = [responseStatus ?? null, responseBody ?? null, error ?? null]
    const values = [status, attempts, date(dueAt), ...answer, date(completedAt), date(updatedAt)]
    const params = [...values, delivery.projectId, delivery.id, token]
    return (await this.access.run(sql, params)) > 0
  }

  next(): Promise<Date | undefined> {
    return this.#leased.next()
  }

  expireLeases(before: Date): Promise<number> {
    return this.#leased.expire(before)
  }

  forget(before: Date, limit: number): Promise<number> {
    const sql = `delete from "webhook_deliveries" where "id" in (select "id" from "webhook_deliveries"
      where "completed_at" < ? and "status" <> 'PENDING' order by "completed_at" limit ?)`
    return this.access.run(sql, [this.dialect.encode('date')(before), limit])
  }
}

/** Ends what waits for an endpoint, in the transaction that removes the endpoint. */
export async function giveUpDeliveries(
  dialect: Dialect,
  session: Session,
  projectId: ProjectId,
  endpointId: string,
  now: Date,
): Promise<void> {
  const sql = `update "webhook_deliveries" set "status" = 'FAILED', "error" = 'The endpoint was removed.',
    "completed_at" = ?, "updated_at" = ?, ${FREE}
    where "project_id" = ? and "endpoint_id" = ? and "status" = 'PENDING'`
  const date = dialect.encode('date')(now)
  await session.run(sql, [date, date, projectId, endpointId])
}

function chosen(projectId: ProjectId, { endpointId, workflowId, status }: DeliveryFilter): Conditions {
  return new Conditions()
    .and('"project_id" = ?', projectId)
    .equal('"endpoint_id"', endpointId)
    .equal('"workflow_id"', workflowId)
    .equal('"status"', status)
}

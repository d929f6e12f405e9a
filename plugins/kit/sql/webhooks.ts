import type {
  DeliveryFilter,
  UntoldEvent,
  WebhookDelivery,
  WebhookEndpoint,
  WebhookRepository,
  WebhookSecrets,
} from '../../../core/ports/store/webhooks.ts'
import type { PageRequest } from '../../../core/values/page.ts'
import type { ProjectId } from '../../../core/values/project-id.ts'
import type { Access, Params, Session } from './session.ts'
import type { Tables } from './tables.ts'
import { forgetUntold, untoldEvents } from './untold-events.ts'
import { updateRecord } from './update-record.ts'
import { giveUpDeliveries, WebhookDeliveries } from './webhook-deliveries.ts'

/** The endpoints and secrets of webhooks, what is delivered to them, and the events that are to be told. */
export class SqlWebhooks implements WebhookRepository {
  readonly #access: Access
  readonly #tables: Tables
  readonly #deliveries: WebhookDeliveries

  constructor(access: Access, tables: Tables) {
    this.#access = access
    this.#tables = tables
    this.#deliveries = new WebhookDeliveries(access, tables)
  }

  async secrets(projectId: ProjectId, made: string): Promise<WebhookSecrets> {
    const { webhookSecrets } = this.#tables
    const sql = `select ${webhookSecrets.list} from "webhook_secrets" where "project_id" = ?`
    const stored = async (session: Session) => {
      const [row] = await session.all(sql, [projectId])
      return row && webhookSecrets.record(row)
    }
    const known = await this.#access.read(stored)
    if (known) return known
    const first = { projectId, secret: made }
    return this.#access.write(async (session) => {
      await webhookSecrets.insert(session, [first], 'on conflict ("project_id") do nothing')
      return (await stored(session)) ?? first
    })
  }

  async saveSecrets(secrets: WebhookSecrets): Promise<void> {
    const writeOver = `on conflict ("project_id") do update set "secret" = excluded."secret",
      "earlier" = excluded."earlier", "earlier_until" = excluded."earlier_until"`
    await this.#access.write((session) => this.#tables.webhookSecrets.insert(session, [secrets], writeOver))
  }

  async findEndpoint(projectId: ProjectId, id: string): Promise<WebhookEndpoint | undefined> {
    return (await this.#endpoints('"project_id" = ? and "id" = ?', [projectId, id]))[0]
  }

  async lockEndpoint(projectId: ProjectId, id: string): Promise<WebhookEndpoint | undefined> {
    const lock = this.#access.dialect.lockRows('"webhook_endpoints"')
    return (await this.#endpoints(`"project_id" = ? and "id" = ?${lock}`, [projectId, id]))[0]
  }

  endpoints(projectId: ProjectId): Promise<readonly WebhookEndpoint[]> {
    return this.#endpoints('"project_id" = ? order by "id" desc', [projectId])
  }

  async insertEndpoint(endpoint: WebhookEndpoint): Promise<void> {
    await this.#access.write((session) => this.#tables.webhookEndpoints.insert(session, [endpoint]))
  }

  updateEndpoint(endpoint: WebhookEndpoint): Promise<boolean> {
    return this.#access.write((session) => updateRecord(session, this.#tables.webhookEndpoints, endpoint))
  }

  removeEndpoint(projectId: ProjectId, id: string, now: Date): Promise<boolean> {
    const sql = 'delete from "webhook_endpoints" where "project_id" = ? and "id" = ?'
    return this.#access.write(async (session) => {
      if ((await session.run(sql, [projectId, id])) === 0) return false
      await giveUpDeliveries(this.#access.dialect, session, projectId, id, now)
      return true
    })
  }

  findDelivery(projectId: ProjectId, id: string): Promise<WebhookDelivery | undefined> {
    return this.#deliveries.find(projectId, id)
  }

  deliveries(projectId: ProjectId, filter: DeliveryFilter, page: PageRequest): Promise<readonly WebhookDelivery[]> {
    return this.#deliveries.page(projectId, filter, page)
  }

  countDeliveries(projectId: ProjectId, filter: DeliveryFilter): Promise<number> {
    return this.#deliveries.count(projectId, filter)
  }

  addDeliveries(deliveries: readonly WebhookDelivery[]): Promise<number> {
    return this.#deliveries.add(deliveries)
  }

  claimDeliveries(now: Date, limit: number, lease: { readonly token: string; readonly until: Date }) {
    return this.#deliveries.claim(now, limit, lease)
  }

  recordDelivery(delivery: WebhookDelivery, token: string): Promise<boolean> {
    return this.#deliveries.record(delivery, token)
  }

  nextDelivery(): Promise<Date | undefined> {
    return this.#deliveries.next()
  }

  expireLeases(before: Date): Promise<number> {
    return this.#deliveries.expireLeases(before)
  }

  forgetDeliveries(before: Date, limit: number): Promise<number> {
    return this.#deliveries.forget(before, limit)
  }

  untold(limit: number): Promise<readonly UntoldEvent[]> {
    return this.#access.write((session) => untoldEvents(this.#access.dialect, this.#tables, session, limit))
  }

  async told(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return
    await this.#access.write((session) => forgetUntold(this.#access.dialect, session, ids))
  }

  async #endpoints(where: string, params: Params): Promise<readonly WebhookEndpoint[]> {
    const { webhookEndpoints } = this.#tables
    const sql = `select ${webhookEndpoints.list} from "webhook_endpoints" where ${where}`
    const rows = await this.#access.read((session) => session.all(sql, params))
    return rows.map((row) => webhookEndpoints.record(row))
  }
}

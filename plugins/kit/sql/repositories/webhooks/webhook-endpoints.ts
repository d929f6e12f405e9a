import type {
  WebhookEndpoint,
  WebhookEndpointRepository,
  WebhookSecrets,
} from '../../../../../core/ports/store/webhook-endpoints.ts'
import type { ProjectId } from '../../../../../core/values/project-id.ts'
import type { Access } from '../../engine/access.ts'
import type { Params, Session } from '../../engine/session.ts'
import type { Tables } from '../../engine/tables.ts'
import { updateRecord } from '../../engine/update-record.ts'
import { giveUpDeliveries } from './webhook-deliveries.ts'

/** The webhook endpoints and their secrets. */
export class SqlWebhookEndpoints implements WebhookEndpointRepository {
  readonly #access: Access
  readonly #tables: Tables

  constructor(access: Access, tables: Tables) {
    this.#access = access
    this.#tables = tables
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
    const { webhookSecrets } = this.#tables
    const clause = webhookSecrets.overwrite({ on: ['projectId'] })
    await this.#access.write((session) => webhookSecrets.insert(session, [secrets], clause))
  }

  async find(projectId: ProjectId, id: string): Promise<WebhookEndpoint | undefined> {
    return (await this.#endpoints('"project_id" = ? and "id" = ?', [projectId, id]))[0]
  }

  async lock(projectId: ProjectId, id: string): Promise<WebhookEndpoint | undefined> {
    const lock = this.#access.dialect.lockRows('"webhook_endpoints"')
    return (await this.#endpoints(`"project_id" = ? and "id" = ?${lock}`, [projectId, id]))[0]
  }

  all(projectId: ProjectId): Promise<readonly WebhookEndpoint[]> {
    return this.#endpoints('"project_id" = ? order by "id" desc', [projectId])
  }

  async insert(endpoint: WebhookEndpoint): Promise<void> {
    await this.#access.write((session) => this.#tables.webhookEndpoints.insert(session, [endpoint]))
  }

  update(endpoint: WebhookEndpoint): Promise<boolean> {
    return this.#access.write((session) => updateRecord(session, this.#tables.webhookEndpoints, endpoint))
  }

  remove(projectId: ProjectId, id: string, now: Date): Promise<boolean> {
    const sql = 'delete from "webhook_endpoints" where "project_id" = ? and "id" = ?'
    return this.#access.write(async (session) => {
      if ((await session.run(sql, [projectId, id])) === 0) return false
      await giveUpDeliveries(this.#access.dialect, session, projectId, id, now)
      return true
    })
  }

  async #endpoints(where: string, params: Params): Promise<readonly WebhookEndpoint[]> {
    const { webhookEndpoints } = this.#tables
    const sql = `select ${webhookEndpoints.list} from "webhook_endpoints" where ${where}`
    const rows = await this.#access.all(sql, params)
    return rows.map((row) => webhookEndpoints.record(row))
  }
}

import { inject, injectable } from '../di.ts'
import { Kit } from '../kit.ts'
import { type Repositories, Store } from '../ports/store/store.ts'
import type { WebhookDelivery } from '../ports/store/webhook-deliveries.ts'
import type { WebhookEndpoint } from '../ports/store/webhook-endpoints.ts'
import { type EngineValues, Values } from '../settings/engine-values.ts'
import { DeliveryEnd } from './delivery-end.ts'
import { afterDelivery } from './endpoint-health.ts'

/** Writes what became of tries; what comes of a delivery's end is one transaction with it. */
@injectable()
export class RecordDeliveries {
  constructor(
    @inject(Store) private readonly store: Store,
    @inject(DeliveryEnd) private readonly end: DeliveryEnd,
    @inject(Values) private readonly values: EngineValues,
    @inject(Kit) private readonly kit: Kit,
  ) {}

  /** Writes the delivery as it is after a try, as long as it is under the lease's token; else nothing happens. */
  async record(delivery: WebhookDelivery, token: string): Promise<void> {
    if (delivery.status === 'PENDING') {
      await this.store.webhookDeliveries.record(delivery, token)
      return
    }
    const { paused, runs } = await this.store.transaction((tx) => this.#end(tx, delivery, token))
    if (paused) {
      const { id: endpointId, projectId, url, pausedReason } = paused
      this.kit.log.warn('paused a webhook endpoint', { endpointId, projectId, url, reason: pausedReason })
    }
    if (runs) this.end.ask()
  }

  async #end(
    tx: Repositories,
    delivery: WebhookDelivery,
    token: string,
  ): Promise<{ readonly paused?: WebhookEndpoint; readonly runs: boolean }> {
    // before the delivery: whoever removes an endpoint holds it first, too
    const changed = await this.#health(tx, delivery)
    if (!(await tx.webhookDeliveries.record(delivery, token))) return { runs: false }
    if (changed) await tx.webhookEndpoints.update(changed.after)
    const runs = await this.end.ended(tx, delivery)
    return changed?.before.enabled && !changed.after.enabled ? { runs, paused: changed.after } : { runs }
  }

  /** How its endpoint changes by this end; it is held only when it does. */
  async #health(tx: Repositories, delivery: WebhookDelivery) {
    const { endpointId, projectId } = delivery
    if (endpointId === undefined) return undefined
    const { pauseAfterDays } = this.values.webhooks
    const change = (endpoint: WebhookEndpoint) => afterDelivery(endpoint, delivery, pauseAfterDays, delivery.updatedAt)
    const seen = await tx.webhookEndpoints.find(projectId, endpointId)
    if (seen === undefined || change(seen) === seen) return undefined
    const before = await tx.webhookEndpoints.lock(projectId, endpointId)
    const after = before && change(before)
    return before === undefined || after === undefined || after === before ? undefined : { before, after }
  }
}

import { notifyEndpoints } from '../events/notify-endpoints.ts'
import type { Kit } from '../kit.ts'
import type { Repositories, Store } from '../ports/store/store.ts'
import type { WebhookDelivery } from '../ports/store/webhook-deliveries.ts'
import type { WebhookEndpoint } from '../ports/store/webhook-endpoints.ts'
import { EVENTS } from '../values/event-names.ts'
import type { DeliveryEnd } from './delivery-end.ts'
import { afterDelivery } from './endpoint-health.ts'
import { hiddenUrl } from './hidden-secrets.ts'

/** Records the results of tries, with the consequences of a delivery's end in the same transaction. */
export class RecordDeliveries {
  constructor(
    private readonly store: Store,
    private readonly end: DeliveryEnd,
    private readonly kit: Kit,
  ) {}

  /** Writes the delivery after a try, if it still has the lease's token; else does nothing. */
  async record(delivery: WebhookDelivery, token: string): Promise<void> {
    if (delivery.status === 'PENDING') {
      await this.store.webhookDeliveries.record(delivery, token)
      return
    }
    const { paused, runs } = await this.store.transaction((tx) => this.#end(tx, delivery, token))
    if (paused) {
      const { id: endpointId, projectId, url, pausedReason } = paused
      const host = URL.parse(url)?.host
      this.kit.log.warn('paused a webhook endpoint', { endpointId, projectId, host, reason: pausedReason })
    }
    if (runs) this.end.ask()
  }

  async #end(
    tx: Repositories,
    delivery: WebhookDelivery,
    token: string,
  ): Promise<{ readonly paused?: WebhookEndpoint; readonly runs: boolean }> {
    // before the delivery, in the same order as the removal of an endpoint locks them
    const changed = await this.#health(tx, delivery)
    if (!(await tx.webhookDeliveries.record(delivery, token))) return { runs: false }
    if (changed) await tx.webhookEndpoints.update(changed.after)
    const runs = await this.end.ended(tx, delivery)
    if (!changed?.before.enabled || changed.after.enabled) return { runs }
    await this.#tellOthers(tx, changed.after)
    return { runs, paused: changed.after }
  }

  /** Sends `webhook.paused`, which has no contact, to the other endpoints of the project that ask for it. */
  async #tellOthers(
    tx: Repositories,
    { id, projectId, url, pausedReason: reason = '', updatedAt: at }: WebhookEndpoint,
  ) {
    const event = { endpointId: id, url: hiddenUrl(url), reason, pausedAt: at.toISOString() }
    await notifyEndpoints(tx, [{ projectId, name: EVENTS.webhookPaused, event, at }], this.kit.newId)
  }

  /** The endpoint's change by this end; it is locked only when it changes. */
  async #health(tx: Repositories, delivery: WebhookDelivery) {
    const { endpointId, projectId } = delivery
    if (endpointId === undefined) return undefined
    const change = (endpoint: WebhookEndpoint) => afterDelivery(endpoint, delivery, delivery.updatedAt)
    const seen = await tx.webhookEndpoints.find(projectId, endpointId)
    if (seen === undefined || change(seen) === seen) return undefined
    const before = await tx.webhookEndpoints.lock(projectId, endpointId)
    const after = before && change(before)
    return before === undefined || after === undefined || after === before ? undefined : { before, after }
  }
}

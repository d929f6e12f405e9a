import type { Repositories } from '../ports/store/store.ts'
import type { WebhookDelivery } from '../ports/store/webhook-deliveries.ts'

/** Told of every delivery that has ended, inside the transaction that records it. */
export interface DeliveryEnd {
  /**
   * The delivery is SUCCEEDED or FAILED now, and this is told once. May write what comes of it, and must not wait for the
   * outside world. Answers whether there is something to run after the commit.
   */
  ended(tx: Repositories, delivery: WebhookDelivery): Promise<boolean>
  /** After the commit of one or more endings that answered true. Answers at once. */
  ask(): void
}
export const DeliveryEnd = Symbol('DeliveryEnd')

import type { Repositories } from '../ports/store/store.ts'
import type { WebhookDelivery } from '../ports/store/webhook-deliveries.ts'

/** Handles every delivery that has ended, inside the transaction that records it. */
export interface DeliveryEnd {
  /**
   * Called once when the delivery is SUCCEEDED or FAILED. May write the consequences, and must not wait for anything
   * outside the store. Answers whether there is something to run after the commit.
   */
  ended(tx: Repositories, delivery: WebhookDelivery): Promise<boolean>
  /** Call it after a commit with endings that answered true. Does not wait. */
  ask(): void
}
export const DeliveryEnd = Symbol('DeliveryEnd')

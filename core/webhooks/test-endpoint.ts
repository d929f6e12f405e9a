import * as v from 'valibot'
import type { Store } from '../ports/store/store.ts'
import type { WebhookDelivery } from '../ports/store/webhook-deliveries.ts'
import type { InputOf } from '../values/input.ts'
import { wholeNumber } from '../values/page.ts'
import { pause } from '../values/pause.ts'
import { waitFor } from '../values/wait.ts'

/** How often a test is looked for, in milliseconds: another process may make the request. */
const LOOK_MS = 50

/** How long a test at saving may take, in seconds: a little more than one try. */
export const TEST_AT_SAVING = 20

/** The query of `POST /webhooks/{id}/test`. */
export const TestEndpoint = v.object({
  /** How many seconds the answer waits for the result: 0 to 30, by default 0. */
  wait: v.optional(wholeNumber(0, 30), 0),
})

/** How long a test waits for its result. */
export interface TestWebhookInput extends InputOf<typeof TestEndpoint> {}

/** The test once it has ended, or as it is after so many seconds. */
export async function endOfTest(store: Store, test: WebhookDelivery, seconds: number): Promise<WebhookDelivery> {
  if (seconds === 0) return test
  let seen = test
  await waitFor({ timeoutMs: seconds * 1000 }, async (ends) => {
    while (!ends.aborted) {
      await pause(LOOK_MS, ends)
      seen = (await store.webhookDeliveries.find(test.projectId, test.id)) ?? seen
      if (seen.status !== 'PENDING') return
    }
  })
  return seen
}

/** A warning about an address whose test did not succeed; undefined for one that did. */
export function testWarning({ status, error }: WebhookDelivery): string | undefined {
  if (status === 'SUCCEEDED') return undefined
  const reason = error ?? 'it has no result yet: GET /webhooks/deliveries shows it later'
  return `is saved but the test event did not arrive: ${reason}`
}

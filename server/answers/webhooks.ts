import { WebhookEndpoint } from '../../core/ports/store/webhook-endpoints.ts'
import { hiddenUrl } from '../../core/webhooks/hidden-secrets.ts'
import { answerOf } from './answer-of.ts'

export const WebhookAnswer = answerOf(WebhookEndpoint)

export function endpointOnWire(endpoint: WebhookEndpoint, seesSecrets: boolean) {
  return WebhookAnswer.of(seesSecrets ? endpoint : { ...endpoint, url: hiddenUrl(endpoint.url) })
}

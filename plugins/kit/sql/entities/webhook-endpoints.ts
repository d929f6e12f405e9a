import { WebhookEndpoint } from '../../../../core/ports/store/webhook-endpoints.ts'
import { entityOf } from '../engine/entity-of.ts'

/** Webhook endpoints, one per row. */
export const WebhookEndpointRow = entityOf(WebhookEndpoint, {
  name: 'WebhookEndpointRow',
  tableName: 'webhook_endpoints',
  indexes: [{ name: 'webhook_endpoints_page', properties: ['projectId', 'id'] }],
})

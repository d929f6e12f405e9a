import { defineEntity, p } from '@mikro-orm/core'

/** Webhook endpoints, one per row. */
export const WebhookEndpointRow = defineEntity({
  name: 'WebhookEndpointRow',
  tableName: 'webhook_endpoints',
  properties: {
    id: p.uuid().primary(),
    projectId: p.uuid(),
    url: p.text(),
    description: p.text().nullable(),
    events: p.json().$type<readonly string[]>(),
    enabled: p.boolean(),
    failingSince: p.datetime(3).nullable(),
    pausedReason: p.text().nullable(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
  indexes: [{ name: 'webhook_endpoints_page', properties: ['projectId', 'id'] }],
})

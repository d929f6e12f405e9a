import { defineEntity, p } from '@mikro-orm/core'

/** The secrets of one project's webhooks a row. */
export const WebhookSecretRow = defineEntity({
  name: 'WebhookSecretRow',
  tableName: 'webhook_secrets',
  properties: {
    projectId: p.uuid().primary(),
    secret: p.text(),
    earlier: p.text().nullable(),
    earlierUntil: p.datetime(3).nullable(),
  },
})

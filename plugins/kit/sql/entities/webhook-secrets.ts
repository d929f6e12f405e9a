import { defineEntity, p } from '@mikro-orm/core'

/** The secrets of a project's webhooks, one row per project. */
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

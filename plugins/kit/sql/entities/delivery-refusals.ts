import { defineEntity, p } from '@mikro-orm/core'

/** The newest refusal with each code between two domains. The text names no recipient. */
export const DeliveryRefusalRow = defineEntity({
  name: 'DeliveryRefusalRow',
  tableName: 'delivery_refusals',
  properties: {
    projectId: p.uuid().primary(),
    sendingDomain: p.text().primary(),
    recipientDomain: p.text().primary(),
    code: p.text().primary(),
    text: p.text(),
    at: p.datetime(3),
  },
  indexes: [
    { name: 'delivery_refusals_recipients', properties: ['projectId', 'recipientDomain'] },
    { name: 'delivery_refusals_at', properties: ['at'] },
  ],
})

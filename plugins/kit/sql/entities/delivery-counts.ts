import { defineEntity, p } from '@mikro-orm/core'

/**
 * The results of a project's mail on a day, by sending and recipient domain; the row without a recipient domain is the
 * sum over all. `day` counts from 1970. Processes that share the database count in different slots, so that they rarely
 * wait for each other's rows; the figure is the sum over the slots.
 */
export const DeliveryCountRow = defineEntity({
  name: 'DeliveryCountRow',
  tableName: 'delivery_counts',
  properties: {
    day: p.integer().primary(),
    projectId: p.uuid().primary(),
    sendingDomain: p.text().primary(),
    recipientDomain: p.text().primary(),
    slot: p.integer().primary(),
    sent: p.integer(),
    delivered: p.integer(),
    deferred: p.integer(),
    bounced: p.integer(),
    complained: p.integer(),
  },
  indexes: [
    {
      name: 'delivery_counts_senders',
      properties: ['projectId', 'sendingDomain', 'day'],
      where: "recipient_domain = ''",
    },
  ],
})

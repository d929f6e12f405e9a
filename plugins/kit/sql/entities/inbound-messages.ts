import { defineEntity, p } from '@mikro-orm/core'
import { claimColumns } from '../engine/claim.ts'

/** Received messages that wait to be read, each with the lease of its reader. Removed once read. */
export const InboundMessageRow = defineEntity({
  name: 'InboundMessageRow',
  tableName: 'inbound_messages',
  properties: {
    id: p.uuid().primary(),
    projectId: p.uuid(),
    sender: p.text(),
    recipients: p.json().$type<readonly string[]>(),
    raw: p.blob(),
    remoteAddress: p.text(),
    helo: p.text(),
    tls: p.boolean(),
    attempts: p.integer(),
    dueAt: p.datetime(3),
    receivedAt: p.datetime(3),
    ...claimColumns(),
  },
  indexes: [{ name: 'inbound_messages_due', properties: ['dueAt', 'id'] }],
})

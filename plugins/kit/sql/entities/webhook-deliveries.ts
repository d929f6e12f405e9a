import { defineEntity, p } from '@mikro-orm/core'
import type { WebhookDelivery } from '../../../../core/ports/store/webhook-deliveries.ts'
import { claimColumns } from '../engine/claim.ts'

/** Webhook requests, one per row, with the lease of the worker. Waiting ones have an index of their own. */
export const WebhookDeliveryRow = defineEntity({
  name: 'WebhookDeliveryRow',
  tableName: 'webhook_deliveries',
  properties: {
    id: p.uuid().primary(),
    projectId: p.uuid(),
    endpointId: p.uuid().nullable(),
    workflowId: p.uuid().nullable(),
    executionId: p.uuid().nullable(),
    stepId: p.uuid().nullable(),
    eventId: p.uuid().nullable(),
    eventName: p.text().nullable(),
    contactId: p.uuid().nullable(),
    replayOf: p.uuid().nullable(),
    url: p.text(),
    method: p.text(),
    headers: p.json().$type<WebhookDelivery['headers']>(),
    dialect: p.text().nullable(),
    body: p.text().nullable(),
    timeout: p.integer(),
    status: p.text(),
    attempts: p.integer(),
    dueAt: p.datetime(3),
    responseStatus: p.integer().nullable(),
    responseBody: p.text().nullable(),
    error: p.text().nullable(),
    createdAt: p.datetime(3),
    completedAt: p.datetime(3).nullable(),
    updatedAt: p.datetime(3),
    ...claimColumns(),
  },
  indexes: [
    { name: 'webhook_deliveries_alone', properties: ['dueAt', 'id'], where: 'interrupted >= 2' },
    { name: 'webhook_deliveries_page', properties: ['projectId', 'id'] },
    { name: 'webhook_deliveries_by_status', properties: ['projectId', 'status', 'id'] },
    {
      name: 'webhook_deliveries_by_endpoint',
      properties: ['projectId', 'endpointId', 'id'],
      where: 'endpoint_id is not null',
    },
    {
      name: 'webhook_deliveries_by_workflow',
      properties: ['projectId', 'workflowId', 'id'],
      where: 'workflow_id is not null',
    },
    { name: 'webhook_deliveries_by_contact', properties: ['contactId'], where: 'contact_id is not null' },
    { name: 'webhook_deliveries_due', properties: ['dueAt', 'id'], where: "status = 'PENDING'" },
    { name: 'webhook_deliveries_ended', properties: ['completedAt'], where: 'completed_at is not null' },
  ],
  uniques: [
    {
      name: 'webhook_deliveries_event',
      properties: ['endpointId', 'eventId'],
      where: 'endpoint_id is not null and event_id is not null and replay_of is null',
    },
  ],
})

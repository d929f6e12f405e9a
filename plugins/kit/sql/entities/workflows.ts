import { defineEntity, p } from '@mikro-orm/core'
import type { DateTrigger, EventTrigger } from '../../../../core/ports/store/workflows.ts'

/** Workflows, one per row. Their steps and transitions are rows of their own. */
export const WorkflowRow = defineEntity({
  name: 'WorkflowRow',
  tableName: 'workflows',
  properties: {
    id: p.uuid().primary(),
    projectId: p.uuid(),
    name: p.text(),
    description: p.text().nullable(),
    enabled: p.boolean(),
    triggerType: p.text(),
    eventName: p.text().nullable(),
    allowReentry: p.boolean(),
    goalEvent: p.text().nullable(),
    eventTrigger: p.json().$type<EventTrigger>().nullable(),
    dateTrigger: p.json().$type<DateTrigger>().nullable(),
    startedUntil: p.datetime(3).nullable(),
    dueAt: p.datetime(3).nullable(),
    version: p.integer().default(1),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
  indexes: [
    { name: 'workflows_page', properties: ['projectId', 'id'] },
    { name: 'workflows_by_event', properties: ['projectId', 'eventName'], where: 'event_name is not null' },
    { name: 'workflows_due', properties: ['dueAt', 'id'], where: 'due_at is not null' },
    { name: 'workflows_by_goal', properties: ['projectId', 'goalEvent'], where: 'goal_event is not null' },
  ],
})

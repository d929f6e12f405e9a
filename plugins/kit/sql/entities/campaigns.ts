import { defineEntity, p } from '@mikro-orm/core'
import type { Brake, Campaign, FanOut, SendPlan } from '../../../../core/ports/store/campaigns.ts'
import type { Filter } from '../../../../core/ports/store/filters.ts'
import type { JsonObject } from '../../../../core/values/json.ts'
import type { MailSource } from '../../../../core/values/mail-source.ts'
import type { Utm } from '../../../../core/values/utm.ts'

/** Campaigns, one per row. What became of their mails is in the ledger and the counters. */
export const CampaignRow = defineEntity({
  name: 'CampaignRow',
  tableName: 'campaigns',
  properties: {
    id: p.uuid().primary(),
    projectId: p.uuid(),
    name: p.text(),
    description: p.text().nullable(),
    subject: p.text(),
    preheader: p.text().nullable(),
    body: p.text(),
    design: p.json().$type<JsonObject>().nullable(),
    layoutId: p.uuid().nullable(),
    topicId: p.uuid().nullable(),
    source: p.json().$type<MailSource>().nullable(),
    from: p.text(),
    fromName: p.text().nullable(),
    replyTo: p.text().nullable(),
    headers: p.json().$type<NonNullable<Campaign['headers']>>().nullable(),
    attachments: p.json().$type<NonNullable<Campaign['attachments']>>().nullable(),
    utm: p.json().$type<Utm>().nullable(),
    templateId: p.uuid().nullable(),
    audienceType: p.text(),
    segmentId: p.uuid().nullable(),
    audienceFilter: p.json().$type<Filter>().nullable(),
    audienceCondition: p.json().$type<JsonObject>().nullable(),
    plan: p.json().$type<SendPlan>().nullable(),
    status: p.text(),
    statusReason: p.text().nullable(),
    hold: p.text().nullable(),
    brake: p.json().$type<Brake>().nullable(),
    scheduledAt: p.datetime(3).nullable(),
    startedAt: p.datetime(3).nullable(),
    sentAt: p.datetime(3).nullable(),
    originId: p.uuid().nullable(),
    folder: p.text().nullable(),
    note: p.text().nullable(),
    shelvedAt: p.datetime(3).nullable(),
    publishedAt: p.datetime(3).nullable(),
    contentId: p.uuid().nullable(),
    fanOut: p.json().$type<FanOut>().nullable(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
  indexes: [
    { name: 'campaigns_page', properties: ['projectId', 'id'] },
    { name: 'campaigns_by_status', properties: ['projectId', 'status', 'id'] },
    { name: 'campaigns_sent', properties: ['projectId', 'sentAt'], where: "status = 'SENT'" },
    { name: 'campaigns_open', properties: ['status', 'scheduledAt'], where: "status in ('SCHEDULED', 'SENDING')" },
    { name: 'campaigns_by_origin', properties: ['originId', 'id'], where: 'origin_id is not null' },
    { name: 'campaigns_by_folder', properties: ['projectId', 'folder', 'id'], where: 'folder is not null' },
    { name: 'campaigns_published', properties: ['projectId', 'sentAt', 'id'], where: 'published_at is not null' },
    { name: 'campaigns_held', properties: ['hold'], where: 'hold is not null' },
  ],
})

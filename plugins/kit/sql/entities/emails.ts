import { defineEntity, p } from '@mikro-orm/core'
import type { Email } from '../../../../core/ports/store/emails.ts'
import type { JsonObject } from '../../../../core/values/json.ts'
import { claimColumns } from '../engine/claim.ts'
import type { StoredTry } from '../repositories/emails/stored-tries.ts'

/**
 * The ledger. `lane` is the index in LANES, so that `due` is sorted by lane. Partial indexes hold only the rows
 * that wait or are being worked on, however long the ledger grows.
 */
export const EmailRow = defineEntity({
  name: 'EmailRow',
  tableName: 'emails',
  properties: {
    id: p.uuid().primary(),
    projectId: p.uuid(),
    contactId: p.uuid().nullable(),
    contentId: p.uuid(),
    to: p.text(),
    toName: p.text().nullable(),
    status: p.text(),
    sourceType: p.text(),
    lane: p.smallint(),
    templateId: p.uuid().nullable(),
    campaignId: p.uuid().nullable(),
    variant: p.text().nullable(),
    variables: p.json().$type<JsonObject>(),
    tags: p.json().$type<Email['tags']>(),
    createdAt: p.datetime(3),
    dueAt: p.datetime(3),
    expiresAt: p.datetime(3).nullable(),
    attempts: p.integer(),
    accepted: p.json().$type<Email['accepted']>(),
    transport: p.text().nullable(),
    toFolder: p.boolean().nullable(),
    providerId: p.text().nullable(),
    error: p.text().nullable(),
    skipReason: p.text().nullable(),
    opens: p.integer(),
    clicks: p.integer(),
    sentAt: p.datetime(3).nullable(),
    deliveredAt: p.datetime(3).nullable(),
    openedAt: p.datetime(3).nullable(),
    clickedAt: p.datetime(3).nullable(),
    bouncedAt: p.datetime(3).nullable(),
    complainedAt: p.datetime(3).nullable(),
    humanOpenedAt: p.datetime(3).nullable(),
    humanClickedAt: p.datetime(3).nullable(),
    unsubscribedAt: p.datetime(3).nullable(),
    redactedAt: p.datetime(3).nullable(),
    softBouncedAt: p.datetime(3).nullable(),
    repliedAt: p.datetime(3).nullable(),
    inReplyTo: p.uuid().nullable(),
    updatedAt: p.datetime(3),
    /** The events this row stands for: see repositories/events/ledger-events.ts. NULL for none. */
    ledgerEvents: p.smallint().nullable(),
    /** The replies in its tries: see repositories/emails/stored-tries.ts. NULL for none. */
    tries: p.json().$type<readonly StoredTry[]>().nullable(),
    ...claimColumns(),
  },
  indexes: [
    { name: 'emails_alone', properties: ['dueAt', 'id'], where: 'interrupted >= 2' },
    { name: 'emails_page', properties: ['projectId', 'id'] },
    // a mail is SENDING for a moment, and every claim would have to move it in the index
    { name: 'emails_by_status', properties: ['projectId', 'status', 'id'], where: "status <> 'SENDING'" },
    { name: 'emails_by_contact', properties: ['projectId', 'contactId', 'id'] },
    { name: 'emails_by_address', properties: ['projectId', 'to', 'id'], where: 'campaign_id is null' },
    { name: 'emails_by_content', properties: ['contentId'], where: 'campaign_id is null' },
    { name: 'emails_by_template', properties: ['projectId', 'templateId'], where: 'template_id is not null' },
    {
      name: 'emails_due',
      properties: ['lane', 'projectId', 'dueAt', 'id'],
      where: "status = 'QUEUED' and campaign_id is null",
    },
    {
      name: 'emails_campaign_due',
      properties: ['campaignId', 'dueAt', 'id'],
      where: "status = 'QUEUED' and campaign_id is not null",
    },
    { name: 'emails_campaign_page', properties: ['campaignId', 'id'], where: 'campaign_id is not null' },
    {
      name: 'emails_campaign_clicked',
      properties: ['campaignId', 'id'],
      where: 'campaign_id is not null and clicked_at is not null',
    },
    {
      name: 'emails_campaign_unsubscribed',
      properties: ['campaignId', 'id'],
      where: 'campaign_id is not null and unsubscribed_at is not null',
    },
    {
      name: 'emails_campaign_replied',
      properties: ['campaignId', 'id'],
      where: 'campaign_id is not null and replied_at is not null',
    },
    // only mails of installations without a mail server
    {
      name: 'emails_to_folder',
      properties: ['projectId', 'campaignId', 'deliveredAt'],
      where: 'to_folder is not null',
    },
    // only mails of tests
    { name: 'emails_caught', properties: ['projectId', 'id'], where: "skip_reason = 'caught'" },
    { name: 'emails_replies', properties: ['inReplyTo', 'id'], where: 'in_reply_to is not null' },
    { name: 'emails_campaign_variant', properties: ['campaignId', 'variant', 'id'], where: 'variant is not null' },
    // leaves out mails that were delivered on acceptance, since no report names their id
    {
      name: 'emails_by_provider',
      properties: ['providerId'],
      where: 'provider_id is not null and (delivered_at is null or delivered_at <> sent_at)',
    },
    { name: 'emails_ledger_events', properties: ['projectId', 'sentAt'], where: 'ledger_events is not null' },
    { name: 'emails_leases', properties: ['leaseUntil'], where: "status = 'SENDING'" },
  ],
  uniques: [{ name: 'emails_campaign', properties: ['campaignId', 'contactId'], where: 'campaign_id is not null' }],
})

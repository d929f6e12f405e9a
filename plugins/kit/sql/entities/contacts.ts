import { defineEntity, p } from '@mikro-orm/core'
import type { JsonObject } from '../../../../core/values/json.ts'
import type { SubscriptionReason } from '../../../../core/values/subscription-reason.ts'
import type { TrackingConsent } from '../../../../core/values/tracking-consent.ts'

/** Contacts, one per row. */
export const ContactRow = defineEntity({
  name: 'ContactRow',
  tableName: 'contacts',
  properties: {
    id: p.uuid().primary(),
    projectId: p.uuid(),
    email: p.text(),
    subscribed: p.boolean(),
    tracking: p.text().$type<TrackingConsent>().default('full'),
    pausedUntil: p.datetime(3).nullable(),
    everyDays: p.integer().nullable(),
    leftBy: p.text().$type<SubscriptionReason>().nullable(),
    data: p.json().$type<JsonObject>(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
  indexes: [
    { name: 'contacts_page', properties: ['projectId', 'id'] },
    { name: 'contacts_changed', properties: ['projectId', 'updatedAt'] },
    { name: 'contacts_unsubscribed', properties: ['projectId', 'id'], where: 'not subscribed' },
  ],
  uniques: [{ name: 'contacts_email', properties: ['projectId', 'email'] }],
})

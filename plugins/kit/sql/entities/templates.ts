import { defineEntity, p } from '@mikro-orm/core'
import type { JsonObject } from '../../../../core/values/json.ts'
import type { MailSource } from '../../../../core/values/mail-source.ts'

/** Templates, one per row. */
export const TemplateRow = defineEntity({
  name: 'TemplateRow',
  tableName: 'templates',
  properties: {
    id: p.uuid().primary(),
    projectId: p.uuid(),
    name: p.text(),
    slug: p.text().nullable(),
    description: p.text().nullable(),
    subject: p.text(),
    preheader: p.text().nullable(),
    body: p.text(),
    design: p.json().$type<JsonObject>().nullable(),
    layoutId: p.uuid().nullable(),
    topicId: p.uuid().nullable(),
    source: p.json().$type<MailSource>().nullable(),
    type: p.text(),
    version: p.integer().default(1),
    from: p.text().nullable(),
    fromName: p.text().nullable(),
    replyTo: p.text().nullable(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
  indexes: [{ name: 'templates_page', properties: ['projectId', 'id'] }],
  uniques: [{ name: 'templates_slug', properties: ['projectId', 'slug'] }],
})

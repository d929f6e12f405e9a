import { defineEntity, p } from '@mikro-orm/core'
import type { TemplateFields } from '../../../../core/ports/store/template-versions.ts'
import type { JsonObject } from '../../../../core/values/json.ts'

/** Earlier versions of templates, one per row. */
export const TemplateVersionRow = defineEntity({
  name: 'TemplateVersionRow',
  tableName: 'template_versions',
  properties: {
    id: p.uuid().primary(),
    projectId: p.uuid(),
    templateId: p.uuid(),
    number: p.integer(),
    fields: p.json().$type<TemplateFields>(),
    changed: p.json().$type<readonly string[]>(),
    restoredFrom: p.integer().nullable(),
    authorType: p.text(),
    authorId: p.text().nullable(),
    authorName: p.text(),
    createdAt: p.datetime(3),
  },
  uniques: [{ name: 'template_versions_number', properties: ['templateId', 'number'] }],
})

/** Drafts of templates, one per row. */
export const TemplateDraftRow = defineEntity({
  name: 'TemplateDraftRow',
  tableName: 'template_drafts',
  properties: {
    templateId: p.uuid().primary(),
    projectId: p.uuid(),
    fields: p.json().$type<JsonObject>(),
    version: p.integer(),
    revision: p.text(),
    authorType: p.text(),
    authorId: p.text().nullable(),
    authorName: p.text(),
    updatedAt: p.datetime(3),
  },
})

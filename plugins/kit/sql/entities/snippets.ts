import { defineEntity, p } from '@mikro-orm/core'

/** Snippets, one per row. */
export const SnippetRow = defineEntity({
  name: 'SnippetRow',
  tableName: 'snippets',
  properties: {
    id: p.uuid().primary(),
    projectId: p.uuid(),
    name: p.text(),
    description: p.text().nullable(),
    body: p.text(),
    renders: p.json().$type<readonly string[]>(),
    version: p.integer().default(1),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
  indexes: [{ name: 'snippets_page', properties: ['projectId', 'id'] }],
  uniques: [{ name: 'snippets_name', properties: ['projectId', 'name'] }],
})

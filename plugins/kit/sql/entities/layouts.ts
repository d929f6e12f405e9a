import { defineEntity, p } from '@mikro-orm/core'

/** Layouts, one per row. */
export const LayoutRow = defineEntity({
  name: 'LayoutRow',
  tableName: 'layouts',
  properties: {
    id: p.uuid().primary(),
    projectId: p.uuid(),
    name: p.text(),
    description: p.text().nullable(),
    body: p.text(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
  indexes: [{ name: 'layouts_page', properties: ['projectId', 'id'] }],
})

import { Layout } from '../../../../core/ports/store/layouts.ts'
import { entityOf } from '../engine/entity-of.ts'

/** Layouts, one per row. */
export const LayoutRow = entityOf(Layout, {
  name: 'LayoutRow',
  tableName: 'layouts',
  indexes: [{ name: 'layouts_page', properties: ['projectId', 'id'] }],
})

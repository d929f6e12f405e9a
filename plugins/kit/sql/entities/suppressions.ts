import { Suppression } from '../../../../core/ports/store/suppressions.ts'
import { entityOf } from '../engine/entity-of.ts'

/** The suppression list, one address per row. */
export const SuppressionRow = entityOf(Suppression, {
  name: 'SuppressionRow',
  tableName: 'suppressions',
  indexes: [{ name: 'suppressions_page', properties: ['projectId', 'id'] }],
  uniques: [{ name: 'suppressions_email', properties: ['projectId', 'email'] }],
})

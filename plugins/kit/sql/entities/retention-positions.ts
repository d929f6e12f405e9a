import { defineEntity, p } from '@mikro-orm/core'

/** How far each retention rule has got: everything up to this id is done. */
export const RetentionPositionRow = defineEntity({
  name: 'RetentionPositionRow',
  tableName: 'retention_positions',
  properties: {
    name: p.text().primary(),
    position: p.uuid(),
  },
})

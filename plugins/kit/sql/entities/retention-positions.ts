import { defineEntity, p } from '@mikro-orm/core'

/** How far each rule of retention has come: everything up to this id is done with. */
export const RetentionPositionRow = defineEntity({
  name: 'RetentionPositionRow',
  tableName: 'retention_positions',
  properties: {
    name: p.text().primary(),
    position: p.uuid(),
  },
})

import { defineEntity, p } from '@mikro-orm/core'

/** One project a row. */
export const ProjectRow = defineEntity({
  name: 'ProjectRow',
  tableName: 'projects',
  properties: {
    id: p.uuid().primary(),
    name: p.text(),
    disabled: p.boolean(),
    tracking: p.text(),
    trustedDomains: p.json().$type<readonly string[]>(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
})

import { defineEntity, p } from '@mikro-orm/core'

/** How often something was tried, by the hash of what, and how many mails went of a share; removed after the period. */
export const AttemptRow = defineEntity({
  name: 'AttemptRow',
  tableName: 'attempts',
  properties: {
    key: p.text().primary(),
    count: p.integer(),
    until: p.datetime(3),
  },
  indexes: [{ name: 'attempts_until', properties: ['until'] }],
})

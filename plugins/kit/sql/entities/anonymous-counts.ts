import { defineEntity, p } from '@mikro-orm/core'

/**
 * How often mails of a campaign were opened and clicked in by people of whom no more may be noted. Unlike the counters it
 * cannot be counted anew: nothing else knows of it.
 */
export const AnonymousCountRow = defineEntity({
  name: 'AnonymousCountRow',
  tableName: 'anonymous_counts',
  properties: {
    campaignId: p.uuid().primary(),
    kind: p.text().primary(),
    projectId: p.uuid(),
    count: p.integer(),
  },
})

import { defineEntity, p } from '@mikro-orm/core'

/**
 * How often a campaign's mails were opened and clicked by people who must stay anonymous. Unlike the counters, these
 * cannot be recounted, since nothing else records them.
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

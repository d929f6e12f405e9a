import { defineEntity, p } from '@mikro-orm/core'
import { Series } from '../../../../core/ports/store/series.ts'
import { entityOf } from '../engine/entity-of.ts'

/** Series of campaigns, one per row. */
export const CampaignSeriesRow = entityOf(Series, {
  name: 'CampaignSeriesRow',
  tableName: 'campaign_series',
  indexes: [
    { name: 'campaign_series_page', properties: ['projectId', 'id'] },
    { name: 'campaign_series_due', properties: ['nextAt', 'id'], where: 'next_at is not null' },
  ],
})

/** Items of their feeds that need no issue any more. */
export const SeenItemRow = defineEntity({
  name: 'SeenItemRow',
  tableName: 'campaign_series_items',
  properties: {
    seriesId: p.uuid().primary(),
    key: p.text().primary(),
    projectId: p.uuid(),
    seenAt: p.datetime(3),
    campaignId: p.uuid().nullable(),
  },
  indexes: [{ name: 'campaign_series_items_by_time', properties: ['seriesId', 'seenAt'] }],
})

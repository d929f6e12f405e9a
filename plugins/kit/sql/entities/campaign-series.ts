import { defineEntity, p } from '@mikro-orm/core'
import type { FeedState, Rhythm } from '../../../../core/ports/store/series.ts'

/** Series of campaigns, one per row. */
export const CampaignSeriesRow = defineEntity({
  name: 'CampaignSeriesRow',
  tableName: 'campaign_series',
  properties: {
    id: p.uuid().primary(),
    projectId: p.uuid(),
    name: p.text(),
    campaignId: p.uuid(),
    rhythm: p.json().$type<Rhythm>(),
    feedUrl: p.text().nullable(),
    feed: p.json().$type<FeedState>().nullable(),
    sends: p.boolean(),
    nextAt: p.datetime(3).nullable(),
    lastAt: p.datetime(3).nullable(),
    issues: p.integer(),
    problem: p.text().nullable(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
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

import { timesFrom } from '../../core/campaigns/series/rhythm.ts'
import type { Series } from '../../core/ports/store/series.ts'
import type { SeriesRecord } from '../schemas/campaign-series.ts'
import type { Wire } from '../schemas/parts.ts'

/** How many of its next times a series shows. */
const UPCOMING = 3

export function seriesOnWire(series: Series): Wire<typeof SeriesRecord> {
  const { id, name, campaignId, rhythm, feedUrl, feed, sends, nextAt, lastAt, issues, problem, createdAt, updatedAt } =
    series
  return {
    id,
    name,
    campaignId,
    rhythm,
    feedUrl,
    sends,
    feedTitle: feed?.title,
    feedReadAt: feed?.readAt,
    status: nextAt === undefined ? 'PAUSED' : 'ON',
    nextAt: nextAt ?? null,
    upcoming: nextAt === undefined ? [] : timesFrom(rhythm, nextAt, UPCOMING),
    lastAt,
    issues,
    problem,
    createdAt,
    updatedAt,
  }
}

import * as v from 'valibot'
import { timesFrom } from '../../core/campaigns/series/rhythm.ts'
import { Series } from '../../core/ports/store/series.ts'
import { named } from '../../core/values/described.ts'
import { answerOf } from './answer.ts'
import { many, Time } from './parts.ts'

/** How many of its next times a series shows. */
const UPCOMING = 3

export const SeriesAnswer = answerOf(
  Series,
  {
    feedTitle: v.optional(v.string()),
    feedReadAt: v.optional(v.string()),
    status: v.picklist(['ON', 'PAUSED']),
    upcoming: many(Time),
  },
  (series: Series) => ({
    ...series,
    feedTitle: series.feed?.title,
    feedReadAt: series.feed?.readAt,
    status: series.nextAt === undefined ? ('PAUSED' as const) : ('ON' as const),
    upcoming: series.nextAt === undefined ? [] : timesFrom(series.rhythm, series.nextAt, UPCOMING),
  }),
)

export const SeriesPreview = named(
  'SeriesPreview',
  v.object({
    subject: v.string(),
    body: v.string(),
    items: many(
      named(
        'FeedItem',
        v.object({
          title: v.string(),
          link: v.string(),
          summary: v.string(),
          html: v.string(),
          author: v.string(),
          image: v.string(),
          publishedAt: v.string(),
        }),
      ),
    ),
    isSample: v.boolean(),
  }),
)

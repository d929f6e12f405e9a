import * as v from 'valibot'
import { named } from '../../core/values/described.ts'
import { WEEKDAYS } from '../../core/values/open-hours.ts'
import { Count, Id, many, Time } from './parts.ts'

const RhythmRecord = named(
  'Rhythm',
  v.object({
    every: v.picklist(['hour', 'day', 'week', 'month']),
    days: v.optional(many(v.picklist(WEEKDAYS))),
    day: v.optional(v.union([Count, v.literal('last')])),
    at: v.string(),
    timezone: v.string(),
  }),
)

export const SeriesRecord = named(
  'Series',
  v.object({
    id: Id,
    name: v.string(),
    campaignId: Id,
    rhythm: RhythmRecord,
    feedUrl: v.optional(v.string()),
    feedTitle: v.optional(v.string()),
    feedReadAt: v.optional(v.string()),
    sends: v.boolean(),
    status: v.picklist(['ON', 'PAUSED']),
    nextAt: v.nullable(Time),
    upcoming: many(Time),
    lastAt: v.optional(Time),
    issues: Count,
    problem: v.optional(v.string()),
    createdAt: Time,
    updatedAt: Time,
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

import * as v from 'valibot'
import { CAMPAIGN_STATUSES } from '../../core/ports/store/campaigns.ts'
import { named } from '../../core/values/described.ts'
import { Count, Id, many, Percentage } from './parts.ts'

/** The answer of `GET /analytics/timeseries`. */
export const TimeSeries = many(
  named(
    'DayFigures',
    v.object({
      /** The day in the time zone asked for. */
      date: v.pipe(v.string(), v.isoDate()),
      /** Mails sent. */
      emails: Count,
      delivered: Count,
      toFolder: Count,
      opens: Count,
      clicks: Count,
      bounces: Count,
      complaints: Count,
    }),
  ),
)

const CampaignFigures = named(
  'CampaignFigures',
  v.object({
    id: Id,
    name: v.string(),
    subject: v.string(),
    status: v.picklist(CAMPAIGN_STATUSES),
    sentCount: Count,
    deliveredCount: Count,
    toFolderCount: Count,
    openedCount: Count,
    clickedCount: Count,
    bouncedCount: Count,
    openRate: Percentage,
    clickRate: Percentage,
  }),
)

/** The answer of `GET /analytics/top-campaigns`. */
export const TopCampaigns = many(CampaignFigures)

/** The answer of `GET /analytics/campaign-stats`. */
export const CampaignsOverview = v.object({
  total: Count,
  active: Count,
  completed: Count,
  averageOpenRate: Percentage,
  averageClickRate: Percentage,
  campaigns: many(CampaignFigures),
})

/** The answer of `GET /analytics/top-events`. */
export const TopEvents = many(
  v.object({
    name: v.string(),
    count: Count,
    /** By how many percent more than before; null when there was none. */
    trend: v.nullable(v.number()),
  }),
)

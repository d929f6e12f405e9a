import {
  CampaignFiguresQuery,
  TimeSeriesQuery,
  TopCampaignsQuery,
  TopEventsQuery,
} from '../../core/analytics/requests.ts'
import { DeliverabilityQuery } from '../../core/feedback/reputation.ts'
import { CampaignsOverview, TimeSeries, TopCampaigns, TopEvents } from '../answers/analytics.ts'
import { Deliverability } from '../answers/domains.ts'
import { type KeyRoute, ok } from '../http/route.ts'

/** Figures of a project. */
export const analyticsRoutes: readonly KeyRoute[] = [
  {
    method: 'GET',
    path: '/analytics/timeseries',
    operation: 'getTimeSeries',
    summary: 'Get the figures of mail by day',
    description:
      'A row for each day, including days without mail. The last 30 days unless dates are given; at most 366.',
    access: 'secret',
    takes: { query: TimeSeriesQuery },
    gives: { 200: TimeSeries },
    examples: [
      { summary: 'The last 30 days in UTC' },
      {
        summary: 'January in Berlin',
        query: { startDate: '2026-01-01', endDate: '2026-01-31', timezone: 'Europe/Berlin' },
      },
    ],
    async handle(engine, { caller, query }) {
      return ok(await engine.analytics.timeSeries(caller.project, query))
    },
  },
  {
    method: 'GET',
    path: '/analytics/top-campaigns',
    operation: 'getTopCampaigns',
    summary: 'List the campaigns with the most opens, clicks or mails',
    description: 'Highest first.',
    access: 'secret',
    takes: { query: TopCampaignsQuery },
    gives: { 200: TopCampaigns },
    examples: [{ query: { metric: 'clicks', limit: 5 } }],
    async handle(engine, { caller, query }) {
      return ok(await engine.analytics.topCampaigns(caller.project, query))
    },
  },
  {
    method: 'GET',
    path: '/analytics/campaign-stats',
    operation: 'compareCampaigns',
    summary: 'Compare campaigns',
    description: 'All of them together, and the newest ones individually.',
    access: 'secret',
    takes: { query: CampaignFiguresQuery },
    gives: { 200: CampaignsOverview },
    examples: [{}],
    async handle(engine, { caller, query }) {
      return ok(await engine.analytics.campaigns(caller.project, query))
    },
  },
  {
    method: 'GET',
    path: '/analytics/top-events',
    operation: 'getTopEvents',
    summary: 'List the custom events that occur most often',
    description: 'With the change from as many days before.',
    access: 'secret',
    takes: { query: TopEventsQuery },
    gives: { 200: TopEvents },
    examples: [{ query: { limit: 5, timezone: 'Asia/Kolkata' } }],
    async handle(engine, { caller, query }) {
      return ok(await engine.analytics.topEvents(caller.project, query))
    },
  },
]

/** How well mail arrives. */
export const deliverabilityRoutes: readonly KeyRoute[] = [
  {
    method: 'GET',
    path: '/deliverability',
    operation: 'getDeliverability',
    summary: 'Get delivery figures by domain',
    description: 'By the domains that mail goes to or comes from, with the latest refusals explained.',
    access: 'secret',
    takes: { query: DeliverabilityQuery },
    gives: { 200: Deliverability },
    examples: [{ query: { by: 'sendingDomain', days: 7 } }],
    async handle(engine, { caller, query }) {
      return ok(await engine.reputation.figures(caller.project, query))
    },
  },
]

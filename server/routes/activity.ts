import {
  ActivityStatsQuery,
  ListActivity,
  RecentActivity,
  UpcomingQuery,
} from '../../core/analytics/activity-requests.ts'
import { ActivityList, ActivityTotals, ActivityTypes, RecentCount, UpcomingActivities } from '../answers/activity.ts'
import { listed } from '../answers/lists.ts'
import { type KeyRoute, ok } from '../http/route.ts'

/** Routes for the list of what happens in a project. */
export const activityRoutes: readonly KeyRoute[] = [
  {
    method: 'GET',
    path: '/activity',
    operation: 'listActivity',
    summary: 'List activity',
    description: 'To mails, contacts, campaigns and workflows, newest first. Bodies of mails are not included.',
    access: 'secret',
    takes: { query: ListActivity },
    gives: { 200: ActivityList },
    examples: [
      { query: { limit: 50 } },
      {
        summary: 'Who clicked or complained on one day',
        query: { types: 'email.click,email.complaint', startDate: '2026-01-31', endDate: '2026-01-31' },
      },
    ],
    async handle(engine, { caller, query }) {
      return ok(listed(await engine.analytics.activity.list(caller.project, query), (activity) => activity))
    },
  },
  {
    method: 'GET',
    path: '/activity/stats',
    operation: 'getActivityStats',
    summary: 'Count activity',
    description: 'In total, or between two dates. Rates are percentages of the mails sent.',
    access: 'secret',
    takes: { query: ActivityStatsQuery },
    gives: { 200: ActivityTotals },
    examples: [{ query: { startDate: '2026-01-01', timezone: 'Europe/Berlin' } }],
    async handle(engine, { caller, query }) {
      return ok(await engine.analytics.activity.stats(caller.project, query))
    },
  },
  {
    method: 'GET',
    path: '/activity/recent-count',
    operation: 'countRecentActivity',
    summary: 'Count the activity of the last few minutes',
    description: 'For a display of how busy the project is.',
    access: 'secret',
    takes: { query: RecentActivity },
    gives: { 200: RecentCount },
    examples: [{ query: { minutes: 15 } }],
    async handle(engine, { caller, query }) {
      return ok(await engine.analytics.activity.recentCount(caller.project, query))
    },
  },
  {
    method: 'GET',
    path: '/activity/types',
    operation: 'listActivityTypes',
    summary: 'List the types of activity that occurred',
    description: 'For a choice in a form.',
    access: 'secret',
    gives: { 200: ActivityTypes },
    examples: [{}],
    async handle(engine, { caller }) {
      return ok({ types: await engine.analytics.activity.types(caller.project) })
    },
  },
  {
    method: 'GET',
    path: '/activity/upcoming',
    operation: 'listUpcomingActivity',
    summary: 'List what is scheduled',
    description: 'Scheduled campaigns and mails, and workflow steps that are waiting for a time.',
    access: 'secret',
    takes: { query: UpcomingQuery },
    gives: { 200: UpcomingActivities },
    examples: [{ query: { daysAhead: 7 } }],
    async handle(engine, { caller, query }) {
      return ok({ activities: await engine.analytics.activity.upcoming(caller.project, query) })
    },
  },
]

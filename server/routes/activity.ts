import { ActivityStatsQuery, ListActivity, RecentActivity, UpcomingQuery } from '../../core/activity/requests.ts'
import { type KeyRoute, ok } from '../route.ts'
import { ActivityList, ActivityTotals, ActivityTypes, RecentCount, UpcomingActivities } from '../schemas/activity.ts'
import { listOnWire } from '../wire.ts'

/** What happens in a project. */
export const activityRoutes: readonly KeyRoute[] = [
  {
    method: 'GET',
    path: '/activity',
    operation: 'listActivity',
    summary: 'List what happened to mails, contacts, campaigns and workflows, newest first',
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
      return ok(listOnWire(await engine.activity.list(caller.project, query), (activity) => activity))
    },
  },
  {
    method: 'GET',
    path: '/activity/stats',
    operation: 'getActivityStats',
    summary: 'How often what happened, in all or between two dates',
    access: 'secret',
    takes: { query: ActivityStatsQuery },
    gives: { 200: ActivityTotals },
    examples: [{ query: { startDate: '2026-01-01', timezone: 'Europe/Berlin' } }],
    async handle(engine, { caller, query }) {
      return ok(await engine.activity.stats(caller.project, query))
    },
  },
  {
    method: 'GET',
    path: '/activity/recent-count',
    operation: 'countRecentActivity',
    summary: 'How much happened in the last minutes',
    access: 'secret',
    takes: { query: RecentActivity },
    gives: { 200: RecentCount },
    examples: [{ query: { minutes: 15 } }],
    async handle(engine, { caller, query }) {
      return ok(await engine.activity.recentCount(caller.project, query))
    },
  },
  {
    method: 'GET',
    path: '/activity/types',
    operation: 'listActivityTypes',
    summary: 'The types of what has happened',
    access: 'secret',
    gives: { 200: ActivityTypes },
    examples: [{}],
    async handle(engine, { caller }) {
      return ok({ types: await engine.activity.types(caller.project) })
    },
  },
  {
    method: 'GET',
    path: '/activity/upcoming',
    operation: 'listUpcomingActivity',
    summary: 'List the campaigns, mails and steps of workflows that have a time ahead',
    access: 'secret',
    takes: { query: UpcomingQuery },
    gives: { 200: UpcomingActivities },
    examples: [{ query: { daysAhead: 7 } }],
    async handle(engine, { caller, query }) {
      return ok({ activities: await engine.activity.upcoming(caller.project, query) })
    },
  },
]

import { ChangeSeries, CreateSeries, ListSeries } from '../../core/campaigns/series/series-request.ts'
import { SeriesAnswer, SeriesPreview } from '../answers/campaign-series.ts'
import { numbered, numberedList } from '../answers/lists.ts'
import { created, type KeyRoute, noContent, ok } from '../http/route.ts'
import { EXAMPLE_IDS } from '../openapi/example-ids.ts'

/** Campaigns that are made again and again. */
export const campaignSeriesRoutes: readonly KeyRoute[] = [
  {
    method: 'GET',
    path: '/campaign-series',
    operation: 'listSeries',
    summary: 'List series of campaigns',
    description: 'Newest first, by page or by cursor.',
    access: 'secret',
    takes: { query: ListSeries },
    gives: { 200: numberedList('series', SeriesAnswer.schema) },
    examples: [{ query: { pageSize: 10 } }],
    async handle(engine, { caller, query }) {
      return ok(numbered('series', await engine.campaigns.series.list(caller.project, query), SeriesAnswer.of))
    },
  },
  {
    method: 'POST',
    path: '/campaign-series',
    operation: 'createSeries',
    summary: 'Create a series of campaigns',
    description:
      'Each issue is a copy of the campaign `campaignId`, made at the times of the `rhythm`. With a `feedUrl` it has what is new in that RSS or Atom feed, and there is no issue while nothing is new. The feed is read at once: what is in it already is not new. 422 when it cannot be read.',
    access: 'secret',
    body: 'json',
    takes: { body: CreateSeries },
    gives: { 201: SeriesAnswer.schema },
    examples: [
      {
        summary: 'Every Monday and Thursday',
        body: {
          name: 'Weekly',
          campaignId: EXAMPLE_IDS.campaign,
          rhythm: { every: 'week', days: ['mon', 'thu'], at: '09:00', timezone: 'Europe/Berlin' },
          sends: true,
        },
      },
    ],
    async handle(engine, { caller, body }) {
      return created(SeriesAnswer.of(await engine.campaigns.series.create(caller.project, body)))
    },
  },
  {
    method: 'GET',
    path: '/campaign-series/:id',
    operation: 'getSeries',
    summary: 'Get a series of campaigns',
    description:
      'Shows its rhythm, its next times, and what was wrong the last time. `GET /campaigns?seriesId=` lists its issues.',
    access: 'secret',
    gives: { 200: SeriesAnswer.schema },
    async handle(engine, request) {
      return ok(SeriesAnswer.of(await engine.campaigns.series.get(request.caller.project, request.param('id'))))
    },
  },
  {
    method: 'PATCH',
    path: '/campaign-series/:id',
    operation: 'changeSeries',
    summary: 'Change a series of campaigns',
    description:
      'Only the fields in the request change. Another feed is read at once, and what is in it already is not new.',
    access: 'secret',
    body: 'json',
    takes: { body: ChangeSeries },
    gives: { 200: SeriesAnswer.schema },
    examples: [{ body: { rhythm: { every: 'month', day: 'last', at: '18:30', timezone: 'Europe/Berlin' } } }],
    async handle(engine, request) {
      const { caller, body } = request
      return ok(SeriesAnswer.of(await engine.campaigns.series.change(caller.project, request.param('id'), body)))
    },
  },
  {
    method: 'DELETE',
    path: '/campaign-series/:id',
    operation: 'deleteSeries',
    summary: 'Delete a series of campaigns',
    description: 'Its issues stay, and so does the campaign that they are copies of.',
    access: 'secret',
    gives: { 204: null },
    async handle(engine, request) {
      await engine.campaigns.series.remove(request.caller.project, request.param('id'))
      return noContent
    },
  },
  {
    method: 'POST',
    path: '/campaign-series/:id/pause',
    operation: 'pauseSeries',
    summary: 'Pause a series of campaigns',
    description: 'No issue is made until it is resumed. Issues that are being sent are not affected.',
    access: 'secret',
    gives: { 200: SeriesAnswer.schema },
    async handle(engine, request) {
      return ok(SeriesAnswer.of(await engine.campaigns.series.pause(request.caller.project, request.param('id'))))
    },
  },
  {
    method: 'POST',
    path: '/campaign-series/:id/resume',
    operation: 'resumeSeries',
    summary: 'Resume a series of campaigns',
    description: 'The next issue is made at the next time of its rhythm. What its feed got meanwhile is in it.',
    access: 'secret',
    gives: { 200: SeriesAnswer.schema },
    async handle(engine, request) {
      return ok(SeriesAnswer.of(await engine.campaigns.series.resume(request.caller.project, request.param('id'))))
    },
  },
  {
    method: 'POST',
    path: '/campaign-series/:id/skip',
    operation: 'skipIssue',
    summary: 'Skip the next issue of a series',
    description: 'New items of its feed wait for the issue after that. 409 while the series is paused.',
    access: 'secret',
    gives: { 200: SeriesAnswer.schema },
    async handle(engine, request) {
      return ok(SeriesAnswer.of(await engine.campaigns.series.skip(request.caller.project, request.param('id'))))
    },
  },
  {
    method: 'POST',
    path: '/campaign-series/:id/preview',
    operation: 'previewSeries',
    audit: 'never',
    idempotent: 'ignored',
    summary: 'Preview the next issue of a series',
    description:
      'Reads its feed and shows the issue as it would be now, with the placeholders for recipients. While nothing is new it shows the newest items as a sample. Nothing is stored. 409 when the feed cannot be read.',
    access: 'secret',
    area: 'read',
    gives: { 200: SeriesPreview },
    async handle(engine, request) {
      return ok(await engine.campaigns.series.preview(request.caller.project, request.param('id')))
    },
  },
]

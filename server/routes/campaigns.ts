import { created, type KeyRoute, noContent, ok } from '../route.ts'
import {
  campaignInList,
  campaignOnWire,
  campaignStatsOnWire,
  listOnWire,
  numberedOnWire,
  recipientOnWire,
} from '../wire.ts'

/** One mail to many contacts. */
export const campaignRoutes: readonly KeyRoute[] = [
  {
    method: 'GET',
    path: '/campaigns',
    summary: 'List campaigns',
    access: 'secret',
    answers: [200],
    async handle(engine, { caller, query }) {
      return ok(numberedOnWire('campaigns', await engine.campaigns.list(caller.project, query), campaignInList))
    },
  },
  {
    method: 'POST',
    path: '/campaigns',
    summary: 'Make a campaign',
    access: 'secret',
    body: 'json',
    answers: [201],
    async handle(engine, { caller, body }) {
      return created({ success: true, data: campaignOnWire(await engine.campaigns.create(caller.project, body)) })
    },
  },
  {
    method: 'GET',
    path: '/campaigns/:id',
    summary: 'Get a campaign',
    access: 'secret',
    answers: [200],
    async handle(engine, request) {
      return ok(campaignOnWire(await engine.campaigns.get(request.caller.project, request.param('id'))))
    },
  },
  {
    method: 'PUT',
    path: '/campaigns/:id',
    summary: 'Change a campaign',
    access: 'secret',
    body: 'json',
    answers: [200],
    async handle(engine, request) {
      return ok(
        campaignOnWire(await engine.campaigns.change(request.caller.project, request.param('id'), request.body)),
      )
    },
  },
  {
    method: 'DELETE',
    path: '/campaigns/:id',
    summary: 'Delete a campaign; its mails stay on record',
    access: 'secret',
    answers: [204],
    async handle(engine, request) {
      await engine.campaigns.remove(request.caller.project, request.param('id'))
      return noContent
    },
  },
  {
    method: 'POST',
    path: '/campaigns/:id/duplicate',
    summary: 'Copy a campaign',
    access: 'secret',
    answers: [201],
    async handle(engine, request) {
      return created(campaignOnWire(await engine.campaigns.duplicate(request.caller.project, request.param('id'))))
    },
  },
  {
    method: 'POST',
    path: '/campaigns/:id/send',
    summary: 'Send a campaign now or at a set time',
    access: 'secret',
    body: 'json-or-nothing',
    answers: [200],
    async handle(engine, request) {
      const { caller, body, idempotencyKey } = request
      const { replayed } = await engine.campaigns.send(caller.project, request.param('id'), body, { idempotencyKey })
      return replayed ? { status: 200, headers: { 'idempotent-replayed': 'true' } } : { status: 200 }
    },
  },
  {
    method: 'POST',
    path: '/campaigns/:id/cancel',
    summary: 'End a campaign for good',
    access: 'secret',
    answers: [200],
    async handle(engine, request) {
      return ok(campaignOnWire(await engine.campaigns.cancel(request.caller.project, request.param('id'))))
    },
  },
  {
    method: 'POST',
    path: '/campaigns/:id/pause',
    summary: 'Hold a campaign that is being sent',
    access: 'secret',
    answers: [200],
    async handle(engine, request) {
      return ok(campaignOnWire(await engine.campaigns.pause(request.caller.project, request.param('id'))))
    },
  },
  {
    method: 'POST',
    path: '/campaigns/:id/resume',
    summary: 'Let a paused campaign go on',
    access: 'secret',
    answers: [200],
    async handle(engine, request) {
      return ok(campaignOnWire(await engine.campaigns.resume(request.caller.project, request.param('id'))))
    },
  },
  {
    method: 'POST',
    path: '/campaigns/:id/retry-failed',
    summary: 'Send again what failed',
    access: 'secret',
    answers: [200],
    async handle(engine, request) {
      return ok(await engine.campaigns.retryFailed(request.caller.project, request.param('id')))
    },
  },
  {
    method: 'POST',
    path: '/campaigns/:id/test',
    summary: 'Send a test to one address',
    access: 'secret',
    body: 'json',
    answers: [200],
    async handle(engine, request) {
      await engine.campaigns.test(request.caller.project, request.param('id'), request.body)
      return ok({ success: true })
    },
  },
  {
    method: 'POST',
    path: '/campaigns/:id/preview',
    summary: 'See who would get a campaign and what, sending nothing',
    access: 'secret',
    answers: [200],
    async handle(engine, request) {
      return ok(await engine.campaigns.preview(request.caller.project, request.param('id')))
    },
  },
  {
    method: 'GET',
    path: '/campaigns/:id/stats',
    summary: 'See what became of a campaign',
    access: 'secret',
    answers: [200],
    async handle(engine, request) {
      const stats = await engine.campaigns.stats(request.caller.project, request.param('id'), request.query)
      const figures = campaignStatsOnWire(stats)
      return ok({ success: true, ...figures, data: figures })
    },
  },
  {
    method: 'GET',
    path: '/campaigns/:id/recipients',
    summary: 'List the mails of a campaign',
    access: 'secret',
    answers: [200],
    async handle(engine, request) {
      const page = await engine.campaigns.recipients(request.caller.project, request.param('id'), request.query)
      return ok(listOnWire(page, recipientOnWire))
    },
  },
]

import { accepted, created, type KeyRoute, noContent, ok } from '../route.ts'
import { contactOnWire, segmentOnWire } from '../wire.ts'

/** How long a request waits for a compute, in milliseconds. */
const COMPUTE_WAIT_MS = 4000
const STILL_COMPUTING =
  'So far: the rest is being computed. Send the same request again to wait for it, or look at memberCount and computedAt of the segment.'

/** Segments: the named parts of a project's contacts. */
export const segmentRoutes: readonly KeyRoute[] = [
  {
    method: 'GET',
    path: '/segments',
    summary: 'List all segments',
    access: 'secret',
    answers: [200],
    async handle(engine, { caller }) {
      return ok((await engine.segments.list(caller.project)).map(segmentOnWire))
    },
  },
  {
    method: 'POST',
    path: '/segments',
    summary: 'Make a segment',
    access: 'secret',
    body: 'json',
    answers: [201],
    async handle(engine, { caller, body }) {
      return created(segmentOnWire(await engine.segments.create(caller.project, body)))
    },
  },
  {
    method: 'GET',
    path: '/segments/:id',
    summary: 'Get a segment',
    access: 'secret',
    answers: [200],
    async handle(engine, request) {
      return ok(segmentOnWire(await engine.segments.get(request.caller.project, request.param('id'))))
    },
  },
  {
    method: 'PATCH',
    path: '/segments/:id',
    summary: 'Change a segment',
    access: 'secret',
    body: 'json',
    answers: [200],
    async handle(engine, request) {
      return ok(segmentOnWire(await engine.segments.change(request.caller.project, request.param('id'), request.body)))
    },
  },
  {
    method: 'DELETE',
    path: '/segments/:id',
    summary: 'Delete a segment',
    access: 'secret',
    answers: [204],
    async handle(engine, request) {
      await engine.segments.remove(request.caller.project, request.param('id'))
      return noContent
    },
  },
  {
    method: 'GET',
    path: '/segments/:id/contacts',
    summary: 'List the contacts of a segment',
    access: 'secret',
    answers: [200],
    async handle(engine, request) {
      const { data, ...page } = await engine.segments.contacts(
        request.caller.project,
        request.param('id'),
        request.query,
      )
      return ok({ data: data.map(contactOnWire), ...page })
    },
  },
  {
    method: 'POST',
    path: '/segments/:id/members',
    summary: 'Make contacts members of a static segment',
    access: 'secret',
    body: 'json',
    answers: [200],
    async handle(engine, request) {
      return ok(await engine.segments.addMembers(request.caller.project, request.param('id'), request.body))
    },
  },
  {
    method: 'DELETE',
    path: '/segments/:id/members',
    summary: 'Take contacts out of a static segment',
    access: 'secret',
    body: 'json',
    answers: [200],
    async handle(engine, request) {
      return ok(await engine.segments.removeMembers(request.caller.project, request.param('id'), request.body))
    },
  },
  {
    method: 'POST',
    path: '/segments/:id/compute',
    summary: 'Bring the members of a tracked segment up to date',
    access: 'secret',
    answers: [200, 202],
    async handle(engine, request) {
      const id = request.param('id')
      const { isDone, ...computed } = await engine.segments.computeWithin(request.caller.project, id, COMPUTE_WAIT_MS)
      return isDone ? ok(computed) : accepted({ ...computed, message: STILL_COMPUTING })
    },
  },
  {
    method: 'POST',
    path: '/segments/:id/refresh',
    summary: 'Count the members of a segment',
    access: 'secret',
    answers: [200],
    async handle(engine, request) {
      return ok(await engine.segments.refresh(request.caller.project, request.param('id')))
    },
  },
]

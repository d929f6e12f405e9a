import { AddMembers, ChangeSegment, CreateSegment, ListMembers, RemoveMembers } from '../../core/segments/segment.ts'
import { accepted, created, type KeyRoute, noContent, ok } from '../route.ts'
import { many } from '../schemas/parts.ts'
import {
  AddedMembers,
  ComputedSegment,
  ComputingSegment,
  MemberCount,
  RemovedMembers,
  SegmentContacts,
  SegmentRecord,
} from '../schemas/segments.ts'
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
    operation: 'listSegments',
    summary: 'List all segments',
    access: 'secret',
    gives: { 200: many(SegmentRecord) },
    async handle(engine, { caller }) {
      return ok((await engine.segments.list(caller.project)).map(segmentOnWire))
    },
  },
  {
    method: 'POST',
    path: '/segments',
    operation: 'createSegment',
    summary: 'Make a segment',
    access: 'secret',
    body: 'json',
    takes: { body: CreateSegment },
    gives: { 201: SegmentRecord },
    examples: [
      {
        summary: 'Contacts that a filter finds',
        body: {
          name: 'Active on the pro plan',
          filters: {
            operator: 'AND',
            conditions: [
              { field: 'data.plan', operator: 'equals', value: 'pro' },
              { field: 'event.signed-up', operator: 'triggeredWithin', value: 30, unit: 'days' },
            ],
          },
          trackMembership: true,
        },
      },
      { summary: 'A list of contacts', body: { name: 'Beta testers', type: 'STATIC' } },
    ],
    async handle(engine, { caller, body }) {
      return created(segmentOnWire(await engine.segments.create(caller.project, body)))
    },
  },
  {
    method: 'GET',
    path: '/segments/:id',
    operation: 'getSegment',
    summary: 'Get a segment',
    access: 'secret',
    gives: { 200: SegmentRecord },
    async handle(engine, request) {
      return ok(segmentOnWire(await engine.segments.get(request.caller.project, request.param('id'))))
    },
  },
  {
    method: 'PATCH',
    path: '/segments/:id',
    operation: 'changeSegment',
    summary: 'Change a segment',
    access: 'secret',
    body: 'json',
    takes: { body: ChangeSegment },
    gives: { 200: SegmentRecord },
    examples: [{ body: { name: 'Renamed', description: null } }],
    async handle(engine, request) {
      return ok(segmentOnWire(await engine.segments.change(request.caller.project, request.param('id'), request.body)))
    },
  },
  {
    method: 'DELETE',
    path: '/segments/:id',
    operation: 'deleteSegment',
    summary: 'Delete a segment',
    access: 'secret',
    gives: { 204: null },
    async handle(engine, request) {
      await engine.segments.remove(request.caller.project, request.param('id'))
      return noContent
    },
  },
  {
    method: 'GET',
    path: '/segments/:id/contacts',
    operation: 'listSegmentContacts',
    summary: 'List the contacts of a segment',
    access: 'secret',
    takes: { query: ListMembers },
    gives: { 200: SegmentContacts },
    examples: [{ query: { page: 1, pageSize: 50 } }],
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
    operation: 'addSegmentMembers',
    audit: 'people',
    summary: 'Make contacts members of a static segment',
    access: 'secret',
    body: 'json',
    takes: { body: AddMembers },
    gives: { 200: AddedMembers },
    examples: [{ body: { emails: ['ada@example.org'], createMissing: true } }],
    async handle(engine, request) {
      return ok(await engine.segments.addMembers(request.caller.project, request.param('id'), request.body))
    },
  },
  {
    method: 'DELETE',
    path: '/segments/:id/members',
    operation: 'removeSegmentMembers',
    audit: 'people',
    summary: 'Take contacts out of a static segment',
    access: 'secret',
    body: 'json',
    takes: { body: RemoveMembers },
    gives: { 200: RemovedMembers },
    examples: [{ body: { emails: ['ada@example.org'] } }],
    async handle(engine, request) {
      return ok(await engine.segments.removeMembers(request.caller.project, request.param('id'), request.body))
    },
  },
  {
    method: 'POST',
    path: '/segments/:id/compute',
    operation: 'computeSegment',
    summary: 'Bring the members of a tracked segment up to date',
    access: 'secret',
    gives: { 200: ComputedSegment, 202: ComputingSegment },
    async handle(engine, request) {
      const id = request.param('id')
      const { isDone, ...computed } = await engine.segments.computeWithin(request.caller.project, id, COMPUTE_WAIT_MS)
      return isDone ? ok(computed) : accepted({ ...computed, message: STILL_COMPUTING })
    },
  },
  {
    method: 'POST',
    path: '/segments/:id/refresh',
    operation: 'refreshSegment',
    summary: 'Count the members of a segment',
    access: 'secret',
    gives: { 200: MemberCount },
    async handle(engine, request) {
      return ok(await engine.segments.refresh(request.caller.project, request.param('id')))
    },
  },
]

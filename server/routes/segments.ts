import { AddMembers, ChangeSegment, CreateSegment, ListMembers, RemoveMembers } from '../../core/segments/segment.ts'
import { ContactAnswer } from '../answers/contacts.ts'
import { many } from '../answers/parts.ts'
import {
  AddedMembers,
  ComputedSegment,
  ComputingSegment,
  MemberCount,
  RemovedMembers,
  SegmentAnswer,
  SegmentContacts,
} from '../answers/segments.ts'
import { accepted, created, type KeyRoute, noContent, ok, versioned } from '../http/route.ts'
import { EXAMPLE_IDS } from '../openapi/example-ids.ts'

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
    description: 'Newest first. A project has few, so there are no pages.',
    access: 'secret',
    gives: { 200: many(SegmentAnswer.schema) },
    async handle(engine, { caller }) {
      return ok((await engine.segments.list(caller.project)).map(SegmentAnswer.of))
    },
  },
  {
    method: 'POST',
    path: '/segments',
    operation: 'createSegment',
    summary: 'Create a segment',
    description: 'With a filter, or with `type: STATIC` as a list of contacts that you add.',
    access: 'secret',
    body: 'json',
    takes: { body: CreateSegment },
    gives: { 201: SegmentAnswer.schema },
    examples: [
      {
        summary: 'Contacts that match a filter',
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
      return created(SegmentAnswer.of(await engine.segments.create(caller.project, body)))
    },
  },
  {
    method: 'GET',
    path: '/segments/:id',
    operation: 'getSegment',
    summary: 'Get a segment',
    description: 'Shows its filter, and how many members it had when they were last counted.',
    access: 'secret',
    gives: { 200: SegmentAnswer.schema },
    async handle(engine, request) {
      return versioned(SegmentAnswer.of(await engine.segments.get(request.caller.project, request.param('id'))))
    },
  },
  {
    method: 'PATCH',
    path: '/segments/:id',
    operation: 'changeSegment',
    summary: 'Change a segment',
    description:
      'Only the fields in the request change. The type cannot be changed. Another name is refused with 409 while a workflow or a webhook awaits its events, unless `rename` is true.',
    access: 'secret',
    body: 'json',
    takes: { body: ChangeSegment },
    gives: { 200: SegmentAnswer.schema },
    examples: [{ body: { name: 'Renamed', description: null } }],
    async handle(engine, request) {
      return versioned(
        SegmentAnswer.of(await engine.segments.change(request.caller.project, request.param('id'), request.body)),
      )
    },
  },
  {
    method: 'DELETE',
    path: '/segments/:id',
    operation: 'deleteSegment',
    summary: 'Delete a segment',
    description: 'The contacts stay. 409 while a campaign that is not over, a workflow or another segment uses it.',
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
    description: 'By page or by cursor, newest first. The filter of a dynamic segment is evaluated each time.',
    access: 'secret',
    takes: { query: ListMembers },
    gives: { 200: SegmentContacts },
    examples: [{ query: { page: 1, pageSize: 50 } }],
    async handle(engine, request) {
      const {
        data,
        cursor = null,
        ...page
      } = await engine.segments.contacts(request.caller.project, request.param('id'), request.query)
      return ok({ data: data.map(ContactAnswer.of), ...page, cursor, hasMore: cursor !== null })
    },
  },
  {
    method: 'POST',
    path: '/segments/:id/members',
    operation: 'addSegmentMembers',
    audit: 'people',
    summary: 'Add contacts to a static segment',
    description:
      'Up to 1,000 by address or by id. `createMissing` creates contacts for unknown addresses; otherwise they are listed in `notFound`. 400 for a dynamic segment.',
    access: 'secret',
    body: 'json',
    takes: { body: AddMembers },
    gives: { 200: AddedMembers },
    examples: [
      { summary: 'By address', body: { emails: ['ada@example.org'], createMissing: true } },
      { summary: 'By id', body: { contactIds: [EXAMPLE_IDS.contact] } },
    ],
    async handle(engine, request) {
      return ok(await engine.segments.addMembers(request.caller.project, request.param('id'), request.body))
    },
  },
  {
    method: 'DELETE',
    path: '/segments/:id/members',
    operation: 'removeSegmentMembers',
    audit: 'people',
    summary: 'Remove contacts from a static segment',
    description: 'Up to 1,000 by address or by id. The contacts stay. 400 for a dynamic segment.',
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
    summary: 'Update the members of a tracked segment',
    description:
      'Records which contacts entered and left, with an event each. Returns 202 if it takes longer than four seconds; repeating the request then waits for the rest.',
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
    description: 'Counts them now, and stores the number as `memberCount`.',
    access: 'secret',
    gives: { 200: MemberCount },
    async handle(engine, request) {
      return ok(await engine.segments.refresh(request.caller.project, request.param('id')))
    },
  },
]

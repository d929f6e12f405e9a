import type { SegmentData } from '../events/engine-events.ts'
import type { EventRecord } from '../ports/store/events.ts'
import type { SegmentMembership } from '../ports/store/memberships.ts'
import type { Segment } from '../ports/store/segments.ts'
import { segmentEvent } from '../values/event-names.ts'
import { type NewId, stamp } from '../values/id.ts'

/** Entering or leaving a segment. */
export type MembershipChange = 'enter' | 'leave'

/** The memberships of new members. */
export function newMemberships(
  newId: NewId,
  segment: Segment,
  contactIds: readonly string[],
  now: Date,
): readonly SegmentMembership[] {
  const { id: segmentId, projectId } = segment
  return contactIds.map((contactId) => ({ id: newId(), projectId, segmentId, contactId, enteredAt: now }))
}

/** The name of the event for an entry into or an exit from a segment. */
export function membershipEvent(slug: string, change: MembershipChange): string {
  return segmentEvent(slug, change === 'enter' ? 'entry' : 'exit')
}

/** The events of contacts that entered or left; a segment that is not tracked has none. */
export function membershipEvents(
  newId: NewId,
  segment: Segment,
  change: MembershipChange,
  contactIds: readonly string[],
): readonly EventRecord[] {
  const { id, projectId, name: segmentName, slug, trackMembership } = segment
  if (!trackMembership) return []
  const name = membershipEvent(slug, change)
  const data = { segmentId: id, segmentName } satisfies SegmentData
  return contactIds.map((contactId) => ({ ...stamp(newId), projectId, name, contactId, data }))
}

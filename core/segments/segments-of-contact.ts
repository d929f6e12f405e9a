import { EngineError } from '../errors.ts'
import type { Filters } from '../filters/filters.ts'
import type { Kit } from '../kit.ts'
import type { Project } from '../ports/store/projects.ts'
import type { Segment } from '../ports/store/segments.ts'
import type { Store } from '../ports/store/store.ts'
import { isId } from '../values/id.ts'
import { shownId } from '../values/shown-id.ts'

/** The segments a contact is in, in the order of the list of segments. */
export interface ContactSegments {
  /** `since` is known where memberships are recorded. */
  readonly members: readonly { readonly segment: Segment; readonly since?: Date }[]
  /** Segments whose filter was not evaluated: it cannot be, or there are too many. */
  readonly unchecked: readonly Segment[]
}

/** How many filters are evaluated for one answer, and for how long. */
export const MAX_EVALUATED = 100
const EVALUATE_MS = 2000

/**
 * Recorded memberships count for static segments and for tracked ones that have been computed; the filter of any other
 * is evaluated for this contact. Throws EngineError `CONTACT_NOT_FOUND`.
 */
export async function segmentsOfContact(
  { store, filters, kit }: { readonly store: Store; readonly filters: Filters; readonly kit: Kit },
  project: Project,
  contactId: string,
): Promise<ContactSegments> {
  if (!isId(contactId) || !(await store.contacts.find(project.id, contactId))) {
    throw new EngineError('CONTACT_NOT_FOUND', `There is no contact ${shownId(contactId)}.`)
  }
  const segments = await store.segments.all(project.id)
  const recorded = segments.filter(isRecorded).map(({ id }) => id)
  const stays = await store.memberships.current(project.id, contactId, recorded)
  const since = new Map(stays.map(({ segmentId, enteredAt }) => [segmentId, enteredAt]))
  const members: { readonly segment: Segment; readonly since?: Date }[] = []
  const unchecked: Segment[] = []
  const end = kit.now().getTime() + EVALUATE_MS
  let evaluated = 0
  for (const segment of segments) {
    const entered = since.get(segment.id)
    if (entered) members.push({ segment, since: entered })
    if (isRecorded(segment)) continue
    const isIn = ++evaluated > MAX_EVALUATED || kit.now().getTime() > end ? undefined : await isMember(segment)
    if (isIn) members.push({ segment })
    if (isIn === undefined) unchecked.push(segment)
  }
  return { members, unchecked }

  /** Undefined when its filter cannot be evaluated. */
  async function isMember({ filter }: Segment): Promise<boolean | undefined> {
    if (!filter) return false
    try {
      const audience = await filters.audience(project, filter)
      return (await store.contacts.among(project.id, [contactId], audience)).has(contactId)
    } catch (error) {
      if (EngineError.is(error) && (error.kind === 'invalid' || error.code === 'SERVICE_UNAVAILABLE')) return undefined
      throw error
    }
  }
}

function isRecorded({ type, trackMembership, computedAt }: Segment): boolean {
  return type === 'STATIC' || (trackMembership && computedAt !== undefined)
}

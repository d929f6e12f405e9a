import { readData } from '../contacts/contact.ts'
import { saveContacts } from '../contacts/save-contacts.ts'
import { type UpsertedContact, upsertContact } from '../contacts/upsert-contact.ts'
import { EngineError } from '../errors.ts'
import type { Kit } from '../kit.ts'
import type { Contact } from '../ports/store/contacts.ts'
import type { Project } from '../ports/store/projects.ts'
import type { Segment } from '../ports/store/segments.ts'
import type { Repositories, Store } from '../ports/store/store.ts'
import { Conflict, retryConflicts } from '../values/conflict.ts'
import { isId } from '../values/id.ts'
import type { ProjectId } from '../values/project-id.ts'
import { membershipEvents, newMemberships } from './membership.ts'
import { missingSegment } from './segment.ts'

/** The tools that changing members needs. */
export interface MembershipContext {
  readonly store: Store
  readonly kit: Kit
}

/** Contacts by address or by id. */
export type Named = { readonly emails: readonly string[] } | { readonly contactIds: readonly string[] }

/** The contacts to become members. */
export type Wanted = Named & {
  /** Whether unknown addresses become contacts, and whether those are subscribed. */
  readonly createMissing?: boolean
  readonly subscribed?: boolean
}

export interface Added {
  /** How many became members. */
  readonly added: number
  /** The ids of these. */
  readonly addedIds: readonly string[]
  /** How many were members before. */
  readonly alreadyMembers: number
  /** How many contacts were created. */
  readonly created: number
  /** The addresses and ids without a contact. */
  readonly notFound: readonly string[]
}

export interface Removed {
  /** How many are members no more. */
  readonly removed: number
  /** The ids of these. */
  readonly removedIds: readonly string[]
}

/** How often a request is tried when others create contacts for the same addresses. */
const MAX_TRIES = 10

/**
 * Makes contacts members of a static segment; existing members are unchanged. Throws EngineError `SEGMENT_NOT_FOUND`,
 * `BAD_REQUEST` when it is not static.
 */
export async function addMembers(
  context: MembershipContext,
  project: Project,
  id: string,
  wanted: Wanted,
): Promise<Added> {
  const once = () => context.store.transaction((tx) => add(tx, context.kit, project, id, wanted))
  try {
    return await retryConflicts(MAX_TRIES, once)
  } catch (error) {
    if (!Conflict.is(error, 'again')) throw error
    throw new EngineError('SERVICE_UNAVAILABLE', 'Other requests are creating contacts with the same addresses.', {
      retryAfter: 1,
    })
  }
}

/** Ends memberships in a static segment. Throws as `addMembers` does. */
export function removeMembers(
  { store, kit }: MembershipContext,
  projectId: ProjectId,
  id: string,
  named: Named,
): Promise<Removed> {
  return store.transaction(async (tx) => {
    const segment = staticOnly((await tx.segments.lock(projectId, id)) ?? missingSegment(id))
    const contacts = eachOnce(await lock(tx, projectId, named))
    const now = kit.now()
    const left = await tx.memberships.leave(projectId, id, contacts.map(idOf), now)
    await tx.events.record(membershipEvents(kit.newId, segment, 'leave', left))
    return { removed: left.length, removedIds: left }
  })
}

async function add(
  tx: Repositories,
  kit: Kit,
  project: Project,
  id: string,
  { createMissing = false, subscribed = true, ...named }: Wanted,
): Promise<Added> {
  const projectId = project.id
  const segment = staticOnly((await tx.segments.lock(projectId, id)) ?? missingSegment(id))
  const found = await lock(tx, projectId, named)
  const known = eachOnce(found)
  const asked = 'emails' in named ? named.emails : named.contactIds
  const unknown = [...new Set(asked)].filter((each) => !found.has(each))
  const now = kit.now()
  const upserts = createMissing ? unknown.map((email) => newContact(kit, project, email, subscribed, now)) : []
  const made = upserts.map(({ contact }) => contact)
  await saveContacts(tx, made)
  await tx.events.record(upserts.flatMap(({ events }) => events))
  const entered = await tx.memberships.enter(newMemberships(kit.newId, segment, [...known, ...made].map(idOf), now))
  await tx.events.record(membershipEvents(kit.newId, segment, 'enter', entered))
  return {
    added: entered.length,
    addedIds: entered,
    alreadyMembers: known.length + made.length - entered.length,
    created: made.length,
    notFound: createMissing ? [] : unknown,
  }
}

/** The contacts by what they are named by. */
async function lock(tx: Repositories, projectId: ProjectId, named: Named): Promise<ReadonlyMap<string, Contact>> {
  if ('emails' in named) return tx.contacts.lockByAddress(projectId, named.emails)
  const ids = named.contactIds.filter(isId)
  const found = ids.length === 0 ? [] : await tx.contacts.lockById(projectId, [...new Set(ids)])
  return new Map(found.map((contact) => [contact.id, contact]))
}

/** Two addresses may stand for one contact. */
function eachOnce(found: ReadonlyMap<string, Contact>): readonly Contact[] {
  return [...new Map([...found.values()].map((contact) => [contact.id, contact])).values()]
}

function newContact(kit: Kit, project: Project, email: string, subscribed: boolean, now: Date): UpsertedContact {
  const { id: projectId, trackingConsent: trackingWhenNew } = project
  const asked = { projectId, email, change: readData(undefined), subscribed, subscribedWhenNew: true, trackingWhenNew }
  const wanted = { ...asked, reason: 'api', source: 'segment' } as const
  return upsertContact(undefined, wanted, kit.newId, now)
}

function staticOnly(segment: Segment): Segment {
  if (segment.type === 'STATIC') return segment
  throw new EngineError(
    'BAD_REQUEST',
    `The segment "${segment.name}" is DYNAMIC: its filter says who its members are.`,
    {
      suggestion: 'Change its filters, or make a segment of type STATIC.',
    },
  )
}

function idOf({ id }: Contact): string {
  return id
}

import { inject, injectable } from '../di.ts'
import { EngineError } from '../errors.ts'
import { Filters } from '../filters/filters.ts'
import { mentionsOf } from '../filters/mentions.ts'
import { Kit } from '../kit.ts'
import type { Contact } from '../ports/store/contacts.ts'
import type { Filter } from '../ports/store/filters.ts'
import type { Project } from '../ports/store/projects.ts'
import type { Segment } from '../ports/store/segments.ts'
import { type Repositories, Store } from '../ports/store/store.ts'
import { requireEnabled } from '../projects/project.ts'
import { References, refuseUnlessFollowed, refuseWhileUsed } from '../references/references.ts'
import { isId } from '../values/id.ts'
import type { UntrustedInput } from '../values/input.ts'
import { numberedPage } from '../values/page.ts'
import { parse, refused } from '../values/parse.ts'
import { nextVersion } from '../values/record-version.ts'
import { slugOf } from '../values/slug.ts'
import { yieldToLoop } from '../values/yield-to-loop.ts'
import { type Added, addMembers, type Removed, removeMembers } from './change-members.ts'
import { FILTER_EDITION, logChangedMeanings } from './changed-meaning.ts'
import { changedSegment } from './changed-segment.ts'
import { type Computed, ComputeSegments } from './compute-segments.ts'
import { type ComputeProgress, LongComputes } from './long-computes.ts'
import { membershipEvent } from './membership.ts'
import { checkMentionedSegments } from './mentioned-segments.ts'
import { newFilterProblems, readFilterOf } from './read-filter.ts'
import type {
  AddMembersInput,
  ChangeSegmentInput,
  CreateSegmentInput,
  ListMembersInput,
  RemoveMembersInput,
} from './segment.ts'
import {
  AddMembersByAddress,
  ChangeSegment,
  CreateSegment,
  isById,
  ListMembers,
  MembersById,
  missingSegment,
  RemoveMembersByAddress,
} from './segment.ts'
import { type ContactSegments, segmentsOfContact } from './segments-of-contact.ts'

/** A numbered page of a segment's contacts, newest first. */
export interface MemberPage {
  /** The contacts of this page. */
  readonly data: readonly Contact[]
  /** How many members there are in all. */
  readonly total: number
  /** The number of this page, from 1. */
  readonly page: number
  /** How many contacts a page has at most. */
  readonly pageSize: number
  /** How many pages there are. */
  readonly totalPages: number
  /** Leads to the next page, also while contacts come and go; undefined on the last. */
  readonly cursor: string | undefined
}

/** How many memberships of a removed segment one transaction deletes. */
const DELETED_AT_ONCE = 500

/** The segments of a project: filters with a name, and lists of contacts. */
@injectable()
export class Segments {
  readonly #computes: LongComputes

  constructor(
    @inject(Store) private readonly store: Store,
    @inject(Filters) private readonly filters: Filters,
    @inject(References) private readonly references: References,
    @inject(ComputeSegments) private readonly accounts: ComputeSegments,
    @inject(Kit) private readonly kit: Kit,
  ) {
    this.#computes = new LongComputes(accounts, store, kit)
  }

  /** At start: logs the segments whose filters mean something else since they were written. */
  logChangedMeanings(): Promise<void> {
    return logChangedMeanings(this.store.segments, this.kit.log)
  }

  /** Stops running computations between two batches; the schedule continues them after the next start. */
  endComputing(): Promise<void> {
    return this.#computes.end()
  }

  /** Every segment, newest first. */
  async list(project: Project): Promise<readonly Segment[]> {
    return this.#counted(project, await this.store.segments.all(project.id))
  }

  /** The segment. Throws EngineError `SEGMENT_NOT_FOUND`. */
  async get(project: Project, id: string): Promise<Segment> {
    const [segment] = await this.#counted(project, [await this.#find(project, id)])
    return segment ?? missingSegment(id)
  }

  /**
   * Creates a segment and counts its members. Throws EngineError `VALIDATION_ERROR`, `CONFLICT` when another segment
   * has that name or its slug, `PROJECT_DISABLED`.
   */
  async create(project: Project, input: CreateSegmentInput | UntrustedInput): Promise<Segment> {
    requireEnabled(project)
    const { name, description, type, trackMembership, ...given } = parse(CreateSegment, input, newFilterProblems)
    const id = this.kit.newId()
    const written = await readFilterOf(this.filters, project, { id, type }, given)
    const filter = written?.filter
    const memberCount = filter ? await this.#matching(project, filter) : 0
    const now = this.kit.now()
    const segment: Segment = {
      id,
      projectId: project.id,
      name,
      slug: slugOf(name),
      type,
      trackMembership,
      version: 1,
      memberCount,
      countedAt: now,
      ...(description == null ? {} : { description }),
      ...(written ? { ...written, filterEdition: FILTER_EDITION, begunAt: now } : {}),
      createdAt: now,
      updatedAt: now,
    }
    await this.store.transaction(async (tx) => {
      if (filter && namesOthers(filter)) {
        checkMentionedSegments(await tx.segments.lockAll(project.id), filter, id, 'filters')
      }
      if ((await tx.segments.insert(segment)) === 'slug-taken') nameTaken(segment)
    })
    return segment
  }

  /**
   * Changes the given fields; the slug follows the name, the type stays. A new filter is counted at once and computed
   * anew; members recorded while tracking was on stay as they were. Throws as `create` and `get` do, and `CONFLICT` for
   * a new slug while something refers to events with the old one, unless `rename` says to change it there, too.
   */
  async change(project: Project, id: string, input: ChangeSegmentInput | UntrustedInput): Promise<Segment> {
    requireEnabled(project)
    const { type, rename, version: seen, ...wanted } = parse(ChangeSegment, input)
    const known = await this.#find(project, id)
    if (type !== undefined && type !== known.type) {
      throw refused([{ field: 'type', code: 'custom', message: `cannot be changed; it is ${known.type}` }])
    }
    const written = await readFilterOf(this.filters, project, known, wanted)
    const filter = written?.filter
    const counted = written && { ...written, memberCount: await this.#matching(project, written.filter) }
    const changed = await this.store.transaction(async (tx) => {
      const before = (await this.#hold(tx, project, id, filter)) ?? missingSegment(id)
      const version = nextVersion('segment', before, seen)
      const segment = { ...changedSegment(before, { ...wanted, filter: counted }, this.kit.now()), version }
      if (segment.slug !== before.slug) await this.#follow(project, before, { to: segment.slug, rename, tx })
      const outcome = await tx.segments.update(segment)
      if (outcome === 'slug-taken') return nameTaken(segment)
      return segment
    })
    const [segment = changed] = await this.#counted(project, [changed])
    return segment
  }

  /**
   * Removes the segment and its memberships, but no events. Throws EngineError `SEGMENT_NOT_FOUND`, `CONFLICT` while
   * another segment's filter, a campaign that is not over or a workflow needs it, `PROJECT_DISABLED`.
   */
  async remove(project: Project, id: string): Promise<void> {
    requireEnabled(project)
    await this.store.transaction(async (tx) => {
      const all = await tx.segments.lockAll(project.id)
      const segment = all.find((each) => each.id === id) ?? missingSegment(id)
      const uses = await this.references.segment(project, id, tx)
      refuseWhileUsed(`The segment "${segment.name}"`, uses)
      await tx.segments.remove(project.id, id)
    })
    // they are no longer visible, and what a crash leaves does no harm
    for (let last = await this.#forget(project, id); last !== undefined; last = await this.#forget(project, id, last)) {
      await yieldToLoop()
    }
  }

  #forget(project: Project, id: string, after?: string): Promise<string | undefined> {
    return this.store.memberships.forget(project.id, id, DELETED_AT_ONCE, after)
  }

  /** The current members, newest first. Throws EngineError `SEGMENT_NOT_FOUND`, `VALIDATION_ERROR`. */
  async contacts(project: Project, id: string, query: ListMembersInput | UntrustedInput = {}): Promise<MemberPage> {
    const asked = parse(ListMembers, query)
    const segment = await this.#find(project, id)
    const audience = segment.filter
      ? await this.filters.audience(project, segment.filter)
      : ({ kind: 'member', segmentId: id } as const)
    const { contacts } = this.store
    const { items, ...page } = await numberedPage(
      { projectId: project.id, name: `members:${id}` },
      asked,
      (request) => contacts.page(project.id, { audience }, { sort: 'createdAt', dir: 'desc' }, request),
      () => (segment.filter ? contacts.count(project.id, { audience }) : this.#members(project, id)),
    )
    return { data: items, ...page }
  }

  /**
   * Makes contacts members of a static segment, by address or by id. Throws EngineError `VALIDATION_ERROR`, `SEGMENT_NOT_FOUND`,
   * `BAD_REQUEST` when it is dynamic, `PROJECT_DISABLED`.
   */
  async addMembers(project: Project, id: string, input: AddMembersInput | UntrustedInput): Promise<Added> {
    requireEnabled(project)
    const wanted = isById(input) ? parse(MembersById, input) : parse(AddMembersByAddress, input)
    return addMembers(this.#membershipContext(), project, knownId(id), wanted)
  }

  /** Ends memberships in a static segment, by address or by id. Throws as `addMembers` does. */
  async removeMembers(project: Project, id: string, input: RemoveMembersInput | UntrustedInput): Promise<Removed> {
    requireEnabled(project)
    const named = isById(input) ? parse(MembersById, input) : parse(RemoveMembersByAddress, input)
    return removeMembers(this.#membershipContext(), project.id, knownId(id), named)
  }

  /**
   * Updates the members of a tracked dynamic segment, with events of entry and exit. Throws as
   * `ComputeSegments.compute` does.
   */
  async compute(project: Project, id: string): Promise<Computed> {
    requireEnabled(project)
    return this.accounts.compute(project, knownId(id))
  }

  /**
   * The same for callers that cannot wait longer than `waitMs` milliseconds: a longer computation continues in the
   * background, and the answer shows its progress.
   */
  async computeWithin(project: Project, id: string, waitMs: number): Promise<ComputeProgress> {
    requireEnabled(project)
    return this.#computes.compute(project, knownId(id), waitMs)
  }

  /** Counts the members; makes no events or memberships. Throws EngineError `SEGMENT_NOT_FOUND`, `PROJECT_DISABLED`. */
  async refresh(project: Project, id: string): Promise<{ readonly memberCount: number }> {
    requireEnabled(project)
    const segment = await this.#find(project, id)
    const count = segment.filter ? this.accounts.count(project, segment) : this.#members(project, id)
    return { memberCount: await count }
  }

  /** The segments that the contact is in. Throws EngineError `CONTACT_NOT_FOUND`. */
  ofContact(project: Project, contactId: string): Promise<ContactSegments> {
    return segmentsOfContact({ store: this.store, filters: this.filters, kit: this.kit }, project, contactId)
  }

  /** Changes the names of the segment's events wherever they are awaited, if that is wanted. */
  async #follow(
    project: Project,
    { slug }: Segment,
    { to, rename, tx }: { readonly to: string; readonly rename: boolean | undefined; readonly tx: Repositories },
  ): Promise<void> {
    for (const way of ['enter', 'leave'] as const) {
      const event = { kind: 'event', from: membershipEvent(slug, way), to: membershipEvent(to, way) } as const
      const found = await this.references.renaming(project, event, tx, this.kit.now())
      refuseUnlessFollowed(`With another name the segment has other events, and ${event.from}`, found, rename)
      await found.write()
    }
  }

  #membershipContext() {
    return { store: this.store, kit: this.kit }
  }

  async #find(project: Project, id: string): Promise<Segment> {
    return (await this.store.segments.find(project.id, knownId(id))) ?? missingSegment(id)
  }

  async #hold(tx: Repositories, project: Project, id: string, filter: Filter | undefined) {
    if (filter === undefined || !namesOthers(filter)) return tx.segments.lock(project.id, id)
    const all = await tx.segments.lockAll(project.id)
    checkMentionedSegments(all, filter, id, 'filters')
    return all.find((segment) => segment.id === id)
  }

  async #matching(project: Project, filter: Filter): Promise<number> {
    const audience = await this.filters.audience(project, filter)
    return this.store.contacts.count(project.id, { audience })
  }

  async #members(project: Project, id: string): Promise<number> {
    return (await this.store.memberships.count(project.id, [id])).get(id) ?? 0
  }

  /** Counts static segments on read, so that a deleted contact leaves no wrong number. */
  async #counted(project: Project, segments: readonly Segment[]): Promise<readonly Segment[]> {
    const lists = segments.filter(({ type }) => type === 'STATIC').map(({ id }) => id)
    if (lists.length === 0) return segments
    const countedAt = this.kit.now()
    const counts = await this.store.memberships.count(project.id, lists)
    return segments.map((segment) =>
      segment.type === 'STATIC' ? { ...segment, memberCount: counts.get(segment.id) ?? 0, countedAt } : segment,
    )
  }
}

function knownId(id: string): string {
  return isId(id) ? id : missingSegment(id)
}

function namesOthers(filter: Filter): boolean {
  return mentionsOf(filter).segments.size > 0
}

function nameTaken({ name, slug }: Segment): never {
  const message = `Another segment of this project already has a name that is "${slug}" in the names of events.`
  throw new EngineError('CONFLICT', message, {
    fields: [{ field: 'name', code: 'custom', message: `"${name}" is too much like the name of another segment` }],
  })
}

/** The classes of this room that the container makes besides its doors. */
export const SEGMENTS = {
  computeSegments: ComputeSegments,
}

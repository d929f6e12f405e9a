import { inject, injectable } from '../di.ts'
import { EngineError } from '../errors.ts'
import { Filters } from '../filters/filters.ts'
import { conditionsOf } from '../filters/mentions.ts'
import { isSteadyCondition } from '../filters/operators.ts'
import { subjectOf } from '../filters/subject.ts'
import { Kit } from '../kit.ts'
import type { Audience } from '../ports/store/audiences.ts'
import type { Begun } from '../ports/store/begun-work.ts'
import type { Filter } from '../ports/store/filters.ts'
import type { Project } from '../ports/store/projects.ts'
import type { Segment } from '../ports/store/segments.ts'
import { type Repositories, Store } from '../ports/store/store.ts'
import { TOPICS } from '../work/doorbell.ts'
import { BEGUN_LEASE_MS, seeThrough } from '../work/interrupted.ts'
import type { Claimed, ClaimRequest, Work } from '../work/work.ts'
import { type MembershipChange, membershipEvents, newMemberships } from './membership.ts'
import { sameFilter } from './same-filter.ts'
import { missingSegment } from './segment.ts'

/** How many contacts one query finds, and how many one transaction writes. */
const FOUND_AT_ONCE = 5_000
const WRITTEN_AT_ONCE = 500
/** How often members of tracked dynamic segments are computed, and those of others counted. */
const EVERY_MS = 5 * 60_000
/** How many segments are computed at once in this process. */
const AT_ONCE = 4

/** How many members entered and left, and how many there are now. */
export interface Computed {
  readonly added: number
  readonly removed: number
  readonly total: number
}

/** How many became members, and how many ceased to be. */
export type Moved = Record<MembershipChange, number>

/**
 * Computes the members of dynamic segments. Members are recorded together with their events of entry or exit, some
 * hundreds per transaction under a lock on the segment, and only if no other process has done so: a concurrent computation,
 * or one cut off by a crash, makes no event twice.
 */
@injectable()
export class ComputeSegments implements Work {
  readonly topic = TOPICS.segments
  readonly lane = 'workflow'
  readonly atOnce = AT_ONCE
  readonly leaseMs = BEGUN_LEASE_MS

  constructor(
    @inject(Store) private readonly store: Store,
    @inject(Filters) private readonly filters: Filters,
    @inject(Kit) private readonly kit: Kit,
  ) {}

  /**
   * Updates the members of a tracked dynamic segment. Throws EngineError `SEGMENT_NOT_FOUND`, `BAD_REQUEST` when it is
   * none, `VALIDATION_ERROR` when its filter is no longer valid; rejects when the signal is aborted. `moved` counts up
   * meanwhile.
   */
  async compute(
    project: Project,
    id: string,
    signal?: AbortSignal,
    moved: Moved = { enter: 0, leave: 0 },
  ): Promise<Computed> {
    for (;;) {
      const segment = (await this.store.segments.find(project.id, id)) ?? missingSegment(id)
      const total = await this.#account(project, tracked(segment), moved, signal)
      // undefined: the segment was changed meanwhile, so start over
      if (total !== undefined) return { added: moved.enter, removed: moved.leave, total }
    }
  }

  /** Counts the members of a dynamic segment and stores the number; nothing else. Throws as `compute` does. */
  async count(project: Project, segment: Segment): Promise<number> {
    const now = this.kit.now()
    const audience = await this.filters.audience(project, filterOf(segment))
    const memberCount = await this.store.contacts.count(project.id, { audience })
    await this.store.transaction(async (tx) => {
      const held = await tx.segments.lock(project.id, segment.id)
      if (held && sameFilter(held.filter, segment.filter))
        await tx.segments.update({ ...withoutProblem(held), memberCount, countedAt: now })
    })
    return memberCount
  }

  /** Begins to compute or count segments that are due, and those that a process has left behind. */
  async claim({ now, lease, room, ends }: ClaimRequest): Promise<Claimed | undefined> {
    const left = await this.store.begunWork.begin('segment', [], now, lease)
    const ids = lease.alone ? [] : await this.store.segments.due(this.#dueBefore(), room)
    const due = ids.length === 0 ? [] : await this.store.segments.begin(ids, this.#dueBefore(), now)
    const pieces = due.map(({ id, projectId }) => ({ key: id, projectId }))
    const fresh = pieces.length === 0 ? [] : await this.store.begunWork.begin('segment', pieces, now, lease)
    const begun = [...left, ...fresh]
    if (ids.length === 0 && begun.length === 0) return undefined
    return { isMore: ids.length === room, running: begun.map((piece) => this.#seeThrough(piece, ends.signal)) }
  }

  async #seeThrough(begun: Begun, signal: AbortSignal): Promise<void> {
    const { key, projectId } = begun
    const segment = projectId && (await this.store.segments.find(projectId, key))
    if (!segment) return this.store.begunWork.end(begun)
    await seeThrough(
      this.store,
      begun,
      () => this.#computeOrCount(segment, signal),
      (reason) => this.#giveUp(segment, reason),
    )
  }

  /** It has the members that it had, and says why. */
  async #giveUp({ projectId, id }: Segment, problem: string): Promise<void> {
    this.kit.log.error('the members of a segment are no longer computed', {
      segment: id,
      project: projectId,
      reason: problem,
    })
    await this.store.transaction(async (tx) => {
      const held = await tx.segments.lock(projectId, id)
      if (held) await tx.segments.update({ ...held, problem })
    })
  }

  async #computeOrCount(segment: Segment, signal: AbortSignal): Promise<void> {
    try {
      const project = await this.store.projects.find(segment.projectId)
      if (!project || project.disabled) return
      if (segment.trackMembership) await this.compute(project, segment.id, signal)
      else await this.count(project, segment)
    } catch (error) {
      if (signal.aborted || (EngineError.is(error) && EXPECTED.has(error.code))) return
      this.kit.log.warn('could not compute a segment', { segment: segment.id, project: segment.projectId, error })
    }
  }

  #dueBefore(): Date {
    return new Date(this.kit.now().getTime() - EVERY_MS)
  }

  /** Answers how many members there are; undefined when the segment was changed meanwhile. */
  async #account(project: Project, segment: Segment, moved: Moved, signal: AbortSignal | undefined) {
    const begun = this.kit.now()
    const audience = await this.filters.audience(project, filterOf(segment))
    const changedSince = accountFrom(segment, begun)
    for (const change of ['leave', 'enter'] as const) {
      for await (const found of this.#differing(segment, audience, change, changedSince)) {
        for (let i = 0; i < found.length; i += WRITTEN_AT_ONCE) {
          signal?.throwIfAborted()
          const written = await this.#write(segment, audience, change, found.slice(i, i + WRITTEN_AT_ONCE))
          if (written === undefined) return undefined
          moved[change] += written
        }
      }
    }
    return this.#close(segment, begun, changedSince === undefined)
  }

  async *#differing(segment: Segment, audience: Audience, change: MembershipChange, changedSince: Date | undefined) {
    const { projectId, id } = segment
    let after: string | undefined
    do {
      const among = {
        limit: FOUND_AT_ONCE,
        ...(after === undefined ? {} : { after }),
        ...(changedSince === undefined ? {} : { changedSince }),
      }
      const found = await differing(this.store, change)(projectId, id, audience, among)
      yield found
      after = found.length < FOUND_AT_ONCE ? undefined : found.at(-1)
    } while (after !== undefined)
  }

  /** Compares again under the lock: what was written meanwhile, or is no longer true, is skipped. */
  #write(
    segment: Segment,
    audience: Audience,
    change: MembershipChange,
    ids: readonly string[],
  ): Promise<number | undefined> {
    const { projectId, id } = segment
    return this.store.transaction(async (tx) => {
      const held = await tx.segments.lock(projectId, id)
      if (!held || !sameRule(held, segment)) return undefined
      const now = this.kit.now()
      const still = await differing(tx, change)(projectId, id, audience, { limit: ids.length, ids })
      const written =
        change === 'enter'
          ? await tx.memberships.enter(newMemberships(this.kit.newId, held, still, now))
          : await tx.memberships.leave(projectId, id, still, now)
      await tx.events.record(membershipEvents(this.kit.newId, held, change, written))
      return written.length
    })
  }

  #close(segment: Segment, begun: Date, full: boolean): Promise<number | undefined> {
    return this.store.transaction(async (tx) => {
      const held = await tx.segments.lock(segment.projectId, segment.id)
      if (!held || !sameRule(held, segment)) return undefined
      const counts = await tx.memberships.count(segment.projectId, [segment.id])
      const memberCount = counts.get(segment.id) ?? 0
      const computedAt = later(held.computedAt, begun)
      const fully = full ? { fullyComputedAt: later(held.fullyComputedAt, begun) } : {}
      const account = { memberCount, countedAt: this.kit.now(), computedAt, ...fully }
      await tx.segments.update({ ...withoutProblem(held), ...account, begunAt: later(held.begunAt, begun) })
      return memberCount
    })
  }
}

/** These errors end the background work on a segment without being a fault. */
const EXPECTED: ReadonlySet<string> = new Set(['SEGMENT_NOT_FOUND', 'BAD_REQUEST'])

function differing({ memberships }: Pick<Repositories, 'memberships'>, change: MembershipChange) {
  return change === 'enter' ? memberships.entering.bind(memberships) : memberships.leaving.bind(memberships)
}

function withoutProblem({ problem: _, ...segment }: Segment): Segment {
  return segment
}

function tracked(segment: Segment): Segment {
  if (segment.type === 'DYNAMIC' && segment.trackMembership) return segment
  const why = segment.type === 'STATIC' ? 'is STATIC' : 'does not track its members'
  throw new EngineError('BAD_REQUEST', `The segment "${segment.name}" ${why}: there is nothing to compute.`, {
    suggestion: 'Set trackMembership of a DYNAMIC segment, or refresh its count.',
  })
}

function filterOf({ filter, name }: Segment) {
  if (filter === undefined) throw new EngineError('BAD_REQUEST', `The segment "${name}" has no filter.`)
  return filter
}

/** Whether both versions of a segment have the same members and the same tracking. */
function sameRule(one: Segment, other: Segment): boolean {
  return one.trackMembership && other.trackMembership && sameFilter(one.filter, other.filter)
}

function later(one: Date | undefined, other: Date): Date {
  return one !== undefined && one > other ? one : other
}

/**
 * A contact's `updatedAt` is set before its change is visible, and by another process's clock: changes this long before
 * the last computation are compared again.
 */
const OVERLAP_MS = 10 * 60_000
/** After this time all contacts are compared, whatever the filter. */
const FULL_EVERY_MS = 24 * 3_600_000

/**
 * The time since which contacts must have changed to be compared; undefined when all must be: there was no computation
 * yet, the last full one is a day old, or unchanged contacts can come to match.
 */
function accountFrom(segment: Segment, now: Date): Date | undefined {
  const { filter, computedAt, fullyComputedAt } = segment
  if (filter === undefined || computedAt === undefined || fullyComputedAt === undefined) return undefined
  if (now.getTime() - fullyComputedAt.getTime() >= FULL_EVERY_MS || !isSteady(filter)) return undefined
  return new Date(computedAt.getTime() - OVERLAP_MS)
}

/**
 * True when a contact's own row decides whether it matches, at any time: then only changed contacts can begin or cease
 * to match. False with events, campaigns, topics (whose standing may change), other segments (whose filters may change)
 * and spans counted from now.
 */
export function isSteady(filter: Filter): boolean {
  return [...conditionsOf(filter)].every(({ field, operator }) => {
    const subject = subjectOf(field)
    return subject !== undefined && isSteadyCondition(subject.kind, operator)
  })
}

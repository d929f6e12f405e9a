import { inject, injectable } from '../di.ts'
import { EngineError } from '../errors.ts'
import { Filters } from '../filters/filters.ts'
import { Kit } from '../kit.ts'
import { Queue } from '../ports/queue.ts'
import type { Audience } from '../ports/store/audiences.ts'
import type { Project } from '../ports/store/projects.ts'
import type { Segment } from '../ports/store/segments.ts'
import { type Repositories, Store } from '../ports/store/store.ts'
import { type EngineValues, Values } from '../settings/engine-values.ts'
import { TASKS } from '../work/jobs.ts'
import { accountFrom } from './account-from.ts'
import { type MembershipChange, membershipEvents, newMemberships } from './membership.ts'
import { sameFilter } from './same-filter.ts'
import { missingSegment } from './segment.ts'

/** So many contacts are found by one question to the database, and so many are written in one transaction. */
const FOUND_AT_ONCE = 5_000
const WRITTEN_AT_ONCE = 500
/** So many segments are given to the queue in one tick. */
const DUE_AT_ONCE = 100

/** What an account of the members changed, and how many they are now. */
export interface Computed {
  readonly added: number
  readonly removed: number
  readonly total: number
}

/** How many became members, and how many are none any more. */
export type Moved = Record<MembershipChange, number>

/**
 * Takes account of who matches dynamic segments. Members are written down together with the events of their entry or
 * exit, some hundreds in one transaction under a lock on the segment, and only where nobody else has: a second account at
 * the same time or one that a crash cut off makes no event twice.
 */
@injectable()
export class ComputeSegments {
  constructor(
    @inject(Store) private readonly store: Store,
    @inject(Filters) private readonly filters: Filters,
    @inject(Queue) private readonly queue: Queue,
    @inject(Values) private readonly values: EngineValues,
    @inject(Kit) private readonly kit: Kit,
  ) {}

  /**
   * Brings the members of a tracked dynamic segment up to date. Throws EngineError `SEGMENT_NOT_FOUND`, `BAD_REQUEST`
   * when it is none, `VALIDATION_ERROR` when its filter cannot be asked any more; rejects when the signal is aborted.
   * `moved` counts up meanwhile.
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
      // undefined: the segment was changed meanwhile, so that it begins again
      if (total !== undefined) return { added: moved.enter, removed: moved.leave, total }
    }
  }

  /** Counts who matches a dynamic segment and keeps the number; nothing else. Throws as `compute` does. */
  async count(project: Project, segment: Segment): Promise<number> {
    const now = this.kit.now()
    const audience = await this.filters.audience(project, filterOf(segment))
    const memberCount = await this.store.contacts.count(project.id, { audience })
    await this.store.transaction(async (tx) => {
      const held = await tx.segments.lock(project.id, segment.id)
      if (held && sameFilter(held.filter, segment.filter))
        await tx.segments.update({ ...held, memberCount, countedAt: now })
    })
    return memberCount
  }

  /** Every few seconds: gives the segments to the queue whose time has come. */
  async tick(): Promise<void> {
    const ids = await this.store.segments.due(this.#dueBefore(), DUE_AT_ONCE)
    if (ids.length === 0) return
    await this.queue.add(ids.map((id) => ({ task: TASKS.computeSegment, lane: 'workflow', ids: [id], key: id })))
  }

  /** Computes or counts those of these segments whose time has come and nobody else has begun. One that fails is logged. */
  async handle(ids: readonly string[], { signal }: { readonly signal: AbortSignal }): Promise<void> {
    for (const id of ids) {
      if (signal.aborted) return
      const [segment] = await this.store.segments.begin([id], this.#dueBefore(), this.kit.now())
      if (segment) await this.#tend(segment, signal)
    }
  }

  async #tend(segment: Segment, signal: AbortSignal): Promise<void> {
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
    return new Date(this.kit.now().getTime() - this.values.segments.computeEverySeconds * 1000)
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

  /** Asks again under the lock: what has been written since, or is not so any more, is not written. */
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
      await tx.events.record(membershipEvents(this.kit.newId, held, change, written, now))
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
      await tx.segments.update({ ...held, ...account, begunAt: later(held.begunAt, begun) })
      return memberCount
    })
  }
}

/** These end the background's work on a segment without being a fault. */
const EXPECTED: ReadonlySet<string> = new Set(['SEGMENT_NOT_FOUND', 'BAD_REQUEST'])

function differing({ memberships }: Pick<Repositories, 'memberships'>, change: MembershipChange) {
  return change === 'enter' ? memberships.entering.bind(memberships) : memberships.leaving.bind(memberships)
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

/** Whether both versions of a segment say the same of who its members are, and that they are written down. */
function sameRule(one: Segment, other: Segment): boolean {
  return one.trackMembership && other.trackMembership && sameFilter(one.filter, other.filter)
}

function later(one: Date | undefined, other: Date): Date {
  return one !== undefined && one > other ? one : other
}

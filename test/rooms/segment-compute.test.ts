import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { Filters } from '../../core/filters/filters.ts'
import type { Kit } from '../../core/kit.ts'
import type { Project } from '../../core/ports/store/projects.ts'
import type { Segment } from '../../core/ports/store/segments.ts'
import type { Store } from '../../core/ports/store/store.ts'
import { ComputeSegments } from '../../core/segments/compute-segments.ts'
import { LongComputes } from '../../core/segments/long-computes.ts'
import { contact, project } from '../contracts/store/records.ts'
import { kitOf } from '../support/kit.ts'
import { SettableClock, testStore } from '../support/store.ts'

const plan = (value: string) =>
  ({ operator: 'AND', conditions: [{ field: 'data.plan', operator: 'equals', value }] }) as const

const MINUTES = 60
const HOURS = 3600

describe('an account of a segment', () => {
  let store: Store
  let clock: SettableClock
  let kit: Kit
  let accounts: ComputeSegments
  let acme: Project

  beforeEach(async () => {
    const test = await testStore(new SettableClock())
    onTestFinished(test.close)
    ;({ store, clock } = test)
    kit = kitOf(() => clock.now())
    accounts = new ComputeSegments(store, new Filters(store, kit), kit)
    acme = project()
    await store.projects.save(acme)
  })

  const make = async (fields: Partial<Segment> = {}): Promise<Segment> => {
    const now = clock.now()
    const words = { name: 'Pro', slug: 'pro', type: 'DYNAMIC', filter: plan('pro'), trackMembership: true } as const
    const state = { version: 1, memberCount: 0, begunAt: now, createdAt: now, updatedAt: now }
    const segment = { id: kit.newId(), projectId: acme.id, ...words, ...state, ...fields }
    expect(await store.segments.insert(segment)).toBe('inserted')
    return segment
  }
  const people = async (count: number, value = 'pro') => {
    const now = clock.now()
    const made = Array.from({ length: count }, () =>
      contact(acme.id, { data: { plan: value }, createdAt: now, updatedAt: now }),
    )
    await store.contacts.save(made)
    return made
  }
  const entries = async () =>
    (await store.events.page(acme.id, { name: 'segment.pro.entry' }, { limit: 5000 })).map(({ contactId }) => contactId)
  const compute = (segment: Segment) => accounts.compute(acme, segment.id)

  it('looks only at contacts that changed since the last one, and at those that changed shortly before', async () => {
    const segment = await make()
    await compute(segment)
    clock.advance(30 * MINUTES)
    const [late] = await people(1)
    const [early] = await people(1)
    // as if another process, whose clock is behind, had written it
    await store.contacts.update({ ...early!, updatedAt: new Date(clock.now().getTime() - 39 * MINUTES * 1000) })
    const [unseen] = await people(1)
    await store.contacts.update({ ...unseen!, updatedAt: new Date(clock.now().getTime() - 41 * MINUTES * 1000) })
    expect(await compute(segment)).toEqual({ added: 2, removed: 0, total: 2 })
    expect((await entries()).toSorted()).toEqual([late!.id, early!.id].toSorted())
  })

  it('looks at all contacts once a day', async () => {
    const segment = await make()
    await compute(segment)
    clock.advance(2 * HOURS)
    const [odd] = await people(1)
    await store.contacts.update({ ...odd!, updatedAt: new Date(0) })
    expect(await compute(segment)).toMatchObject({ added: 0 })
    clock.advance(22 * HOURS)
    expect(await compute(segment)).toMatchObject({ added: 1, total: 1 })
    expect(await store.segments.find(acme.id, segment.id)).toMatchObject({
      ...{ memberCount: 1, countedAt: clock.now(), computedAt: clock.now(), fullyComputedAt: clock.now() },
    })
  })

  it('looks at all contacts when time alone may change who matches', async () => {
    const conditions = [{ field: 'createdAt', operator: 'within', value: 1, unit: 'hours' }] as const
    const segment = await make({ filter: { operator: 'AND', conditions } })
    await people(2)
    expect(await compute(segment)).toEqual({ added: 2, removed: 0, total: 2 })
    clock.advance(2 * HOURS)
    expect(await compute(segment)).toEqual({ added: 0, removed: 2, total: 0 })
  })

  it('looks at all contacts when the filter asks for events or other segments', async () => {
    const inner = await make({ name: 'Inner', slug: 'inner', trackMembership: false })
    const memberOf = { field: `segment.${inner.id}`, operator: 'memberOfSegment' } as const
    const happened = { field: 'event.signed.up', operator: 'triggered' } as const
    const outer = await make({ filter: { operator: 'OR', conditions: [memberOf, happened] } })
    const [pro] = await people(1)
    const [free] = await people(1, 'free')
    expect(await compute(outer)).toEqual({ added: 1, removed: 0, total: 1 })
    clock.advance(1 * HOURS)
    await store.events.record([
      { id: kit.newId(), projectId: acme.id, name: 'signed.up', contactId: free!.id, data: {}, createdAt: clock.now() },
    ])
    expect(await compute(outer)).toEqual({ added: 1, removed: 0, total: 2 })
    clock.advance(1 * HOURS)
    await store.segments.update({ ...inner, filter: plan('gold') })
    expect(await compute(outer)).toEqual({ added: 0, removed: 1, total: 1 })
    expect(await store.memberships.current(acme.id, pro!.id, [outer.id])).toEqual([])
  })

  it('that is cut off is taken up again by the next, which makes no event twice', async () => {
    const segment = await make()
    const made = await people(1100)
    const stopping = new AbortController()
    let turns = 0
    // the time is asked for once at the start and once for every page that is written
    const now = () => {
      if (++turns === 3) stopping.abort(new Error('stop'))
      return kit.now()
    }
    const cut: Kit = { ...kit, now }
    const other = new ComputeSegments(store, new Filters(store, kit), cut)
    await expect(other.compute(acme, segment.id, stopping.signal)).rejects.toThrow('stop')
    const first = await entries()
    expect(first.length).toBeGreaterThan(0)
    expect(first.length).toBeLessThan(1100)
    expect((await store.segments.find(acme.id, segment.id))?.computedAt).toBeUndefined()
    expect(await compute(segment)).toEqual({ added: 1100 - first.length, removed: 0, total: 1100 })
    expect((await entries()).toSorted()).toEqual(made.map(({ id }) => id).toSorted())
  })

  it('begins again when the filter is changed meanwhile', async () => {
    const segment = await make()
    await people(600)
    const [free] = await people(1, 'free')
    const computing = compute(segment)
    await store.transaction(async (tx) => {
      const held = await tx.segments.lock(acme.id, segment.id)
      await tx.segments.update({ ...held!, filter: plan('free') })
    })
    expect(await computing).toMatchObject({ total: 1 })
    const members = await store.memberships.count(acme.id, [segment.id])
    expect(members.get(segment.id)).toBe(1)
    expect(await store.memberships.current(acme.id, free!.id, [segment.id])).toHaveLength(1)
  })

  it('of nobody is asked for when its segment is removed meanwhile', async () => {
    const segment = await make()
    await people(600)
    const computing = compute(segment)
    await store.segments.remove(acme.id, segment.id)
    await expect(computing).rejects.toMatchObject({ code: 'SEGMENT_NOT_FOUND' })
  })

  describe('that takes longer than somebody waits', () => {
    const long = () => new LongComputes(accounts, store, kit)

    it('goes on, and whoever asks again waits for the same one', async () => {
      const segment = await make()
      await people(2500)
      const computes = long()
      const first = await computes.compute(acme, segment.id, 0)
      expect(first).toMatchObject({ removed: 0, isDone: false })
      expect(first.added).toBeLessThan(2500)
      const [second, third] = await Promise.all([0, 1].map(() => computes.compute(acme, segment.id, 30_000)))
      expect(second).toEqual({ added: 2500, removed: 0, total: 2500, isDone: true })
      expect(third).toEqual(second)
      expect(await computes.compute(acme, segment.id, 30_000)).toMatchObject({ added: 0, total: 2500, isDone: true })
      expect(new Set(await entries()).size).toBe(2500)
    })

    it('is broken off at the end of the engine, and taken up by the next account', async () => {
      const segment = await make()
      await people(2500)
      const computes = long()
      await computes.compute(acme, segment.id, 0)
      const waiting = computes.compute(acme, segment.id, 30_000)
      const refused = expect(waiting).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
      await computes.end()
      await refused
      expect((await entries()).length).toBeLessThan(2500)
      expect(await compute(segment)).toMatchObject({ total: 2500 })
      expect((await entries()).toSorted()).toEqual([...new Set(await entries())].toSorted())
    })

    it('tells at once what is wrong', async () => {
      const untracked = await make({ trackMembership: false })
      await expect(long().compute(acme, untracked.id, 30_000)).rejects.toMatchObject({ code: 'BAD_REQUEST' })
    })
  })
})

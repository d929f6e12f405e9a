import { describe, expect, it } from 'vitest'
import type { Audience } from '../../../core/ports/store/audiences.ts'
import type { SegmentMembership } from '../../../core/ports/store/memberships.ts'
import type { Segment } from '../../../core/ports/store/segments.ts'
import type { Store } from '../../../core/ports/store/store.ts'
import type { ProjectId } from '../../../core/values/project-id.ts'
import { at, contact, NOON, newId, newProjectId, project } from './records.ts'

const _PRO: Audience = { kind: 'data', path: ['plan'], test: { is: 'oneOf', values: ['pro'] } }
const FILTER = { operator: 'AND', conditions: [{ field: 'data.plan', operator: 'equals', value: 'pro' }] } as const
const ALL = { limit: 100 }

/** A segment with a filter. */
export function segment(projectId: ProjectId, fields: Partial<Segment> = {}): Segment {
  const id = newId()
  const words = { name: `Segment ${id}`, slug: `segment-${id}`, type: 'DYNAMIC', filter: FILTER } as const
  const state = { trackMembership: true, version: 1, memberCount: 0, begunAt: NOON, createdAt: NOON, updatedAt: NOON }
  return { id, projectId, ...words, ...state, ...fields }
}

/** A list of contacts. */
export function list(projectId: ProjectId): Segment {
  const { filter: _filter, begunAt: _begunAt, ...rest } = segment(projectId, { type: 'STATIC' })
  return rest
}

/** The beginning of a stay in it. */
export function stay({ projectId, id: segmentId }: Segment, contactId: string, seconds = 0): SegmentMembership {
  return { id: newId(), projectId, segmentId, contactId, enteredAt: at(seconds) }
}

/** The promises of a store about segments. */
export function storeSegmentsContract(fresh: () => Promise<Store>) {
  it('gives a segment back as it was written, and without what it has not', async () => {
    const { segments } = await fresh()
    const projectId = newProjectId()
    const bare = list(projectId)
    const full = segment(projectId, {
      ...{ name: 'Größe 🙂', slug: 'größe', description: '' },
      filter: { operator: 'OR', conditions: [FILTER, { field: 'email', operator: 'in', value: ['a', '__proto__'] }] },
      ...{
        filterEdition: 2,
        memberCount: 3,
        countedAt: at(1),
        computedAt: at(2),
        fullyComputedAt: at(3),
        begunAt: at(4),
      },
    })
    expect(await segments.insert(bare)).toBe('inserted')
    expect(await segments.insert(full)).toBe('inserted')
    expect(await segments.find(projectId, bare.id)).toStrictEqual(bare)
    expect(await segments.find(projectId, full.id)).toStrictEqual(full)
    expect(await segments.all(projectId)).toStrictEqual([full, bare])
  })

  it('writes every field, and takes away what is absent', async () => {
    const { segments } = await fresh()
    const projectId = newProjectId()
    const full = segment(projectId, {
      description: 'd',
      filterEdition: 2,
      countedAt: at(1),
      computedAt: at(2),
      fullyComputedAt: at(3),
    })
    await segments.insert(full)
    const bare = { ...segment(projectId, { trackMembership: false, memberCount: 9, updatedAt: at(5) }), id: full.id }
    expect(await segments.update(bare)).toBe('updated')
    expect(await segments.find(projectId, full.id)).toStrictEqual(bare)
    expect(await segments.update(segment(projectId))).toBe('missing')
  })

  it('keeps slugs apart within a project, also inside a transaction, which stays usable', async () => {
    const store = await fresh()
    const { segments } = store
    const [mine, theirs] = [newProjectId(), newProjectId()]
    const first = segment(mine, { slug: 'vips' })
    const second = segment(mine, { slug: 'others' })
    for (const each of [first, second]) await segments.insert(each)
    expect(await segments.insert(segment(mine, { slug: 'vips' }))).toBe('slug-taken')
    expect(await segments.insert(segment(theirs, { slug: 'vips' }))).toBe('inserted')
    expect(await segments.update({ ...second, slug: 'vips' })).toBe('slug-taken')
    expect(await segments.update({ ...first, name: 'VIPs' })).toBe('updated')
    const after = await store.transaction(async (tx) => [
      await tx.segments.update({ ...second, slug: 'vips' }),
      await tx.segments.update({ ...second, slug: 'losers' }),
    ])
    expect(after).toEqual(['slug-taken', 'updated'])
    expect((await segments.find(mine, second.id))?.slug).toBe('losers')
  })

  it('lists the segments of all projects whose filter has no edition, the oldest first', async () => {
    const { segments } = await fresh()
    const [first, second, third] = [newProjectId(), newProjectId(), newProjectId()].map((id) => segment(id))
    const others = [list(newProjectId()), segment(newProjectId(), { filterEdition: 2 })]
    for (const each of [first!, ...others, second!, third!]) await segments.insert(each)
    expect(await segments.withoutEdition(2)).toStrictEqual([first, second])
    expect((await segments.withoutEdition(9)).map(({ id }) => id)).toEqual([first!.id, second!.id, third!.id])
  })

  it('finds segments in a transaction, to be changed by nobody else', async () => {
    const store = await fresh()
    const made = segment(newProjectId())
    await store.segments.insert(made)
    const found = await store.transaction(async (tx) => [
      await tx.segments.lock(made.projectId, made.id),
      await tx.segments.lock(newProjectId(), made.id),
      await tx.segments.lockAll(made.projectId),
      await tx.segments.lockAll(newProjectId()),
    ])
    expect(found).toEqual([made, undefined, [made], []])
  })

  it('removes a segment once, and its stays some at a time', async () => {
    const { segments, memberships, contacts } = await fresh()
    const { mine, ada, bob } = await people(contacts)
    const made = list(mine)
    await segments.insert(made)
    const other = { ...list(mine), name: 'Other', slug: 'other' }
    await segments.insert(other)
    await memberships.enter([stay(made, ada.id), stay(made, bob.id), stay(other, ada.id)])
    expect(await segments.remove(mine, made.id)).toBe(true)
    expect(await segments.remove(mine, made.id)).toBe(false)
    expect(await segments.find(mine, made.id)).toBeUndefined()
    expect(await memberships.forget(newProjectId(), made.id, 9)).toBeUndefined()
    const first = await memberships.forget(mine, made.id, 1)
    expect(first).toBeDefined()
    const last = await memberships.forget(mine, made.id, 9, first)
    expect(last! > first!).toBe(true)
    expect(await memberships.forget(mine, made.id, 9, last)).toBeUndefined()
    expect(await memberships.current(mine, ada.id, [made.id])).toEqual([])
    expect(await memberships.current(mine, ada.id, [other.id])).toHaveLength(1)
  })

  it('shows no project the segments of another', async () => {
    const { segments, memberships, contacts } = await fresh()
    const { mine, ada } = await people(contacts)
    const theirs = newProjectId()
    const made = list(mine)
    await segments.insert(made)
    await memberships.enter([stay(made, ada.id)])
    expect(await segments.find(theirs, made.id)).toBeUndefined()
    expect(await segments.all(theirs)).toEqual([])
    expect(await segments.update({ ...made, projectId: theirs, name: 'Mine now' })).toBe('missing')
    expect(await segments.remove(theirs, made.id)).toBe(false)
    expect(await memberships.leave(theirs, made.id, [ada.id], at(1))).toEqual([])
    expect(await memberships.enter([stay({ ...made, projectId: theirs }, ada.id)])).toEqual([])
    expect(await memberships.current(theirs, ada.id, [made.id])).toEqual([])
    expect([...(await memberships.count(theirs, [made.id]))]).toEqual([])
    expect(await memberships.entering(theirs, made.id, { kind: 'all', of: [] }, ALL)).toEqual([])
    expect(await memberships.leaving(theirs, made.id, { kind: 'any', of: [] }, ALL)).toEqual([])
    expect(await segments.find(mine, made.id)).toEqual(made)
  })

  describe('that are due', () => {
    it('are dynamic, of no disabled project, and begun by one caller', async () => {
      const store = await fresh()
      const { segments, projects } = store
      const [acme, off] = [project(), project({ name: 'Off', disabled: true })]
      for (const each of [acme, off]) await projects.save(each)
      const late = segment(acme.id, { begunAt: at(-60) })
      const later = segment(acme.id, { begunAt: at(-30), trackMembership: false })
      const fine = segment(acme.id)
      for (const each of [fine, later, late, list(acme.id), segment(off.id, { begunAt: at(-60) })]) {
        await segments.insert(each)
      }
      expect(await segments.due(NOON, 10)).toEqual([late.id, later.id])
      expect(await segments.due(NOON, 1)).toEqual([late.id])
      const ids = [late.id, later.id, fine.id, newId()]
      const begun = await Promise.all([segments.begin(ids, NOON, at(1)), segments.begin(ids, NOON, at(1))])
      expect(begun.flat().toSorted((a, b) => (a.id < b.id ? -1 : 1))).toEqual([
        { ...late, begunAt: at(1) },
        { ...later, begunAt: at(1) },
      ])
      expect(await segments.due(NOON, 10)).toEqual([])
    })
  })
}

/** Two people on a plan, and one who is not. */
export async function people(contacts: Store['contacts']) {
  const mine = newProjectId()
  const ada = contact(mine, { data: { plan: 'pro' } })
  const bob = contact(mine, { data: { plan: 'pro' } })
  const cyd = contact(mine, { data: { plan: 'free' } })
  await contacts.save([ada, bob, cyd])
  return { mine, ada, bob, cyd }
}

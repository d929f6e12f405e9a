import { describe, expect, it } from 'vitest'
import type { Audience } from '../../core/ports/store/audiences.ts'
import type { Segment, Stay } from '../../core/ports/store/segments.ts'
import type { Store } from '../../core/ports/store/store.ts'
import type { ProjectId } from '../../core/values/project-id.ts'
import { at, contact, NOON, newId, newProjectId, project } from './store-records.ts'

const PRO: Audience = { kind: 'data', path: ['plan'], test: { is: 'oneOf', values: ['pro'] } }
const FILTER = { operator: 'AND', conditions: [{ field: 'data.plan', operator: 'equals', value: 'pro' }] } as const
const ALL = { limit: 100 }

function segment(projectId: ProjectId, fields: Partial<Segment> = {}): Segment {
  const id = newId()
  const words = { name: `Segment ${id}`, slug: `segment-${id}`, type: 'DYNAMIC', filter: FILTER } as const
  const state = { trackMembership: true, memberCount: 0, begunAt: NOON, createdAt: NOON, updatedAt: NOON }
  return { id, projectId, ...words, ...state, ...fields }
}

function list(projectId: ProjectId): Segment {
  const { filter: _filter, begunAt: _begunAt, ...rest } = segment(projectId, { type: 'STATIC' })
  return rest
}

function stay({ projectId, id: segmentId }: Segment, contactId: string, seconds = 0): Stay {
  return { id: newId(), projectId, segmentId, contactId, enteredAt: at(seconds) }
}

/** What a store promises about segments. */
export function storeSegmentsContract(fresh: () => Promise<Store>) {
  it('gives a segment back as it was written, and without what it has not', async () => {
    const { segments } = await fresh()
    const projectId = newProjectId()
    const bare = list(projectId)
    const full = segment(projectId, {
      ...{ name: 'Größe 🙂', slug: 'größe', description: '' },
      filter: { operator: 'OR', conditions: [FILTER, { field: 'email', operator: 'in', value: ['a', '__proto__'] }] },
      ...{ memberCount: 3, countedAt: at(1), computedAt: at(2), fullyComputedAt: at(3), begunAt: at(4) },
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
    const full = segment(projectId, { description: 'd', countedAt: at(1), computedAt: at(2), fullyComputedAt: at(3) })
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
    const { segments, contacts } = await fresh()
    const { mine, ada, bob } = await people(contacts)
    const made = list(mine)
    await segments.insert(made)
    const other = { ...list(mine), name: 'Other', slug: 'other' }
    await segments.insert(other)
    await segments.enter([stay(made, ada.id), stay(made, bob.id), stay(other, ada.id)])
    expect(await segments.remove(mine, made.id)).toBe(true)
    expect(await segments.remove(mine, made.id)).toBe(false)
    expect(await segments.find(mine, made.id)).toBeUndefined()
    expect(await segments.forget(newProjectId(), made.id, 9)).toBeUndefined()
    const first = await segments.forget(mine, made.id, 1)
    expect(first).toBeDefined()
    const last = await segments.forget(mine, made.id, 9, first)
    expect(last! > first!).toBe(true)
    expect(await segments.forget(mine, made.id, 9, last)).toBeUndefined()
    expect(await segments.stays(mine, made.id, ada.id, 10)).toEqual([])
    expect(await segments.stays(mine, other.id, ada.id, 10)).toHaveLength(1)
  })

  it('shows no project the segments of another', async () => {
    const { segments, contacts } = await fresh()
    const { mine, ada } = await people(contacts)
    const theirs = newProjectId()
    const made = list(mine)
    await segments.insert(made)
    await segments.enter([stay(made, ada.id)])
    expect(await segments.find(theirs, made.id)).toBeUndefined()
    expect(await segments.all(theirs)).toEqual([])
    expect(await segments.update({ ...made, projectId: theirs, name: 'Mine now' })).toBe('missing')
    expect(await segments.remove(theirs, made.id)).toBe(false)
    expect(await segments.leave(theirs, made.id, [ada.id], at(1))).toEqual([])
    expect(await segments.enter([stay({ ...made, projectId: theirs }, ada.id)])).toEqual([])
    expect(await segments.stays(theirs, made.id, ada.id, 10)).toEqual([])
    expect([...(await segments.countMembers(theirs, [made.id]))]).toEqual([])
    expect(await segments.entering(theirs, made.id, { kind: 'all', of: [] }, ALL)).toEqual([])
    expect(await segments.leaving(theirs, made.id, { kind: 'any', of: [] }, ALL)).toEqual([])
    expect(await segments.find(mine, made.id)).toEqual(made)
  })

  describe('members', () => {
    it('enter once and leave once; their stays are kept, the latest first', async () => {
      const { segments, contacts } = await fresh()
      const { mine, ada, bob } = await people(contacts)
      const made = list(mine)
      const first = stay(made, ada.id)
      expect(await segments.enter([first, stay(made, bob.id)])).toEqual(expect.arrayContaining([ada.id, bob.id]))
      expect(await segments.enter([stay(made, ada.id, 1)])).toEqual([])
      expect(await segments.leave(mine, made.id, [ada.id, newId()], at(2))).toEqual([ada.id])
      expect(await segments.leave(mine, made.id, [ada.id], at(3))).toEqual([])
      const second = stay(made, ada.id, 4)
      expect(await segments.enter([second, stay(made, ada.id, 4)])).toEqual([ada.id])
      expect(await segments.stays(mine, made.id, ada.id, 10)).toEqual([second, { ...first, leftAt: at(2) }])
      expect(await segments.stays(mine, made.id, ada.id, 1)).toEqual([second])
      expect(await segments.countMembers(mine, [made.id, newId()])).toEqual(new Map([[made.id, 2]]))
      expect(await segments.enter([])).toEqual([])
    })

    it('are contacts that are there, and no more when those are removed', async () => {
      const { segments, contacts } = await fresh()
      const { mine, ada, bob } = await people(contacts)
      const made = list(mine)
      expect(await segments.enter([stay(made, newId())])).toEqual([])
      await segments.enter([stay(made, ada.id), stay(made, bob.id)])
      await contacts.remove(mine, ada.id, NOON)
      expect(await segments.countMembers(mine, [made.id])).toEqual(new Map([[made.id, 1]]))
      expect(await segments.stays(mine, made.id, ada.id, 10)).toEqual([])
    })

    it('are told apart from who matches: who is to enter, and who is to leave', async () => {
      const { segments, contacts } = await fresh()
      const { mine, ada, bob, cyd } = await people(contacts)
      const made = segment(mine)
      expect(await segments.entering(mine, made.id, PRO, ALL)).toEqual([ada.id, bob.id])
      expect(await segments.leaving(mine, made.id, PRO, ALL)).toEqual([])
      await segments.enter([stay(made, ada.id), stay(made, cyd.id)])
      expect(await segments.entering(mine, made.id, PRO, ALL)).toEqual([bob.id])
      expect(await segments.leaving(mine, made.id, PRO, ALL)).toEqual([cyd.id])
      await segments.leave(mine, made.id, [ada.id, cyd.id], at(1))
      expect(await segments.entering(mine, made.id, PRO, ALL)).toEqual([ada.id, bob.id])
      expect(await segments.leaving(mine, made.id, PRO, ALL)).toEqual([])
    })

    it('are told apart page by page, and among some contacts only', async () => {
      const { segments, contacts } = await fresh()
      const { mine, ada, bob, cyd } = await people(contacts)
      await contacts.update({ ...bob, updatedAt: at(60) })
      const made = segment(mine)
      const entering = (among: object) => segments.entering(mine, made.id, PRO, { ...ALL, ...among })
      expect(await entering({ limit: 1 })).toEqual([ada.id])
      expect(await entering({ after: ada.id })).toEqual([bob.id])
      expect(await entering({ changedSince: at(60) })).toEqual([bob.id])
      expect(await entering({ changedSince: at(61) })).toEqual([])
      expect(await entering({ changedSince: NOON, after: ada.id, limit: 1 })).toEqual([bob.id])
      expect(await entering({ ids: [cyd.id, ada.id] })).toEqual([ada.id])
      await segments.enter([ada, bob, cyd].map(({ id }) => stay(made, id)))
      const nobody: Audience = { kind: 'not', of: { kind: 'all', of: [] } }
      const leaving = (among: object) => segments.leaving(mine, made.id, nobody, { ...ALL, ...among })
      expect(await leaving({})).toEqual([ada.id, bob.id, cyd.id])
      expect(await leaving({ limit: 1 })).toEqual([ada.id])
      expect(await leaving({ after: ada.id, limit: 1 })).toEqual([bob.id])
      expect(await leaving({ changedSince: at(60) })).toEqual([bob.id])
      expect(await leaving({ changedSince: NOON, after: bob.id })).toEqual([cyd.id])
      expect(await leaving({ ids: [cyd.id, newId()] })).toEqual([cyd.id])
    })
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

async function people(contacts: Store['contacts']) {
  const mine = newProjectId()
  const ada = contact(mine, { data: { plan: 'pro' } })
  const bob = contact(mine, { data: { plan: 'pro' } })
  const cyd = contact(mine, { data: { plan: 'free' } })
  await contacts.save([ada, bob, cyd])
  return { mine, ada, bob, cyd }
}

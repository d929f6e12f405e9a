import { expect, it } from 'vitest'
import type { Audience } from '../../../core/ports/store/audiences.ts'
import type { Store } from '../../../core/ports/store/store.ts'
import { at, NOON, newId, newProjectId } from './records.ts'
import { list, people, segment, stay } from './segments.ts'

const PRO: Audience = { kind: 'data', path: ['plan'], test: { is: 'oneOf', values: ['pro'] } }
const ALL = { limit: 100 }

/** The promises of a store about who is in segments: members enter once and leave once. */
export function storeMembershipsContract(fresh: () => Promise<Store>) {
  it('enter once and leave once, and may come back', async () => {
    const { memberships, contacts } = await fresh()
    const { mine, ada, bob } = await people(contacts)
    const made = list(mine)
    expect(await memberships.enter([stay(made, ada.id), stay(made, bob.id)])).toEqual(
      expect.arrayContaining([ada.id, bob.id]),
    )
    expect(await memberships.enter([stay(made, ada.id, 1)])).toEqual([])
    expect(await memberships.leave(mine, made.id, [ada.id, newId()], at(2))).toEqual([ada.id])
    expect(await memberships.leave(mine, made.id, [ada.id], at(3))).toEqual([])
    const second = stay(made, ada.id, 4)
    expect(await memberships.enter([second, stay(made, ada.id, 4)])).toEqual([ada.id])
    expect(await memberships.count(mine, [made.id, newId()])).toEqual(new Map([[made.id, 2]]))
    expect(await memberships.current(mine, ada.id, [newId(), made.id])).toEqual([second])
    await memberships.leave(mine, made.id, [ada.id], at(5))
    expect(await memberships.current(mine, ada.id, [made.id])).toEqual([])
    expect(await memberships.current(newProjectId(), bob.id, [made.id])).toEqual([])
    expect(await memberships.enter([])).toEqual([])
  })

  it('are contacts that are there, and no more when those are removed', async () => {
    const { memberships, contacts } = await fresh()
    const { mine, ada, bob } = await people(contacts)
    const made = list(mine)
    expect(await memberships.enter([stay(made, newId())])).toEqual([])
    await memberships.enter([stay(made, ada.id), stay(made, bob.id)])
    await contacts.remove(mine, ada.id, NOON)
    expect(await memberships.count(mine, [made.id])).toEqual(new Map([[made.id, 1]]))
    expect(await memberships.current(mine, ada.id, [made.id])).toEqual([])
  })

  it('are told apart from who matches: who is to enter, and who is to leave', async () => {
    const { memberships, contacts } = await fresh()
    const { mine, ada, bob, cyd } = await people(contacts)
    const made = segment(mine)
    expect(await memberships.entering(mine, made.id, PRO, ALL)).toEqual([ada.id, bob.id])
    expect(await memberships.leaving(mine, made.id, PRO, ALL)).toEqual([])
    await memberships.enter([stay(made, ada.id), stay(made, cyd.id)])
    expect(await memberships.entering(mine, made.id, PRO, ALL)).toEqual([bob.id])
    expect(await memberships.leaving(mine, made.id, PRO, ALL)).toEqual([cyd.id])
    await memberships.leave(mine, made.id, [ada.id, cyd.id], at(1))
    expect(await memberships.entering(mine, made.id, PRO, ALL)).toEqual([ada.id, bob.id])
    expect(await memberships.leaving(mine, made.id, PRO, ALL)).toEqual([])
  })

  it('are told apart page by page, and among some contacts only', async () => {
    const { memberships, contacts } = await fresh()
    const { mine, ada, bob, cyd } = await people(contacts)
    await contacts.update({ ...bob, updatedAt: at(60) })
    const made = segment(mine)
    const entering = (among: object) => memberships.entering(mine, made.id, PRO, { ...ALL, ...among })
    expect(await entering({ limit: 1 })).toEqual([ada.id])
    expect(await entering({ after: ada.id })).toEqual([bob.id])
    expect(await entering({ changedSince: at(60) })).toEqual([bob.id])
    expect(await entering({ changedSince: at(61) })).toEqual([])
    expect(await entering({ changedSince: NOON, after: ada.id, limit: 1 })).toEqual([bob.id])
    expect(await entering({ ids: [cyd.id, ada.id] })).toEqual([ada.id])
    await memberships.enter([ada, bob, cyd].map(({ id }) => stay(made, id)))
    const nobody: Audience = { kind: 'not', of: { kind: 'all', of: [] } }
    const leaving = (among: object) => memberships.leaving(mine, made.id, nobody, { ...ALL, ...among })
    expect(await leaving({})).toEqual([ada.id, bob.id, cyd.id])
    expect(await leaving({ limit: 1 })).toEqual([ada.id])
    expect(await leaving({ after: ada.id, limit: 1 })).toEqual([bob.id])
    expect(await leaving({ changedSince: at(60) })).toEqual([bob.id])
    expect(await leaving({ changedSince: NOON, after: bob.id })).toEqual([cyd.id])
    expect(await leaving({ ids: [cyd.id, newId()] })).toEqual([cyd.id])
  })
}

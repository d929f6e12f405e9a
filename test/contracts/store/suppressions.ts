import { expect, it } from 'vitest'
import type { Store } from '../../../core/ports/store/store.ts'
import { at, NOON, newProjectId, suppression } from './records.ts'

/** The promises of a store about the suppression list. */
export function storeSuppressionsContract(fresh: () => Promise<Store>) {
  it('answers what it put on the list', async () => {
    const { suppressions } = await fresh()
    const projectId = newProjectId()
    const made = suppression(projectId, 'ada@example.com', {
      reason: 'BOUNCE',
      detail: '550 5.1.1 no',
      expiresAt: at(60),
    })
    expect(await suppressions.put(made)).toEqual(made)
    expect(await suppressions.page(projectId, NOON, { limit: 10 })).toEqual([made])
  })

  it('gives an address that is listed already the new reason, detail and expiry, and keeps its place', async () => {
    const { suppressions } = await fresh()
    const projectId = newProjectId()
    const first = suppression(projectId, 'ada@example.com', { detail: 'old', expiresAt: at(60) })
    await suppressions.put(first)
    const second = suppression(projectId, 'ada@example.com', { reason: 'COMPLAINT', createdAt: at(9) })
    const { detail, expiresAt, ...kept } = first
    const renewed = { ...kept, reason: 'COMPLAINT' }
    expect(await suppressions.put(second)).toEqual(renewed)
    expect(await suppressions.page(projectId, NOON, { limit: 10 })).toEqual([renewed])
  })

  it('keeps one entry of many put at the same time', async () => {
    const { suppressions } = await fresh()
    const projectId = newProjectId()
    const put = () => suppressions.put(suppression(projectId, 'ada@example.com'))
    const answers = await Promise.all(Array.from({ length: 20 }, put))
    expect(new Set(answers.map(({ id }) => id)).size).toBe(1)
    expect(await suppressions.count(projectId, NOON)).toBe(1)
  })

  it('pages newest first and leaves out what has expired', async () => {
    const { suppressions } = await fresh()
    const projectId = newProjectId()
    const made = ['a', 'b', 'c', 'd'].map((name) => suppression(projectId, `${name}@example.com`))
    const expiring = suppression(projectId, 'e@example.com', { expiresAt: at(60) })
    for (const each of [...made, expiring]) await suppressions.put(each)
    const newest = [...made].reverse()
    expect(await suppressions.page(projectId, at(59), { limit: 1 })).toEqual([expiring, newest[0]])
    expect(await suppressions.count(projectId, at(59))).toBe(5)
    expect(await suppressions.page(projectId, at(60), { limit: 10 })).toEqual(newest)
    expect(await suppressions.count(projectId, at(60))).toBe(4)
    const after = { value: '', id: newest[1]!.id }
    expect(await suppressions.page(projectId, at(60), { limit: 10, after })).toEqual(newest.slice(2))
  })

  it('puts many at once, and says how many were new', async () => {
    const { suppressions } = await fresh()
    const projectId = newProjectId()
    const [ada, bob] = [suppression(projectId, 'ada@example.com'), suppression(projectId, 'bob@example.com')]
    expect(await suppressions.putAll(projectId, [])).toBe(0)
    expect(await suppressions.putAll(projectId, [bob, ada])).toBe(2)
    const renewed = suppression(projectId, 'ada@example.com', { reason: 'COMPLAINT', detail: 'D', expiresAt: at(60) })
    const more = Array.from({ length: 500 }, (_, i) => suppression(projectId, `p${i}@example.com`))
    expect(await suppressions.putAll(projectId, [...more, renewed])).toBe(500)
    expect(await suppressions.count(projectId, at(59))).toBe(502)
    const listed = await suppressions.page(projectId, at(59), { limit: 1000 })
    const kept = { ...renewed, id: ada.id, createdAt: ada.createdAt }
    expect(listed.filter(({ email }) => email === 'ada@example.com')).toEqual([kept])
    expect(listed).toContainEqual(bob)
  })

  it('says which of some addresses are on the list and in force', async () => {
    const { suppressions } = await fresh()
    const projectId = newProjectId()
    await suppressions.put(suppression(projectId, 'ada@example.com'))
    await suppressions.put(suppression(projectId, 'bob@example.com', { expiresAt: at(60) }))
    await suppressions.put(suppression(newProjectId(), 'eve@example.com'))
    const asked = ['ada@example.com', 'bob@example.com', 'eve@example.com']
    expect(await suppressions.among(projectId, asked, at(59))).toEqual(new Set(['ada@example.com', 'bob@example.com']))
    expect(await suppressions.among(projectId, asked, at(60))).toEqual(new Set(['ada@example.com']))
    expect(await suppressions.among(projectId, [], NOON)).toEqual(new Set())
  })

  it('removes by id and by address, once', async () => {
    const { suppressions } = await fresh()
    const projectId = newProjectId()
    const [ada, bob] = ['ada@example.com', 'bob@example.com'].map((address) => suppression(projectId, address))
    await suppressions.put(ada!)
    await suppressions.put(bob!)
    expect(await suppressions.remove(projectId, ada!.id)).toBe(true)
    expect(await suppressions.remove(projectId, ada!.id)).toBe(false)
    expect(await suppressions.remove(projectId, 'bob@example.com')).toBe(true)
    expect(await suppressions.remove(projectId, 'bob@example.com')).toBe(false)
    expect(await suppressions.count(projectId, NOON)).toBe(0)
  })

  it('shows no project the list of another', async () => {
    const { suppressions } = await fresh()
    const [mine, theirs] = [newProjectId(), newProjectId()]
    const made = await suppressions.put(suppression(mine, 'ada@example.com'))
    const found = [{ emails: [made.email, 'none@example.org'] }, { reason: made.reason }] as const
    for (const wanted of found) {
      expect(await suppressions.page(mine, NOON, { limit: 10 }, wanted)).toEqual([made])
      expect(await suppressions.count(mine, NOON, wanted)).toBe(1)
      expect(await suppressions.count(theirs, NOON, wanted)).toBe(0)
    }
    const other = made.reason === 'MANUAL' ? 'BOUNCE' : 'MANUAL'
    for (const wanted of [{ emails: [] }, { reason: other }] as const) {
      expect(await suppressions.page(mine, NOON, { limit: 10 }, wanted)).toEqual([])
    }
    expect(await suppressions.page(theirs, NOON, { limit: 10 })).toEqual([])
    expect(await suppressions.count(theirs, NOON)).toBe(0)
    expect(await suppressions.remove(theirs, made.id)).toBe(false)
    expect(await suppressions.remove(theirs, made.email)).toBe(false)
    await suppressions.put(suppression(theirs, 'ada@example.com', { reason: 'BOUNCE' }))
    expect(await suppressions.page(mine, NOON, { limit: 10 })).toEqual([made])
  })
}

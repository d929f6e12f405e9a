import { expect, it } from 'vitest'
import type { AuditEntry } from '../../../core/ports/store/audit.ts'
import type { Store } from '../../../core/ports/store/store.ts'
import { HOSTILE, NOON, newId, newProjectId } from './records.ts'

/** The promises of a store about the audit log. */
export function storeAuditContract(fresh: () => Promise<Store>) {
  const made = (fields: Partial<AuditEntry> = {}): AuditEntry => ({
    ...{
      id: newId(),
      at: NOON,
      action: 'revokeApiKey',
      actorType: 'user',
      actorId: newId(),
      actorName: 'a@example.com',
    },
    ...{ targetType: 'keys', fields: ['name', String(HOSTILE.text ?? 'x')], outcome: 'unknown', requestId: 'r' },
    ...fields,
  })
  const everything = {
    ...{ targetId: newId(), createdId: newId(), address: '2001:db8::1', outcome: 'done' as const },
    ...{ targetName: 'Frühling', parentType: 'workflows', parentId: newId() },
  }

  it('keeps who changed what as it was said, and what became of it', async () => {
    const { audit } = await fresh()
    const projectId = newProjectId()
    const entry = made({ projectId })
    await audit.add(entry)
    expect(await audit.page(projectId, {}, { limit: 2 })).toEqual([entry])
    await audit.update({ ...entry, ...everything })
    expect(await audit.page(projectId, {}, { limit: 2 })).toEqual([{ ...entry, ...everything }])
    await audit.remove(entry.id)
    expect(await audit.page(projectId, {}, { limit: 2 })).toEqual([])
  })

  it('lists a project’s entries newest first, narrowed, in pages, and nobody else’s', async () => {
    const { audit } = await fresh()
    const [mine, theirs] = [newProjectId(), newProjectId()]
    const entries = ['a', 'b', 'a', 'a'].map((action, i) =>
      made({
        projectId: mine,
        action,
        actorName: `n${i}`,
        targetId: `t${i}`,
        createdId: `c${i}`,
        targetType: `k${i}`,
        parentId: `p${i}`,
      }),
    )
    for (const entry of [...entries, made({ projectId: theirs, action: 'a' }), made()]) await audit.add(entry)
    const [first, second, third, fourth] = entries as [AuditEntry, AuditEntry, AuditEntry, AuditEntry]
    const ids = async (filter: object, limit = 9, after?: AuditEntry) => {
      const page = after ? { limit, after: { value: '', id: after.id } } : { limit }
      return (await audit.page(mine, filter, page)).map(({ id }) => id)
    }
    expect(await ids({})).toEqual([fourth.id, third.id, second.id, first.id])
    expect(await ids({ action: 'a' }, 1)).toEqual([fourth.id, third.id])
    expect(await ids({ action: 'a' }, 1, third)).toEqual([first.id])
    expect(await ids({ actor: second.actorId })).toEqual([second.id])
    expect(await ids({ actor: 'n1' })).toEqual([second.id])
    expect(await ids({ target: 't2' })).toEqual([third.id])
    expect(await ids({ target: 'c3' })).toEqual([fourth.id])
    expect(await ids({ target: 'p1' })).toEqual([second.id])
    expect(await ids({ kind: 'k0' })).toEqual([first.id])
    expect(await ids({ kind: 'k0', actor: 'n1' })).toEqual([])
    expect(await ids({ from: second.id, before: fourth.id })).toEqual([third.id, second.id])
    expect(await audit.count(mine, { action: 'a' }, 9)).toBe(3)
    expect(await audit.count(mine, {}, 2)).toBe(2)
  })

  it('lists what a user did about the own account, without projects', async () => {
    const { audit } = await fresh()
    const actorId = newId()
    const [first, second] = [made({ actorId }), made({ actorId })]
    for (const entry of [first, made({ actorId, projectId: newProjectId() }), second, made()]) await audit.add(entry)
    expect(await audit.pageOfUser(actorId, { limit: 9 })).toEqual([second, first])
    expect(await audit.pageOfUser(actorId, { limit: 9, after: { value: '', id: second.id } })).toEqual([first])
  })

  it('removes the oldest, so many at a time', async () => {
    const { audit } = await fresh()
    const projectId = newProjectId()
    const entries = [made({ projectId }), made({ projectId }), made({ projectId }), made({ projectId })] as const
    for (const entry of entries) await audit.add(entry)
    const [, , , last] = entries
    expect(await audit.removeBefore(last.id, 2)).toBe(2)
    expect(await audit.removeBefore(last.id, 2)).toBe(1)
    expect(await audit.removeBefore(last.id, 2)).toBe(0)
    expect(await audit.page(projectId, {}, { limit: 9 })).toEqual([last])
  })
}

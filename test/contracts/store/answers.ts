import { expect, it } from 'vitest'
import type { Store } from '../../../core/ports/store/store.ts'
import { at, contact, NOON, newProjectId, put, suppression } from './records.ts'

const SINCE = at(-86_400)
const UNDER = { key: 'k', fingerprint: 'f', since: SINCE }

/**
 * The promises of a store about answers that are kept in a transaction of one's own, and about counts of an audience.
 */
export function storeAnswersContract(fresh: () => Promise<Store>) {
  it('keeps one answer under a key of a project, and answers it afterwards', async () => {
    const store = await fresh()
    const [projectId, other] = [newProjectId(), newProjectId()]
    const keep = (id = projectId, under = UNDER) =>
      store.transaction((tx) => tx.answers.saveIfAbsent(id, under, { a: 1 }, NOON))
    expect(await keep()).toBeUndefined()
    expect(await keep()).toEqual({ fingerprint: 'f', answer: { a: 1 } })
    expect(await keep(projectId, { ...UNDER, fingerprint: 'g' })).toEqual({ fingerprint: 'f', answer: { a: 1 } })
    expect(await keep(other)).toBeUndefined()
    expect(await keep(projectId, { ...UNDER, key: 'l' })).toBeUndefined()
    expect(await store.writeBatch.remembered(projectId, 'k', SINCE)).toEqual({ fingerprint: 'f', answer: { a: 1 } })
  })

  it('takes a forgotten answer for none', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    await store.transaction((tx) => tx.answers.saveIfAbsent(projectId, UNDER, 1, SINCE))
    const later = { ...UNDER, fingerprint: 'g', since: at(-86_399) }
    expect(await store.transaction((tx) => tx.answers.saveIfAbsent(projectId, later, 2, NOON))).toBeUndefined()
    expect(await store.writeBatch.remembered(projectId, 'k', SINCE)).toEqual({ fingerprint: 'g', answer: 2 })
  })

  it('keeps nothing of a transaction that fails, and lets one of several at the same time win', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const failing = store.transaction(async (tx) => {
      await tx.answers.saveIfAbsent(projectId, UNDER, 'lost', NOON)
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    const rivals = [1, 2, 3, 4].map((answer) =>
      store.transaction(async (tx) => ({
        answer,
        earlier: await tx.answers.saveIfAbsent(projectId, UNDER, answer, NOON),
      })),
    )
    const outcomes = await Promise.all(rivals)
    const won = outcomes.filter(({ earlier }) => earlier === undefined)
    expect(won.length).toBe(1)
    for (const { earlier } of outcomes) if (earlier) expect(earlier.answer).toBe(won[0]!.answer)
  })

  it('counts an audience by what would become of its mails', async () => {
    const store = await fresh()
    const [projectId, other] = [newProjectId(), newProjectId()]
    const all = { kind: 'all', of: [] } as const
    const counts = (audience: Parameters<Store['campaignMails']['countAudience']>[1] = all, now = NOON) =>
      store.campaignMails.countAudience(projectId, audience, now)
    expect(await counts()).toEqual({
      mailable: 0,
      unsubscribed: 0,
      suppressed: 0,
      paused: 0,
      withoutTopic: 0,
      leavers: 0,
    })
    const people = Array.from({ length: 6 }, (_, i) =>
      contact(projectId, { email: `p${i}@example.org`, subscribed: i > 1, data: { even: i % 2 === 0 } }),
    )
    await put(store, projectId, { contacts: people })
    await put(store, other, { contacts: [contact(other, { email: 'p2@example.org' })] })
    await store.suppressions.put(suppression(projectId, 'p1@example.org'))
    await store.suppressions.put(suppression(projectId, 'p4@example.org', { expiresAt: at(10) }))
    await store.suppressions.put(suppression(other, 'p5@example.org'))
    expect(await counts()).toEqual({
      mailable: 3,
      unsubscribed: 1,
      suppressed: 2,
      paused: 0,
      withoutTopic: 0,
      leavers: 0,
    })
    expect(await counts(all, at(10))).toEqual({
      mailable: 4,
      unsubscribed: 1,
      suppressed: 1,
      paused: 0,
      withoutTopic: 0,
      leavers: 0,
    })
    const even = { kind: 'data', path: ['even'], test: { is: 'oneOf', values: [true] } } as const
    expect(await counts(even)).toEqual({
      mailable: 1,
      unsubscribed: 1,
      suppressed: 1,
      paused: 0,
      withoutTopic: 0,
      leavers: 0,
    })
  })
}

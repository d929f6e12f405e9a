import { describe, expect, it, onTestFinished } from 'vitest'
import { silentLog, systemClock } from '../../config/library.ts'
import { at, NOON, newId, newProjectId } from '../contracts/store/records.ts'
import { STORES } from '../support/matrix.ts'

describe.each(STORES)('the upkeep of inboxes, on $name', ({ store: plugin }) => {
  const open = async () => {
    const { store, close } = await plugin().open({ log: silentLog, clock: systemClock })
    onTestFinished(async () => close?.())
    const [projectId, inboxId, threadId] = [newProjectId(), newId(), newId()]
    await store.inboxes.insert({
      ...{ id: inboxId, projectId, address: 'help@example.com', name: 'Help', labels: [], approval: 'never' },
      ...{ metadata: {}, version: 1, createdAt: NOON, updatedAt: NOON },
    })
    return { store, projectId, inboxId, threadId }
  }

  it('puts mails into the index again that are noted in it and are not there', async () => {
    const { store, projectId, inboxId, threadId } = await open()
    const mails = Array.from({ length: 3 }, (_, i) => {
      const about = { threadId, inboxId, projectId, emailId: newId(), messageId: '', incoming: true }
      return { ...about, at: at(i), ...(i > 0 ? { indexedAt: NOON } : {}) }
    })
    await store.threadMails.add(mails)
    const idsOf = (found: readonly { emailId: string }[]) => found.map(({ emailId }) => emailId)
    expect(idsOf(await store.mailWords.missing(9))).toEqual([mails[0]!.emailId])
    const [, , last] = mails
    const words = { scope: 'p', subject: 'one', people: '', body: '', files: '' }
    await store.mailWords.put([{ emailId: last!.emailId, projectId, ...words }], NOON)
    expect(await store.mailWords.mend()).toBe(1)
    expect(idsOf(await store.mailWords.missing(9))).toEqual([mails[1]!.emailId, mails[0]!.emailId])
    for (const { emailId } of mails) await store.mailWords.put([{ emailId, projectId, ...words }], NOON)
    expect([await store.mailWords.mend(), await store.mailWords.missing(9)]).toEqual([0, []])
  })

  it('removes events that are too old, and goes on with their numbers', async () => {
    const { store, projectId, inboxId } = await open()
    const event = (seconds: number) => ({ inboxId, projectId, name: 'x', data: {}, at: at(seconds) })
    await store.inboxEvents.add([event(1), event(2)])
    await store.inboxEvents.add([event(3), { ...event(4), inboxId: newId() }])
    expect(await store.inboxEvents.last([inboxId, newId()])).toEqual(new Map([[inboxId, 3]]))
    expect(await store.inboxEvents.removeBefore(at(3), 1)).toBe(1)
    expect(await store.inboxEvents.removeBefore(at(3), 9)).toBe(1)
    expect(await store.inboxEvents.removeBefore(at(9), 9)).toBe(1)
    await store.inboxEvents.add([event(5)])
    expect(await store.inboxEvents.after(projectId, inboxId, 0, 9)).toMatchObject([{ number: 4, at: at(5) }])
    expect(await store.inboxEvents.removeOf(projectId, inboxId, 9)).toBe(1)
    expect(await store.inboxEvents.after(projectId, inboxId, 0, 9)).toEqual([])
  })
})

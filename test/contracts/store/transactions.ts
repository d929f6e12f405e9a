import { expect, it } from 'vitest'
import type { Repositories, Store } from '../../../core/ports/store/store.ts'
import {
  claimMails,
  contact,
  email,
  event,
  NOON,
  newProjectId,
  project,
  put,
  putContact,
  putEmail,
  request,
  result,
  suppression,
  template,
} from './records.ts'

/** The promises of a store about transactions. */
export function storeTransactionsContract(fresh: () => Promise<Store>) {
  it('writes all of it and answers what the work answered', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const ada = await putContact(store, projectId)
    const answer = await store.transaction(async (tx) => {
      await everyWrite(tx, ada.projectId, ada.id)
      return 42
    })
    expect(answer).toBe(42)
    expect(await counts(store, projectId)).toEqual({ templates: 1, suppressions: 1, events: 1, subscribed: 0 })
  })

  it('writes nothing when the work throws, and throws that', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const ada = await putContact(store, projectId)
    const mail = await putEmail(store, projectId)
    await claimMails(store, [mail], NOON, { token: 't', until: NOON })
    const before = await counts(store, projectId)
    const failure = new Error('changed my mind')
    const work = store.transaction(async (tx) => {
      await everyWrite(tx, projectId, ada.id)
      expect(await tx.emails.record([result(mail, 't')])).toEqual(new Set([mail.id]))
      throw failure
    })
    await expect(work).rejects.toBe(failure)
    expect(await counts(store, projectId)).toEqual(before)
    expect(await store.projects.list()).toEqual([])
    expect(await store.emails.find(projectId, mail.id)).toMatchObject({ status: 'SENDING' })
  })

  it('writes nothing when a statement of it fails', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const ada = await putContact(store, projectId)
    const twice = event(projectId, ada.id)
    const work = store.transaction(async (tx) => {
      await tx.events.record([twice])
      await tx.events.record([twice])
    })
    await expect(work).rejects.toThrow()
    expect(await store.events.page(projectId, {}, { limit: 9 })).toEqual([])
  })

  it('reads its own writes, through every repository', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const ada = await putContact(store, projectId)
    await store.transaction(async (tx) => {
      const made = template(projectId)
      await tx.templates.insert(made)
      expect(await tx.templates.find(projectId, made.id)).toEqual(made)
      await tx.templates.update({ ...made, name: 'Changed' })
      expect(await tx.templates.find(projectId, made.id)).toEqual({ ...made, name: 'Changed' })
      await tx.contacts.update({ ...ada, subscribed: false })
      expect(await tx.contacts.lock(projectId, ada.id)).toEqual({ ...ada, subscribed: false })
      await tx.suppressions.put(suppression(projectId, ada.email))
      expect(await tx.suppressions.count(projectId, NOON)).toBe(1)
    })
  })

  it('lets nobody outside see or join what is not yet committed', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const mail = email(projectId)
    const made = template(projectId)
    const outside: Promise<unknown>[] = []
    const begun = Promise.withResolvers<void>()
    const inside = store.transaction(async (tx) => {
      await tx.templates.insert(made)
      begun.resolve()
      await new Promise((resolve) => setImmediate(resolve))
      throw new Error('rolled back')
    })
    inside.catch(() => {})
    await begun.promise
    outside.push(store.templates.find(projectId, made.id), put(store, projectId, { emails: [mail] }))
    await expect(inside).rejects.toThrow('rolled back')
    expect(await outside[0]).toBeUndefined()
    await outside[1]
    expect(await store.emails.find(projectId, mail.id)).toEqual(mail)
  })

  it('refuses the outer store inside, whichever door is tried, and goes on', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const made = template(projectId)
    await store.transaction(async (tx) => {
      const tries = [
        () => store.projects.list(),
        () => store.contacts.count(projectId, {}),
        () => store.templates.insert(template(projectId)),
        () => store.emails.waiting('workflow'),
        () => store.emails.record([result(email(projectId), 't')]),
        () =>
          store.writeBatch.commit(
            request(projectId, () => ({ contacts: [], contents: [], emails: [], events: [], answer: null })),
          ),
        () => store.writeBatch.remembered(projectId, 'key', NOON),
        () => store.transaction(async () => {}),
        () => store.check(),
      ]
      for (const attempt of tries) await expect(attempt()).rejects.toMatchObject({ code: 'STORE_NESTED' })
      await tx.templates.insert(made)
    })
    expect(await store.templates.page(projectId, {}, { limit: 9 })).toEqual([made])
  })

  it('lets what was begun inside use the outer store once the transaction has ended', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const ended = Promise.withResolvers<void>()
    let later: Promise<number> | undefined
    await store.transaction(async () => {
      later = ended.promise.then(() => store.contacts.count(projectId, {}))
    })
    ended.resolve()
    expect(await later).toBe(0)
  })

  it('runs many at the same time, none in the way of another', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const ada = await putContact(store, projectId)
    const track = (i: number) =>
      store.transaction(async (tx) => {
        await tx.events.record([event(projectId, ada.id, { name: `n${i}` })])
        if (i % 5 === 0) throw new Error('rolled back')
      })
    const outcomes = await Promise.allSettled(Array.from({ length: 30 }, (_, i) => track(i)))
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(24)
    expect(await store.events.stats(projectId, {})).toHaveLength(24)
  })
}

/** One write through every repository but the ledger's. */
async function everyWrite(
  tx: Repositories,
  projectId: ReturnType<typeof newProjectId>,
  contactId: string,
): Promise<void> {
  await tx.projects.save(project({ id: projectId }))
  await tx.templates.insert(template(projectId))
  await tx.suppressions.put(suppression(projectId, 'x@example.com'))
  await tx.events.record([event(projectId, contactId)])
  await tx.contacts.update({ ...contact(projectId), id: contactId, subscribed: false })
}

async function counts(store: Store, projectId: ReturnType<typeof newProjectId>) {
  return {
    templates: await store.templates.count(projectId, {}),
    suppressions: await store.suppressions.count(projectId, NOON),
    events: (await store.events.page(projectId, {}, { limit: 9 })).length,
    subscribed: await store.contacts.count(projectId, { subscribed: true }),
  }
}

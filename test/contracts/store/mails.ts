import { expect, it } from 'vitest'
import type { Store } from '../../../core/ports/store/store.ts'
import { at, campaign, email, NOON, newId, newProjectId, put, putEmail, result } from './records.ts'

/** What a store promises about single mails that people change. */
export function storeMailsContract(fresh: () => Promise<Store>) {
  it('cancels and re-dates a mail only while it waits, and none of another project', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const [mail, sent] = [await putEmail(store, projectId), await putEmail(store, projectId)]
    await store.emails.claim([sent.id], NOON, { token: 'a', until: at(60) })
    for (const id of [sent.id, newId()]) {
      expect(await store.mails.cancel(projectId, id, at(1))).toBe(false)
      expect(await store.mails.redate(projectId, id, { dueAt: at(9) }, at(1))).toBe(false)
    }
    expect(await store.mails.cancel(newProjectId(), mail.id, at(1))).toBe(false)
    expect(await store.mails.redate(newProjectId(), mail.id, { dueAt: at(9) }, at(1))).toBe(false)
    expect(await store.emails.find(projectId, mail.id)).toEqual(mail)

    expect(await store.mails.redate(projectId, mail.id, { dueAt: at(500) }, at(1))).toBe(true)
    expect(await store.emails.claim([mail.id], at(499), { token: 'b', until: at(600) })).toEqual([])
    const change = { dueAt: at(700), expiresAt: at(900) }
    expect(await store.mails.redate(projectId, mail.id, change, at(2))).toBe(true)
    expect(await store.emails.find(projectId, mail.id)).toEqual({ ...mail, ...change })
    expect(await store.mails.cancel(projectId, mail.id, at(3))).toBe(true)
    expect(await store.mails.cancel(projectId, mail.id, at(4))).toBe(false)
    const cancelled = { ...mail, ...change, status: 'SKIPPED', skipReason: 'cancelled', updatedAt: at(3) }
    expect(await store.emails.find(projectId, mail.id)).toEqual(cancelled)
    expect(await store.emails.claim([mail.id], at(999), { token: 'c', until: at(1999) })).toEqual([])
  })

  it('keeps the time a mail was given when the clock is set back', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const mail = await putEmail(store, projectId)
    await store.mails.redate(projectId, mail.id, { dueAt: at(500) }, at(200))
    await store.moveUp(at(-1000), at(200), 100)
    expect((await store.emails.find(projectId, mail.id))?.dueAt).toEqual(at(500))
  })

  it('counts a cancelled mail of a campaign as skipped', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const news = campaign(projectId, { status: 'SENDING' })
    await store.campaigns.insert(news)
    const mail = email(projectId, { contactId: newId(), campaignId: news.id, sourceType: 'CAMPAIGN', lane: 'campaign' })
    await put(store, projectId, { emails: [mail] })
    await store.mails.cancel(projectId, mail.id, at(1))
    const { skipped } = await store.campaignMails.counters(projectId, news.id)
    expect(skipped).toEqual({ cancelled: 1 })
    expect(await store.campaignMails.hasOpen(news.id)).toBe(false)
  })

  it('lets either a claim or a cancellation have a mail, never both, when they race', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const mails = Array.from({ length: 60 }, () => email(projectId))
    await put(store, projectId, { emails: mails })
    const claims = mails.map(({ id }, i) => store.emails.claim([id], NOON, { token: `t${i}`, until: at(60) }))
    const cancels = mails.map(({ id }) => store.mails.cancel(projectId, id, NOON))
    // the other way round, too
    const [claimed, cancelled] = await Promise.all([Promise.all(claims), Promise.all(cancels)])
    const had = mails.map((_mail, i) => Number(claimed[i]!.length === 1) + Number(cancelled[i]))
    expect(had).toEqual(mails.map(() => 1))
    const results = mails.map((mail, i) => result(mail, `t${i}`, { status: 'DELIVERED' }))
    const written = await store.emails.record(results)
    expect(mails.filter(({ id }, i) => written.has(id) === cancelled[i])).toEqual([])
  })
}

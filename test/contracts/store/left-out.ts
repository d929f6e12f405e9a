import { expect, it } from 'vitest'
import type { LeftOut } from '../../../core/ports/store/left-out.ts'
import type { Store } from '../../../core/ports/store/store.ts'
import { momentOf } from '../../../core/values/id.ts'
import type { ProjectId } from '../../../core/values/project-id.ts'
import { at, campaign, email, NOON, newId, newProjectId, putContact } from './records.ts'

/** A contact that was left out when the audience was written. */
export function leftOut(projectId: ProjectId, campaignId: string, fields: Partial<LeftOut> = {}): LeftOut {
  return { id: newId(), projectId, campaignId, contactId: newId(), reason: 'unsubscribed', ...fields }
}

const ALL = { atStart: ['unsubscribed', 'topic'], later: ['unsubscribed', 'capped'] } as const

/** The promises of a store about the contacts whom a campaign left out. */
export function storeLeftOutContract(fresh: () => Promise<Store>) {
  it('lists those without a mail and those whose mail was skipped together, by reason and page by page', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const campaignId = newId()
    const [ada, eve] = [await putContact(store, projectId), await putContact(store, projectId)]
    const first = leftOut(projectId, campaignId, { contactId: ada.id })
    const mail = { campaignId, lane: 'campaign', sourceType: 'CAMPAIGN', status: 'SKIPPED' } as const
    const capped = { ...mail, contactId: eve.id, to: eve.email, skipReason: 'capped', updatedAt: at(9) } as const
    const late = email(projectId, capped)
    await store.campaignMails.add([late, email(projectId, { campaignId, lane: 'campaign', contactId: newId() })])
    const gone = leftOut(projectId, campaignId, { reason: 'topic' })
    await store.leftOut.add([first, gone, leftOut(projectId, newId()), leftOut(newProjectId(), campaignId)])
    const listed = [
      { id: gone.id, email: 'deleted', reason: 'topic', at: momentOf(gone.id) },
      { id: late.id, contactId: eve.id, email: eve.email, reason: 'capped', at: at(9) },
      { id: first.id, contactId: ada.id, email: ada.email, reason: 'unsubscribed', at: momentOf(first.id) },
    ]
    const page = (reasons: Parameters<Store['leftOut']['page']>[2], limit = 9, before?: string) =>
      store.leftOut.page(projectId, campaignId, reasons, { limit, ...(before === undefined ? {} : { before }) })
    expect(await page(ALL)).toEqual(listed)
    expect(await page(ALL, 1)).toEqual(listed.slice(0, 2))
    expect(await page(ALL, 1, gone.id)).toEqual(listed.slice(1))
    expect(await page(ALL, 1, late.id)).toEqual(listed.slice(2))
    expect(await page({ atStart: ['topic'], later: ['topic'] })).toEqual(listed.slice(0, 1))
    expect(await page({ atStart: [], later: ['capped'] })).toEqual(listed.slice(1, 2))
    expect(await page({ atStart: ['paused'], later: ['paused'] })).toEqual([])
    expect(await store.leftOut.page(newProjectId(), campaignId, ALL, { limit: 9 })).toEqual([])
  })

  it('forgets an erased contact, whose row stays, a part at a time', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const ada = await putContact(store, projectId)
    const campaigns = [newId(), newId(), newId()]
    for (const id of campaigns) await store.leftOut.add([leftOut(projectId, id, { contactId: ada.id })])
    const names = async () => {
      const all = campaigns.map((id) => store.leftOut.page(projectId, id, ALL, { limit: 9 }))
      return (await Promise.all(all)).flat().map(({ email: address }) => address)
    }
    expect(await store.retention.eraseHistory(projectId, [ada.id], 2, NOON)).toBe(true)
    expect((await names()).toSorted()).toEqual([ada.email, 'deleted', 'deleted'].toSorted())
    expect(await store.retention.eraseHistory(projectId, [ada.id], 2, NOON)).toBe(false)
    expect(await names()).toEqual(['deleted', 'deleted', 'deleted'])
  })

  it('removes the rows of campaigns that no longer exist, a part at a time', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const kept = campaign(projectId)
    await store.campaigns.insert(kept)
    const [one, other] = [newId(), newId()]
    await store.leftOut.add([one, one, one, other, kept.id].map((id) => leftOut(projectId, id)))
    const removed: number[] = []
    while (removed.at(-1) !== 0) removed.push(await store.leftOut.removeLeft(2))
    expect(removed.toSorted()).toEqual([0, 1, 1, 2])
    expect(await store.leftOut.page(projectId, one, ALL, { limit: 9 })).toEqual([])
    expect(await store.leftOut.page(projectId, kept.id, ALL, { limit: 9 })).toHaveLength(1)
  })
}

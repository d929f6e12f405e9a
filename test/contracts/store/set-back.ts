import { expect, it } from 'vitest'
import type { Store } from '../../../core/ports/store/store.ts'
import { at, campaign, delivery, email, execution, NOON, newProjectId, put, putContact, workflow } from './records.ts'

const HOUR = 3_600

/** The promises of a store for the case that the wall clock is set back. */
export function storeSetBackContract(fresh: () => Promise<Store>) {
  it('moves up what was put off by a delay while the clock was ahead, and nothing that somebody named the moment for', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    // written at the hour ahead, from which the clock is set back to noon
    const [then, written] = [at(HOUR), { createdAt: at(HOUR), updatedAt: at(HOUR) }]
    const accepted = email(projectId, { ...written, dueAt: then })
    const retried = email(projectId, { createdAt: NOON, updatedAt: then, dueAt: at(HOUR + 60), attempts: 1 })
    const mine = campaign(projectId, { status: 'SENDING' })
    const mailed = email(projectId, { ...written, dueAt: then, campaignId: mine.id, lane: 'campaign' })
    const scheduled = email(projectId, { ...written, dueAt: at(3 * HOUR) })
    const before = email(projectId, { createdAt: NOON, updatedAt: NOON, dueAt: at(600) })
    const later = email(projectId, { createdAt: at(9 * HOUR), updatedAt: at(9 * HOUR), dueAt: at(9 * HOUR) })
    await store.campaigns.insert(mine)
    await put(store, projectId, { emails: [accepted, retried, mailed, scheduled, before, later] })
    const person = await putContact(store, projectId)
    const way = execution(workflow(projectId), person.id, { ...written, status: 'WAITING', dueAt: at(HOUR + 259_200) })
    await store.executions.start([way])
    const call = delivery(projectId, { ...written, dueAt: at(HOUR + 300) })
    await store.webhookDeliveries.add([call])

    while (await store.moveUp(NOON, at(HOUR), 1));
    const dueAt = async ({ id }: { readonly id: string }) => (await store.emails.find(projectId, id))?.dueAt
    expect(await Promise.all([accepted, retried, mailed].map(dueAt))).toEqual([NOON, at(60), NOON])
    expect(await Promise.all([scheduled, before, later].map(dueAt))).toEqual([at(3 * HOUR), at(600), at(9 * HOUR)])
    const moved = await store.executions.find(projectId, way.workflowId, way.id)
    expect(moved).toMatchObject({ dueAt: at(259_200) })
    expect(await store.webhookDeliveries.find(projectId, call.id)).toMatchObject({ dueAt: at(300), updatedAt: NOON })
    expect(await store.moveUp(NOON, at(HOUR), 500)).toBe(false)
    expect(await dueAt(retried)).toEqual(at(60))
  })
}

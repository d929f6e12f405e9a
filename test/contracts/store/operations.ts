import { expect, it } from 'vitest'
import type { QueueDepth } from '../../../core/ports/store/operations.ts'
import type { Store } from '../../../core/ports/store/store.ts'
import { at, campaign, NOON, newProjectId, putEmail } from './records.ts'
import { sendRequest } from './send-requests.ts'

/** The promises of a store about an operator's questions. */
export function storeOperationsContract(fresh: () => Promise<Store>) {
  it('counts what waits by kind and project, what of it is due, and since when', async () => {
    const { operations, ...store } = await fresh()
    expect(await operations.queues(NOON)).toEqual([])
    const [mine, theirs] = [newProjectId(), newProjectId()]
    const all = { operations, ...store } as Store
    for (const seconds of [-60, 0, 60]) await putEmail(all, mine, { dueAt: at(seconds) })
    await putEmail(all, mine, { status: 'DELIVERED', sentAt: NOON, deliveredAt: NOON })
    await putEmail(all, theirs, { lane: 'workflow', sourceType: 'WORKFLOW', dueAt: at(60) })
    const news = campaign(mine)
    await store.campaigns.insert(news)
    const ofNews = { campaignId: news.id, sourceType: 'CAMPAIGN', lane: 'campaign' } as const
    for (const seconds of [-30, -90]) await putEmail(all, mine, { ...ofNews, dueAt: at(seconds) })
    const ago = { projectId: theirs, createdAt: at(-5) }
    await store.sendRequests.add([sendRequest(ago), sendRequest({ ...ago, createdAt: at(-3), dueAt: at(5) })])
    const found = [...(await operations.queues(NOON))].sort((a, b) => b.waiting - a.waiting)
    expect(found).toEqual([
      { queue: 'transactional', projectId: mine, waiting: 3, due: 2, oldest: at(-60) },
      { queue: 'campaign', projectId: mine, waiting: 2, due: 2, oldest: at(-90) },
      { queue: 'requests', projectId: theirs, waiting: 2, due: 1, oldest: at(-5) },
      { queue: 'workflow', projectId: theirs, waiting: 1, due: 0, oldest: at(60) },
    ] satisfies readonly QueueDepth[])
  })

  it('names the last migration and the size', async () => {
    const { operations } = await fresh()
    const { schema, bytes } = await operations.database()
    expect(schema).not.toBe('')
    expect(bytes).toBeGreaterThan(1000)
  })
}

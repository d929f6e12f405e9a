import { expect, it } from 'vitest'
import type { Series } from '../../../core/ports/store/series.ts'
import type { Store } from '../../../core/ports/store/store.ts'
import type { ProjectId } from '../../../core/values/project-id.ts'
import { at, campaign, NOON, newId, newProjectId } from './records.ts'

/** A series that is due at noon. */
export function series(projectId: ProjectId, fields: Partial<Series> = {}): Series {
  return {
    ...{ id: newId(), projectId, name: 'Weekly', campaignId: newId(), sends: false, issues: 0, nextAt: NOON },
    rhythm: { every: 'day', at: '09:00', timezone: 'UTC' },
    ...{ createdAt: NOON, updatedAt: NOON },
    ...fields,
  }
}

/** The promises of a store about series of campaigns and what they have seen of their feeds. */
export function storeSeriesContract(fresh: () => Promise<Store>) {
  it('gives a series back as it was written, and sees one project only', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const { nextAt: _, ...bare } = series(projectId)
    const full = series(projectId, {
      name: 'Größe 🙂',
      rhythm: { every: 'month', day: 'last', at: '23:59', timezone: 'Europe/Berlin' },
      feedUrl: 'https://example.com/feed',
      feed: { title: '"', etag: 'W/"1"', lastModified: 'x', readAt: NOON.toISOString(), askedAt: NOON.toISOString() },
      ...{ sends: true, issues: 3, lastAt: at(-5), problem: 'P' },
    })
    for (const each of [bare, full]) await store.series.insert(each)
    expect(await store.series.find(projectId, bare.id)).toStrictEqual(bare)
    expect(await store.series.find(projectId, full.id)).toStrictEqual(full)
    expect(await store.series.find(newProjectId(), full.id)).toBeUndefined()
    expect(await store.series.page(projectId, { limit: 9 })).toEqual([full, bare])
    expect(await store.series.page(projectId, { limit: 1, offset: 1 })).toEqual([bare])
    expect(await store.series.count(projectId)).toBe(2)
    const less = { ...bare, id: full.id }
    expect(await store.series.update({ ...less, projectId: newProjectId() })).toBe(false)
    expect(await store.series.update(less)).toBe(true)
    expect(await store.transaction((tx) => tx.series.lock(projectId, full.id))).toStrictEqual(less)
  })

  it('knows of all projects which are due, the first first', async () => {
    const store = await fresh()
    const made = [series(newProjectId(), { nextAt: at(60) }), series(newProjectId(), { nextAt: at(30) })]
    const { nextAt: _, ...paused } = series(newProjectId())
    for (const each of [...made, paused]) await store.series.insert(each)
    const ours = async (now: Date, limit: number) => {
      const found = await store.series.due(now, limit)
      return found.filter(({ id }) => made.some((each) => each.id === id) || id === paused.id)
    }
    expect(await ours(at(29), 100)).toEqual([])
    expect(await ours(at(30), 100)).toEqual([made[1]])
    expect(await ours(at(60), 100)).toEqual([made[1], made[0]])
    expect((await store.series.due(at(60), 1)).length).toBe(1)
  })

  it('remembers items once, forgets only old ones that the feed no longer has, and all with the series', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const [one, other] = [series(projectId), series(projectId)]
    for (const each of [one, other]) await store.series.insert(each)
    const item = (key: string, minutes: number, seriesId = one.id) => ({
      seriesId,
      key,
      projectId,
      seenAt: at(minutes),
    })
    await store.series.remember([])
    await store.series.remember([item('a', 0), item('b', 1), item('c', 2)])
    await store.series.remember([{ ...item('c', 9), campaignId: newId() }, item('d', 3), item('a', 0, other.id)])
    const seen = async (id: string) => [...(await store.series.seen(id, ['a', 'b', 'c', 'd', 'x']))].sort().join('')
    expect(await seen(one.id)).toBe('abcd')
    expect(await seen(other.id)).toBe('a')
    expect(await store.series.seen(one.id, [])).toEqual(new Set())
    await store.series.forget(one.id, [], 4)
    expect(await seen(one.id)).toBe('abcd')
    await store.series.forget(one.id, ['a'], 1)
    expect(await seen(one.id)).toBe('acd')
    expect(await store.series.remove(newProjectId(), one.id)).toBe(false)
    expect(await store.series.remove(projectId, one.id)).toBe(true)
    expect([await seen(one.id), await seen(other.id)]).toEqual(['', 'a'])
  })

  it('finds the issues of a series', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const issue = campaign(projectId, { seriesId: newId() })
    for (const each of [issue, campaign(projectId)]) await store.campaigns.insert(each)
    expect(await store.campaigns.page(projectId, { seriesId: issue.seriesId! }, { limit: 9 })).toEqual([issue])
  })
}

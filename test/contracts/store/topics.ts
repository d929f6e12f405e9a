import { expect, it } from 'vitest'
import type { Store } from '../../../core/ports/store/store.ts'
import type { Topic, TopicChoice } from '../../../core/ports/store/topics.ts'
import type { ProjectId } from '../../../core/values/project-id.ts'
import { at, campaign, contact, NOON, newId, newProjectId, put, template } from './records.ts'

function topic(projectId: ProjectId, fields: Partial<Topic> = {}): Topic {
  const made = { id: newId(), projectId, slug: 'news', name: 'News', standing: 'out', public: true } as const
  return { ...made, createdAt: NOON, updatedAt: NOON, ...fields }
}

function choice({ projectId, id: topicId }: Topic, contactId: string, fields: Partial<TopicChoice> = {}): TopicChoice {
  return { contactId, topicId, projectId, subscribed: true, at: NOON, source: 'api', ...fields }
}

/** The promises of a store about topics and what contacts chose. */
export function storeTopicsContract(fresh: () => Promise<Store>) {
  it('gives them back as they were written, each slug once in a project, and shows no project those of another', async () => {
    const { topics } = await fresh()
    const [mine, theirs] = [newProjectId(), newProjectId()]
    const full = topic(mine, {
      formerSlugs: ['alt', 'é'],
      description: 'ДД 🙂',
      standing: 'in',
      public: false,
      archived: true,
      slug: 'größe',
    })
    const [news, foreign] = [topic(mine), topic(theirs)]
    for (const each of [full, news, foreign]) expect(await topics.insert(each)).toBe('inserted')
    expect(await topics.insert(topic(mine))).toBe('slug-taken')
    expect(await topics.all(mine)).toEqual([full, news])
    expect([await topics.find(mine, full.id), await topics.named(mine, 'größe')]).toEqual([full, full])
    expect([await topics.find(mine, foreign.id), await topics.named(theirs, 'größe')]).toEqual([undefined, undefined])
    expect(await topics.takenSlugs(mine, ['news', 'größe', 'free'])).toEqual(new Set(['news', 'größe']))
    const bare = topic(mine, { id: full.id, slug: 'other', updatedAt: at(5) })
    expect(await topics.update({ ...bare, slug: 'news' })).toBe('slug-taken')
    expect(await topics.update(bare)).toBe('updated')
    expect(await topics.find(mine, full.id)).toEqual(bare)
    expect(await topics.update({ ...bare, projectId: theirs, slug: 'x' })).toBe('missing')
    expect([await topics.remove(theirs, full.id), await topics.remove(mine, full.id)]).toEqual([false, true])
    expect(await topics.remove(mine, full.id)).toBe(false)
  })

  it('keeps the last choice of each contact, and counts choices without being asked', async () => {
    const store = await fresh()
    const { topics } = store
    const projectId = newProjectId()
    const [news, offers] = [topic(projectId), topic(projectId, { slug: 'offers' })]
    for (const each of [news, offers]) await topics.insert(each)
    const people = [contact(projectId), contact(projectId), contact(projectId)]
    await put(store, projectId, { contacts: people })
    const [one = '', two = '', three = ''] = people.map(({ id }) => id)
    const first = choice(news, one, { text: 'Да 🙂', source: 'form' })
    await topics.choose([first, choice(news, two, { subscribed: false }), choice(offers, one)])
    expect(await topics.counts(projectId)).toEqual(
      new Map([
        [news.id, { subscribed: 1, unsubscribed: 1 }],
        [offers.id, { subscribed: 1, unsubscribed: 0 }],
      ]),
    )
    const sorted = (all: readonly TopicChoice[]) => all.toSorted((a, b) => (a.topicId < b.topicId ? -1 : 1))
    expect(sorted(await topics.choices(projectId, [one]))).toEqual([first, choice(offers, one)])
    // another choice takes the place of the earlier one, with all it says
    const later = choice(news, one, { subscribed: false, at: at(9), source: 'page' })
    await topics.choose([later, choice(news, three)], [{ contactId: two, topicId: news.id }])
    expect(sorted(await topics.choices(projectId, [one, two]))).toEqual([later, choice(offers, one)])
    expect((await topics.counts(projectId)).get(news.id)).toEqual({ subscribed: 1, unsubscribed: 1 })
    expect(await topics.choices(newProjectId(), [one])).toEqual([])
    expect([await topics.forget(projectId, news.id, 1), await topics.forget(projectId, news.id, 9)]).toEqual([1, 1])
    expect(await topics.counts(projectId)).toEqual(new Map([[offers.id, { subscribed: 1, unsubscribed: 0 }]]))
    await topics.choose([])
  })

  it('says who does not get a topic: by their choice, else by its standing', async () => {
    const store = await fresh()
    const { topics, campaignMails } = store
    const projectId = newProjectId()
    const people = [
      contact(projectId),
      contact(projectId),
      contact(projectId),
      contact(projectId, { subscribed: false }),
    ]
    await put(store, projectId, { contacts: people })
    const [silent = '', joined = '', left = '', off = ''] = people.map(({ id }) => id)
    for (const [standing, without] of [
      ['in', [left]],
      ['out', [silent, left, off]],
    ] as const) {
      const kind = topic(projectId, { standing, slug: standing })
      await topics.insert(kind)
      await topics.choose([choice(kind, joined), choice(kind, left, { subscribed: false })])
      const all = [silent, joined, left, off]
      expect(await topics.without(projectId, kind.id, [...all, newId()])).toEqual(new Set(without))
      expect(await topics.without(newProjectId(), kind.id, all)).toEqual(new Set())
      const everybody = { kind: 'all', of: [] } as const
      const page = { after: '', upTo: off, limit: 9, now: NOON, topicId: kind.id }
      const members = await campaignMails.audiencePage(projectId, everybody, page)
      expect(members.filter(({ withoutTopic }) => withoutTopic).map(({ id }) => id)).toEqual(without)
      const counts = {
        unsubscribed: 1,
        suppressed: 0,
        paused: 0,
        withoutTopic: without.filter((id) => id !== off).length,
        leavers: 0,
      }
      expect(await campaignMails.countAudience(projectId, everybody, NOON, { topicId: kind.id })).toEqual({
        ...counts,
        mailable: 3 - counts.withoutTopic,
      })
    }
    // mail without a topic goes to those who have left one as well, and they are counted when asked for
    const counted = () => campaignMails.countAudience(projectId, { kind: 'all', of: [] }, NOON, { leavers: true })
    expect(await counted()).toMatchObject({ mailable: 3, withoutTopic: 0, leavers: 1 })
    expect(await campaignMails.countAudience(projectId, { kind: 'all', of: [] }, NOON)).toMatchObject({ leavers: 0 })
    const { topicId: _, ...page } = { after: '', upTo: off, limit: 9, now: NOON, topicId: '' }
    const members = await campaignMails.audiencePage(projectId, { kind: 'all', of: [] }, page)
    expect(members.some((member) => 'withoutTopic' in member)).toBe(false)
    // mail of a topic that is gone is mail without one
    expect(await topics.without(projectId, newId(), [silent, left])).toEqual(new Set())
    expect(await topics.without(projectId, newId(), [])).toEqual(new Set())
  })

  it('finds what goes out under a topic, and lets nobody remove one that is held', async () => {
    const store = await fresh()
    const { topics, templates, campaigns } = store
    const projectId = newProjectId()
    const news = topic(projectId)
    await topics.insert(news)
    const letter = template(projectId, { type: 'MARKETING', topicId: news.id })
    await templates.insert(letter)
    await templates.insert(template(projectId))
    const going = campaign(projectId, { topicId: news.id })
    for (const each of [going, campaign(projectId, { topicId: news.id, status: 'CANCELLED' }), campaign(projectId)]) {
      await campaigns.insert(each)
    }
    expect(await topics.users(projectId, news.id)).toEqual({
      templates: [{ id: letter.id, name: letter.name }],
      campaigns: [{ id: going.id, name: going.name, status: going.status }],
    })
    expect(await campaigns.find(projectId, going.id)).toEqual(going)
    await store.transaction(async (tx) => {
      expect(await tx.topics.lock(projectId, news.id)).toEqual(news)
      expect([await tx.topics.hold(projectId, news.id), await tx.topics.hold(projectId, newId())]).toEqual([
        true,
        false,
      ])
    })
  })

  it('erases what a removed contact chose', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const [gone, kept] = [contact(projectId), contact(projectId)]
    await put(store, projectId, { contacts: [gone, kept] })
    const news = topic(projectId)
    await store.topics.insert(news)
    await store.topics.choose([choice(news, gone.id), choice(news, kept.id)])
    await store.contacts.remove(projectId, gone.id, NOON)
    await store.retention.eraseHistory(projectId, [gone.id], 100, NOON)
    expect(await store.topics.choices(projectId, [gone.id, kept.id])).toEqual([choice(news, kept.id)])
    expect((await store.topics.counts(projectId)).get(news.id)).toEqual({ subscribed: 1, unsubscribed: 0 })
  })
}

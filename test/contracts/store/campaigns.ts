import { describe, expect, it } from 'vitest'
import type { Audience } from '../../../core/ports/store/audiences.ts'
import {
  CAMPAIGN_STATUSES,
  type Campaign,
  type CampaignFilter,
  type CampaignNeeds,
  type FanOut,
} from '../../../core/ports/store/campaigns.ts'
import type { Store } from '../../../core/ports/store/store.ts'
import { at, campaign, contact, email, NOON, newId, newProjectId, project, put, suppression } from './records.ts'

const EVERYBODY: Audience = { kind: 'all', of: [] }
const PRO: Audience = { kind: 'data', path: ['plan'], test: { is: 'oneOf', values: ['pro'] } }
const START: FanOut = {
  ...{ frozenAt: NOON.toISOString(), upTo: newId(), cursor: '', done: false },
  ...{ recipients: 0, skipped: { 'suppressed:BOUNCE': 1, __proto__: 2 } },
}

/** The promises of a store about campaigns and their audience. */
export function storeCampaignsContract(fresh: () => Promise<Store>) {
  it('gives a campaign back as it was written, and without what it has not', async () => {
    const { campaigns } = await fresh()
    const projectId = newProjectId()
    const [bare, full] = [campaign(projectId), whole(campaign(projectId))]
    await campaigns.insert(bare)
    await campaigns.insert(full)
    expect(await campaigns.find(projectId, bare.id)).toStrictEqual(bare)
    expect(await campaigns.find(projectId, full.id)).toStrictEqual(full)
    expect(await campaigns.find(newProjectId(), full.id)).toBeUndefined()
  })

  it('keeps the bytes of attachments by project until they are removed', async () => {
    const { campaignAttachments } = await fresh()
    const projectId = newProjectId()
    const [one, other] = [newId(), newId()]
    await campaignAttachments.insert(projectId, one, Uint8Array.of(0, 255, 10))
    await campaignAttachments.insert(projectId, other, new Uint8Array(70_000).fill(7))
    expect(await campaignAttachments.bytes(newProjectId(), [one])).toEqual(new Map())
    const found = await campaignAttachments.bytes(projectId, [one, other, newId()])
    expect([...(found.get(one) ?? [])]).toEqual([0, 255, 10])
    expect(found.get(other)?.length).toBe(70_000)
    await campaignAttachments.remove(newProjectId(), [one])
    await campaignAttachments.remove(projectId, [other])
    expect([...(await campaignAttachments.bytes(projectId, [one, other])).keys()]).toEqual([one])
  })

  it('writes every field, takes away what is absent, and sees one project only', async () => {
    const { campaigns } = await fresh()
    const projectId = newProjectId()
    const made = whole(campaign(projectId))
    await campaigns.insert(made)
    const bare = campaign(projectId, { id: made.id, name: 'Other', status: 'SENT', updatedAt: at(9) })
    expect(await campaigns.update({ ...bare, projectId: newProjectId() })).toBe(false)
    expect(await campaigns.find(projectId, made.id)).toStrictEqual(made)
    expect(await campaigns.update(bare)).toBe(true)
    expect(await campaigns.find(projectId, made.id)).toStrictEqual(bare)
    expect(await campaigns.remove(newProjectId(), made.id)).toBe(false)
    expect(await campaigns.remove(projectId, made.id)).toBe(true)
    expect(await campaigns.remove(projectId, made.id)).toBe(false)
    expect(await campaigns.find(projectId, made.id)).toBeUndefined()
  })

  it('says when the first and the last of a campaign’s waiting mails are due', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const { id } = campaign(projectId)
    expect(await store.campaignMails.queue(id)).toBeUndefined()
    const mails = [3, 1, 2].map((hour) => email(projectId, { campaignId: id, dueAt: at(hour), error: `e${hour}` }))
    await put(store, projectId, {
      emails: [...mails, email(projectId, { campaignId: id, dueAt: at(0), status: 'SENT' })],
    })
    expect(await store.campaignMails.queue(id)).toEqual({ firstDueAt: at(1), lastDueAt: at(3), error: 'e1' })
    expect(await store.campaignMails.queue(newId())).toBeUndefined()
  })

  it('pages newest first, also by number, filters and counts', async () => {
    const { campaigns } = await fresh()
    const projectId = newProjectId()
    const made = CAMPAIGN_STATUSES.map((status) => campaign(projectId, { status }))
    for (const each of made) await campaigns.insert(each)
    await campaigns.insert(campaign(newProjectId()))
    const newest = made.toReversed()
    const needs = newest.map(needsOf)
    expect(await campaigns.page(projectId, {}, { limit: 9 })).toEqual(newest)
    expect(await campaigns.page(projectId, {}, { limit: 2 })).toEqual(newest.slice(0, 3))
    expect(await campaigns.page(projectId, {}, { limit: 2, offset: 2 })).toEqual(newest.slice(2, 5))
    const after = { value: '', id: newest[4]!.id }
    expect(await campaigns.page(projectId, {}, { limit: 2, after })).toEqual(newest.slice(5))
    expect(await campaigns.count(projectId, {})).toBe(made.length)
    for (const each of made) {
      expect(await campaigns.page(projectId, { status: each.status }, { limit: 9 })).toEqual([each])
      expect(await campaigns.count(projectId, { status: each.status })).toBe(1)
      expect(await campaigns.except(projectId, [each.status])).toEqual(needs.filter(({ id }) => id !== each.id))
    }
    expect(await campaigns.except(projectId, CAMPAIGN_STATUSES)).toEqual([])
    expect(await campaigns.except(projectId, [])).toEqual(needs)
    const [first, second] = [
      { ...made[0]!, name: 'Été 50 %' },
      { ...made[1]!, subject: 'Straße, Haus' },
    ]
    for (const each of [first, second]) await campaigns.update(each)
    for (const [search, found] of [
      ['ÉTÉ', first],
      ['0 %', first],
      ['haus', second],
    ] as const) {
      expect(await campaigns.page(projectId, { search }, { limit: 9 })).toEqual([found])
      expect(await campaigns.count(projectId, { search, status: found.status })).toBe(1)
      expect(await campaigns.count(projectId, { search, status: made[2]!.status })).toBe(0)
    }
    expect(await campaigns.count(projectId, { search: '%%' })).toBe(0)
  })

  it('finds by folder, by origin and by what was put away, and counts folders without the latter', async () => {
    const { campaigns } = await fresh()
    const projectId = newProjectId()
    const origin = campaign(projectId, { status: 'SENT', folder: 'b' })
    const again = campaign(projectId, { originId: origin.id, folder: 'B' })
    const away = campaign(projectId, { status: 'SENT', folder: 'b', shelvedAt: NOON })
    const awayOnly = campaign(projectId, { folder: 'a', shelvedAt: NOON })
    const awayAndGoing = campaign(projectId, { status: 'SENDING', shelvedAt: NOON })
    const theirs = campaign(newProjectId(), { folder: 'b', originId: origin.id })
    for (const each of [origin, again, away, awayOnly, awayAndGoing, theirs]) await campaigns.insert(each)
    const found = async (filter: CampaignFilter) => {
      const page = await campaigns.page(projectId, filter, { limit: 9 })
      expect(await campaigns.count(projectId, filter)).toBe(page.length)
      return page.toReversed()
    }
    expect(await found({ folder: 'b' })).toEqual([origin, away])
    expect(await found({ folder: 'b', shelved: false })).toEqual([origin])
    expect(await found({ folder: '' })).toEqual([awayAndGoing])
    expect(await found({ originId: origin.id })).toEqual([again])
    expect(await found({ shelved: false })).toEqual([origin, again, awayAndGoing])
    expect(await found({ shelved: true })).toEqual([away, awayOnly, awayAndGoing])
    expect(await campaigns.folders(projectId)).toEqual([
      { name: 'B', count: 1 },
      { name: 'a', count: 0 },
      { name: 'b', count: 1 },
    ])
  })

  it('lists what is published and sent of one project, the last sent first', async () => {
    const store = await fresh()
    const made = { id: newProjectId() }
    const published = { status: 'SENT', publishedAt: at(1) } as const
    const [first, second, third, open, hidden] = [
      campaign(made.id, { ...published, sentAt: at(5), contentId: newId() }),
      campaign(made.id, { ...published, sentAt: at(3), preheader: 'P' }),
      campaign(made.id, { ...published, sentAt: at(4) }),
      campaign(made.id, { status: 'SENDING', publishedAt: at(1) }),
      campaign(made.id, { status: 'SENT', sentAt: at(6) }),
    ] as const
    const elsewhere = campaign(newProjectId(), { ...published, sentAt: at(7) })
    for (const each of [first, second, third, open, hidden, elsewhere]) await store.campaigns.insert(each)
    const listed = (limit: number, offset = 0) => store.campaigns.published(made.id, { limit, offset })
    expect((await listed(2)).map(({ id }) => id)).toEqual([first.id, third.id, second.id])
    const { id, subject, sentAt, contentId } = first
    expect((await listed(1))[0]).toEqual({ id, subject, sentAt, contentId })
    expect((await listed(2, 2)).map((each) => each.preheader)).toEqual(['P'])
    const [topicId, limit] = [newId(), 9]
    const onTopic = campaign(made.id, { ...published, sentAt: at(1), topicId })
    await store.campaigns.insert(onTopic)
    const ofTopic = await store.campaigns.published(made.id, { limit, offset: 0, topicId })
    expect(ofTopic.map((each) => each.id)).toEqual([onTopic.id])
  })

  it('knows of all projects what is due to start and what is being sent', async () => {
    const { campaigns } = await fresh()
    const late = campaign(newProjectId(), { status: 'SCHEDULED', scheduledAt: at(60) })
    const soon = campaign(newProjectId(), { status: 'SCHEDULED', scheduledAt: at(30) })
    const sending = campaign(newProjectId(), { status: 'SENDING', scheduledAt: at(1) })
    const paused = campaign(newProjectId(), { status: 'PAUSED', scheduledAt: at(1) })
    for (const each of [late, soon, sending, paused]) await campaigns.insert(each)
    expect(await campaigns.dueToStart(at(29), 9)).toEqual([])
    expect(await campaigns.dueToStart(at(30), 9)).toEqual([soon])
    expect(await campaigns.dueToStart(at(99), 9)).toEqual([soon, late])
    expect(await campaigns.dueToStart(at(99), 1)).toEqual([soon])
    expect(await campaigns.sending()).toEqual([sending])
  })

  describe('moves the fan-out on', () => {
    it('once from each place, and only while the campaign is SENDING', async () => {
      const { campaigns } = await fresh()
      const projectId = newProjectId()
      const made = campaign(projectId, { status: 'SENDING', fanOut: START })
      await campaigns.insert(made)
      const next: FanOut = { ...START, cursor: newId(), recipients: 500 }
      expect(await campaigns.advance(newProjectId(), made.id, START, next, at(1))).toBe(false)
      expect(await campaigns.advance(projectId, made.id, next, START, at(1))).toBe(false)
      const refrozen = { ...START, frozenAt: at(5).toISOString() }
      expect(await campaigns.advance(projectId, made.id, refrozen, next, at(1))).toBe(false)
      const moves = Array.from({ length: 4 }, () => campaigns.advance(projectId, made.id, START, next, at(2)))
      expect((await Promise.all(moves)).filter(Boolean)).toHaveLength(1)
      expect(await campaigns.find(projectId, made.id)).toEqual({ ...made, fanOut: next, updatedAt: at(2) })

      // a test goes through its audience twice: a page of the first time must not be taken for one of the second
      const testing = { ...next, phase: 'testing', test: { contents: ['a'] } } as const
      await campaigns.update({ ...made, fanOut: { ...testing, phase: 'rest' } })
      expect(await campaigns.advance(projectId, made.id, testing, { ...testing, cursor: newId() }, at(3))).toBe(false)
      expect(await campaigns.advance(projectId, made.id, next, { ...next, cursor: newId() }, at(3))).toBe(false)
      const rest = { ...testing, phase: 'rest' } as const
      expect(await campaigns.advance(projectId, made.id, rest, { ...rest, done: true }, at(3))).toBe(true)

      await campaigns.update({ ...made, fanOut: next, status: 'PAUSED' })
      expect(await campaigns.advance(projectId, made.id, next, { ...next, done: true }, at(3))).toBe(false)
    })

    it('together with what else its transaction writes, or not at all', async () => {
      const store = await fresh()
      const projectId = newProjectId()
      const made = campaign(projectId, { status: 'SENDING', fanOut: START })
      await store.campaigns.insert(made)
      const failing = store.transaction(async (tx) => {
        expect(await tx.campaigns.lock(projectId, made.id)).toEqual(made)
        await tx.campaigns.advance(projectId, made.id, START, { ...START, done: true }, at(1))
        throw new Error('no')
      })
      await expect(failing).rejects.toThrow('no')
      expect(await store.campaigns.find(projectId, made.id)).toEqual(made)
    })
  })

  describe('tells the audience', () => {
    it('by id, in pages, as far as it was frozen', async () => {
      const store = await fresh()
      const projectId = newProjectId()
      const people = Array.from({ length: 7 }, (_, i) => contact(projectId, { data: { i, plan: i % 2 ? 'pro' : '' } }))
      await put(store, projectId, { contacts: people })
      await put(store, newProjectId(), { contacts: [contact(newProjectId())] })
      const upTo = people[5]!.id
      const page = (audience: Audience, limit: number, after: string) =>
        store.campaignMails.audiencePage(projectId, audience, { after, upTo, limit, now: NOON })
      const consent = store.campaignMails.addClaimed ? { tracking: 'full' as const } : {}
      const members = people
        .slice(0, 6)
        .map(({ id, email, data }) => ({ id, email, subscribed: true, ...consent, data }))
      expect(await page(EVERYBODY, 9, '')).toStrictEqual(members)
      expect(await page(EVERYBODY, 2, '')).toEqual(members.slice(0, 2))
      expect(await page(EVERYBODY, 2, members[1]!.id)).toEqual(members.slice(2, 4))
      expect(await page(EVERYBODY, 2, upTo)).toEqual([])
      expect(await page(PRO, 9, '')).toEqual([members[1], members[3], members[5]])
      expect(await page(PRO, 1, members[1]!.id)).toEqual([members[3]])
      const nobody = { after: '', upTo: '', limit: 9, now: NOON }
      expect(await store.campaignMails.audiencePage(projectId, EVERYBODY, nobody)).toEqual([])
    })

    it('with the subscription and the suppression in force', async () => {
      const store = await fresh()
      const projectId = newProjectId()
      const people = [false, true, true, true].map((subscribed) => contact(projectId, { subscribed }))
      await put(store, projectId, { contacts: people })
      const [, bounced, expired, elsewhere] = people
      await store.suppressions.put(suppression(projectId, bounced!.email, { reason: 'BOUNCE', expiresAt: at(1) }))
      await store.suppressions.put(suppression(projectId, expired!.email, { expiresAt: NOON }))
      await store.suppressions.put(suppression(newProjectId(), elsewhere!.email))
      const asked = { after: '', upTo: people[3]!.id, limit: 9, now: NOON }
      const page = await store.campaignMails.audiencePage(projectId, EVERYBODY, asked)
      expect(page.map(({ subscribed }) => subscribed)).toEqual([false, true, true, true])
      expect(page.map(({ suppressed }) => suppressed)).toEqual([undefined, 'BOUNCE', undefined, undefined])
      expect('suppressed' in page[0]!).toBe(false)
    })

    it('with what a claim reads of them, where mails can be written as claimed', async () => {
      const store = await fresh()
      if (!store.campaignMails.addClaimed) return
      const [live, tests] = [project(), project({ mode: 'test' })]
      for (const { id: projectId, ...rest } of [live, tests]) {
        await store.projects.save({ id: projectId, ...rest })
        const people = (['full', 'anonymous', 'none'] as const).map((tracking) => contact(projectId, { tracking }))
        await put(store, projectId, { contacts: people })
        const asked = { after: '', upTo: people[2]!.id, limit: 9, now: NOON }
        const page = await store.campaignMails.audiencePage(projectId, EVERYBODY, asked)
        expect(page.map(({ tracking }) => tracking)).toEqual(['full', 'anonymous', 'none'])
        expect(page.map(({ mode }) => mode)).toEqual(Array(3).fill(rest.mode === 'live' ? undefined : 'test'))
      }
    })
  })
}

/** With a value in every field. */
function whole(made: Campaign): Campaign {
  return {
    ...made,
    ...{
      name: 'Größe 🙂',
      description: '',
      fromName: 'Ada "L"',
      design: { a: ['🙂'] },
      source: { format: 'MJML', text: '<mjml>\r\n🙂 ' },
      preheader: 'P',
      layoutId: newId(),
      replyTo: 'r@acme.example',
      headers: [['X-Kind', 'größe']],
      variants: [{ subject: 'größe', preheader: null, design: { a: [1] } }],
      test: {
        ...{ share: 20, holdOut: 5, metric: 'event', event: 'bought', hours: 4 },
        ...{ winner: 'automatic', whenUnclear: 'wait' },
      },
      attachments: [
        { id: newId(), filename: 'a.pdf', contentType: 'application/pdf', disposition: 'attachment', size: 3 },
      ],
      utm: { source: 'news' },
      templateId: newId(),
      plan: {
        ...{ days: ['mon', 'sun'], from: '22:00', until: '02:00', timeZone: 'recipient', at: '23:00', overHours: 3 },
        paused: { from: NOON.toISOString(), until: NOON.toISOString(), totalMs: 0 },
      },
    },
    ...{ audienceType: 'FILTERED', segmentId: newId(), status: 'FAILED', statusReason: 'nobody' },
    ...{ originId: newId(), seriesId: newId(), folder: 'Größe', note: '🙂\n', shelvedAt: at(4) },
    audienceFilter: { operator: 'AND', conditions: [{ field: 'data.__proto__', operator: 'equals', value: 'x' }] },
    ...{ scheduledAt: at(1), startedAt: at(2), sentAt: at(3), contentId: newId(), fanOut: START },
  }
}

/** The needs of a campaign, as far as it has them. */
function needsOf(campaign: Campaign): CampaignNeeds {
  const needs = ['id', 'name', 'status', 'from', 'templateId', 'segmentId', 'audienceFilter']
  return Object.fromEntries(Object.entries(campaign).filter(([key]) => needs.includes(key))) as CampaignNeeds
}

import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ControlCampaigns } from '../../core/campaigns/control-campaigns.ts'
import { CampaignWatch } from '../../core/delivery/campaign-watch.ts'
import { linksOnly } from '../../core/mail/links-only.ts'
import { Rendering } from '../../core/mail/render/rendering.ts'
import type { Queue } from '../../core/ports/queue.ts'
import type { Email } from '../../core/ports/store/emails.ts'
import type { Project } from '../../core/ports/store/projects.ts'
import type { LinksOf } from '../../core/retention/body-links.ts'
import { Erasing } from '../../core/retention/erasing.ts'
import { Retention } from '../../core/retention/retention.ts'
import type { RetentionSettings } from '../../core/settings/retention-settings.ts'
import { idSource } from '../../core/values/id.ts'
import { Doorbell } from '../../core/work/doorbell.ts'
import { Leases } from '../../core/work/leases.ts'
import { removeAll } from '../../core/work/rest.ts'
import { campaign, claimMails, contact, content, email, event, project, put } from '../contracts/store/records.ts'
import { kitOf } from '../support/kit.ts'
import { type TestStore, testStore } from '../support/store.ts'

const DAY = 86_400
const LETTER = '<p>Dear Ada</p><a href="https://a.example/1">a</a><a href="https://a.example/{{ x }}">b</a>'

const rendering = new Rendering()
const MAILS: LinksOf = { linksOnly: async (content) => linksOnly(rendering, content) }

describe('retention', () => {
  let world: TestStore
  let acme: Project
  let newId: () => string
  const never = new AbortController().signal

  beforeEach(async () => {
    world = await testStore()
    newId = idSource(() => world.clock.now().getTime())
    acme = project()
    await world.store.projects.save(acme)
  })
  afterEach(() => world.close())

  const kit = (settings?: object) => kitOf(() => world.clock.now(), settings)
  const tick = (retention: Partial<RetentionSettings>, signal = never) =>
    new Retention(world.store, MAILS, new Leases(world.store, kit()), kit({ retention })).tick(signal)
  /** Mails made now, each with a content of its own unless one is named. */
  const mails = async (count: number, fields: Partial<Email> = {}, html?: string) => {
    const words = content(acme.id, { html: html ?? LETTER, tracking: true })
    const made = Array.from({ length: count }, () => {
      const now = world.clock.now()
      const dates = { createdAt: now, updatedAt: now, dueAt: now }
      const variables = { name: 'Ada' }
      return email(acme.id, { id: newId(), ...dates, status: 'DELIVERED', variables, contentId: words.id, ...fields })
    })
    await put(world.store, acme.id, { contents: [words], emails: made })
    return made
  }
  const found = async ({ id }: { id: string }) => {
    const row = await world.store.emails.find(acme.id, id)
    if (!row) throw new Error(`no mail ${id}`)
    return row
  }
  const left = async (rows: readonly Email[]) => {
    const now = await Promise.all(rows.map(found))
    return now.filter(({ variables }) => 'name' in variables).length
  }

  it('leaves a rule out for a day with which processes ended three times, and applies the others', async () => {
    const [mail] = await mails(1)
    await world.store.begunWork.forget('retention', world.clock.now())
    const begin = async (alone: boolean) => {
      const now = world.clock.now()
      await world.store.begunWork.begin('retention', [{ key: 'bodies' }], now, { token: 'gone', until: now, alone })
      await world.store.begunWork.expireLeases(new Date(8.64e15))
    }
    for (const alone of [false, false, true]) await begin(alone)
    world.clock.advance(2 * DAY)
    const rules = { bodies: 1, variables: 1 }
    await tick(rules)
    expect((await found(mail!)).redactedAt).toBeDefined()
    const [given, ...more] = await world.store.begunWork.givenUp()
    expect(more).toEqual([])
    expect(given).toMatchObject({ kind: 'retention', key: 'bodies', reason: expect.stringContaining('3 times') })
    expect((await world.store.retention.position('bodies')) ?? '').toBe('')
    await tick(rules)
    expect((await world.store.retention.position('bodies')) ?? '').toBe('')
    world.clock.advance(2 * DAY)
    await tick(rules)
    expect(await world.store.retention.position('bodies')).toBe(mail!.id)
    expect(await world.store.begunWork.givenUp()).toEqual([])
  })

  it('removes nothing unless asked, but the variables of campaigns that have ended 30 days ago', async () => {
    const { store, clock } = world
    const news = campaign(acme.id, { status: 'SENDING' })
    await store.campaigns.insert(news)
    const campaigns = await mails(600, { sourceType: 'CAMPAIGN', campaignId: news.id })
    const others = await mails(2)
    await store.events.record([event(acme.id, newId(), { id: newId() })])
    clock.advance(40 * DAY)
    await tick({})
    expect(await left(campaigns)).toBe(600)
    await store.campaigns.update({ ...news, status: 'SENT', sentAt: clock.now(), updatedAt: clock.now() })
    clock.advance(29 * DAY)
    await tick({})
    expect(await left(campaigns)).toBe(600)
    clock.advance(2 * DAY)
    await tick({})
    expect(await left(campaigns)).toBe(0)
    expect(await left(others)).toBe(2)
    expect(await store.events.names(acme.id)).toMatchObject([{ count: 1 }])
    // nothing is looked at twice
    expect(await store.retention.position('campaignVariables')).toBe(others.at(-1)?.id)
  })

  it('lets no failed mail be tried again whose variables are gone, and says why', async () => {
    const { store, clock } = world
    const news = campaign(acme.id, { status: 'SENT', sentAt: clock.now(), updatedAt: clock.now() })
    await store.campaigns.insert(news)
    const [failed] = await mails(1, { sourceType: 'CAMPAIGN', campaignId: news.id, status: 'FAILED' })
    clock.advance(31 * DAY)
    await tick({})
    const doorbell = new Doorbell({ add: async () => {} } as Partial<Queue> as Queue, kit())
    const watch = new CampaignWatch(store)
    const control = new ControlCampaigns(store, doorbell, watch, kit())
    await expect(control.retryFailed(acme, news.id)).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('the data they are filled in with was removed'),
    })
    expect((await found(failed!)).status).toBe('FAILED')
    expect((await store.campaigns.find(acme.id, news.id))?.status).toBe('SENT')
  })

  it('comes back for mails that were not done with, and goes on behind what was', async () => {
    const first = await mails(3)
    const waiting = await mails(1, { status: 'QUEUED' })
    const last = await mails(700)
    world.clock.advance(8 * DAY)
    await tick({ variables: 7 })
    expect([await left(first), await left(waiting), await left(last)]).toEqual([0, 1, 0])
    expect(await world.store.retention.position('variables')).toBe(first.at(-1)?.id)
    // all that follows is looked at once, and again only a day later
    const { retention } = world.store
    const { mails: pageOf } = retention
    let looked = 0
    const counting = async (...given: Parameters<typeof pageOf>) => {
      const page = await pageOf.call(retention, ...given)
      looked += page.length
      return page
    }
    Object.assign(retention, { mails: counting })
    const later = await mails(2)
    world.clock.advance(8 * DAY)
    // the first one a day later looks at all again
    const seenIn = async (seconds: number) => {
      world.clock.advance(seconds)
      looked = 0
      await tick({ variables: 7 })
      return looked
    }
    expect(await seenIn(0)).toBe(703)
    expect(await left(later)).toBe(0)
    expect([await seenIn(3600), await seenIn(20 * 3600), await seenIn(3 * 3600)]).toEqual([0, 0, 703])
    const lease = { token: 't', until: new Date(world.clock.now().getTime() + 60_000) }
    await claimMails(world.store, [waiting[0]!], world.clock.now(), lease)
    const at = world.clock.now()
    const sent = { emailId: waiting[0]!.id, projectId: acme.id, token: 't', at, status: 'SENT', events: [] } as const
    await world.store.emails.record([sent])
    world.clock.advance(DAY)
    await tick({ variables: 7 })
    expect(await left(waiting)).toBe(0)
    expect(await world.store.retention.position('variables')).toBe(later.at(-1)?.id)
  })

  it('takes up where it was when it was stopped between two batches', async () => {
    const all = await mails(1_100)
    world.clock.advance(8 * DAY)
    const stop = new AbortController()
    const { retention } = world.store
    const { removeVariables } = retention
    let batches = 0
    const counting = async (...given: Parameters<typeof removeVariables>) => {
      await removeVariables.call(retention, ...given)
      if (++batches === 1) stop.abort()
    }
    Object.assign(retention, { removeVariables: counting })
    await tick({ variables: 7 }, stop.signal)
    expect(await left(all)).toBe(100)
    await tick({ variables: 7 })
    expect([await left(all), batches]).toEqual([0, 2])
  })

  it('leaves of old bodies their links, and of shared ones what others need', async () => {
    const { store, clock } = world
    const letter = await mails(2)
    const shared = await mails(1, {}, '<p>Hello</p>')
    clock.advance(8 * DAY)
    const young = await mails(1, {}, '<p>Hello</p>')
    const [news] = await mails(
      1,
      { campaignId: newId(), id: letter[0]!.id.replace(/.$/, (last) => (last === '0' ? '1' : '0')) },
      '<p>News</p>',
    )
    await tick({ bodies: 7 })
    const bodies = async (rows: readonly Email[]) => {
      const now = await Promise.all(rows.map(found))
      const contents = await store.emails.contents(now.map(({ contentId }) => contentId))
      return now.map(({ contentId }) => contents.find(({ id }) => id === contentId)?.html)
    }
    const links = '<a href="https://a.example/1"></a><a href="{{ nowhere }}"></a>'
    expect(await bodies(letter)).toEqual([links, links])
    expect(await bodies([...shared, ...young, news!])).toEqual(['', '<p>Hello</p>', '<p>News</p>'])
    expect(await store.emails.contents([letter[0]!.contentId])).toEqual([])
    // once more changes nothing
    await store.retention.setPosition('bodies', '00000000-0000-0000-0000-000000000000')
    await tick({ bodies: 7 })
    expect(await bodies(letter)).toEqual([links, links])
  })

  it('removes old events, whoever they are of, and counts what is left', async () => {
    const { store, clock } = world
    const old = Array.from({ length: 1001 }, () => event(acme.id, newId(), { id: newId() }))
    await store.events.record(old)
    clock.advance(8 * DAY)
    await store.events.record([event(acme.id, newId(), { id: newId() })])
    await tick({ events: 7 })
    expect(await store.events.names(acme.id)).toEqual([{ name: 'signed.up', count: 1 }])
  })

  it('erases in the background what a crash left behind, and what was written late, and then forgets the person', async () => {
    const { store, clock } = world
    const ada = contact(acme.id)
    await put(store, acme.id, { contacts: [ada] })
    const own = await mails(1100, { contactId: ada.id })
    // the process died right behind the removal
    await store.contacts.remove(acme.id, ada.id, clock.now())
    const erasing = () => new Erasing(store, MAILS, new Leases(store, kit()), kit())
    await erasing().tick(never)
    const all = async (rows: readonly Email[]) =>
      (await Promise.all(rows.map(found))).every(({ to }) => to === 'deleted')
    expect(await all(own)).toBe(true)
    const late = await mails(1, { contactId: ada.id })
    await erasing().tick(never)
    expect(await all(late)).toBe(false)
    clock.advance(601)
    await erasing().tick(never)
    expect(await all(late)).toBe(true)
    expect(await store.retention.dueErasures(new Date(8.64e15), 9)).toEqual([])
  })

  it('leaves a contact for a day with whose data processes ended three times, and erases the others', async () => {
    const { store, clock } = world
    const [poison, other] = [contact(acme.id), contact(acme.id)]
    await put(store, acme.id, { contacts: [poison, other] })
    const [of, ofOther] = [await mails(1, { contactId: poison.id }), await mails(1, { contactId: other.id })]
    const begin = async (key: string, alone: boolean) => {
      const lease = { token: 'gone', until: clock.now(), alone }
      expect(await store.begunWork.begin('erasure', [{ key, projectId: acme.id }], clock.now(), lease)).toHaveLength(1)
      await store.begunWork.expireLeases(new Date(8.64e15))
    }
    for (const { id } of [poison, other]) await store.contacts.remove(acme.id, id, clock.now())
    await begin(acme.id, false)
    for (const alone of [false, false, true]) await begin(poison.id, alone)
    const tick = () => new Erasing(store, MAILS, new Leases(store, kit()), kit()).tick(never)
    await tick()
    expect([(await found(of[0]!)).to, (await found(ofOther[0]!)).to]).toEqual([of[0]!.to, 'deleted'])
    const given = { kind: 'erasure', key: poison.id, projectId: acme.id, reason: expect.stringContaining('3 times') }
    expect(await store.begunWork.givenUp()).toMatchObject([given])
    await tick()
    expect((await found(of[0]!)).to).toBe(of[0]!.to)
    clock.advance(2 * DAY)
    await tick()
    expect((await found(of[0]!)).to).toBe('deleted')
    expect(await store.begunWork.givenUp()).toEqual([])
  })

  it('does not hold up who removes a person with very much, and finishes behind', async () => {
    const { store, clock } = world
    const ada = contact(acme.id)
    await put(store, acme.id, { contacts: [ada] })
    const own = await mails(2_400, { contactId: ada.id })
    // a disk that takes its time
    const { retention } = store
    const { eraseMails } = retention
    const slowly = async (...given: Parameters<typeof eraseMails>) => {
      await pause(30)
      await eraseMails.call(retention, ...given)
    }
    Object.assign(retention, { eraseMails: slowly })
    await store.contacts.remove(acme.id, ada.id, clock.now())
    const erasing = new Erasing(store, MAILS, new Leases(store, kit()), kit())
    await erasing.soon(acme.id, [ada.id])
    expect((await store.retention.dueErasures(clock.now(), 9)).length).toBe(1)
    await erasing.tick(never)
    expect((await found(own.at(-1)!)).to).toBe('deleted')
    expect(await store.retention.dueErasures(clock.now(), 9)).toEqual([])
  })

  it('removes old answers a batch at a time until none is left', async () => {
    const asked: number[] = []
    let rows = 450
    const remove = async (most: number) => {
      const some = Math.min(most, rows)
      rows -= some
      asked.push(some)
      return some
    }
    await removeAll(remove, never)
    expect(asked).toEqual([200, 200, 50])
  })
})

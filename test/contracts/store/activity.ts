import { expect, it } from 'vitest'
import type { Campaign } from '../../../core/ports/store/campaigns.ts'
import type { Contact } from '../../../core/ports/store/contacts.ts'
import type { Activity, DeliveryResult, Email } from '../../../core/ports/store/emails.ts'
import type { Store } from '../../../core/ports/store/store.ts'
import type { ProjectId } from '../../../core/values/project-id.ts'
import { filled } from './campaign-mails.ts'
import { at, claimMails, email, event, newId, newProjectId, put, putEmail, removeWholly, result } from './records.ts'

const LEASE = { token: 'worker-1', until: at(300) }

/** The promises of a store about what recipients do with mails. */
export function storeActivityContract(fresh: () => Promise<Store>) {
  it('counts openings and clicks, and keeps the times of the first', async () => {
    const store = await fresh()
    const mail = await sent(store, newProjectId())
    const record = (...activities: readonly Activity[]) => store.emails.recordActivity(activities)
    const found = () => store.emails.find(mail.projectId, mail.id)
    expect(await record()).toEqual([])
    expect(await record(activity(mail, 'open', 20, true))).toEqual(['first'])
    const opened = { ...mail, status: 'OPENED', opens: 1, openedAt: at(20), updatedAt: at(20) }
    expect(await found()).toEqual(opened)
    const more = [activity(mail, 'open', 21), activity(mail, 'click', 22), activity(mail, 'open', 23)]
    expect(await record(...more, activity(mail, 'click', 24))).toEqual(['repeat', 'first', 'repeat', 'repeat'])
    const counts = { status: 'CLICKED', opens: 3, clicks: 2, clickedAt: at(22) }
    const people = { humanOpenedAt: at(21), humanClickedAt: at(22), updatedAt: at(24) }
    expect(await found()).toEqual({ ...opened, ...counts, ...people })
    expect(await record(activity(mail, 'open', 30))).toEqual(['repeat'])
    expect(await found()).toMatchObject({ ...counts, ...people, opens: 4, updatedAt: at(30) })
  })

  it('takes a click for no opening', async () => {
    const store = await fresh()
    const mail = await sent(store, newProjectId())
    await store.emails.recordActivity([activity(mail, 'click', 20, true)])
    const found = await store.emails.find(mail.projectId, mail.id)
    expect(found).toEqual({ ...mail, status: 'CLICKED', clicks: 1, clickedAt: at(20), updatedAt: at(20) })
  })

  it('stores the event of the first, and another of each repeat', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const mail = await sent(store, projectId)
    const given = [1, 2, 3].map((i) => withEvents(activity(mail, 'open', 20 + i), mail.contactId))
    await store.emails.recordActivity(given.slice(0, 2))
    await store.emails.recordActivity(given.slice(2))
    const stored = await store.events.page(projectId, { emailId: mail.id }, { limit: 9 })
    const expected = [given[0]!.event, given[1]!.repeatEvent, given[2]!.repeatEvent]
    expect(stored.map(({ id }) => id)).toEqual(expected.map((each) => each!.id).toReversed())
  })

  it('finds one first among many at the same time', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const mails = [await sent(store, projectId), await sent(store, projectId)]
    const calls = Array.from({ length: 20 }, (_, i) => {
      const both = i % 2 ? mails : mails.toReversed()
      return both.map((mail) => ({ ...activity(mail, 'open', i), event: opening(mail) }))
    })
    const answers = await Promise.all(calls.map((call) => store.emails.recordActivity(call)))
    expect(answers.flat().filter((outcome) => outcome === 'first')).toHaveLength(2)
    for (const { id } of mails) {
      expect(await store.events.page(projectId, { emailId: id }, { limit: 9 })).toHaveLength(1)
      expect(await store.emails.find(projectId, id)).toMatchObject({ opens: 20 })
    }
  })

  it('says unknown of a mail the project has not, and writes nothing of it', async () => {
    const store = await fresh()
    const mail = await sent(store, newProjectId())
    const foreign = withEvents({ ...activity(mail, 'open', 20), projectId: newProjectId() })
    const nowhere = withEvents({ ...activity(mail, 'click', 20), emailId: newId() })
    expect(await store.emails.recordActivity([foreign, nowhere])).toEqual(['unknown', 'unknown'])
    expect(await store.emails.find(mail.projectId, mail.id)).toEqual(mail)
    expect(await store.events.page(mail.projectId, {}, { limit: 9 })).toEqual([])
  })

  it.each([
    [
      'as soon as it is removed',
      (store: Store, mail: Email) => store.contacts.remove(mail.projectId, mail.contactId!, at(2)),
    ],
    ['and erased', (store: Store, mail: Email) => removeWholly(store, mail.projectId, mail.contactId!)],
    ['that allows nothing', (store: Store, mail: Email) => allow(store, mail, 'none')],
  ])('notes and counts nothing of a contact %s', async (_when, change) => {
    const store = await fresh()
    const [projectId, [campaign, [mail]]] = await ofOne(store)
    await store.emails.recordActivity([activity(mail, 'open', 20)])
    await change(store, mail)
    const [before, counters] = await Promise.all([
      store.emails.find(projectId, mail.id),
      store.campaignMails.counters(projectId, campaign.id),
    ])
    const acts = [activity(mail, 'open', 30), activity(mail, 'click', 31)].map((act) => withEvents(act, mail.contactId))
    expect(await store.emails.recordActivity(acts)).toEqual(['untracked', 'untracked'])
    expect(await store.emails.find(projectId, mail.id)).toEqual(before)
    expect(await store.campaignMails.counters(projectId, campaign.id)).toEqual(counters)
    expect(await store.events.page(projectId, {}, { limit: 9 })).toEqual([])
  })

  it('counts each person once per link, and every click', async () => {
    const store = await fresh()
    const [projectId, [campaign, mails]] = await ofOne(store)
    const [mail] = mails
    const long = `https://x.example/?q=${'?'.repeat(4000)}'`
    const click = (link: string, minute: number, machine = false) => ({
      ...activity(mail, 'click', 60 * minute, machine),
      link,
      personal: false,
    })
    await store.emails.recordActivity([click('https://a.example', 10), click(long, 11, true), click(long, 12, true)])
    await store.emails.recordActivity([click('https://a.example', 30), click(long, 40)])
    const both = [
      { url: long, clicks: 3, humanClicks: 1, people: 1 },
      { url: 'https://a.example', clicks: 2, humanClicks: 2, people: 1 },
    ]
    const links = () => store.campaignMails.links(projectId, campaign.id, 9)
    expect(await links()).toEqual(both)
    expect(await store.campaignMails.links(projectId, campaign.id, 1)).toEqual(both.slice(0, 1))
    expect(await store.campaignMails.links(newProjectId(), campaign.id, 9)).toEqual([])
    const page = async (link: string) => {
      const { mails } = await store.mails.search(projectId, { campaignId: campaign.id, link }, { limit: 9 }, 1000)
      return mails.map(({ id }) => id)
    }
    for (const { url } of both) expect(await page(url)).toEqual([mail.id])
    expect(await page('https://b.example')).toEqual([])
    // figures stay when the person goes
    await removeWholly(store, projectId, mail.contactId!)
    await store.retention.eraseMails(
      projectId,
      [{ id: mail.id, contentId: mail.contentId, newContentId: mail.contentId }],
      [],
      at(9999),
    )
    expect(await links()).toEqual(both)
  })

  it('removes an address made of values with the values, unless others have it, too', async () => {
    const store = await fresh()
    const [projectId, [campaign, [mail]]] = await ofOne(store)
    const other = await sent(store, projectId)
    const click = (of: Email, link: string, minute: number) => ({
      ...activity(of, 'click', 60 * minute),
      link,
      personal: true,
    })
    const [own, shared] = ['https://x.example/ada', 'https://x.example/pro']
    await store.emails.recordActivity([click(mail, own, 10), click(mail, shared, 20), click(other, shared, 30)])
    await store.retention.removeVariables([mail.id], at(9999))
    const urls = async () => (await store.campaignMails.links(projectId, campaign.id, 9)).map(({ url }) => url)
    expect(await urls()).toEqual([shared])
    await store.retention.removeVariables([other.id], at(9999))
    expect(await urls()).toEqual([])
  })

  it.each<[string, readonly (readonly [Activity['kind'], string, number])[], boolean]>([
    [
      'three links within seconds of delivery',
      [
        ['click', 'a', 12],
        ['click', 'b', 13],
        ['click', 'c', 20],
      ],
      true,
    ],
    [
      'a link and the page to unsubscribe',
      [
        ['open', '', 12],
        ['look', '', 13],
        ['click', 'a', 14],
      ],
      true,
    ],
    [
      'the page after the link',
      [
        ['click', 'a', 14],
        ['look', '', 15],
      ],
      true,
    ],
    [
      'two links',
      [
        ['click', 'a', 12],
        ['click', 'b', 13],
      ],
      false,
    ],
    [
      'one link three times',
      [
        ['click', 'a', 12],
        ['click', 'a', 13],
        ['click', 'a', 14],
      ],
      false,
    ],
    [
      'three links in their own time',
      [
        ['click', 'a', 12],
        ['click', 'b', 20],
        ['click', 'c', 23],
      ],
      false,
    ],
    [
      'three links hours later',
      [
        ['click', 'a', 7200],
        ['click', 'b', 7201],
        ['click', 'c', 7202],
      ],
      false,
    ],
    [
      'a link and the page hours later',
      [
        ['click', 'a', 7200],
        ['look', '', 7205],
      ],
      false,
    ],
    [
      'the page alone',
      [
        ['open', '', 12],
        ['look', '', 13],
      ],
      false,
    ],
  ])('finds a gateway by what it opens: %s', async (_what, acts, isGateway) => {
    const store = await fresh()
    const [projectId, [campaign, [mail]]] = await ofOne(store)
    const one = ([kind, link, second]: (typeof acts)[number]) => ({
      ...withEvents(activity(mail, kind, second), mail.contactId),
      ...(link === '' ? {} : { link: `https://${link}.example`, personal: false }),
    })
    // each by itself, so that the first ones are stored when the last one tells
    for (const act of acts) await store.emails.recordActivity([one(act)])
    const found = await store.emails.find(projectId, mail.id)
    const clicks = acts.filter(([kind]) => kind === 'click').length
    expect(found?.clicks).toBe(clicks)
    expect([found?.humanOpenedAt, found?.humanClickedAt].every((at) => at === undefined)).toBe(isGateway)
    const counters = await store.campaignMails.counters(projectId, campaign.id)
    expect(counters).toMatchObject({ clicked: Number(clicks > 0), humanClicked: Number(clicks > 0 && !isGateway) })
    const links = await store.campaignMails.links(projectId, campaign.id, 9)
    expect(links.reduce((sum, { humanClicks }) => sum + humanClicks, 0)).toBe(isGateway ? 0 : clicks)
    // a person who reads it afterwards is one
    await store.emails.recordActivity([one(['click', 'a', 9000])])
    expect(await store.campaignMails.counters(projectId, campaign.id)).toMatchObject({ humanClicked: 1 })
  })

  it('counts what an anonymous contact does for the campaign, and notes nothing at the mail', async () => {
    const store = await fresh()
    const [projectId, [campaign, [mail]]] = await ofOne(store)
    const alone = await sent(store, projectId)
    for (const each of [mail, alone]) await allow(store, each, 'anonymous')
    const before = await Promise.all([mail, alone].map(({ id }) => store.emails.find(projectId, id)))
    const acts = [
      { ...activity(mail, 'open', 20, true), newTo: 'all' },
      { ...activity(mail, 'open', 21), newTo: 'people' },
      { ...activity(mail, 'open', 22), newTo: 'nobody' },
      { ...activity(mail, 'click', 23) },
      { ...activity(alone, 'open', 23) },
    ] as const
    const outcomes = await store.emails.recordActivity(acts.map((act) => withEvents(act, mail.contactId)))
    expect(outcomes).toEqual(acts.map(() => 'anonymous'))
    expect(await store.emails.recordActivity([activity(mail, 'click', 24, true)])).toEqual(['anonymous'])
    expect(await Promise.all([mail, alone].map(({ id }) => store.emails.find(projectId, id)))).toEqual(before)
    expect(await store.events.page(projectId, {}, { limit: 9 })).toEqual([])
    const counts = { anonymousOpened: 1, anonymousHumanOpened: 1, anonymousClicked: 2, anonymousHumanClicked: 1 }
    expect(await store.campaignMails.counters(projectId, campaign.id)).toMatchObject({
      opened: 0,
      clicked: 0,
      ...counts,
    })

    await allow(store, mail, 'full')
    expect(await store.emails.recordActivity([activity(mail, 'open', 30)])).toEqual(['first'])
    expect(await store.campaignMails.counters(projectId, campaign.id)).toMatchObject({
      opened: 1,
      clicked: 0,
      ...counts,
    })
    await allow(store, mail, 'anonymous')
    expect(await store.emails.recordActivity([activity(mail, 'open', 40)])).toEqual(['anonymous'])
    expect(await store.campaignMails.counters(projectId, campaign.id)).toMatchObject({
      opened: 1,
      clicked: 0,
      ...counts,
    })
  })

  it('counts a test of a campaign, which is to nobody the project knows', async () => {
    const store = await fresh()
    const test = email(newProjectId(), { status: 'SENT', sourceType: 'CAMPAIGN' })
    await put(store, test.projectId, { emails: [test] })
    expect(await store.emails.recordActivity([withEvents(activity(test, 'open', 20))])).toEqual(['first'])
    expect(await store.emails.find(test.projectId, test.id)).toMatchObject({ status: 'OPENED', opens: 1 })
    expect(await store.events.page(test.projectId, {}, { limit: 9 })).toEqual([])
  })

  it.each<[Email['status'], Email['status'], Email['status']]>([
    ['QUEUED', 'QUEUED', 'QUEUED'],
    ['SENDING', 'SENDING', 'SENDING'],
    ['SENT', 'OPENED', 'CLICKED'],
    ['DELIVERED', 'OPENED', 'CLICKED'],
    ['OPENED', 'OPENED', 'CLICKED'],
    ['CLICKED', 'CLICKED', 'CLICKED'],
    ['BOUNCED', 'BOUNCED', 'BOUNCED'],
    ['COMPLAINED', 'COMPLAINED', 'COMPLAINED'],
    ['FAILED', 'FAILED', 'FAILED'],
    ['SKIPPED', 'SKIPPED', 'SKIPPED'],
  ])('makes of a mail that is %s one that is %s, then %s', async (status, opened, clicked) => {
    const store = await fresh()
    const mail = await putEmail(store, newProjectId(), { status })
    for (const [kind, expected] of [
      ['open', opened],
      ['click', clicked],
      ['open', clicked],
    ] as const) {
      await store.emails.recordActivity([activity(mail, kind, 20)])
      expect(await store.emails.find(mail.projectId, mail.id)).toMatchObject({ status: expected })
    }
  })

  it.each<[readonly Activity['kind'][], DeliveryResult['status'], Email['status']]>([
    [['open'], 'SENT', 'OPENED'],
    [['open'], 'DELIVERED', 'OPENED'],
    [['click', 'open'], 'SENT', 'CLICKED'],
    [['click'], 'DELIVERED', 'CLICKED'],
    [['open', 'click'], 'BOUNCED', 'BOUNCED'],
    [['open'], 'FAILED', 'FAILED'],
    [['click'], 'QUEUED', 'QUEUED'],
    [['open'], 'SKIPPED', 'SKIPPED'],
  ])('lets %j before the result %s end as %s', async (kinds, status, expected) => {
    const store = await fresh()
    const mail = await putEmail(store, newProjectId())
    await claimMails(store, [mail], at(1), LEASE)
    await store.emails.recordActivity(kinds.map((kind) => activity(mail, kind, 5)))
    expect(await store.emails.record([result(mail, LEASE.token, { status })])).toEqual(new Set([mail.id]))
    const isSent = status === 'SENT' || status === 'DELIVERED'
    const found = await store.emails.find(mail.projectId, mail.id)
    expect(found).toMatchObject({ status: expected, ...(isSent && { sentAt: at(10) }) })
  })

  it.each([
    ['bouncedAt', 'SENT', 'BOUNCED'],
    ['bouncedAt', 'DELIVERED', 'BOUNCED'],
    ['softBouncedAt', 'SENT', 'FAILED'],
    ['softBouncedAt', 'DELIVERED', 'FAILED'],
  ] as const)('keeps a bounce (%s) that was reported before the result %s, and why', async (time, status, expected) => {
    const store = await fresh()
    const mail = await putEmail(store, newProjectId())
    await claimMails(store, [mail], at(1), LEASE)
    const news = { projectId: mail.projectId, emailId: mail.id, at: at(5), [time]: at(5), error: 'the reason' }
    await store.transaction((tx) => tx.feedback.write([news]))
    await store.emails.record([result(mail, LEASE.token, { status })])
    const found = await store.emails.find(mail.projectId, mail.id)
    expect(found).toMatchObject({ status: expected, error: 'the reason', [time]: at(5), sentAt: at(10) })
  })

  it('notes once by which mail its recipient unsubscribed', async () => {
    const { emails, ...store } = await fresh()
    const mail = await putEmail({ ...store, emails }, newProjectId())
    expect(await emails.unsubscribedBy(newProjectId(), mail.id, at(1))).toBe(false)
    expect(await emails.unsubscribedBy(mail.projectId, newId(), at(1))).toBe(false)
    expect(await emails.unsubscribedBy(mail.projectId, mail.id, at(2))).toBe(true)
    expect(await emails.unsubscribedBy(mail.projectId, mail.id, at(3))).toBe(false)
    expect(await emails.find(mail.projectId, mail.id)).toEqual({ ...mail, unsubscribedAt: at(2), updatedAt: at(2) })
  })
}

/** A campaign with one mail that was sent. */
async function ofOne(store: Store): Promise<readonly [ProjectId, readonly [Campaign, readonly [Email]]]> {
  const projectId = newProjectId()
  const [campaign, [mail]] = await filled(store, projectId, 1, () => ({ status: 'SENT', sentAt: at(1) }))
  return [projectId, [campaign, [mail!]]]
}

async function allow(store: Store, { projectId, contactId }: Email, tracking: Contact['tracking']): Promise<void> {
  const contact = await store.contacts.find(projectId, contactId!)
  await store.contacts.update({ ...contact!, tracking })
}

async function sent(store: Store, projectId: ProjectId): Promise<Email> {
  return putEmail(store, projectId, { status: 'SENT', sentAt: at(1), attempts: 1 })
}

function activity(
  { projectId, id: emailId }: Email,
  kind: Activity['kind'],
  seconds: number,
  machine = false,
): Activity {
  return { projectId, emailId, kind, at: at(seconds), machine }
}

function withEvents(given: Activity, contactId = newId()): Activity {
  const [first, repeat] = [1, 2].map(() => event(given.projectId, contactId, { emailId: given.emailId }))
  return { ...given, event: first!, repeatEvent: repeat! }
}

function opening(mail: Email) {
  return event(mail.projectId, mail.contactId!, { name: 'email.open', emailId: mail.id })
}

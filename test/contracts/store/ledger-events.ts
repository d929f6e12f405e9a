import { expect, it } from 'vitest'
import type { Email } from '../../../core/ports/store/emails.ts'
import type { EventRecord } from '../../../core/ports/store/events.ts'
import type { Store } from '../../../core/ports/store/store.ts'
import { ledgerEventId } from '../../../core/values/event-names.ts'
import { NIL_ID } from '../../../core/values/id.ts'
import type { ProjectId } from '../../../core/values/project-id.ts'
import {
  at,
  campaign,
  claimMails,
  contact,
  email,
  endpoint,
  event,
  execution,
  NOON,
  newProjectId,
  put,
  removeWholly,
  result,
  workflow,
} from './records.ts'

/** The promises of a store about `email.sent` and `email.delivery`, which the row of a mail may stand for. */
export function storeLedgerEventsContract(fresh: () => Promise<Store>) {
  it('finds them by mail, contact and name, with the same ids on every read, among other events', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const [first, second] = await deliver(store, projectId, [10, 20])
    const opened = event(projectId, first!.mail.contactId!, {
      ...{
        id: ledgerEventId('email.sent', NIL_ID, at(15)),
        name: 'email.open',
        emailId: first!.mail.id,
        createdAt: at(15),
      },
    })
    await store.events.record([opened])
    const ids = async (filter: Parameters<Store['events']['page']>[1]) =>
      (await store.events.page(projectId, filter, { limit: 9 })).map(({ id }) => id)
    const all = [second!.delivery, second!.sent, opened, first!.delivery, first!.sent].map(({ id }) => id)
    expect(await ids({})).toEqual(all)
    expect(await ids({})).toEqual(all)
    expect(await ids({ name: 'email.sent' })).toEqual([second!.sent.id, first!.sent.id])
    expect(await ids({ contactId: second!.mail.contactId! })).toEqual(all.slice(0, 2))
    expect(await ids({ emailId: first!.mail.id, name: 'email.delivery' })).toEqual([first!.delivery.id])
    const [found] = await store.events.page(projectId, { emailId: second!.mail.id }, { limit: 1 })
    const { id, name, contactId, emailId, createdAt } = second!.delivery
    const to = { id: contactId, email: second!.mail.to }
    expect(found).toMatchObject({ id, projectId, name, contactId, emailId, createdAt, contact: to })
    expect(await store.events.page(newProjectId(), {}, { limit: 9 })).toEqual([])
  })

  it('pages through mails of one millisecond, each event once', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const sent = await deliver(store, projectId, [10, 10, 10, 10, 10, 20, 20, 30])
    const stored = event(projectId, sent[0]!.mail.contactId!, { id: ledgerEventId('email.sent', NIL_ID, at(10)) })
    await store.events.record([stored])
    const all = [stored, ...sent.flatMap(({ sent, delivery }) => [sent, delivery])].map(({ id }) => id)
    for (const limit of [1, 2, 3]) {
      const found: string[] = []
      for (let isMore = true; isMore; ) {
        const last = found.at(-1)
        const after = last === undefined ? {} : { after: { value: '', id: last } }
        const page = await store.events.page(projectId, {}, { limit, ...after })
        found.push(...page.slice(0, limit).map(({ id }) => id))
        isMore = page.length > limit
      }
      expect(found).toEqual(all.toSorted().reverse())
    }
  })

  it('counts them together with those of the same name that are rows', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const [first] = await deliver(store, projectId, [10, 20, 30])
    const { contactId } = first!.mail
    await store.events.record([event(projectId, contactId!, { name: 'email.sent', createdAt: at(40) })])
    const stats = [
      { name: 'email.sent', count: 4, lastAt: at(40) },
      { name: 'email.delivery', count: 3, lastAt: at(30) },
    ]
    expect(await store.events.stats(projectId, {})).toEqual(stats)
    expect(await store.events.stats(projectId, { from: at(20), to: at(30) })).toEqual([
      { name: 'email.delivery', count: 2, lastAt: at(30) },
      { name: 'email.sent', count: 2, lastAt: at(30) },
    ])
    expect(await store.events.stats(projectId, { from: at(41) })).toEqual([])
    expect(await store.events.names(projectId)).toEqual(stats.map(({ name, count }) => ({ name, count })))
    expect(await store.events.countNamed(projectId, 'email.sent')).toBe(4)
    expect(await store.events.countContacts(projectId, 'email.sent')).toBe(3)
    expect(await store.events.countContacts(projectId, 'email.open')).toBe(0)
    const others = ['a', 'a', 'b', 'b'].map((name) => event(projectId, contactId!, { name, createdAt: at(30) }))
    await store.events.record(others)
    const most = await store.events.stats(projectId, { to: at(40) }, 2)
    expect(most.map(({ name, count }) => [name, count])).toEqual([
      ['email.sent', 4],
      ['email.delivery', 3],
    ])
    await store.events.record([event(projectId, contactId!, { name: 'b', createdAt: at(30) })])
    expect((await store.events.stats(projectId, { to: at(40) }, 3)).map(({ name }) => name)).toContain('b')
  })

  it('finds who has so many of them in a span', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const [first, second] = await deliver(store, projectId, [10, 20])
    await store.events.record([
      event(projectId, first!.mail.contactId!, { name: 'email.sent', createdAt: at(40) }),
      event(projectId, second!.mail.contactId!, { name: 'email.open', createdAt: at(40) }),
    ])
    const who = (name: string, count: number, span: object = {}) =>
      store.contacts.count(projectId, { audience: { kind: 'event', name, count, ...span } })
    expect(await who('email.sent', 1)).toBe(2)
    expect(await who('email.sent', 2)).toBe(1)
    expect(await who('email.delivery', 2)).toBe(0)
    expect(await who('email.delivery', 1, { from: at(15) })).toBe(1)
    expect(await who('email.delivery', 1, { before: at(20) })).toBe(1)
  })

  it('puts into the outbox what somebody waits for, also since a moment ago, and shows it once', async () => {
    const store = await fresh()
    const [told, starts, waits, nobody] = [newProjectId(), newProjectId(), newProjectId(), newProjectId()]
    const work = [told, starts, waits, nobody]
    const mails = await Promise.all(work.map((projectId) => claimed(store, projectId, 1)))
    await store.webhookEndpoints.insert(endpoint(told))
    const onSent = workflow(starts, { eventName: 'email.sent' })
    await store.workflows.insert({ workflow: onSent, steps: [], transitions: [] })
    const { contactId } = mails[2]![0]!
    const wait = { waitingFor: 'email.delivery', status: 'WAITING' } as const
    await store.executions.start([execution(workflow(waits), contactId!, wait)])
    const done = mails.map(([mail]) => delivered(mail!, at(10)))
    await store.emails.record(done.map(({ result }) => result))
    const pending = await store.outbox.pending(100)
    const awaited = [done[0]!.sent, done[0]!.delivery, done[1]!.sent, done[2]!.delivery]
    expect(new Set(pending)).toEqual(new Set(awaited))
    for (const [i, projectId] of work.entries()) {
      const both = [done[i]!.delivery.id, done[i]!.sent.id]
      expect((await store.events.page(projectId, {}, { limit: 9 })).map(({ id }) => id)).toEqual(both)
      expect(await store.events.countNamed(projectId, 'email.sent')).toBe(1)
      expect((await store.events.stats(projectId, { from: NOON })).map(({ count }) => count)).toEqual([1, 1])
    }
  })

  it('tells listeners in the process of them once they are committed', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const heard: EventRecord[] = []
    const stop = store.listen((events) => heard.push(...events))
    const [one] = await deliver(store, projectId, [10])
    stop()
    expect(heard).toEqual([one!.sent, one!.delivery])
  })

  it('forgets them with the contact, and when they are too old', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const [erased, old, young] = await deliver(store, projectId, [10, 20, 30])
    await removeWholly(store, projectId, erased!.mail.contactId!)
    expect(await store.events.countNamed(projectId, 'email.sent')).toBe(2)
    await store.retention.removeLedgerEvents(
      [erased, old, young].map((each) => each!.mail.id),
      at(25),
    )
    const both = [young!.delivery.id, young!.sent.id]
    expect((await store.events.page(projectId, {}, { limit: 9 })).map(({ id }) => id)).toEqual(both)
    expect(await store.events.stats(projectId, {})).toMatchObject([{ count: 1 }, { count: 1 }])
    expect(await store.events.countContacts(projectId, 'email.delivery')).toBe(1)
  })

  it('keeps them as they were when the mail is sent once more', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const news = campaign(projectId, { status: 'SENDING' })
    await store.campaigns.insert(news)
    const ada = contact(projectId)
    const mail = email(projectId, { contactId: ada.id, to: ada.email, campaignId: news.id, sourceType: 'CAMPAIGN' })
    await put(store, projectId, { contacts: [ada], emails: [mail] })
    const lease = { token: TOKEN, until: at(300) }
    await claimMails(store, [mail], NOON, lease)
    const first = delivered(mail, at(10))
    await store.emails.record([first.result])
    await store.feedback.write([{ projectId, emailId: mail.id, at: at(15), status: 'FAILED' }])
    expect(await store.campaignMails.retryFailed(projectId, news.id, at(20), 9, at(600))).toBe(1)
    await claimMails(store, [mail], at(20), lease)
    const again = event(projectId, ada.id, { name: 'email.sent', emailId: mail.id, createdAt: at(30) })
    await store.emails.record([result(mail, TOKEN, { status: 'SENT', at: at(30), events: [again] })])
    const ids = (await store.events.page(projectId, {}, { limit: 9 })).map(({ id }) => id)
    expect(ids.toSorted()).toEqual([first.sent.id, first.delivery.id, again.id].toSorted())
    expect(await store.events.countNamed(projectId, 'email.sent')).toBe(2)
  })

  it('does not count what is written under a lease that ended', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const [mail] = await claimed(store, projectId, 1)
    const { result } = delivered(mail!, at(10))
    await store.emails.record([{ ...result, token: 'foreign' }])
    expect(await store.events.stats(projectId, {})).toEqual([])
    await store.emails.record([result, result])
    expect(await store.events.countNamed(projectId, 'email.sent')).toBe(1)
  })
}

const TOKEN = 'worker-1'

/** Delivers a mail to a contact of its own at each of these moments. */
async function deliver(store: Store, projectId: ProjectId, seconds: readonly number[]) {
  const mails = await claimed(store, projectId, seconds.length)
  const all = mails.map((mail, i) => delivered(mail, at(seconds[i]!)))
  await store.emails.record(all.map(({ result }) => result))
  return all
}

function delivered(mail: Email, moment: Date) {
  const of = (name: 'email.sent' | 'email.delivery') =>
    event(mail.projectId, mail.contactId!, {
      ...{ id: ledgerEventId(name, mail.id, moment), name, emailId: mail.id, createdAt: moment },
    })
  const [sent, delivery] = [of('email.sent'), of('email.delivery')]
  const fields = { status: 'DELIVERED', at: moment, ledgerEvents: [sent, delivery] } as const
  return { mail, sent, delivery, result: result(mail, TOKEN, fields) }
}

async function claimed(store: Store, projectId: ProjectId, count: number): Promise<readonly Email[]> {
  const contacts = Array.from({ length: count }, () => contact(projectId))
  const emails = contacts.map(({ id, email: to }) => email(projectId, { contactId: id, to }))
  await put(store, projectId, { contacts, emails })
  await claimMails(store, emails, NOON, { token: TOKEN, until: at(300) })
  return emails
}

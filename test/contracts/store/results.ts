import { expect, it } from 'vitest'
import type { DeliveryResult, Email } from '../../../core/ports/store/emails.ts'
import type { Store } from '../../../core/ports/store/store.ts'
import type { ProjectId } from '../../../core/values/project-id.ts'
import {
  at,
  claimMails,
  contact,
  email,
  event,
  NOON,
  newProjectId,
  put,
  removeWholly,
  result,
  suppression,
} from './records.ts'

/** The promises of a store about the results of deliveries. */
export function storeResultsContract(fresh: () => Promise<Store>) {
  it.each<[DeliveryResult['status'], Partial<Email>]>([
    ['SENT', { sentAt: at(10) }],
    ['DELIVERED', { sentAt: at(10), deliveredAt: at(10) }],
    ['BOUNCED', { bouncedAt: at(10) }],
    ['FAILED', {}],
    ['SKIPPED', {}],
  ])('writes that a mail was %s', async (status, times) => {
    const store = await fresh()
    const [mail] = await claimed(store, newProjectId(), 1)
    const details = { transport: 'main', providerId: '<1@x>', error: 'said "no"', accepted: ['a@example.com'] }
    const given = result(mail!, TOKEN, {
      status,
      ...details,
      ...(status === 'SKIPPED' && { skipReason: 'unsubscribed' }),
    })
    expect(await store.emails.record([given])).toEqual(new Set([mail!.id]))
    const { skipReason } = given
    const expected = {
      ...mail,
      status,
      attempts: 1,
      updatedAt: at(10),
      ...details,
      ...times,
      ...(skipReason && { skipReason }),
    }
    expect(await store.emails.find(mail!.projectId, mail!.id)).toEqual(expected)
  })

  it('queues a mail that was put off, until its time', async () => {
    const store = await fresh()
    const [mail] = await claimed(store, newProjectId(), 1)
    await store.emails.record([
      result(mail!, TOKEN, { status: 'QUEUED', dueAt: at(60), error: '451 later', accepted: ['a@b.example'] }),
    ])
    const put = { status: 'QUEUED', attempts: 1, dueAt: at(60), error: '451 later', accepted: ['a@b.example'] }
    expect(await store.emails.find(mail!.projectId, mail!.id)).toMatchObject(put)
    expect(await claimMails(store, [mail!], at(59), LEASE)).toEqual([])
    const [again] = await claimMails(store, [mail!], at(60), LEASE)
    expect(again).toMatchObject({ attempts: 2, accepted: ['a@b.example'] })
    await store.emails.record([result(mail!, TOKEN)])
    const sent = await store.emails.find(mail!.projectId, mail!.id)
    expect(sent).toMatchObject({ status: 'SENT', accepted: ['a@b.example'] })
    expect(sent).not.toHaveProperty('error')
  })

  it('writes nothing under a foreign or ended lease, for another project or for an unknown mail', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const [mail] = await claimed(store, projectId, 1)
    const extras = (of: Email) => ({
      events: [event(projectId, of.contactId!)],
      suppress: suppression(projectId, of.to),
      unsubscribe: event(projectId, of.contactId!, { name: 'contact.unsubscribed' }),
    })
    const foreign = result(mail!, 'foreign', extras(mail!))
    const elsewhere = { ...result(mail!, TOKEN, extras(mail!)), projectId: newProjectId() }
    const unknown = result(email(projectId, { contactId: mail!.contactId! }), TOKEN, extras(mail!))
    expect(await store.emails.record([foreign, elsewhere, unknown])).toEqual(new Set())
    expect(await store.emails.find(projectId, mail!.id)).toMatchObject({ status: 'SENDING' })
    expect(await store.events.page(projectId, {}, { limit: 9 })).toEqual([])
    expect(await store.suppressions.count(projectId, NOON)).toBe(0)
    expect(await store.contacts.find(projectId, mail!.contactId!)).toMatchObject({ subscribed: true })

    expect(await store.emails.record([result(mail!, TOKEN)])).toEqual(new Set([mail!.id]))
    expect(await store.emails.record([result(mail!, TOKEN, { status: 'FAILED' })])).toEqual(new Set())
    expect(await store.emails.find(projectId, mail!.id)).toMatchObject({ status: 'SENT' })
  })

  it('counts the first of two results under one lease, also in one call', async () => {
    const store = await fresh()
    const [mail] = await claimed(store, newProjectId(), 1)
    const [first, second] = [result(mail!, TOKEN), result(mail!, TOKEN, { status: 'FAILED' })]
    const stale = result(mail!, 'stale', { status: 'BOUNCED' })
    expect(await store.emails.record([stale, first, second])).toEqual(new Set([mail!.id]))
    expect(await store.emails.find(mail!.projectId, mail!.id)).toMatchObject({ status: 'SENT' })
  })

  it('stores the events of a result with it', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const [mail] = await claimed(store, projectId, 1)
    const sent = event(projectId, mail!.contactId!, { name: 'email.sent', emailId: mail!.id })
    const delivered = event(projectId, mail!.contactId!, { name: 'email.delivery', emailId: mail!.id })
    await store.emails.record([result(mail!, TOKEN, { events: [sent, delivered] })])
    const page = await store.events.page(projectId, { emailId: mail!.id }, { limit: 9 })
    expect(page).toMatchObject([delivered, sent])
  })

  it('writes a result and its events both or neither', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const [bad, good] = await claimed(store, projectId, 2)
    const stored = event(projectId, bad!.contactId!)
    await store.events.record([stored])
    const outcomes = await Promise.allSettled([
      store.emails.record([result(bad!, TOKEN, { events: [stored] })]),
      store.emails.record([result(good!, TOKEN)]),
    ])
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
    expect(await store.emails.find(projectId, bad!.id)).toMatchObject({ status: 'SENDING' })
    expect(await store.emails.find(projectId, good!.id)).toMatchObject({ status: 'SENT' })
  })

  it('puts addresses on the suppression list, each once', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const mails = await claimed(store, projectId, 3)
    await store.suppressions.put(suppression(projectId, 'both@example.com'))
    const entries = ['both@example.com', 'new@example.com', 'both@example.com'].map((address, i) =>
      suppression(projectId, address, { reason: 'BOUNCE', detail: `d${i}` }),
    )
    await store.emails.record(mails.map((mail, i) => result(mail, TOKEN, { status: 'BOUNCED', suppress: entries[i]! })))
    const list = await store.suppressions.page(projectId, NOON, { limit: 9 })
    expect(list.map(({ email: address, reason, detail }) => [address, reason, detail])).toEqual([
      ['new@example.com', 'BOUNCE', 'd1'],
      ['both@example.com', 'BOUNCE', 'd2'],
    ])
  })

  it('unsubscribes a contact once, with one event', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const [ada, off] = [contact(projectId), contact(projectId, { subscribed: false })]
    const mails = [ada, ada, off].map(({ id }) => email(projectId, { contactId: id }))
    await put(store, projectId, { contacts: [ada, off], emails: mails })
    await claimMails(store, mails, NOON, LEASE)
    const leave = (mail: Email) =>
      event(projectId, mail.contactId!, { name: 'contact.unsubscribed', createdAt: at(10), data: { reason: 'bounce' } })
    const results = mails.map((mail) => result(mail, TOKEN, { status: 'BOUNCED', unsubscribe: leave(mail) }))
    await store.emails.record(results)
    const left = { ...ada, subscribed: false, leftBy: 'bounce', updatedAt: at(10) }
    expect(await store.contacts.find(projectId, ada.id)).toEqual(left)
    expect(await store.contacts.find(projectId, off.id)).toEqual(off)
    const events = await store.events.page(projectId, { name: 'contact.unsubscribed' }, { limit: 9 })
    expect(events.map(({ id }) => id)).toEqual([results[0]?.unsubscribe?.id])
  })

  it('stores no event of a contact that was removed meanwhile', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const [mail] = await claimed(store, projectId, 1)
    await removeWholly(store, projectId, mail!.contactId!)
    const sent = event(projectId, mail!.contactId!)
    const extras = {
      events: [sent],
      unsubscribe: event(projectId, mail!.contactId!),
      suppress: suppression(projectId, mail!.to),
    }
    expect(await store.emails.record([result(mail!, TOKEN, extras)])).toEqual(new Set([mail!.id]))
    expect(await store.events.stats(projectId, {})).toEqual([])
    expect(await store.suppressions.count(projectId, NOON)).toBe(1)
  })

  it('writes a thousand results and more of one call', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const mails = await claimed(store, projectId, 1100)
    const written = await store.emails.record(mails.map((mail) => result(mail, TOKEN)))
    expect(written.size).toBe(1100)
    expect(await store.emails.count(projectId, { status: 'SENT' })).toBe(1100)
  })

  it('tells each of many simultaneous calls what it wrote, over several projects', async () => {
    const store = await fresh()
    const projects = [newProjectId(), newProjectId()]
    const mails = (await Promise.all(projects.map((projectId) => claimed(store, projectId, 364)))).flat()
    const calls = Array.from({ length: 52 }, (_, i) => mails.slice(i * 14, i * 14 + 14))
    const answers = await Promise.all(
      calls.map((part, i) => store.emails.record(part.map((mail) => result(mail, i % 2 ? TOKEN : 'foreign')))),
    )
    for (const [i, part] of calls.entries()) expect(answers[i]).toEqual(new Set(i % 2 ? part.map(({ id }) => id) : []))
    for (const projectId of projects) expect(await store.emails.count(projectId, { status: 'SENT' })).toBe(182)
    expect(await store.emails.record([])).toEqual(new Set())
  })
}

const TOKEN = 'worker-1'
const LEASE = { token: TOKEN, until: at(300) }

/** Stores so many mails, each to a contact of its own, and claims them. Answers them as they were stored. */
async function claimed(store: Store, projectId: ProjectId, count: number): Promise<readonly Email[]> {
  const contacts = Array.from({ length: count }, () => contact(projectId))
  const emails = contacts.map(({ id, email: to }) => email(projectId, { contactId: id, to }))
  await put(store, projectId, { contacts, emails })
  await claimMails(store, emails, NOON, LEASE)
  return emails
}

import { expect, it } from 'vitest'
import type { Store } from '../../../core/ports/store/store.ts'
import { firstIdAt, idSource, NIL_ID } from '../../../core/values/id.ts'
import {
  at,
  campaign,
  claimMails,
  contact,
  content,
  delivery,
  email,
  eraseWholly,
  event,
  execution,
  NOON,
  newId,
  newProjectId,
  put,
  putContact,
  putEmail,
  removeWholly,
  result,
  step,
  stepRun,
  suppression,
  workflow,
} from './records.ts'

const LEASE = { token: 'worker', until: at(300) }
const ALL = { after: NIL_ID, before: firstIdAt(at(3600)), limit: 100 }
const ATTACHMENT = { filename: 'a.txt', contentType: 'text/plain', disposition: 'attachment' } as const

/** The promises of a store about removing data for good: of removed contacts, and what is old. */
export function storeRetentionContract(fresh: () => Promise<Store>) {
  it('notes with a removal that it is to be erased, until that was done', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const [ada, bob] = [await putContact(store, projectId), await putContact(store, projectId)]
    await store.contacts.removeAll(projectId, [ada.id, bob.id, newId()], NOON)
    const due = await store.retention.dueErasures(NOON, 9)
    const erasure = ({ id: contactId }: { id: string }) => ({ contactId, projectId, removedAt: NOON })
    expect(due).toEqual([erasure(ada), erasure(bob)])
    expect(await store.retention.dueErasures(NOON, 1)).toHaveLength(1)
    expect(await store.retention.dueErasures(at(-1), 9)).toEqual([])
    await store.retention.erased([ada.id], at(600))
    expect(await store.retention.dueErasures(NOON, 9)).toEqual([erasure(bob)])
    await store.retention.erased([bob.id])
    expect(await store.retention.dueErasures(at(600), 9)).toEqual([erasure(ada)])
  })

  it('erases what came from an address before it was a contact, and nothing of others', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const ada = contact(projectId, { email: 'ada@bücher.example' })
    const words = content(projectId)
    const inbound = { status: 'RECEIVED', sourceType: 'INBOUND', contentId: words.id } as const
    const mails = ['ada@xn--bcher-kva.example', 'eve@else.example'].map((from) => {
      const mail = email(projectId, { ...inbound, to: 'help@acme.example' })
      const { contactId: _, ...received } = event(projectId, ada.id, { name: 'email.received', data: { from } })
      return { mail, received: { ...received, emailId: mail.id } }
    })
    const [hers, others] = mails
    await put(store, projectId, { contacts: [ada], contents: [words], emails: mails.map(({ mail }) => mail) })
    await store.events.record(mails.map(({ received }) => received))
    await store.contacts.removeAll(projectId, [ada.id], NOON)
    const due = (await store.retention.dueErasures(NOON, 9)).map(({ contactId }) => contactId)
    expect(due).toHaveLength(2)
    const found = async () => (await store.retention.mailsTo(projectId, due, 9)).map(({ id }) => id)
    expect(await found()).toEqual([hers!.mail.id])
    await store.retention.eraseMails(
      projectId,
      [{ id: hers!.mail.id, contentId: words.id, newContentId: words.id }],
      [],
      NOON,
    )
    expect(await found()).toEqual([])
    await store.retention.eraseHistory(projectId, due, 9, NOON)
    expect(await store.events.page(projectId, {}, { limit: 9 })).toEqual([others!.received])
  })

  it('takes everything that speaks of a person out of their mails, and keeps the figures', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const [ada, bob] = [contact(projectId), contact(projectId)]
    const figures = { sentAt: at(1), openedAt: at(2), opens: 3, clicks: 1, attempts: 2, providerId: 'p-1' }
    const person = {
      ...{ toName: 'Ada', variables: { name: 'Ada' }, tags: { user: 'ada' } },
      ...{ accepted: ['ada@example.com'], error: '<ada@example.com>: no such user' },
    }
    const words = content(projectId)
    const mail = email(projectId, { contactId: ada.id, contentId: words.id, status: 'OPENED', ...figures, ...person })
    const waiting = email(projectId, { contactId: ada.id, contentId: words.id, dueAt: at(86_400) })
    const bobs = email(projectId, { contactId: bob.id, contentId: words.id, ...person })
    await put(store, projectId, { contacts: [ada, bob], contents: [words], emails: [mail, waiting, bobs] })
    await store.suppressions.put(suppression(projectId, ada.email))
    await removeWholly(store, projectId, ada.id)

    const { contactId, toName, error, ...kept } = mail
    const nobody = { to: 'deleted', variables: {}, tags: {}, accepted: [], redactedAt: NOON, updatedAt: NOON }
    expect(await store.emails.find(projectId, mail.id)).toEqual({ ...kept, ...nobody })
    const skipped = { ...nobody, status: 'SKIPPED', skipReason: 'contact-removed' }
    expect(await store.emails.find(projectId, waiting.id)).toMatchObject(skipped)
    expect(await store.emails.find(projectId, bobs.id)).toEqual(bobs)
    expect(await store.suppressions.count(projectId, NOON)).toBe(1)
    expect(await store.emails.waiting('transactional')).toEqual([{ projectId, dueAt: bobs.dueAt }])
  })

  it('lets no result of a try that was under way bring an address back', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const mail = await putEmail(store, projectId)
    await claimMails(store, [mail], NOON, LEASE)
    await removeWholly(store, projectId, mail.contactId ?? '')
    const later = { status: 'QUEUED', dueAt: at(60), error: 'ada@example.com: later', accepted: [mail.to] } as const
    await store.emails.record([result(mail, LEASE.token, { ...later, events: [event(projectId, newId())] })])
    const row = await store.emails.find(projectId, mail.id)
    expect(row).toMatchObject({ status: 'QUEUED', to: 'deleted', accepted: [], redactedAt: NOON })
    expect(row).not.toHaveProperty('error')
    expect(await store.events.stats(projectId, {})).toEqual([])
  })

  it('counts the mails of a campaign as before, and lets it be done', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const news = campaign(projectId, { status: 'SENDING' })
    await store.campaigns.insert(news)
    const people = Array.from({ length: 3 }, () => contact(projectId))
    const mails = people.map(({ id: contactId }, i) =>
      email(projectId, {
        ...{ contactId, campaignId: news.id, sourceType: 'CAMPAIGN', lane: 'campaign' },
        ...(i === 0 ? {} : { status: 'DELIVERED', sentAt: at(1), deliveredAt: at(1), openedAt: at(i), opens: 1 }),
      }),
    )
    await put(store, projectId, { contacts: people })
    expect(await store.campaignMails.add(mails)).toBe(3)
    const before = await store.campaignMails.counters(projectId, news.id)
    await removeWholly(store, projectId, ...people.map(({ id }) => id))
    const skipped = { 'contact-removed': 1 }
    expect(await store.campaignMails.counters(projectId, news.id)).toEqual({ ...before, skipped })
    expect(await store.campaignMails.hasOpen(news.id)).toBe(false)
    expect(await store.emails.count(projectId, { campaignId: news.id })).toBe(3)
  })

  it('removes a content when the last that points at it is taken from it, with its attachments', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const bytes = new Uint8Array([1, 2])
    const [letter, shared, used] = [
      content(projectId, { subject: 'Dear Ada', attachments: [{ ...ATTACHMENT, bytes }] }),
      content(projectId, { subject: 'To all' }),
      content(projectId, { subject: 'News', ofCampaign: true }),
    ]
    const [ada, bob] = [contact(projectId), contact(projectId)]
    const of = (contactId: string, contentId: string) => email(projectId, { contactId, contentId, status: 'SENT' })
    const mails = [of(ada.id, letter.id), of(ada.id, shared.id), of(bob.id, shared.id), of(ada.id, used.id)]
    await put(store, projectId, { contacts: [ada, bob], contents: [letter] })
    await store.emails.add(mails, [shared, used])
    const left = content(projectId, { subject: '', html: '', linksOnly: true })
    const theirs = await store.retention.mailsTo(projectId, [ada.id], 9)
    expect(theirs.map(({ contentId }) => contentId).sort()).toEqual([letter.id, shared.id, used.id].sort())
    const changes = theirs.map((mail) => ({ ...mail, newContentId: left.id }))
    await store.retention.eraseMails(projectId, changes, [left], NOON)

    const ids = [letter.id, shared.id, used.id, left.id]
    const found = await store.emails.contents(ids)
    expect(found.map(({ id }) => id).sort()).toEqual([shared.id, used.id, left.id].sort())
    expect(found.find(({ id }) => id === left.id)).toEqual(left)
    expect(await store.retention.contents([letter.id], 9)).toEqual([])
    const { text, ...spoken } = shared
    expect(await store.retention.contents([shared.id, newId()], 1)).toEqual([spoken])
    expect(await store.retention.contents([shared.id, used.id], 1)).toHaveLength(1)
    expect(await store.retention.contents([shared.id, used.id], 1000)).toHaveLength(2)
    // the same words once more are stored once more
    await put(store, projectId, { contents: [letter], emails: [of(bob.id, letter.id)] })
    expect(await store.emails.contents([letter.id])).toEqual([letter])
  })

  it('loses no content that is pointed at anew just when the last mail is taken from it', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const words = content(projectId)
    const left = content(projectId, { subject: '', html: '', linksOnly: true })
    for (let round = 0; round < 20; round++) {
      const [before, anew] = [email(projectId, { contentId: words.id, status: 'SENT' }), newId()]
      await put(store, projectId, { contents: [words], emails: [before] })
      const again = email(projectId, { id: anew, contentId: words.id, status: 'SENT' })
      const change = (id: string) => [{ id, contentId: words.id, newContentId: left.id }]
      await Promise.all([
        store.retention.changeContents(change(before.id), [left]),
        put(store, projectId, { contents: [words], emails: [again] }),
        store.emails.add([{ ...again, id: newId() }], [words]),
      ])
      expect(await store.emails.contents([words.id])).toEqual([words])
      const rest = await store.emails.page(projectId, {}, { limit: 9 })
      for (const { id } of rest) await store.retention.changeContents(change(id), [left])
      expect(await store.emails.contents([words.id])).toEqual([])
    }
  })

  it('removes the history of a person a few rows at a time, and nobody else’s', async () => {
    const store = await fresh()
    const { workflows, executions, stepRuns, webhookDeliveries, events, emails } = store
    const projectId = newProjectId()
    const [ada, bob] = [await putContact(store, projectId), await putContact(store, projectId)]
    const of = workflow(projectId)
    const trigger = step(of, { type: 'TRIGGER' })
    await workflows.insert({ workflow: of, steps: [trigger], transitions: [] })
    const told = { context: { name: 'Ada' }, event: { email: ada.email } }
    const [adas, bobs] = [execution(of, ada.id, told), execution(of, bob.id, told)]
    await executions.start([adas, bobs])
    const toSales = email(projectId, { contactId: bob.id, variables: { id: ada.id, name: 'Ada' } })
    await emails.add([toSales], [])
    const [first] = (await executions.claimDue(NOON, 9, LEASE)).filter(({ contactId }) => contactId === ada.id)
    const runs = Array.from({ length: 5 }, () =>
      stepRun(adas, trigger.id, { status: 'COMPLETED', output: { emailId: toSales.id }, completedAt: NOON }),
    )
    const { token = '', ...way } = first ?? { ...adas, token: '' }
    await executions.advance([{ execution: way, token, runs }])
    for (const { id } of [ada, bob]) await events.record(Array.from({ length: 7 }, () => event(projectId, id)))
    const about = [ada, bob].map(({ id: contactId }) => delivery(projectId, { contactId, body: ada.email }))
    await webhookDeliveries.add(about)
    await removeWholly(store, projectId, ada.id)

    expect(await events.stats(projectId, {})).toMatchObject([{ count: 7 }])
    expect(await events.names(projectId)).toEqual([{ name: 'signed.up', count: 7 }])
    expect(await webhookDeliveries.page(projectId, {}, { limit: 9 })).toMatchObject([{ id: about[1]?.id }])
    const silent = { status: 'CANCELLED', context: {}, event: {}, redactedAt: NOON }
    expect(await executions.find(projectId, of.id, adas.id)).toMatchObject(silent)
    expect(await executions.find(projectId, of.id, bobs.id)).toMatchObject(told)
    for (const run of await stepRuns.of(projectId, [adas.id])) expect(run).not.toHaveProperty('output')
    expect(await stepRuns.counts(projectId, of.id)).toEqual([{ stepId: trigger.id, status: 'COMPLETED', count: 5 }])
    const { to } = toSales
    const blank = { to, contactId: bob.id, variables: {}, status: 'SKIPPED', skipReason: 'contact-removed' }
    expect(await emails.find(projectId, toSales.id)).toMatchObject({ ...blank, redactedAt: NOON })
    expect(await store.retention.eraseHistory(projectId, [ada.id], 3, NOON)).toBe(false)
  })

  it('finds what was written about a person after their removal', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const ada = await putContact(store, projectId)
    await removeWholly(store, projectId, ada.id)
    const late = email(projectId, { contactId: ada.id })
    await put(store, projectId, { emails: [late], events: [event(projectId, ada.id)] })
    await eraseWholly(store, projectId, [ada.id])
    expect(await store.emails.find(projectId, late.id)).toMatchObject({ to: 'deleted', status: 'SKIPPED' })
    expect(await store.events.names(projectId)).toEqual([])
  })

  it('walks through mails by their age, with what says whether they are done', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const sent = campaign(projectId, { status: 'SENT', sentAt: at(60), updatedAt: at(90) })
    await store.campaigns.insert(sent)
    const old = idSource(() => at(-86_400).getTime())
    const mails = [
      email(projectId, { id: old(), status: 'SENT' }),
      email(projectId, { id: old(), campaignId: sent.id, contactId: newId() }),
      email(projectId, { id: old(), campaignId: newId(), contactId: newId() }),
      email(projectId),
    ]
    await put(store, projectId, { emails: mails })
    const before = firstIdAt(NOON)
    const found = await store.retention.mails({ ...ALL, before })
    expect(found.map(({ id }) => id)).toEqual(mails.slice(0, 3).map(({ id }) => id))
    expect(found.map((mail) => mail.campaign)).toEqual([undefined, { status: 'SENT', endedAt: at(60) }, undefined])
    const behind = await store.retention.mails({ after: mails[0]?.id ?? '', before, limit: 1 })
    expect(behind).toEqual([found[1]])
  })

  it('takes variables only from mails that are done, and tries none of those again', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const news = campaign(projectId, { status: 'SENDING' })
    await store.campaigns.insert(news)
    const make = (status: 'QUEUED' | 'FAILED' | 'SENT') =>
      email(projectId, { campaignId: news.id, contactId: newId(), status, variables: { name: 'Ada' } })
    const [queued, failed, tried] = [make('QUEUED'), make('FAILED'), make('FAILED')]
    // more than a store may change in one go
    const sent = Array.from({ length: 501 }, () => make('SENT'))
    await put(store, projectId, { emails: [queued, failed, tried, ...sent] })
    await store.retention.removeVariables([queued.id, ...sent.map(({ id }) => id), failed.id], at(5))
    const told = await store.emails.some(
      projectId,
      sent.map(({ id }) => id),
    )
    expect(told.filter(({ redactedAt }) => redactedAt?.getTime() === at(5).getTime())).toHaveLength(501)
    expect(await store.emails.find(projectId, queued.id)).toEqual(queued)
    expect(await store.emails.find(projectId, failed.id)).toEqual({ ...failed, variables: {}, redactedAt: at(5) })
    expect(await store.campaignMails.retryFailed(projectId, news.id, at(10), 9, at(600))).toBe(1)
    expect(await store.emails.find(projectId, failed.id)).toMatchObject({ status: 'FAILED' })
  })

  it('leaves its content to a mail that waits, and no new one behind that nobody took', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const [words, left] = [content(projectId), content(projectId, { html: '', linksOnly: true })]
    const waiting = email(projectId, { contentId: words.id })
    await put(store, projectId, { contents: [words], emails: [waiting] })
    const change = { id: waiting.id, contentId: words.id, newContentId: left.id }
    await store.retention.changeContents([change], [left])
    expect(await store.emails.find(projectId, waiting.id)).toEqual(waiting)
    expect(await store.emails.contents([words.id, left.id])).toEqual([words])
  })

  it('removes old events and counts them no more', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const ada = await putContact(store, projectId)
    const old = idSource(() => at(-86_400).getTime())
    // more than a store may remove in one go
    const events = Array.from({ length: 303 }, () => event(projectId, ada.id, { id: old() }))
    await store.events.record([...events, event(projectId, ada.id)])
    const stretch = { after: NIL_ID, before: firstIdAt(NOON), limit: 301 }
    const last = await store.retention.removeEvents(stretch)
    expect(last).toBe(events[300]?.id)
    expect(await store.events.names(projectId)).toEqual([{ name: 'signed.up', count: 3 }])
    expect(await store.retention.removeEvents({ ...stretch, after: last ?? '' })).toBe(events[302]?.id)
    expect(await store.retention.removeEvents(stretch)).toBeUndefined()
    expect(await store.events.names(projectId)).toEqual([{ name: 'signed.up', count: 1 }])
  })

  it('takes what they were told out of executions that have ended, which still may not run again', async () => {
    const store = await fresh()
    const { workflows, executions, retention } = store
    const projectId = newProjectId()
    const [ada, bob] = [await putContact(store, projectId), await putContact(store, projectId)]
    const of = workflow(projectId)
    await workflows.insert({ workflow: of, steps: [], transitions: [] })
    const told = { context: { name: 'Ada' }, event: { total: 5 }, once: true }
    const [ended, active] = [execution(of, ada.id, told), execution(of, bob.id, told)]
    await executions.start([ended, active])
    await executions.cancel(projectId, [ended.id], at(5))
    const found = await retention.executions(ALL)
    expect(found).toMatchObject([
      { id: ended.id, status: 'CANCELLED', completedAt: at(5) },
      { id: active.id, status: 'RUNNING' },
    ])
    await retention.redactExecutions([ended.id, active.id], at(9))
    const silent = { status: 'CANCELLED', context: {}, event: {}, redactedAt: at(9) }
    expect(await executions.find(projectId, of.id, ended.id)).toMatchObject(silent)
    expect(await executions.find(projectId, of.id, active.id)).toEqual(active)
    expect(await executions.start([execution(of, ada.id, told)])).toEqual(new Set())
  })

  it('keeps the place of every rule', async () => {
    const { retention } = await fresh()
    const [one, two] = [newId(), newId()]
    expect(await retention.position('bodies')).toBeUndefined()
    await retention.setPosition('bodies', one)
    await retention.setPosition('variables', two)
    await retention.setPosition('bodies', two)
    expect(await retention.position('bodies')).toBe(two)
  })
}

import { expect, it } from 'vitest'
import { EMAIL_STATUSES, type Email } from '../../../core/ports/store/emails.ts'
import type { Project } from '../../../core/ports/store/projects.ts'
import type { Store } from '../../../core/ports/store/store.ts'
import { firstIdAt } from '../../../core/values/id.ts'
import {
  at,
  claimMails,
  contact,
  content,
  email,
  HOSTILE,
  NOON,
  newId,
  newProjectId,
  project,
  put,
  putContact,
  putEmail,
  result,
  suppression,
} from './records.ts'

/** The promises of a store about the ledger, up to the claim. */
export function storeEmailsContract(fresh: () => Promise<Store>) {
  it('gives a record back with every field it has, and none it has not', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const full: Email = {
      ...email(projectId, { contactId: newId(), variables: HOSTILE, tags: JSON.parse('{"__proto__":"p","ü":"🙂"}') }),
      toName: 'Ada "L" 🙂',
      status: 'COMPLAINED',
      sourceType: 'CAMPAIGN',
      lane: 'campaign',
      templateId: newId(),
      campaignId: newId(),
      attempts: 3,
      accepted: ['a@example.com'],
      transport: 'main',
      providerId: '<id>',
      error: '550 no',
      skipReason: 'suppressed:BOUNCE',
      opens: 2,
      clicks: 1,
      ...{
        sentAt: at(1),
        deliveredAt: at(2),
        openedAt: at(3),
        clickedAt: at(4),
        bouncedAt: at(5),
        complainedAt: at(6),
      },
    }
    const bare = email(projectId)
    await put(store, projectId, { emails: [full, bare] })
    expect(await store.emails.find(projectId, full.id)).toEqual(full)
    const found = await store.emails.find(projectId, bare.id)
    expect(found).toEqual(bare)
    expect(Object.keys(found ?? {}).sort()).toEqual(Object.keys(bare).sort())
  })

  it('stores mails of a transaction with their contents, each content once', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const attachments = [
      { filename: 'a.txt', contentType: 'text/plain', disposition: 'attachment', bytes: Buffer.from('a') } as const,
    ]
    const words = content(projectId, { attachments })
    const mails = [1, 2, 3].map(() => email(projectId, { contentId: words.id, sourceType: 'WORKFLOW' }))
    const [first, second, third] = mails as [Email, Email, Email]
    await store.transaction((tx) => tx.emails.add([first, second], [words]))
    const given = store.transaction(async (tx) => {
      await tx.emails.add([third], [words])
      throw new Error('changed my mind')
    })
    await expect(given).rejects.toThrow('changed my mind')
    expect(await store.emails.find(projectId, third.id)).toBeUndefined()
    await store.transaction((tx) => tx.emails.add([third], [words]))
    expect(await store.emails.page(projectId, {}, { limit: 5 })).toHaveLength(3)
    const [stored, ...more] = await store.emails.contents([words.id])
    expect(stored).toMatchObject({ id: words.id, subject: words.subject })
    expect([stored?.attachments.length, more.length]).toEqual([1, 0])
    const { text, ...head } = { ...stored!, html: '', attachments: [] }
    expect(await store.emails.contentHeads([words.id, words.id, newId()])).toEqual([head])
  })

  it('pages newest first, filters and counts', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const [contactId, campaignId] = [newId(), newId()]
    const mails = [
      email(projectId, { contactId }),
      email(projectId, { status: 'SENT', campaignId, contactId }),
      email(projectId, { status: 'SENT' }),
      email(projectId, { status: 'BOUNCED', campaignId, contactId: newId() }),
    ]
    await put(store, projectId, { emails: mails })
    const newest = [...mails].reverse()
    const found = async (filter: Parameters<Store['emails']['count']>[1], limit = 10, after?: Email) => {
      const page = { limit, ...(after && { after: { value: '', id: after.id } }) }
      return (await store.emails.page(projectId, filter, page)).map(({ id }) =>
        newest.findIndex((mail) => mail.id === id),
      )
    }
    expect(await store.emails.page(projectId, {}, { limit: 10 })).toEqual(newest)
    expect(await found({}, 2)).toEqual([0, 1, 2])
    expect(await found({}, 2, newest[1])).toEqual([2, 3])
    expect(await found({ status: 'SENT' })).toEqual([1, 2])
    expect(await found({ status: 'SENT' }, 5, newest[1])).toEqual([2])
    expect(await found({ contactId })).toEqual([2, 3])
    expect(await found({ campaignId })).toEqual([0, 2])
    expect(await found({ campaignId, contactId, status: 'SENT' })).toEqual([2])
    expect(await found({ status: 'FAILED' })).toEqual([])
    expect(await store.emails.count(projectId, {})).toBe(4)
    expect(await store.emails.count(projectId, { status: 'SENT' })).toBe(2)
    expect(await store.emails.count(projectId, { campaignId, contactId })).toBe(1)
  })

  it('knows whom campaigns and workflows have mailed lately, or are about to', async () => {
    const store = await fresh()
    const { emails, mails } = store
    const projectId = newProjectId()
    const words = content(projectId)
    const made: Email[] = []
    const of = async (fields: Partial<Email>) => {
      const contactId = (await putContact(store, projectId)).id
      made.push(email(projectId, { contactId, contentId: words.id, sourceType: 'WORKFLOW', ...fields }))
      return contactId
    }
    const lately = [
      await of({}),
      await of({ sourceType: 'CAMPAIGN', status: 'CLICKED', sentAt: at(0) }),
      await of({ status: 'SENDING' }),
    ]
    const others = [
      await of({ sourceType: 'TRANSACTIONAL', status: 'SENT', sentAt: at(5) }),
      await of({ status: 'SENT', sentAt: at(-1) }),
      await of({ status: 'SKIPPED' }),
      await of({ status: 'BOUNCED', sentAt: at(1) }),
      await of({ id: firstIdAt(at(-7 * 86_400 - 2)) }),
      (await putContact(store, projectId)).id,
    ]
    await emails.add(made, [words])
    expect(await mails.mailedSince(projectId, [...others, ...lately], at(0))).toEqual(
      new Map(lately.map((id) => [id, 1])),
    )
    expect(await mails.mailedSince(projectId, others, at(-1))).toEqual(new Map([[others[1], 1]]))
    expect(await mails.mailedSince(newProjectId(), lately, at(0))).toEqual(new Map())
    expect(await mails.mailedSince(projectId, [], at(0))).toEqual(new Map())
  })

  it('counts the marketing mail of each contact since a moment of its own', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const [offer, receipt] = [content(projectId, { marketing: true }), content(projectId)]
    const [ada, eve] = [(await putContact(store, projectId)).id, (await putContact(store, projectId)).id]
    const of = (contactId: string, fields: Partial<Email>) =>
      email(projectId, { contactId, contentId: offer.id, status: 'SENT', sentAt: at(0), ...fields })
    const made = [
      of(ada, { sourceType: 'WORKFLOW' }),
      of(ada, { sourceType: 'CAMPAIGN', campaignId: newId(), sentAt: at(-9) }),
      of(ada, { sentAt: at(-20) }),
      email(projectId, { contactId: eve, contentId: offer.id }),
      ...[of(eve, { contentId: receipt.id }), of(eve, { sourceType: 'CAMPAIGN' }), of(eve, { status: 'FAILED' })],
      of(eve, { id: firstIdAt(at(-367 * 86_400)) }),
    ]
    await store.emails.add(made, [offer, receipt])
    const asked = [0, -9, -20].map((seconds) => ({ contactId: ada, since: at(seconds) }))
    const mixed = [...asked, { contactId: eve, since: at(0) }, { contactId: newId(), since: at(-99) }]
    expect(await store.mails.marketingSince(projectId, mixed)).toEqual([1, 2, 3, 1, 0])
    expect(await store.mails.marketingSince(newProjectId(), asked)).toEqual([0, 0, 0])
    expect(await store.mails.marketingSince(projectId, [])).toEqual([])
  })

  it('shows no project the mail of another', async () => {
    const store = await fresh()
    const [mine, theirs] = [newProjectId(), newProjectId()]
    const mail = await putEmail(store, mine)
    expect(await store.emails.find(theirs, mail.id)).toBeUndefined()
    expect(await store.emails.page(theirs, {}, { limit: 10 })).toEqual([])
    expect(await store.emails.page(theirs, { contactId: mail.contactId! }, { limit: 10 })).toEqual([])
    expect(await store.emails.count(theirs, { status: 'QUEUED' })).toBe(0)
  })

  it('mails a contact once in a campaign', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const [contactId, campaignId] = [newId(), newId()]
    await put(store, projectId, { emails: [email(projectId, { contactId, campaignId })] })
    await expect(put(store, projectId, { emails: [email(projectId, { contactId, campaignId })] })).rejects.toThrow()
    await put(store, projectId, {
      emails: [email(projectId, { contactId, campaignId: newId() }), email(projectId, { contactId })],
    })
    await put(store, projectId, { emails: [email(projectId, { contactId })] })
    expect(await store.emails.count(projectId, { contactId })).toBe(4)
  })

  it('claims what is queued and due, with what decides whether it is sent', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const gone = contact(projectId, { subscribed: false, tracking: 'none' })
    const [ready, off, later] = [
      await putEmail(store, projectId, { variables: HOSTILE }),
      email(projectId, { contactId: gone.id }),
      await putEmail(store, projectId, { dueAt: at(1) }),
    ]
    await put(store, projectId, { contacts: [gone], emails: [off] })
    const due = { lane: 'transactional', projectIds: [projectId], share: 9 } as const
    const claimed = await store.emails.claimDue(due, NOON, lease)
    const held = { status: 'SENDING', attempts: 1, updatedAt: NOON, lease }
    expect(claimed).toEqual([
      { ...ready, ...held, subscribed: true, tracking: 'full' },
      { ...off, ...held, subscribed: false, tracking: 'none' },
    ])
    expect(await store.emails.find(projectId, ready.id)).toEqual({ ...ready, status: 'SENDING', attempts: 1 })
    expect(await store.emails.find(projectId, later.id)).toEqual(later)
    expect(await store.emails.claimDue(due, at(1), lease)).toHaveLength(1)
  })

  it('claims with the mode that the project has then, unless it is live', async () => {
    const store = await fresh()
    const acme = project()
    const claimed = async (mode: Project['mode']) => {
      await store.projects.save({ ...acme, mode })
      await putEmail(store, acme.id)
      const due = { lane: 'transactional', projectIds: [acme.id], share: 9 } as const
      return (await store.emails.claimDue(due, NOON, lease)).map((mail) => mail.mode)
    }
    for (const mode of ['test', 'members', 'live'] as const)
      expect(await claimed(mode)).toEqual([mode === 'live' ? undefined : mode])
  })

  it('claims nothing that is not queued', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const others = EMAIL_STATUSES.filter((status) => status !== 'QUEUED').map((status) => email(projectId, { status }))
    await put(store, projectId, { emails: others })
    const due = { lane: 'transactional', projectIds: [projectId], share: 20 } as const
    expect(await store.emails.claimDue(due, at(1000), lease)).toEqual([])
    expect(await store.emails.page(projectId, {}, { limit: 20 })).toEqual([...others].reverse())
  })

  it('says of a claimed row whether its address is suppressed now, in its project', async () => {
    const store = await fresh()
    const [projectId, other] = [newProjectId(), newProjectId()]
    const mails = [0, 1, 2, 3].map((i) => email(projectId, { to: `to${i}@example.com` }))
    await put(store, projectId, { emails: mails })
    await store.suppressions.put(suppression(projectId, 'to0@example.com', { reason: 'COMPLAINT' }))
    await store.suppressions.put(suppression(projectId, 'to1@example.com', { reason: 'BOUNCE', expiresAt: at(0.001) }))
    await store.suppressions.put(suppression(projectId, 'to2@example.com', { expiresAt: NOON }))
    await store.suppressions.put(suppression(other, 'to3@example.com'))
    const claimed = await claimMails(store, mails, NOON, lease)
    expect(claimed.map(({ suppressed }) => suppressed)).toEqual(['COMPLAINT', 'BOUNCE', undefined, undefined])
    expect(claimed.map((mail) => 'suppressed' in mail)).toEqual([true, true, false, false])
  })

  it('says of a claimed row that its contact was removed', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const mail = await putEmail(store, projectId)
    await store.contacts.remove(projectId, mail.contactId!, NOON)
    const [claimed] = await claimMails(store, [mail], NOON, lease)
    expect(claimed).toBeDefined()
    expect(claimed).not.toHaveProperty('subscribed')
  })

  it('gives claimed rows back untried, but not those of another lease', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const [mine, theirs, done] = [email(projectId, { attempts: 2 }), email(projectId), email(projectId)]
    await put(store, projectId, { emails: [mine, theirs, done] })
    await claimMails(store, [mine, done], NOON, lease)
    await claimMails(store, [theirs], NOON, { token: 'other', until: at(60) })
    await store.emails.record([result(done, lease.token)])
    await store.emails.release([mine.id, theirs.id, done.id], lease.token, at(5))
    expect(await store.emails.find(projectId, mine.id)).toEqual({ ...mine, updatedAt: at(5) })
    expect(await store.emails.find(projectId, theirs.id)).toMatchObject({ status: 'SENDING', attempts: 1 })
    expect(await store.emails.find(projectId, done.id)).toMatchObject({ status: 'SENT' })
    expect(await store.emails.record([result(mine, lease.token)])).toEqual(new Set())
    expect(await claimMails(store, [mine], NOON, lease)).toMatchObject([{ attempts: 3 }])
  })

  it('gives claimed rows back for another moment', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const mail = email(projectId, { attempts: 2, expiresAt: at(90) })
    await put(store, projectId, { emails: [mail] })
    await claimMails(store, [mail], NOON, lease)
    await store.emails.release([mail.id], lease.token, at(5), { dueAt: at(30), reason: 'busy', expiresAt: at(90) })
    const later = { ...mail, updatedAt: at(5), dueAt: at(30), error: 'busy' }
    expect(await store.emails.find(projectId, mail.id)).toEqual(later)
    expect(await claimMails(store, [mail], at(29), lease)).toEqual([])
    expect(await claimMails(store, [mail], at(30), lease)).toMatchObject([{ attempts: 3, expiresAt: at(90) }])
    await store.emails.release([mail.id], lease.token, at(31))
    expect(await store.emails.find(projectId, mail.id)).toEqual({ ...later, updatedAt: at(31) })
  })

  it('brings mails forward that still wait for the time they were given', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const [held, moved, claimed] = [email(projectId), email(projectId), email(projectId)]
    await put(store, projectId, { emails: [held, moved, claimed] })
    await claimMails(store, [held, moved, claimed], NOON, lease)
    const putOff = (mail: Email, dueAt: Date) => store.emails.release([mail.id], lease.token, at(5), { dueAt })
    await putOff(held, at(60))
    await putOff(moved, at(61))
    const given = [held, moved, claimed].map(({ id }) => ({ id, until: at(60) }))
    await store.emails.bringForward(given, at(10))
    expect(await store.emails.find(projectId, held.id)).toMatchObject({ status: 'QUEUED', dueAt: at(10) })
    expect(await store.emails.find(projectId, moved.id)).toMatchObject({ status: 'QUEUED', dueAt: at(61) })
    expect(await store.emails.find(projectId, claimed.id)).toMatchObject({ status: 'SENDING', dueAt: NOON })
  })

  it('queues rows again whose lease has ended', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const [lapsed, held] = [email(projectId), email(projectId)]
    await put(store, projectId, { emails: [lapsed, held] })
    await claimMails(store, [lapsed], NOON, { token: 'dead', until: at(60) })
    await claimMails(store, [held], NOON, { token: 'alive', until: at(61) })
    expect(await store.emails.expireLeases(at(60))).toBe(0)
    expect(await store.emails.expireLeases(at(61))).toBe(1)
    expect(await store.emails.expireLeases(at(61))).toBe(0)
    expect(await store.emails.find(projectId, lapsed.id)).toMatchObject({ status: 'QUEUED', attempts: 1 })
    expect(await store.emails.record([result(lapsed, 'dead')])).toEqual(new Set())
    expect(await store.emails.waiting('transactional')).toEqual([{ projectId, dueAt: NOON }])
    expect(await store.emails.expireLeases(new Date(8.64e15))).toBe(1)
    expect(await claimMails(store, [held], NOON, lease)).toHaveLength(1)
  })

  it('tells which projects have mail of a lane that waits, and when the first is due', async () => {
    const store = await fresh()
    const [one, two] = [newProjectId(), newProjectId()]
    await put(store, one, { emails: [email(one, { dueAt: at(60) }), email(one, { dueAt: at(5) }), email(one)] })
    await put(store, two, { emails: [email(two, { dueAt: at(7) }), email(two, { status: 'SENT' })] })
    await put(store, two, { emails: [email(two, { lane: 'workflow' })] })
    const both = [
      { projectId: one, dueAt: NOON },
      { projectId: two, dueAt: at(7) },
    ]
    const ordered = both.toSorted((a, b) => (a.projectId < b.projectId ? -1 : 1))
    expect(await store.emails.waiting('transactional')).toEqual(ordered)
    expect(await store.emails.waiting('workflow')).toEqual([{ projectId: two, dueAt: NOON }])
    expect(await store.emails.waiting('campaign')).toEqual([])
  })

  it('gives each project its share of a claim, the longest due first, and nothing of another lane or time', async () => {
    const store = await fresh()
    const [one, two] = [newProjectId(), newProjectId()]
    const many = Array.from({ length: 5 }, (_, i) => email(one, { dueAt: at(9 - i) }))
    await put(store, one, { emails: [...many, email(one, { lane: 'workflow' })] })
    const [few, later] = [email(two, { dueAt: at(2) }), email(two, { dueAt: at(20) })]
    await put(store, two, { emails: [few, later] })
    const due = { lane: 'transactional', projectIds: [one, two], share: 3 } as const
    const ids = async (now: Date) => (await store.emails.claimDue(due, now, lease)).map(({ id }) => id)
    expect(await ids(at(10))).toEqual([few, many[4], many[3], many[2]].map((mail) => mail!.id))
    expect(await store.emails.find(one, many[4]!.id)).toMatchObject({ status: 'SENDING', attempts: 1 })
    expect(await ids(at(10))).toEqual([many[1]!.id, many[0]!.id])
    expect(await ids(at(19))).toEqual([])
    expect(await store.emails.claimDue({ ...due, projectIds: [] }, at(30), lease)).toEqual([])
    expect(await ids(at(20))).toEqual([later.id])
  })

  it('gives a due mail to one of many who claim at the same time', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const mails = Array.from({ length: 90 }, () => email(projectId))
    await put(store, projectId, { emails: mails })
    const due = { lane: 'transactional', projectIds: [projectId], share: 15 } as const
    const claims = await Promise.all(
      Array.from({ length: 6 }, (_, i) => store.emails.claimDue(due, NOON, { token: `t${i}`, until: at(60) })),
    )
    const got = claims.flatMap((claim) => claim.map(({ id }) => id))
    expect(got.toSorted()).toEqual(mails.map(({ id }) => id))
  })
}

const lease = { token: 'worker-1', until: at(300) }

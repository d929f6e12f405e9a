import { describe, expect, it, onTestFinished } from 'vitest'
import { silentLog, systemClock } from '../../config/library.ts'
import { linksOnly } from '../../core/mail/links-only.ts'
import { Rendering } from '../../core/mail/render/rendering.ts'
import type { MailContent } from '../../core/ports/store/contents.ts'
import type { InboxDraft } from '../../core/ports/store/drafts.ts'
import { Retention } from '../../core/retention/retention.ts'
import { idAt, NIL_ID } from '../../core/values/id.ts'
import { Leases } from '../../core/work/leases.ts'
import { at, content, email, NOON, newId, newProjectId, put, putContact } from '../contracts/store/records.ts'
import { kitOf } from '../support/kit.ts'
import { STORES } from '../support/matrix.ts'

describe.each(STORES)('the upkeep of inboxes, on $name', ({ store: plugin }) => {
  const open = async () => {
    const { store, close } = await plugin().open({ log: silentLog, clock: systemClock })
    onTestFinished(async () => close?.())
    const [projectId, inboxId, threadId] = [newProjectId(), newId(), newId()]
    await store.inboxes.insert({
      ...{ id: inboxId, projectId, address: 'help@example.com', name: 'Help', labels: [], approval: 'never' },
      ...{ metadata: {}, version: 1, createdAt: NOON, updatedAt: NOON },
    })
    return { store, projectId, inboxId, threadId }
  }

  it('puts mails into the index again that are noted in it and are not there', async () => {
    const { store, projectId, inboxId, threadId } = await open()
    const mails = Array.from({ length: 3 }, (_, i) => {
      const about = { threadId, inboxId, projectId, emailId: newId(), messageId: '', incoming: true }
      return { ...about, at: at(i), ...(i > 0 ? { indexedAt: NOON } : {}) }
    })
    await store.threadMails.add(mails)
    const idsOf = (found: readonly { emailId: string }[]) => found.map(({ emailId }) => emailId)
    expect(idsOf(await store.mailWords.missing(9))).toEqual([mails[0]!.emailId])
    const [, , last] = mails
    const words = { scope: 'p', subject: 'one', people: '', body: '', files: '' }
    await store.mailWords.put([{ emailId: last!.emailId, projectId, ...words }], NOON)
    // one at a time, up to the end
    let [lost, after] = [0, NIL_ID as string | undefined]
    for (let parts = 0; after !== undefined; parts++) {
      expect(parts).toBeLessThanOrEqual(mails.length)
      const part = await store.mailWords.mend(after, 1)
      ;[lost, after] = [lost + part.lost, part.last]
    }
    expect(lost).toBe(1)
    expect(idsOf(await store.mailWords.missing(9))).toEqual([mails[1]!.emailId, mails[0]!.emailId])
    for (const { emailId } of mails) await store.mailWords.put([{ emailId, projectId, ...words }], NOON)
    expect([await store.mailWords.mend(NIL_ID, 9), await store.mailWords.missing(9)]).toEqual([{ lost: 0 }, []])
  })

  it('finds mails with a whole word before it looks for those in which the word goes on', async () => {
    const { store, projectId, inboxId, threadId } = await open()
    const mails = ['an order', 'orders', 'nothing'].map((subject, i) => ({ emailId: newId(), at: at(i), subject }))
    await store.threads.insert({
      ...{
        id: threadId,
        projectId,
        inboxId,
        subject: 'x',
        subjectKey: 'x',
        participants: [],
        folder: 'inbox',
        labels: [],
      },
      ...{ snippet: '', messageCount: 3, lastMessageId: mails[2]!.emailId, lastMessageAt: at(2) },
      ...{ createdAt: NOON, updatedAt: NOON },
    })
    const about = { threadId, inboxId, projectId, messageId: '', incoming: true }
    await store.threadMails.add(mails.map(({ emailId, at }) => ({ ...about, emailId, at })))
    const words = mails.map(({ emailId, subject }) => {
      return {
        emailId,
        projectId,
        scope: 'p',
        subject,
        people: '',
        body: subject === 'nothing' ? 'order' : '',
        files: '',
      }
    })
    await store.mailWords.put(words, NOON)
    const search = { terms: [{ words: ['order'], isBeginning: true }], scopes: ['p'], folders: ['inbox'] as const }
    const found = async (limit: number) =>
      (await store.mailWords.search(projectId, search, limit)).map(({ emailId }) =>
        mails.findIndex((mail) => mail.emailId === emailId),
      )
    // a word of the subject counts more than one of the text, however new
    expect(await found(2)).toEqual([0, 2])
    expect(await found(3)).toEqual([1, 0, 2])
  })

  it('reads no more texts for excerpts than it may, and HTML only of mails without a text', async () => {
    const { store, projectId } = await open()
    const mails = [
      { text: 'one', html: '<p>1</p>' },
      { text: 'x'.repeat(2_000_000), html: '' },
      { text: '', html: '<p>two</p>' },
      { html: '<p>three</p>', received: true },
      { text: 'gone', html: '', linksOnly: true },
      { text: 'four', html: '' },
    ]
    const ids: string[] = []
    for (const texts of mails) {
      const own = content(projectId, texts)
      const mail = email(projectId, { contentId: own.id })
      await put(store, projectId, { contents: [own], emails: [mail] })
      ids.push(mail.id)
    }
    // 3 bytes, 10 and 12
    const found = await store.mailWords.texts(projectId, ids, 27)
    expect([...found.values()]).toEqual([
      { text: 'one', isHtml: false, received: false },
      { text: '<p>two</p>', isHtml: true, received: false },
      { text: '<p>three</p>', isHtml: true, received: true },
    ])
    expect((await store.mailWords.texts(projectId, ids, 3_000_000)).get(ids[1]!)?.text).toHaveLength(2_000_000)
    expect((await store.mailWords.texts(newProjectId(), ids, 27)).size).toBe(0)
  })

  it('lets messages go that are too old for their inbox, with their texts and empty threads', async () => {
    const { store, projectId, inboxId, threadId } = await open()
    const now = new Date('2026-06-01T12:00:00Z')
    const kit = kitOf(() => now)
    const kept = (await store.inboxes.find(projectId, inboxId))!
    await store.inboxes.update({ ...kept, retentionDays: 10 })
    const other = { ...kept, id: newId(), address: 'other@example.com' }
    await store.inboxes.insert(other)
    let made = 0
    /** A message of so many days ago in these inboxes. */
    const message = async (
      days: number,
      inThreads: readonly (readonly [inbox: string, thread: string])[],
      more = {},
    ) => {
      const at = new Date(now.getTime() - days * 86_400_000)
      const words = content(projectId, { html: `<p>Secret ${++made}</p>`, received: true })
      const mail = email(projectId, { id: idAt(at, made, newId()), contentId: words.id, status: 'RECEIVED', ...more })
      await put(store, projectId, { contents: [words], emails: [mail] })
      const about = { projectId, emailId: mail.id, messageId: '', incoming: true, at }
      await store.threadMails.add(inThreads.map(([inboxId, threadId]) => ({ ...about, inboxId, threadId })))
      await store.mailWords.put(
        [{ emailId: mail.id, projectId, scope: 'p', subject: 'x', people: '', body: '', files: '' }],
        at,
      )
      return mail
    }
    const thread = async (id: string, inbox: string, messageCount: number, lastMessageId: string) =>
      store.threads.insert({
        ...{
          id,
          projectId,
          inboxId: inbox,
          subject: 's',
          subjectKey: 's',
          participants: [],
          folder: 'inbox',
          labels: [],
        },
        ...{ snippet: 'x', messageCount, lastMessageId, lastMessageAt: now, createdAt: NOON, updatedAt: NOON },
      })
    const [gone, elsewhere, own] = [newId(), newId(), [inboxId, threadId] as const]
    const old = await message(12, [own])
    const young = await message(9, [own])
    const waits = await message(12, [own], { status: 'QUEUED' })
    const last = await message(11, [[inboxId, gone]])
    const both = await message(20, [own, [other.id, elsewhere]])
    await thread(threadId, inboxId, 4, young.id)
    await thread(gone, inboxId, 1, last.id)
    await thread(elsewhere, other.id, 1, both.id)
    const author = { authorType: 'engine', authorName: 'x' } as const
    await store.threadNotes.add({ id: newId(), projectId, threadId: gone, text: 'n', createdAt: NOON, ...author })
    const links = { linksOnly: async (given: MailContent) => linksOnly(new Rendering(), given) }
    const retention = new Retention(store, links, new Leases(store, kit), kit)
    await retention.tick(new AbortController().signal)

    const left = async (id: string) =>
      (await store.threadMails.page(projectId, id, { limit: 9 })).map((each) => each.emailId)
    expect(await left(threadId)).toEqual([young.id, waits.id])
    expect(await store.threads.find(projectId, threadId)).toMatchObject({ messageCount: 2, lastMessageId: young.id })
    expect(await store.threads.find(projectId, gone)).toBeUndefined()
    expect(await store.threadNotes.of(projectId, gone)).toEqual([])
    expect(await left(elsewhere)).toEqual([both.id])
    const textOf = async ({ id }: { id: string }) => {
      const { contentId } = (await store.emails.find(projectId, id))!
      return (await store.emails.contents([contentId]))[0]?.html
    }
    const texts = await Promise.all([old, last, young, waits, both].map(textOf))
    expect(texts.map((text) => text?.includes('Secret') ?? false)).toEqual([false, false, true, true, true])
  })

  const drafted = (
    projectId: InboxDraft['projectId'],
    inboxId: string,
    more: Partial<Omit<InboxDraft, 'projectId'>>,
  ): InboxDraft => ({
    ...{ id: newId(), projectId, inboxId, kind: 'new', to: [], cc: [], bcc: [], subject: 'Hi', body: '<p>Hi</p>' },
    ...{ status: 'open', authorName: 'Ada', version: 1, createdAt: NOON, updatedAt: NOON },
    ...more,
  })

  it('takes a removed contact out of drafts, and removes those to no one else with their files', async () => {
    const { store, projectId, inboxId } = await open()
    const [gone, other] = [await putContact(store, projectId), { email: 'bob@example.com' }]
    const named = { email: gone.email.toUpperCase(), name: 'Gone' }
    const own = drafted(projectId, inboxId, { to: [named], cc: [{ email: gone.email }], status: 'waiting' })
    const shared = drafted(projectId, inboxId, { to: [other], bcc: [named] })
    const about = drafted(projectId, inboxId, { to: [other] })
    const asked = { version: 1, to: [named, other], cc: [], bcc: [named], subject: '', body: '', files: [] }
    const changed = drafted(projectId, inboxId, { to: [other], changedFrom: asked })
    const sent = drafted(projectId, inboxId, { to: [named], status: 'sent' })
    const elsewhere = drafted(newProjectId(), newId(), { to: [named] })
    for (const draft of [own, shared, about, changed, sent, elsewhere]) await store.inboxDrafts.insert(draft)
    const file = { id: newId(), bytes: new Uint8Array([1]) }
    await store.draftAttachments.add(projectId, own.id, [file])
    expect(await store.contacts.remove(projectId, gone.id, at(9))).toBe(true)
    expect(await store.inboxDrafts.find(projectId, own.id)).toBeUndefined()
    expect(await store.draftAttachments.bytes(projectId, own.id)).toEqual(new Map())
    const left = { to: [other], cc: [], bcc: [], version: 2, updatedAt: at(9) }
    expect(await store.inboxDrafts.find(projectId, shared.id)).toMatchObject(left)
    const without = { ...left, changedFrom: { ...asked, to: [other], bcc: [] } }
    expect(await store.inboxDrafts.find(projectId, changed.id)).toMatchObject(without)
    for (const draft of [about, sent, elsewhere])
      expect(await store.inboxDrafts.find(draft.projectId, draft.id)).toEqual(draft)
  })

  it('leaves drafts as they were written when their contact is merged into another', async () => {
    const { store, projectId, inboxId } = await open()
    const [from, into] = [await putContact(store, projectId), await putContact(store, projectId)]
    const draft = drafted(projectId, inboxId, { to: [{ email: from.email }] })
    await store.inboxDrafts.insert(draft)
    await store.transaction((tx) => tx.merges.absorb(projectId, into.id, from, at(5)))
    expect(await store.inboxDrafts.find(projectId, draft.id)).toEqual(draft)
  })

  it('removes the open drafts of a removed inbox, with their files, and those of no other', async () => {
    const { store, projectId, inboxId } = await open()
    const [first, second, other] = [inboxId, inboxId, newId()].map((id) => drafted(projectId, id, {}))
    for (const draft of [first!, second!, other!]) {
      await store.inboxDrafts.insert(draft)
      await store.draftAttachments.add(projectId, draft.id, [{ id: newId(), bytes: new Uint8Array([1]) }])
    }
    expect(await store.inboxDrafts.removeOf(newProjectId(), inboxId, 9)).toBe(0)
    expect(await store.inboxDrafts.removeOf(projectId, inboxId, 1)).toBe(1)
    expect(await store.inboxDrafts.removeOf(projectId, inboxId, 9)).toBe(1)
    const files = async ({ id }: InboxDraft) => (await store.draftAttachments.bytes(projectId, id)).size
    expect([await files(first!), await files(second!), await files(other!)]).toEqual([0, 0, 1])
    expect(await store.inboxDrafts.count(projectId, other!.inboxId)).toBe(1)
  })

  it('removes a thread with its notes and what was read of it, and lets its drafts go', async () => {
    const { store, projectId, inboxId, threadId } = await open()
    const read = { threadId, readerId: 'u1', projectId }
    await store.threads.read(read, NOON)
    const author = { authorType: 'engine', authorName: 'x' } as const
    await store.threadNotes.add({ id: newId(), projectId, threadId, text: 'n', createdAt: NOON, ...author })
    const [open_, sent] = [{ threadId }, { threadId, status: 'sent' } as const].map((more) =>
      drafted(projectId, inboxId, more),
    )
    for (const draft of [open_!, sent!]) await store.inboxDrafts.insert(draft)
    await store.threads.copyReads(projectId, threadId, NIL_ID)
    await store.threads.remove(projectId, threadId)
    expect(await store.threads.reads(projectId, [threadId, NIL_ID], 'u1')).toEqual(new Map([[NIL_ID, NOON]]))
    expect(await store.threadNotes.of(projectId, threadId)).toEqual([])
    expect(await store.inboxDrafts.find(projectId, open_!.id)).not.toHaveProperty('threadId')
    expect(await store.inboxDrafts.find(projectId, sent!.id)).toHaveProperty('threadId', threadId)
  })

  it('removes events that are too old, and goes on with their numbers', async () => {
    const { store, projectId, inboxId } = await open()
    const event = (seconds: number) => ({ inboxId, projectId, name: 'x', data: {}, at: at(seconds) })
    await store.inboxEvents.add([event(1), event(2)])
    await store.inboxEvents.add([event(3), { ...event(4), inboxId: newId() }])
    expect(await store.inboxEvents.last([inboxId, newId()])).toEqual(new Map([[inboxId, 3]]))
    expect(await store.inboxEvents.removeBefore(at(3), 1)).toBe(1)
    expect(await store.inboxEvents.removeBefore(at(3), 9)).toBe(1)
    expect(await store.inboxEvents.removeBefore(at(9), 9)).toBe(1)
    await store.inboxEvents.add([event(5)])
    expect(await store.inboxEvents.after(projectId, inboxId, 0, 9)).toMatchObject([{ number: 4, at: at(5) }])
    expect(await store.inboxEvents.removeOf(projectId, inboxId, 9)).toBe(1)
    expect(await store.inboxEvents.after(projectId, inboxId, 0, 9)).toEqual([])
  })
})

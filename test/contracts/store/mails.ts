import { expect, it } from 'vitest'
import type { Conversation, ConversationAnswer } from '../../../core/ports/mail-transport.ts'
import type { Email, MailTry } from '../../../core/ports/store/emails.ts'
import type { MailMoment, MailSearch, MailWord } from '../../../core/ports/store/mails.ts'
import type { Store } from '../../../core/ports/store/store.ts'
import { idSource } from '../../../core/values/id.ts'
import { filled } from './campaign-mails.ts'
import {
  at,
  campaign,
  claimMails,
  contact,
  content,
  email,
  event,
  NOON,
  newId,
  newProjectId,
  put,
  putEmail,
  result,
} from './records.ts'

/** The promises of a store about single mails that people change. */
export function storeMailsContract(fresh: () => Promise<Store>) {
  it('cancels and re-dates a mail only while it waits, and none of another project', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const [mail, sent] = [await putEmail(store, projectId), await putEmail(store, projectId)]
    await claimMails(store, [sent], NOON, { token: 'a', until: at(60) })
    for (const id of [sent.id, newId()]) {
      expect(await store.mails.cancel(projectId, id, at(1))).toBe(false)
      expect(await store.mails.redate(projectId, id, { dueAt: at(9) }, at(1))).toBe(false)
    }
    expect(await store.mails.cancel(newProjectId(), mail.id, at(1))).toBe(false)
    expect(await store.mails.redate(newProjectId(), mail.id, { dueAt: at(9) }, at(1))).toBe(false)
    expect(await store.emails.find(projectId, mail.id)).toEqual(mail)

    expect(await store.mails.redate(projectId, mail.id, { dueAt: at(500) }, at(1))).toBe(true)
    expect(await claimMails(store, [mail], at(499), { token: 'b', until: at(600) })).toEqual([])
    const change = { dueAt: at(700), expiresAt: at(900) }
    expect(await store.mails.redate(projectId, mail.id, change, at(2))).toBe(true)
    expect(await store.emails.find(projectId, mail.id)).toEqual({ ...mail, ...change })
    expect(await store.mails.cancel(projectId, mail.id, at(3))).toBe(true)
    expect(await store.mails.cancel(projectId, mail.id, at(4))).toBe(false)
    const cancelled = { ...mail, ...change, status: 'SKIPPED', skipReason: 'cancelled', updatedAt: at(3) }
    expect(await store.emails.find(projectId, mail.id)).toEqual(cancelled)
    expect(await claimMails(store, [mail], at(999), { token: 'c', until: at(1999) })).toEqual([])
  })

  it('keeps the time a mail was given when the clock is set back', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const mail = await putEmail(store, projectId)
    await store.mails.redate(projectId, mail.id, { dueAt: at(500) }, at(200))
    await store.moveUp(at(-1000), at(200), 100)
    expect((await store.emails.find(projectId, mail.id))?.dueAt).toEqual(at(500))
  })

  it('counts a cancelled mail of a campaign as skipped', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const news = campaign(projectId, { status: 'SENDING' })
    await store.campaigns.insert(news)
    const mail = email(projectId, { contactId: newId(), campaignId: news.id, sourceType: 'CAMPAIGN', lane: 'campaign' })
    await put(store, projectId, { emails: [mail] })
    await store.mails.cancel(projectId, mail.id, at(1))
    const { skipped } = await store.campaignMails.counters(projectId, news.id)
    expect(skipped).toEqual({ cancelled: 1 })
    expect(await store.campaignMails.hasOpen(news.id)).toBe(false)
  })

  it('finds the mails that were caught, by address and by time, and clears those of one project, some at a time', async () => {
    const store = await fresh()
    const [projectId, otherId] = [newProjectId(), newProjectId()]
    const news = campaign(projectId, { status: 'SENDING' })
    await store.campaigns.insert(news)
    const reader = contact(projectId, { email: 'reader@example.com' })
    const caught = { status: 'SKIPPED', skipReason: 'caught' } as const
    const one = email(projectId, { ...caught, to: 'ada@example.com' })
    const ofNews = { contactId: reader.id, campaignId: news.id, sourceType: 'CAMPAIGN', lane: 'campaign' } as const
    const two = email(projectId, { ...caught, ...ofNews, to: reader.email })
    const others = [
      email(projectId, { to: one.to }),
      email(projectId, { status: 'SKIPPED', skipReason: 'cancelled', to: one.to }),
    ]
    const foreign = email(otherId, { ...caught, to: one.to })
    await put(store, projectId, { contacts: [reader], emails: [one, ...others, two] })
    await put(store, otherId, { emails: [foreign] })
    const found = async (search: MailSearch, projectId = one.projectId) =>
      (await store.mails.search(projectId, { caught: true, ...search }, { limit: 9 }, 1000)).mails.map(({ id }) => id)
    expect(await found({})).toEqual([two.id, one.id])
    expect(await found({ address: one.to })).toEqual([one.id])
    expect(await found({ address: reader.email })).toEqual([two.id])
    expect(await found({ campaignId: news.id })).toEqual([two.id])
    expect(await found({ from: at(1e9) })).toEqual([])
    expect(await store.mails.countFound(projectId, { caught: true }, 1000)).toBe(2)
    expect(await store.mails.clearCaught(projectId, { limit: 1 }, at(5))).toBe(1)
    expect(await found({})).toEqual([two.id])
    expect(await store.mails.clearCaught(projectId, { id: two.id }, at(6))).toBe(1)
    expect(await store.mails.clearCaught(projectId, { id: two.id }, at(7))).toBe(0)
    expect(await store.mails.clearCaught(projectId, { id: foreign.id }, at(7))).toBe(0)
    expect(await store.mails.clearCaught(projectId, { limit: 9 }, at(7))).toBe(0)
    expect(await store.emails.find(projectId, one.id)).toEqual({ ...one, skipReason: 'cleared', updatedAt: at(5) })
    expect((await store.campaignMails.counters(projectId, news.id)).skipped).toEqual({ cleared: 1 })
    expect(await found({}, otherId)).toEqual([foreign.id])
  })

  it('lets either a claim or a cancellation have a mail, never both, when they race', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const mails = Array.from({ length: 60 }, () => email(projectId))
    await put(store, projectId, { emails: mails })
    const due = { lane: 'transactional', projectIds: [projectId], share: 1 } as const
    const claims = mails.map((_mail, i) => store.emails.claimDue(due, NOON, { token: `t${i}`, until: at(60) }))
    const cancels = mails.map(({ id }) => store.mails.cancel(projectId, id, NOON))
    // the other way round, too
    const [claimed, cancelled] = await Promise.all([Promise.all(claims), Promise.all(cancels)])
    const tokens = new Map(claimed.flat().map((mail) => [mail.id, mail.lease.token]))
    const had = mails.map(({ id }, i) => Number(tokens.has(id)) + Number(cancelled[i]))
    expect(had).toEqual(mails.map(() => 1))
    const results = mails.map((mail) => result(mail, tokens.get(mail.id) ?? 'none', { status: 'DELIVERED' }))
    const written = await store.emails.record(results)
    expect(mails.filter(({ id }, i) => written.has(id) === cancelled[i])).toEqual([])
  })

  it('finds mails by every word, case not counting, wildcards taken as they are, and none of another project', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const [ada, bob] = [contact(projectId, { email: 'ada@x.example' }), contact(projectId, { email: 'bob@y.example' })]
    const order = content(projectId, { subject: 'Your ORDER 100% _safe_ ÄÖ', from: { email: 'shop@acme.example' } })
    const news = content(projectId, { subject: 'News', from: { email: 'news@other.example' } })
    const of = (to: typeof ada, words: typeof order, fields: Partial<Email> = {}) =>
      email(projectId, { contactId: to.id, to: to.email, contentId: words.id, ...fields })
    const campaignId = newId()
    const inCampaign = { campaignId, sourceType: 'CAMPAIGN', lane: 'campaign' } as const
    const first = of(ada, order, {
      tags: { kind: 'a.b', 'x.y': '1' },
      sentAt: at(10),
      status: 'DELIVERED',
      deliveredAt: at(11),
    })
    const second = of(bob, news, {
      ...inCampaign,
      openedAt: at(20),
      clickedAt: at(30),
      status: 'CLICKED',
      sentAt: at(9),
    })
    const third = of(ada, news, {
      ...inCampaign,
      bouncedAt: at(40),
      status: 'BOUNCED',
      error: '550 5.1.1 No such USER',
    })
    const fourth = of(bob, order, {
      status: 'RECEIVED',
      variables: { messageId: '<Own.1@there.example>' },
      tags: { kind: 'c' },
    })
    const fifth = of(ada, order, { to: 'old@x.example', providerId: 'queue-7' })
    const emails = [first, second, third, fourth, fifth]
    await put(store, projectId, { contacts: [ada, bob], contents: [order, news], emails })
    const link = 'https://s.example/?a=1'
    const click = { projectId, emailId: second.id, kind: 'click', at: second.clickedAt!, machine: false, link } as const
    const byMachine = { ...click, link: 'https://m.example/', machine: true }
    await store.emails.recordActivity([click, byMachine])
    const found = async (search: MailSearch) => {
      const { mails, lookedTo } = await store.mails.search(projectId, search, { limit: 10 }, 10_000)
      expect(lookedTo).toBeUndefined()
      expect(await store.mails.countFound(projectId, search, 10_000)).toBe(mails.length)
      return mails.map(({ id }) => emails.findIndex((each) => each.id === id) + 1)
    }
    const word = (where: MailWord['in'], text: string) => found({ words: [{ in: where, text }] })
    expect(await found({})).toEqual([5, 4, 3, 2, 1])
    expect(await word('to', 'x.ex')).toEqual([5, 3, 1])
    expect(await word('to', '_.ex')).toEqual([])
    expect(await word('domain', 'x.example')).toEqual([5, 3, 1])
    expect(await word('domain', 'example')).toEqual([])
    expect(await word('from', 'acme')).toEqual([5, 4, 1])
    expect(await word('from', 'mail')).toEqual([])
    for (const text of ['your order', '100% _', 'safe_ äö', '%']) expect(await word('subject', text)).toEqual([5, 4, 1])
    expect(await word('subject', 'o%r')).toEqual([])
    expect(await word('any', 'bob')).toEqual([4, 2])
    expect(await word('any', 'order')).toEqual([5, 4, 1])
    expect(await word('error', 'no such user')).toEqual([3])
    expect(await word('id', 'Own.1@there.example')).toEqual([4])
    expect(await word('id', 'own.1@there.example')).toEqual([])
    expect(await word('id', 'queue-7')).toEqual([5])
    expect(
      await found({
        words: [
          { in: 'to', text: 'bob' },
          { in: 'subject', text: 'order' },
        ],
      }),
    ).toEqual([4])
    expect(await found({ id: third.id })).toEqual([3])
    expect(await found({ id: newId() })).toEqual([])
    expect(await found({ tags: [{ name: 'kind' }] })).toEqual([4, 1])
    expect(
      await found({
        tags: [
          { name: 'kind', value: 'a.b' },
          { name: 'x.y', value: '1' },
        ],
      }),
    ).toEqual([1])
    expect(await found({ tags: [{ name: 'kind', value: 'A.B' }] })).toEqual([])
    // all mails to the address; of the campaign, those of the contact that has it
    expect(await found({ address: 'ada@x.example' })).toEqual([3, 1])
    expect(await found({ address: 'old@x.example' })).toEqual([5])
    expect(await found({ address: 'bob@y.example', words: [{ in: 'subject', text: 'news' }] })).toEqual([2])
    expect(await found({ address: 'ada@x.example', status: 'BOUNCED', campaignId })).toEqual([3])
    expect(await found({ status: 'RECEIVED', words: [{ in: 'subject', text: 'order' }] })).toEqual([4])
    expect(await found({ campaignId, words: [{ in: 'to', text: 'bob' }] })).toEqual([2])
    expect(await found({ contactId: ada.id, words: [{ in: 'subject', text: 'news' }] })).toEqual([3])
    const moment = (what: MailMoment['what'], from?: number, to?: number) =>
      found({
        happened: [
          { what, ...(from === undefined ? {} : { from: at(from) }), ...(to === undefined ? {} : { to: at(to) }) },
        ],
      })
    expect(await moment('sent')).toEqual([2, 1])
    expect(await moment('sent', 9, 10)).toEqual([2])
    expect(await moment('sent', 10, 11)).toEqual([1])
    expect(await moment('delivered', 0, 100)).toEqual([1])
    expect(await moment('opened', 21)).toEqual([])
    expect(await moment('clicked')).toEqual([2])
    expect(await moment('bounced', undefined, 41)).toEqual([3])
    expect(await moment('complained')).toEqual([])
    // handed over, and nothing of the sort after it
    expect(await found({ missing: ['clicked'] })).toEqual([1])
    expect(await found({ missing: ['bounced', 'complained'] })).toEqual([2, 1])
    expect(await found({ missing: ['sent'] })).not.toContain(1)
    expect(await found({ link: 'https://s.example/?a=1' })).toEqual([2])
    for (const none of ['https://s.example/', 'https://m.example/']) expect(await found({ link: none })).toEqual([])
    const other = newProjectId()
    for (const search of [
      { id: first.id },
      { address: 'ada@x.example' },
      { words: [{ in: 'to', text: 'a' }] },
    ] as const)
      expect((await store.mails.search(other, search, { limit: 10 }, 10_000)).mails).toEqual([])
  })

  it('finds the mails of a part of a test, and those to people who met what is compared', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const fields: readonly Partial<Email>[] = [
      { variant: 'A', status: 'FAILED' },
      { variant: 'B', humanOpenedAt: at(2), openedAt: at(1) },
      { variant: 'B', openedAt: at(1), clickedAt: at(2), humanClickedAt: at(3) },
      {},
      { variant: 'rest', clickedAt: at(2) },
    ]
    const [{ id: campaignId }, mails] = await filled(store, projectId, fields.length, (i) => fields[i]!)
    await store.events.record([1, 3].map((i) => event(projectId, mails[i]!.contactId!, { name: 'bought' })))
    const found = async (search: MailSearch) => {
      const page = await store.mails.search(projectId, { campaignId, ...search }, { limit: 10 }, 10_000)
      expect(await store.mails.countFound(projectId, { campaignId, ...search }, 10_000)).toBe(page.mails.length)
      return page.mails.map(({ id }) => mails.findIndex((each) => each.id === id))
    }
    expect(await found({ variant: 'B' })).toEqual([2, 1])
    expect(await found({ variant: 'A', status: 'FAILED' })).toEqual([0])
    expect(await found({ variant: 'B', status: 'FAILED' })).toEqual([])
    expect(await found({ variant: 'B', happened: [{ what: 'clicked' }] })).toEqual([2])
    expect(await found({ variant: 'held-out' })).toEqual([])
    expect(await found({ met: { human: 'opened' } })).toEqual([1])
    expect(await found({ met: { human: 'clicked' } })).toEqual([2])
    expect(await found({ met: { event: 'bought', from: NOON } })).toEqual([3, 1])
    expect(await found({ variant: 'B', met: { event: 'bought', from: NOON } })).toEqual([1])
    expect(await found({ met: { event: 'bought', from: at(1) } })).toEqual([])
  })

  it('finds by the time of acceptance, to the millisecond', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const made = [0, 1, 2].map((seconds) => {
      const createdAt = at(seconds)
      return email(projectId, { id: idSource(() => createdAt.getTime())(), createdAt })
    })
    await put(store, projectId, { emails: made })
    const found = async (search: MailSearch) =>
      (await store.mails.search(projectId, search, { limit: 10 }, 10_000)).mails.map(({ id }) =>
        made.findIndex((each) => each.id === id),
      )
    expect(await found({ from: at(1) })).toEqual([2, 1])
    expect(await found({ before: at(1) })).toEqual([0])
    expect(await found({ from: at(1), before: at(2) })).toEqual([1])
    expect(await found({ from: new Date(at(1).getTime() + 1), before: at(2) })).toEqual([])
  })

  it('goes through many mails in pieces, and says how far it has come when its time is up', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const words = content(projectId)
    // more than three pieces of 5,000
    const count = 16_000
    for (let from = 0; from < count; from += 1000) {
      const emails = Array.from({ length: Math.min(1000, count - from) }, (_, i) =>
        email(projectId, { contentId: words.id, to: (from + i) % 7_000 === 0 ? 'rare@x.example' : 'many@x.example' }),
      )
      await put(store, projectId, { contents: [words], emails })
    }
    const search: MailSearch = { words: [{ in: 'to', text: 'rare' }] }
    const whole = await store.mails.search(projectId, search, { limit: 10 }, 60_000)
    expect([whole.mails.length, whole.lookedTo]).toEqual([3, undefined])
    expect(await store.mails.countFound(projectId, search, 60_000)).toBe(3)
    expect(await store.mails.countFound(projectId, search, 0)).toBeUndefined()
    expect(await store.mails.countFound(projectId, {}, 60_000)).toBe(count)
    expect(await store.mails.countFound(projectId, {}, 0)).toBeUndefined()
    const pieces: string[][] = []
    for (let after: string | undefined, isMore = true; isMore; ) {
      const page = { limit: 10, ...(after ? { after: { value: '', id: after } } : {}) }
      const { mails, lookedTo } = await store.mails.search(projectId, search, page, 0)
      pieces.push(mails.map(({ id }) => id))
      after = lookedTo
      isMore = lookedTo !== undefined
    }
    expect(pieces.length).toBeGreaterThan(3)
    expect(pieces.flat()).toEqual(whole.mails.map(({ id }) => id))
    const [first] = (await store.mails.search(projectId, search, { limit: 1 }, 60_000)).mails
    const rest = await store.mails.search(projectId, search, { limit: 1, after: { value: '', id: first!.id } }, 60_000)
    expect(rest.mails.map(({ id }) => id)).toEqual(whole.mails.slice(1).map(({ id }) => id))
  })

  it('keeps each conversation as it was, the usual ones short', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const say = (...texts: readonly [string, string, string, string]): readonly ConversationAnswer[] => [
      { command: 'MAIL', code: 250, text: texts[0] },
      { command: 'RCPT', code: 250, text: texts[1] },
      { command: 'DATA', code: 354, text: texts[2] },
      { command: 'message', code: 250, text: texts[3] },
    ]
    const postfix = ['2.1.0 Ok', '2.1.5 Ok', 'End data with <CR><LF>.<CR><LF>'] as const
    const exim = ['OK', 'Accepted', 'Enter message, ending with "." on a line by itself'] as const
    const usual = say(...postfix, '2.0.0 Ok: queued as 4bXk1c')
    const conversations: readonly Conversation[] = [
      { host: '192.0.2.1:25', address: '192.0.2.1', tls: 'TLSv1.3', answers: usual },
      { host: '[2001:db8::1]:25', address: '2001:db8::1', answers: say(...exim, '') },
      // an address that only begins as the host does, and texts that look like letters for others
      { host: 'a:b:25', address: 'a', answers: say('A', 'B', 'C', 'D') },
      { address: '192.0.2.1', answers: usual.slice(0, 3) },
      { host: 'mx.example', tls: 'TLSv1.2', answers: say(...postfix, 'ABC') },
      { answers: usual.map((answer) => ({ ...answer, code: 250 })) },
      { answers: usual.toReversed() },
    ]
    const tries: readonly MailTry[] = [
      ...conversations.map(
        (conversation): MailTry => ({ at: NOON, transport: 'main', outcome: 'accepted', conversation }),
      ),
      { at: at(1), transport: 'main', outcome: 'unknown' },
      { at: at(2), transport: 'main', outcome: 'refused', reason: 'no', conversation: { answers: usual } },
      { at: at(3), transport: 'main', outcome: 'unknown', reason: 'gone', conversation: { host: 'x', answers: [] } },
    ]
    const mail = await putEmail(store, projectId)
    await claimMails(store, [mail], NOON, { token: 't', until: at(999) })
    await store.emails.record([result(mail, 't', { status: 'DELIVERED', tries })])
    expect(await store.mails.tries(projectId, mail.id)).toEqual(tries)
  })

  it('keeps what was said in the last ten tries, until the person is removed from the mail', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const mail = await putEmail(store, projectId)
    const answers = [
      { command: 'MAIL', code: 250, text: '2.1.0 "Ok" \\ ü\n🙂' },
      { command: 'POST /', text: '' },
    ]
    const tryOf = (n: number): MailTry => ({
      at: at(n),
      transport: 'main',
      outcome: 'refused',
      reason: `no ${n}`,
      conversation: { host: 'mx.example:25', address: '::1', tls: 'TLSv1.3', answers },
    })
    const other: MailTry = { at: at(100), transport: 'other', outcome: 'accepted', conversation: { answers: [] } }
    expect(await store.mails.tries(projectId, mail.id)).toEqual([])
    for (let n = 1; n <= 12; n++) {
      await claimMails(store, [mail], at(n), { token: `t${n}`, until: at(999) })
      // in the last one two transports were asked
      const tries = n === 12 ? [tryOf(n), other] : [tryOf(n)]
      await store.emails.record([result(mail, `t${n}`, { status: 'QUEUED', dueAt: at(n), tries })])
    }
    const kept = [...Array.from({ length: 10 }, (_, i) => tryOf(i + 3)), other]
    expect(await store.mails.tries(projectId, mail.id)).toEqual(kept)
    expect(await store.mails.tries(newProjectId(), mail.id)).toEqual([])
    expect(await store.emails.find(projectId, mail.id)).not.toHaveProperty('tries')
    // a result without any leaves them
    await claimMails(store, [mail], at(99), { token: 'last', until: at(999) })
    const change = { id: mail.id, contentId: mail.contentId, newContentId: mail.contentId }
    await store.emails.record([result(mail, 'last', { status: 'DELIVERED' })])
    expect(await store.mails.tries(projectId, mail.id)).toEqual(kept)

    const [again, third] = [await putEmail(store, projectId), await putEmail(store, projectId)]
    for (const each of [again, third]) {
      await claimMails(store, [each], NOON, { token: 'x', until: at(999) })
      await store.emails.record([result(each, 'x', { status: 'DELIVERED', tries: [other] })])
    }
    await store.retention.eraseMails(projectId, [change], [], at(1))
    await store.retention.removeVariables([again.id], at(1))
    await store.retention.changeContents([{ ...change, id: third.id }], [])
    for (const { id } of [mail, again, third]) expect(await store.mails.tries(projectId, id)).toEqual([])
    // nor does a result that comes late bring them back
    const late = await putEmail(store, projectId)
    await claimMails(store, [late], NOON, { token: 'y', until: at(999) })
    await store.retention.eraseMails(projectId, [{ ...change, id: late.id }], [], at(1))
    await store.emails.record([result(late, 'y', { status: 'DELIVERED', tries: [other] })])
    expect(await store.mails.tries(projectId, late.id)).toEqual([])
  })
}

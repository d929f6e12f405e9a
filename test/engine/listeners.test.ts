import { simpleParser } from 'mailparser'
import { describe, expect, it } from 'vitest'
import type { EngineEventData, EngineListener, Log, MailEventData, SegmentData } from '../../config/library.ts'
import { EventListeners } from '../../core/events/event-listeners.ts'
import { silentLog } from '../../core/ports/log.ts'
import type { EventRecord } from '../../core/ports/store/events.ts'
import { event, newId, newProjectId } from '../contracts/store/records.ts'
import { complaintAbout } from '../support/bounce.ts'
import { engineWithSink } from '../support/engine.ts'
import { isSwapped, STRICT } from '../support/matrix.ts'

/** Listeners on a store that stores what it is told to. */
function listening() {
  const told: ((events: readonly EventRecord[]) => void)[] = []
  const lines: [string, object | undefined][] = []
  const say: Log['warn'] = (message, fields) => lines.push([message, fields])
  const listen = (listener: (events: readonly EventRecord[]) => void) => {
    told.push(listener)
    return () => {
      told.splice(told.indexOf(listener), 1)
    }
  }
  const listeners = new EventListeners({ listen }, { ...silentLog, warn: say, error: say })
  const store = (...names: string[]) => {
    const projectId = newProjectId()
    const events = names.map((name) => event(projectId, newId(), { name, data: { list: [1] } }))
    for (const each of told) each(events)
  }
  return { listeners, store, told, lines }
}

const OF_MAIL = {
  ...{ subject: true, from: true, fromName: true, messageId: true, emailId: true },
  ...{ templateId: true, campaignId: true, sourceType: true },
} satisfies Keys<MailEventData>
const WORDS = { bounceClass: false, bounceStatus: false, diagnostic: false } as const
const SUBSCRIPTION = { subscribed: true, reason: true, formId: false, topicId: false, topic: false } as const
const SEGMENT = { segmentId: true, segmentName: true } satisfies Keys<SegmentData>

/** Each key of an event's data, and whether it is always there. */
type Keys<Data> = { readonly [Key in keyof Required<Data>]: Data extends { [Always in Key]: unknown } ? true : false }

const OF_DRAFT = {
  ...({ inboxId: true, draftId: true, threadId: true, authorId: true, version: true } as const),
  ...({ emailId: true, sendAt: true } as const),
}

/** Of every event of the engine; the compiler holds it to the types. */
const KEYS = {
  'email.sent': { ...OF_MAIL, sentAt: true },
  'email.delivery': { ...OF_MAIL, deliveredAt: true, toFolder: false },
  'email.open': { ...OF_MAIL, openedAt: true, opens: true, isFirstOpen: true, machine: false },
  'email.click': { ...OF_MAIL, link: true, clickedAt: true, clicks: true, isFirstClick: true, machine: false },
  'email.bounce': { ...OF_MAIL, ...WORDS, why: false, bounceType: true, transientBounce: true, bouncedAt: false },
  'email.complaint': { ...OF_MAIL, ...WORDS, complainedAt: true },
  'email.received': {
    ...{ emailId: true, messageId: true, from: true, fromName: true, to: true, subject: true, text: true, html: true },
    ...{ headers: true, attachments: true, spf: true, dkim: true, dmarc: true, inReplyTo: true, autoReply: true },
    ...{ truncated: true, receivedAt: true, sourceType: true },
  },
  'email.replied': { ...OF_MAIL, replyId: true, repliedAt: true },
  'contact.created': { subscribed: true, source: true },
  'contact.subscribed': SUBSCRIPTION,
  'contact.unsubscribed': SUBSCRIPTION,
  'contact.tracking': { tracking: true, before: true, reason: true },
  'contact.merged': { keptId: true, keptEmail: true, mergedId: true, mergedEmail: true },
  'inbox.message.received': { inboxId: true, threadId: true, emailId: true, folder: true, automatic: true },
  'inbox.thread.updated': {
    ...{ inboxId: true, threadId: true, changes: true, folder: true, labels: true, assigneeId: true },
    ...{ messageCount: true, otherThreadId: false },
  },
  'inbox.draft.waiting': OF_DRAFT,
  'inbox.draft.approved': OF_DRAFT,
  'inbox.draft.refused': OF_DRAFT,
  'inbox.draft.undone': OF_DRAFT,
  'inbox.draft.removed': OF_DRAFT,
  'inbox.draft.sent': OF_DRAFT,
  'form.submitted': { formId: true, form: true, answers: true, outcome: true },
} satisfies { [Name in keyof EngineEventData]: Keys<EngineEventData[Name]> }

describe.each([STRICT])('events have types, on $name', ({ store }) => {
  it('whose data is what the engine stores', async () => {
    const { engine, project, sink } = await engineWithSink(
      { store: store(), publicUrl: 'https://mail.example.com' },
      { recipients: { 'gone@example.org': { code: 550, message: '5.1.1 No such user' } } },
    )
    const heard = new Map<string, object>()
    const told: unknown[] = []
    engine.on('*', ({ name, data }) => void heard.set(name, data))
    engine.on('email.bounce', ({ data }) => told.push(data.bounceType, data.emailId))
    engine.on('email.click', ({ data }) => told.push(data.link, data.clicks, data.isFirstClick))
    engine.on('email.received', ({ data }) => told.push(data.headers['x-two'], data.attachments[0]?.size, data.dmarc))
    engine.on('email.replied', ({ data }) => told.push(data.emailId, data.subject))
    engine.on('form.submitted', ({ data }) => told.push(data.answers, data.outcome))
    engine.on('segment.pro.exit', ({ data }) => told.push(data.segmentName))
    await engine.start()
    const ada = 'ada@example.org'
    const segment = await engine.segments.create(project, {
      ...{ name: 'Pro', trackMembership: true },
      filters: { operator: 'AND', conditions: [{ field: 'data.plan', operator: 'equals', value: 'pro' }] },
    })
    for (const plan of ['pro', 'free']) {
      await engine.contacts.upsert(project, { email: ada, subscribed: true, data: { plan } })
      await engine.segments.compute(project, segment.id)
    }
    await engine.contacts.upsert(project, { email: ada, subscribed: false, tracking: 'none' })
    const { contact } = await engine.contacts.upsert(project, { email: ada, subscribed: true, tracking: 'full' })
    const { contact: twin } = await engine.contacts.upsert(project, { email: 'twin@example.org' })
    await engine.contacts.merge(project, contact.id, { from: twin.id })
    const { forms } = engine.subscriptions
    const form = await forms.create(project, {
      ...{ name: 'News', texts: { title: 'News' }, consent: 'Yes, write to me.', doubleOptIn: false },
      fields: [{ key: 'city', type: 'text', label: 'City' }],
    })

    await forms.submit((await forms.look(form.id))!, { email: 'eve@example.org', city: 'Ulm' })

    const body = '<p><a href="https://x.example/">x</a></p>'
    const mail = { from: 'hi@example.com', subject: 'Hi', body, to: [ada, 'gone@example.org'] }
    const { answer } = await engine.sending.send(project, mail)
    await engine.idle()
    const [sent] = sink.messages
    const { html, messageId } = await simpleParser(sent!.raw)
    const visitor = { userAgent: 'Mozilla/5.0 (X11; rv:132.0) Firefox/132.0', address: '192.0.2.1', isPrefetch: false }
    const token = String(html).match(/\/t\/c\/([\w-]+)\/0/)![1]!
    await engine.tracking.opened(token, visitor)
    await engine.tracking.clicked(token, '0', visitor)
    await engine.idle()
    const reply = ['From: Ada <ada@example.org>', 'To: hi@example.com', `In-Reply-To: ${messageId}`]
    const part = [
      '--b',
      'Content-Type: text/csv',
      'Content-Disposition: attachment; filename=a.csv',
      '',
      'a,b',
      '--b--',
      '',
    ]
    const raw = [
      ...reply,
      'Subject: Re: Hi',
      'X-Two: 1',
      'X-Two: 2',
      'Content-Type: multipart/mixed; boundary=b',
      '',
      ...part,
    ]
    const envelope = { from: ada, to: ['hi@example.com'] }
    const about = { remoteAddress: '127.0.0.1', helo: 'mx.example.org', tls: false, receivedAt: new Date() }
    await engine.inbound.deliver({ envelope, raw: Buffer.from(raw.join('\r\n')), ...about })
    await engine.idle()
    const { inbox } = await engine.inboxes.create(project, { name: 'Help', address: 'help@example.com' })
    await engine.inbound.deliver({
      envelope: { from: ada, to: ['help@example.com'] },
      raw: Buffer.from('From: Ada <ada@example.org>\r\nTo: help@example.com\r\nSubject: Hi\r\n\r\nHi'),
      ...about,
    })
    await engine.idle()
    const { items } = await engine.inboxes.threads.list(project, inbox.id)
    await engine.inboxes.threads.change(project, items[0]!.thread.id, { folder: 'archive' })
    const agent = { authorType: 'key', authorId: 'k', authorName: 'agent' } as const
    const grant = { inboxIds: [inbox.id], rights: ['send', 'draft'], approval: 'always' } as const
    for (const decide of ['refuse', 'approve'] as const) {
      const draft = await engine.inboxes.drafts.create(project, inbox.id, { to: [ada], subject: 'Hi', body: 'Hi' })
      await engine.inboxes.drafts.send(project, draft.id, {}, { ...agent, grant })
      await engine.inboxes.drafts[decide](project, draft.id, { version: 1, refusal: 'No' })
    }
    const { id: undone } = await engine.inboxes.drafts.create(project, inbox.id, {
      to: [ada],
      subject: 'Hi',
      body: 'Hi',
    })
    await engine.inboxes.drafts.send(project, undone, { undoSeconds: 60 })
    await engine.inboxes.drafts.undo(project, undone)
    await engine.inboxes.drafts.remove(project, undone)
    await engine.idle()
    await engine.feedback.read(complaintAbout(sent!, ada), { from: '', to: [sent!.from], dmarc: 'pass' })
    await engine.idle()

    const keys = new Map<string, Readonly<Record<string, boolean>>>(Object.entries(KEYS))
    for (const name of ['entry', 'exit']) keys.set(`segment.pro.${name}`, SEGMENT)
    expect([...heard.keys()].toSorted()).toEqual([...keys.keys()].toSorted())
    for (const [name, ofEvent] of keys) {
      const given = Object.keys(heard.get(name) ?? {})
      expect(Object.keys(ofEvent), name).toEqual(expect.arrayContaining(given))
      expect(given, name).toEqual(expect.arrayContaining(Object.keys(ofEvent).filter((key) => ofEvent[key])))
    }
    const [toAda, toGone] = answer.emails.map(({ email }) => email)
    expect(told).toEqual([
      'Pro',
      ...[{ city: 'Ulm' }, 'subscribed'],
      ...['Permanent', toGone],
      ...['https://x.example/', 1, true],
      ...[['1', '2'], 3, 'none'],
      ...[toAda, 'Re: Hi'],
      // the mail to the inbox
      ...[undefined, undefined, 'none'],
    ])
  })
})

describe.skipIf(isSwapped)('listeners', () => {
  it('tell events of the engine from those that are tracked', async () => {
    const { engine, project } = await engineWithSink()
    const heard: [string, string][] = []
    const note = (pattern: string) => (event: { readonly name: string }) => void heard.push([pattern, event.name])
    engine.on('event:*', note('event:*'))
    engine.on('event:order.*', note('event:order.*'))
    engine.on('contact.*', note('contact.*'))
    engine.on('segment.pro.*', note('segment.pro.*'))
    await engine.start()
    await engine.contacts.upsert(project, { email: 'ada@example.org', subscribed: true })
    await engine.events.track(project, { email: 'ada@example.org', event: 'order.paid', subscribed: false })
    await engine.idle()
    expect(heard.toSorted()).toEqual([
      ['contact.*', 'contact.created'],
      ['contact.*', 'contact.unsubscribed'],
      ['event:*', 'order.paid'],
      ['event:order.*', 'order.paid'],
    ])
  })

  it.each([
    [
      'email.bonce',
      'is no event of the engine (did you mean email.bounce?); an event that you track is event:email.bonce',
    ],
    ['emails.*', 'is no event of the engine (did you mean email.*?); an event that you track is event:emails.*'],
    ['signed_up', 'is no event of the engine; an event that you track is event:signed_up'],
    ['webhook.test', 'is no event of the engine; an event that you track is event:webhook.test'],
    ['segment.*.entry', 'is no event of the engine; an event that you track is event:segment.*.entry'],
    ['event:', 'must be event: and the name of an event of yours, * or a beginning such as order.*'],
    [`event:${'x'.repeat(256)}`, 'must be event: and the name of an event of yours, * or a beginning such as order.*'],
    ['event:email.sent', 'is an event of the engine: write email.sent'],
    [7, 'must be the name of an event'],
  ])('and refuse the pattern %s', async (pattern, message) => {
    const { engine } = await engineWithSink()
    const listen = () => Reflect.apply(engine.on, engine, [pattern, () => {}])
    expect(listen).toThrow(
      expect.objectContaining({ code: 'VALIDATION_ERROR', fields: [{ field: 'pattern', code: 'custom', message }] }),
    )
  })
})

describe.skipIf(isSwapped)('a listener in the process', () => {
  it('hears of each event once, after it is committed, from sending to delivery', async () => {
    const { engine, project } = await engineWithSink()
    const heard: string[] = []
    const found: boolean[] = []
    engine.on('email.*', async ({ id, name, projectId, contactId }) => {
      const { items } = await engine.events.ofContact(await engine.projects.get(projectId), contactId ?? '', {})
      found.push(items.some((each) => each.id === id))
      heard.push(name)
    })
    await engine.start()
    const mail = { from: 'hi@example.com', subject: 'Hi', body: 'Hi' }
    await engine.sending.send(project, { ...mail, to: ['a@example.org', 'b@example.org'] })
    await engine.events.track(project, { email: 'a@example.org', event: 'other' })
    await expect.poll(() => heard.length).toBe(4)
    await engine.stop()
    expect(heard.toSorted()).toEqual(['email.delivery', 'email.delivery', 'email.sent', 'email.sent'])
    expect(found).toEqual([true, true, true, true])
  })

  it.each<[string, EngineListener]>([
    ['never answers', () => new Promise(() => {})],
    [
      'throws',
      () => {
        throw new Error('mine')
      },
    ],
    ['rejects', () => Promise.reject(new Error('mine'))],
  ])('holds nobody up and harms nobody when it %s', async (_, listener) => {
    const { engine, project } = await engineWithSink()
    const heard: string[] = []
    engine.on('*', listener)
    engine.on('event:shown', ({ name }) => heard.push(name))
    for (let i = 0; i < 3; i++) await engine.events.track(project, { email: 'a@example.org', event: 'shown' })
    await expect.poll(() => heard).toEqual(['shown', 'shown', 'shown'])
    await engine.stop(100)
  })

  it('is given what waits when the engine stops', async () => {
    const { engine, project } = await engineWithSink()
    const heard: string[] = []
    engine.on('*', async ({ name }) => {
      await new Promise((resolve) => setTimeout(resolve, 20))
      heard.push(name)
    })
    for (const event of ['a', 'b', 'c']) await engine.events.track(project, { email: 'a@example.org', event })
    await engine.stop()
    expect(heard).toEqual(['contact.created', 'a', 'b', 'c'])
  })

  it('gets a copy of its own, in order, and what it throws is logged', async () => {
    const { listeners, store, lines } = listening()
    const heard: unknown[] = []
    listeners.on('*', ({ data }) => {
      ;(data.list as number[]).push(2)
      throw new Error('mine')
    })
    listeners.on('email.*', ({ name, data }) => heard.push([name, data]))
    store('email.sent', 'emails.x', 'email.open')
    await listeners.end(1000)
    expect(heard).toEqual([
      ['email.sent', { list: [1] }],
      ['email.open', { list: [1] }],
    ])
    const failed = { pattern: '*', event: 'emails.x', eventId: expect.any(String), error: new Error('mine') }
    expect(lines[1]).toEqual(['a listener of events failed', failed])
    expect(lines).toHaveLength(3)
  })

  it('that is too slow loses what comes while 10,000 wait, and this is said', async () => {
    const { listeners, store, lines } = listening()
    const first = Promise.withResolvers<void>()
    let heard = 0
    listeners.on('*', () => {
      heard++
      return heard === 1 ? first.promise : undefined
    })
    for (let i = 0; i < 11; i++) store(...Array.from({ length: 1_000 }, () => 'x'))
    first.resolve()
    await listeners.end(10_000)
    expect(heard).toBe(10_000)
    expect(lines).toEqual([
      ['a listener is too slow: it misses events while so many are waiting', { pattern: '*', waiting: 10_000 }],
      ['a listener has caught up; it has missed events', { pattern: '*', lost: 1_000 }],
    ])
  })

  it('does not keep the event loop to itself', async () => {
    const { listeners, store } = listening()
    let [heard, turns] = [0, 0]
    listeners.on('*', () => {
      const until = performance.now() + 1
      while (performance.now() < until);
      heard++
    })
    store(...Array.from({ length: 200 }, () => 'x'))
    while (heard < 200) {
      await new Promise((resolve) => setImmediate(resolve))
      turns++
    }
    expect(turns).toBeGreaterThan(10)
  })

  it('hears nothing after it has ended, and the store is left alone then', async () => {
    const { listeners, store, told } = listening()
    const heard: string[] = []
    const [stopOne, stopTwo] = ['*', '*'].map((pattern) => listeners.on(pattern, ({ name }) => heard.push(name)))
    expect(told).toHaveLength(1)
    store('a')
    stopOne!()
    stopOne!()
    expect(told).toHaveLength(1)
    stopTwo!()
    expect(told).toEqual([])
    await listeners.end(1000)
    expect(heard).toEqual([])
  })

  it.each(['', 'email*', '*.open', 7])('needs a pattern: %j is none', (pattern) => {
    const { listeners } = listening()
    const on = () => Reflect.apply(listeners.on, listeners, [pattern, () => {}])
    expect(on).toThrow(
      expect.objectContaining({ code: 'VALIDATION_ERROR', fields: [expect.objectContaining({ field: 'pattern' })] }),
    )
  })
})

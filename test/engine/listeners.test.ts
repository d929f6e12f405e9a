import { describe, expect, it } from 'vitest'
import { type BounceData, type EngineEventData, type EngineListener, type Log } from '../../config/library.ts'
import { EventListeners } from '../../core/events/event-listeners.ts'
import { silentLog } from '../../core/ports/log.ts'
import type { EventRecord } from '../../core/ports/store/events.ts'
import { event, newId, newProjectId } from '../contracts/store/records.ts'
import { engineWithSink } from '../support/engine.ts'

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

/** The keys of each event's data: those that are always there, and those that may be. */
const KEYS = {
  'email.sent': { ...ofMail(), sentAt: true },
  'email.delivery': { ...ofMail(), deliveredAt: true },
  'email.bounce': {
    ...ofMail(),
    ...{ bounceType: true, transientBounce: true, bouncedAt: false, bounceClass: false, bounceStatus: false },
    diagnostic: false,
  } satisfies Record<keyof BounceData, boolean>,
  'contact.subscribed': { subscribed: true, reason: true, formId: false, topicId: false, topic: false },
  'contact.unsubscribed': { subscribed: true, reason: true, formId: false, topicId: false, topic: false },
  'contact.tracking': { tracking: true, before: true, reason: true },
} satisfies { [Name in keyof EngineEventData]?: Record<keyof EngineEventData[Name], boolean> }

function ofMail() {
  const mail = { subject: true, from: true, fromName: true, messageId: true, emailId: true, templateId: true }
  return { ...mail, campaignId: true, sourceType: true } as const
}

describe('events have types', () => {
  it('whose data is what the engine stores', async () => {
    const { engine, project } = await engineWithSink(
      {},
      { recipients: { 'gone@example.org': { code: 550, message: '5.1.1 No such user' } } },
    )
    const heard = new Map<string, object>()
    const bounces: string[] = []
    engine.on('*', ({ name, data }) => void heard.set(name, data))
    engine.on('email.bounce', ({ data }) => bounces.push(data.bounceType, data.emailId))
    await engine.start()
    await engine.contacts.upsert(project, { email: 'ada@example.org', subscribed: true })
    await engine.contacts.upsert(project, { email: 'ada@example.org', subscribed: false, tracking: 'none' })
    await engine.contacts.upsert(project, { email: 'ada@example.org', subscribed: true, tracking: 'full' })
    const mail = { from: 'hi@example.com', subject: 'Hi', body: 'Hi', to: ['ada@example.org', 'gone@example.org'] }
    const { answer } = await engine.sending.send(project, mail)
    await engine.idle()
    expect([...heard.keys()].toSorted()).toEqual(Object.keys(KEYS).toSorted())
    for (const [name, keys] of Object.entries<Readonly<Record<string, boolean>>>(KEYS)) {
      const given = Object.keys(heard.get(name) ?? {})
      expect(Object.keys(keys), name).toEqual(expect.arrayContaining(given))
      expect(given, name).toEqual(expect.arrayContaining(Object.keys(keys).filter((key) => keys[key])))
    }
    expect(bounces).toEqual(['Permanent', answer.emails[1]!.email])
  })

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

describe('a listener in the process', () => {
  it('hears of each event once, after it is committed, from sending to delivery', async () => {
    const { engine, project } = await engineWithSink()
    const heard: string[] = []
    const found: boolean[] = []
    engine.on('email.*', async ({ id, name, projectId, contactId }) => {
      const { items } = await engine.events.ofContact(await engine.projects.get(projectId), contactId, {})
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
    expect(heard).toEqual(['a', 'b', 'c'])
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

import { describe, expect, it } from 'vitest'
import type { Log } from '../../config/library.ts'
import { type EngineListener, EventListeners } from '../../core/events/event-listeners.ts'
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
    engine.on('shown', ({ name }) => heard.push(name))
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

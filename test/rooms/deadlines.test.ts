import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, it, vi } from 'vitest'
import { Deadlines } from '../../core/delivery/deadlines.ts'

it('tries that begin together are aborted together, and no later than half a second after their time', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  try {
    const deadlines = new Deadlines(1_000)
    const [first, second] = [deadlines.start(), deadlines.start()]
    vi.advanceTimersByTime(600)
    const later = deadlines.start()
    expect(first.signal).toBe(second.signal)
    vi.advanceTimersByTime(899)
    expect([first.signal.aborted, later.signal.aborted]).toEqual([false, false])
    vi.advanceTimersByTime(1)
    expect([second.signal.aborted, later.signal.aborted]).toEqual([true, false])
    vi.advanceTimersByTime(600)
    expect(later.signal.aborted).toBe(true)
  } finally {
    vi.useRealTimers()
  }
})

it('a try joins no other that was given up, and ends by itself', async () => {
  const deadlines = new Deadlines(60_000)
  const first = deadlines.start()
  deadlines.giveUp(new Error('stopping'))
  const next = deadlines.start()
  expect([first.signal.aborted, next.signal.aborted]).toEqual([true, false])
  first.end()
  next.end()
  // nothing runs now, so nothing is given up
  deadlines.giveUp(new Error('again'))
  expect(next.signal.aborted).toBe(false)
  const last = deadlines.start()
  expect(last.signal).not.toBe(next.signal)
  last.end()
})

it('gives up what runs when its signal is aborted, for as long as it is followed', async () => {
  const deadlines = new Deadlines(60_000)
  const [controller, other] = [new AbortController(), new AbortController()]
  deadlines.follow(controller.signal)
  deadlines.follow(other.signal)()
  const running = deadlines.start()
  other.abort()
  await pause(1)
  expect(running.signal.aborted).toBe(false)
  const aborted = once(running.signal, 'abort')
  controller.abort(new Error('stopping'))
  await aborted
  expect(running.signal.reason).toEqual(new Error('stopping'))
  running.end()
})

it('the longest time that can be set aborts nothing at once', async () => {
  const deadline = new Deadlines(30 * 86_400_000).start()
  await pause(20)
  expect(deadline.signal.aborted).toBe(false)
  deadline.end()
})

import { describe, expect, it, vi } from 'vitest'
import { silentLog } from '../../core/ports/log.ts'
import { inProcess } from '../../plugins/queue-in-process/index.ts'
import { queueContract } from '../contracts/queue.ts'

async function open() {
  const { queue } = await inProcess().open({ log: silentLog, clock: { now: () => new Date() } })
  return queue
}

describe('the in-process queue', () => {
  queueContract(async () => {
    const queue = await open()
    return { queue, close: () => queue.stop() }
  })

  it('wakes in the next turn of the event loop, once for all that rang in this one', async () => {
    const queue = await open()
    let wakes = 0
    await queue.listen(['mail'], async () => void wakes++)
    await Promise.all(Array.from({ length: 1000 }, () => queue.ring('mail')))
    await vi.waitFor(() => expect(wakes).toBe(1), { interval: 1 })
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(wakes).toBe(1)
    await queue.stop()
  })

  it('waits for a time beyond the longest timer of Node, and leaves no timer when it stops', async () => {
    vi.useFakeTimers()
    try {
      const queue = await open()
      let wakes = 0
      await queue.listen(['mail'], async () => void wakes++)
      const day = 86_400_000
      await queue.ring('mail', { at: new Date(Date.now() + 60 * day) })
      await vi.advanceTimersByTimeAsync(59 * day)
      expect(wakes).toBe(0)
      await vi.advanceTimersByTimeAsync(2 * day)
      expect(wakes).toBe(1)
      await queue.ring('mail', { at: new Date(Date.now() + day) })
      await queue.stop()
      expect(vi.getTimerCount()).toBe(0)
    } finally {
      vi.useRealTimers()
    }
  })

  it('knows no options', () => {
    expect(inProcess({}).problems()).toEqual([])
  })
})

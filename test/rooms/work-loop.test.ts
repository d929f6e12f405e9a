import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { LogFields } from '../../core/ports/log.ts'
import { silentLog } from '../../core/ports/log.ts'
import type { Doorbell } from '../../core/work/doorbell.ts'
import type { Leases } from '../../core/work/leases.ts'
import type { Claimed, ClaimRequest, Work } from '../../core/work/work.ts'
import { WorkLoop } from '../../core/work/work-loop.ts'
import { kitOf } from '../support/kit.ts'

const NOON = new Date('2025-06-01T12:00:00.000Z')
const NOTHING: Claimed = { isMore: false, running: [] }

/** A loop whose work is `claim`; it sees every ring and every claim. */
function loopOf(claim: (request: ClaimRequest) => Promise<Claimed | undefined>, more: Partial<Work> = {}) {
  const seen = { claims: 0, rings: [] as (Date | undefined)[], warnings: [] as LogFields[] }
  const doorbell = { ring: (_topic: string, { at }: { at?: Date }) => void seen.rings.push(at) }
  const leases = { areSure: true, token: () => 'token' }
  const stopping = new AbortController()
  const work: Work = {
    topic: 'work',
    lane: 'workflow',
    atOnce: 2,
    leaseMs: 1000,
    claim: (request) => {
      seen.claims++
      return claim(request)
    },
    ...more,
  }
  const ends = { stopping: stopping.signal, signal: new AbortController().signal }
  const warn = (message: string, fields?: LogFields) => void seen.warnings.push({ message, ...fields })
  const kit = { ...kitOf(() => NOON), newId: () => 'id', log: { ...silentLog, warn } }
  const loop = new WorkLoop(work, ends, leases as never as Leases, doorbell as never as Doorbell, kit)
  return { loop, seen, leases, stop: () => stopping.abort() }
}

async function turns(count = 20): Promise<void> {
  for (let i = 0; i < count; i++) await nextTurn()
}

describe('a work loop', () => {
  it('claims until nothing more is due, and tells others that there is more', async () => {
    let left = 3
    const { loop, seen } = loopOf(async () => ({ isMore: --left > 0, running: [Promise.resolve()] }))
    await loop.wake()
    expect(seen).toMatchObject({ claims: 3, rings: [undefined, undefined] })
  })

  it('looks once more when it is rung for while it claims', async () => {
    const first = Promise.withResolvers<Claimed>()
    const { loop, seen } = loopOf(() => (seen.claims === 1 ? first.promise : Promise.resolve(NOTHING)))
    const looked = loop.wake()
    await turns()
    const same = loop.wake()
    first.resolve(NOTHING)
    await Promise.all([looked, same])
    expect(seen.claims).toBe(2)
  })

  it('holds no more than it has room for, and goes on when something ends', async () => {
    const ends = Array.from({ length: 4 }, () => Promise.withResolvers<void>())
    const { loop, seen } = loopOf(async () => ({ isMore: seen.claims < 4, running: [ends[seen.claims - 1]!.promise] }))
    void loop.wake()
    await turns()
    expect(seen.claims).toBe(2)
    ends[1]!.resolve()
    await turns()
    expect(seen.claims).toBe(3)
    for (const end of ends) end.resolve()
    await turns()
    expect(seen.claims).toBe(4)
  })

  it('fetches less ahead than it takes when rung for', async () => {
    const held = new Promise<void>(() => {})
    const { loop, seen } = loopOf(async () => ({ isMore: true, running: [held] }), { atOnce: 3, few: 1 })
    void loop.wake()
    await turns()
    expect(seen.claims).toBe(1)
    void loop.wake()
    await turns()
    expect(seen.claims).toBe(2)
  })

  it('rings for what is due next, but never at once: what is not to be had would keep it busy', async () => {
    const times = [new Date(NOON.getTime() + 5_000), NOON, undefined]
    const { loop, seen } = loopOf(async () => NOTHING, { next: async () => times.shift() })
    for (let i = 0; i < 3; i++) await loop.wake()
    expect(seen.rings).toEqual([new Date(NOON.getTime() + 5_000), new Date(NOON.getTime() + 100)])
  })

  it('rings for what is due next when its work has ended', async () => {
    const end = Promise.withResolvers<void>()
    const due = new Date(NOON.getTime() + 5_000)
    let isDone = false
    const claim = async () => ({ isMore: false, running: [end.promise] })
    const { loop, seen } = loopOf(claim, { next: async () => (isDone ? due : undefined) })
    await loop.wake()
    isDone = true
    end.resolve()
    await turns()
    expect(seen.rings).toEqual([due])
  })

  it('takes nothing while others may take its claims, and does not ask itself for work without end', async () => {
    const { loop, seen, leases } = loopOf(async () => NOTHING)
    leases.areSure = false
    await loop.wake()
    await turns()
    expect(seen).toMatchObject({ claims: 0, rings: [] })
    leases.areSure = true
    await loop.lookIfDue()
    await turns()
    expect(seen.claims).toBe(1)
  })

  it('tells of a claim that failed, and works when it is woken again', async () => {
    const { loop, seen } = loopOf(async () => {
      if (seen.claims === 1) throw new Error('the database is away')
      return NOTHING
    })
    await expect(loop.wake()).rejects.toThrow('away')
    await loop.wake()
    expect(seen.claims).toBe(2)
  })

  it('is in trouble once claims have failed for ten seconds, warns once a minute, and recovers', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => void vi.useRealTimers())
    let isAway = true
    const { loop, seen } = loopOf(async () => {
      if (isAway) throw new Error('relation "emails" does not exist')
      return NOTHING
    })
    for (let second = 0; second <= 70; second++) {
      loop.look()
      await turns()
      expect(loop.trouble === undefined).toBe(second <= 10)
      await vi.advanceTimersByTimeAsync(1_000)
    }
    expect(loop.trouble).toMatchObject({ message: expect.stringContaining('emails') })
    expect(seen.warnings).toMatchObject([{ topic: 'work' }, { topic: 'work', unsaid: 59 }])
    isAway = false
    await loop.wake()
    expect(loop.trouble).toBeUndefined()
  })

  it('ends when what it claimed has ended, also while it waits for room', async () => {
    const end = Promise.withResolvers<void>()
    const { loop, seen, stop } = loopOf(async () => ({ isMore: true, running: [end.promise, end.promise] }))
    void loop.wake()
    await turns()
    stop()
    let hasEnded = false
    const ended = loop.ended().then(() => {
      hasEnded = true
    })
    await turns()
    expect(hasEnded).toBe(false)
    end.resolve()
    await ended
    expect(seen.claims).toBe(1)
  })
})

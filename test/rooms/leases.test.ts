import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Store } from '../../core/ports/store/store.ts'
import type { Workers } from '../../core/ports/store/workers.ts'
import { LeaseWatch } from '../../core/work/lease-watch.ts'
import { Leases, memberOf, processOf } from '../../core/work/leases.ts'
import { kitOf } from '../support/kit.ts'

/** The wall clock's lead over the fake timers. */
let ahead: number
/** A membership that is seen every second while `isSeen`. */
let isSeen: boolean
let session: number
let names: number
let members: Set<string>
let mails: string[]
let others: string[]
let taken: string[]
/** The processes that are known to have ended. */
let ended: Set<string>

const workers: Workers = {
  async join() {
    const name = String(++names)
    members.add(name)
    let seenAt = performance.now()
    const beat = setInterval(() => {
      if (isSeen) seenAt = performance.now()
    }, 1_000)
    return {
      name,
      get seenAt() {
        return seenAt
      },
      get session() {
        return session
      },
      leave: async () => {
        clearInterval(beat)
        members.delete(name)
      },
    }
  },
  members: async () => members,
  hasEnded: (process) => ended.has(process),
  claims: async () => ({ mails, others }),
  takeBack: async (tokens) => {
    taken.push(...tokens)
    return tokens.length
  },
  heed: () => {},
  lead: async () => ({ confirm: async () => undefined, release: async () => {} }),
}

let ids = 0
const kit = { ...kitOf(() => new Date(ahead + performance.now())), newId: () => `id${++ids}` }
const store = { exclusive: false, workers } as Store

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] })
  ;[ahead, isSeen, session, names] = [Date.UTC(2026, 0, 1), true, 1, 0]
  ;[members, mails, others, taken, ended] = [new Set(), [], [], [], new Set()]
})
afterEach(() => {
  vi.useRealTimers()
})

async function begun() {
  const leases = new Leases(store, kit)
  let lapses = 0
  leases.onLapse(() => lapses++)
  await leases.begin()
  return { leases, lapses: () => lapses }
}

const pass = (seconds: number) => vi.advanceTimersByTimeAsync(seconds * 1_000)

describe('the leases of a process', () => {
  it('hold while it is seen, and begin nothing when it was not seen for ten seconds', async () => {
    const { leases, lapses } = await begun()
    const token = leases.token()
    await pass(60)
    expect([leases.areSure, leases.hold(token)]).toEqual([true, true])
    isSeen = false
    await pass(9)
    expect(leases.areSure).toBe(true)
    await pass(2)
    expect([leases.areSure, leases.hold(token)]).toEqual([false, false])
    isSeen = true
    await pass(2)
    expect([leases.hold(token), lapses()]).toEqual([true, 0])
  })

  it('lapse before others may take what they cover, and are none of this process’s afterwards', async () => {
    const { leases, lapses } = await begun()
    const token = leases.token()
    isSeen = false
    await pass(19)
    expect(lapses()).toBe(0)
    await pass(5)
    expect(lapses()).toBe(1)
    isSeen = true
    await pass(5)
    expect(leases.areSure).toBe(true)
    expect(leases.hold(token)).toBe(false)
    expect(leases.hold(leases.token())).toBe(true)
    expect(lapses()).toBe(1)
  })

  it('outlast a short cut, with another session under the same name, but not a long one', async () => {
    const { leases, lapses } = await begun()
    const token = leases.token()
    isSeen = false
    await pass(8)
    ;[isSeen, session] = [true, 2]
    await pass(5)
    expect([leases.hold(token), lapses()]).toEqual([true, 0])
    isSeen = false
    await pass(21)
    ;[isSeen, session] = [true, 3]
    await pass(5)
    expect([leases.hold(token), lapses()]).toEqual([false, 1])
  })

  it('are in doubt when the machine has slept, and lapse when its session has ended meanwhile', async () => {
    const { leases, lapses } = await begun()
    const token = leases.token()
    await pass(5)
    ahead += 3_600_000
    expect(leases.hold(token)).toBe(false)
    await pass(4)
    // the session has outlived it: it was the clock that was set
    expect([leases.hold(token), lapses()]).toEqual([true, 0])
    ahead += 3_600_000
    session = 2
    await pass(4)
    expect([leases.hold(token), lapses()]).toEqual([false, 1])
  })

  it('do not mind a clock that is set back', async () => {
    const { leases, lapses } = await begun()
    const token = leases.token()
    await pass(5)
    ahead -= 3_600_000
    expect(leases.hold(token)).toBe(true)
    await pass(60)
    expect([leases.hold(token), lapses()]).toEqual([true, 0])
  })
})

describe('who looks for the work of the dead', () => {
  const watch = () => new LeaseWatch(store, kit)
  /** Looks every five seconds, as recovery does. */
  const look = async (watching: LeaseWatch, seconds: number) => {
    for (let i = 0; i < seconds; i += 5) {
      await watching.tick()
      await pass(5)
    }
  }

  it('takes it back within a minute, of every kind, and leaves alone what belongs to a member for however long', async () => {
    members.add('alive')
    mails = ['alive.1', 'dead.1', 'dead.2']
    others = ['alive.3', 'dead.4']
    const watching = watch()
    await look(watching, 30)
    expect(taken).toEqual([])
    await look(watching, 10)
    expect([...new Set(taken)]).toEqual(['dead.1', 'dead.2', 'dead.4'])
    ;[mails, others, taken] = [['alive.1'], ['alive.3'], []]
    await look(watching, 3_600)
    ahead += 86_400_000
    await look(watching, 60)
    expect(taken).toEqual([])
  })

  it('takes it back at once from a process that has ended, but from no member, and from none that only may have', async () => {
    members.add('alive')
    mails = ['dead.p1.1', 'alive.p1.2', 'lost.p2.3']
    others = ['dead.p1.4', 'lost.p2.5']
    ended.add('p1')
    const watching = watch()
    await look(watching, 5)
    expect(taken).toEqual(['dead.p1.1', 'dead.p1.4'])
  })

  it('gives everybody time to come back when the database was away', async () => {
    const watching = watch()
    mails = ['late.1']
    await look(watching, 10)
    await pass(60)
    await look(watching, 20)
    members.add('late')
    await look(watching, 100)
    expect(taken).toEqual([])
  })

  it('takes back what names no member when its lease has surely ended', async () => {
    mails = ['without-a-name']
    const watching = watch()
    await look(watching, 875)
    expect(taken).toEqual([])
    await look(watching, 20)
    expect([...new Set(taken)]).toEqual(['without-a-name'])
  })
})

it('a token names its member, and maybe its process', () => {
  expect(memberOf('12.01890000-0000-7000-8000-000000000000')).toBe('12')
  expect(memberOf('01890000-0000-7000-8000-000000000000')).toBeUndefined()
  expect(processOf('12.here-1-2.01890000-0000-7000-8000-000000000000')).toBe('here-1-2')
  for (const none of ['12.01890000-0000-7000-8000-000000000000', '01890000-0000-7000-8000-000000000000'])
    expect(processOf(none)).toBeUndefined()
})

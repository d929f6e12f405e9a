import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { domainTrouble, hopTrouble } from '../../core/bounces/refusal.ts'
import { BackOff } from '../../core/delivery/throttle/back-off.ts'
import { Gate } from '../../core/delivery/throttle/gate.ts'
import { Throttle } from '../../core/delivery/throttle/throttle.ts'
import type { Lane } from '../../core/ports/queue.ts'
import { type Limits, limitsOf } from '../../core/settings/throttle-settings.ts'
import type { ProjectId } from '../../core/values/project-id.ts'
import { kitOf } from '../support/kit.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

const now = () => performance.now()

/** Mails that come to a gate, come again when told to, and are sent at once when it is their turn. */
function traffic(limits: Limits, took = 0) {
  const gate = new Gate(limits, now)
  const sent: { readonly name: string; readonly at: number; readonly asked: number }[] = []
  const start = now()
  let inside = 0
  let most = 0
  const come = async (name: string, lane: Lane = 'campaign', asked = 1): Promise<void> => {
    const turn = await gate.enter(lane, asked > 1)
    if (turn !== 'go') return void setTimeout(() => void come(name, lane, asked + 1), turn - now())
    gate.started()
    most = Math.max(most, ++inside)
    sent.push({ name, at: now() - start, asked })
    if (took > 0) await new Promise((resolve) => setTimeout(resolve, took))
    inside--
    gate.leave(took)
  }
  const many = (count: number, name = 'mail', lane: Lane = 'campaign') => {
    for (let i = 0; i < count; i++) void come(`${name}${i}`, lane)
  }
  return { gate, sent, come, many, mostInside: () => most }
}

describe('a gate with a rate', () => {
  it('keeps it, uses all of it, and looks at each mail a few times at most', async () => {
    const { sent, many } = traffic({ rate: 50 })
    many(1000)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(sent.length).toBeGreaterThan(480)
    expect(sent.length).toBeLessThanOrEqual(505)
    for (let second = 0; second < 9; second++) {
      const within = sent.filter(({ at }) => at >= second * 1000 && at < (second + 1) * 1000)
      expect(within.length).toBeLessThanOrEqual(54)
    }
    await vi.advanceTimersByTimeAsync(11_000)
    expect(new Set(sent.map(({ name }) => name)).size).toBe(1000)
    expect(Math.max(...sent.map(({ asked }) => asked))).toBeLessThanOrEqual(4)
  })

  it('keeps the order, and lets newcomers wait behind those who were put off', async () => {
    const { sent, many } = traffic({ rate: 10 })
    many(50, 'old')
    await vi.advanceTimersByTimeAsync(2_000)
    many(10, 'new')
    await vi.advanceTimersByTimeAsync(8_000)
    const names = sent.map(({ name }) => name)
    expect(names.filter((name) => name.startsWith('old'))).toEqual(Array.from({ length: 50 }, (_, i) => `old${i}`))
    expect(names.findIndex((name) => name.startsWith('new'))).toBeGreaterThan(45)
    expect(names).toHaveLength(60)
  })

  it('gives the next free moment to the higher lane, whatever was given away before', async () => {
    const { sent, come, many } = traffic({ rate: 10 })
    many(5_000)
    await vi.advanceTimersByTimeAsync(30_050)
    const before = sent.length
    void come('password', 'transactional')
    await vi.advanceTimersByTimeAsync(200)
    expect(sent.findIndex(({ name }) => name === 'password')).toBeLessThanOrEqual(before + 1)
  })

  it('forgets a backlog nobody comes for', async () => {
    const { gate, sent, many } = traffic({ rate: 10 })
    for (let i = 0; i < 10_000; i++) {
      void Promise.resolve(gate.enter('campaign', false)).then((turn) => turn === 'go' && gate.giveBack())
    }
    await vi.advanceTimersByTimeAsync(30_000)
    many(5)
    await vi.advanceTimersByTimeAsync(1_000)
    expect(sent).toHaveLength(5)
  })

  it('does not let mails gather that all leave at once when transports are busy', async () => {
    const gate = new Gate({ rate: 10 }, now)
    let inside = 0
    for (let i = 0; i < 100; i++)
      void Promise.resolve(gate.enter('campaign', true)).then((turn) => (inside += turn === 'go' ? 1 : 0))
    await vi.advanceTimersByTimeAsync(1_500)
    for (let i = 0; i < 100; i++)
      void Promise.resolve(gate.enter('campaign', true)).then((turn) => (inside += turn === 'go' ? 1 : 0))
    await vi.advanceTimersByTimeAsync(1_500)
    expect(inside).toBe(10)
  })
})

it('a gate for connections lets only so many in at a time, and leaves none of them idle', async () => {
  const { sent, many, mostInside } = traffic({ connections: 3 }, 100)
  many(300)
  await vi.advanceTimersByTimeAsync(15_000)
  expect(mostInside()).toBe(3)
  expect(sent).toHaveLength(300)
  expect(Math.max(...sent.map(({ asked }) => asked))).toBeLessThanOrEqual(12)
})

describe('a back-off', () => {
  const CHANCE = () => 0

  it('pauses, doubles the pause when nothing was taken since, and halves the rate each time', () => {
    const backOff = new BackOff(0, 100, CHANCE)
    expect([backOff.pausedUntil, backOff.rate]).toEqual([5_000, 50])
    backOff.again(6_000, 5_500)
    expect([backOff.pausedUntil, backOff.rate]).toEqual([16_000, 25])
    for (let i = 0; i < 10; i++) backOff.again(backOff.pausedUntil + 1, backOff.pausedUntil + 1)
    const begun = backOff.pausedUntil + 1
    backOff.again(begun, begun)
    expect(backOff.pausedUntil - begun).toBe(600_000)
    expect(backOff.rate).toBe(0.1)
  })

  it('counts tries that were under way together once', () => {
    const backOff = new BackOff(1_000, 100, CHANCE)
    for (let i = 0; i < 20; i++) backOff.again(1_010, 900)
    expect([backOff.pausedUntil, backOff.rate]).toEqual([6_000, 50])
  })

  it('ends when the rate has grown back, and begins with a short pause again after many mails', () => {
    const backOff = new BackOff(0, 100, CHANCE)
    let taken = 1
    while (!backOff.took(5_000 + taken * 10) && taken < 10_000) taken++
    expect(taken).toBeGreaterThan(500)
    expect(taken).toBeLessThan(3_000)
    backOff.again(100_000, 100_000)
    expect(backOff.pausedUntil).toBe(105_000)
  })

  it('of a domain of unknown rate starts slowly, and soon is at full speed', async () => {
    const { gate, sent, many } = traffic({})
    gate.backOff = new BackOff(now(), gate.limit, CHANCE)
    many(1_000)
    await vi.advanceTimersByTimeAsync(4_900)
    expect(sent).toEqual([])
    await vi.advanceTimersByTimeAsync(2_100)
    expect(sent.length).toBeGreaterThan(1)
    expect(sent.length).toBeLessThan(20)
  })
})

describe('the trouble of a domain', () => {
  const refusal = (
    code: number,
    enhancedCode: string | undefined,
    reason: string,
    stage: 'connect' | 'mail' | 'rcpt' = 'rcpt',
  ) => domainTrouble({ permanent: code >= 500, stage, code, ...(enhancedCode && { enhancedCode }), reason })

  it.each([
    [421, undefined, 'Service not available', 'certain'],
    [421, '4.7.0', 'Try again later', 'certain'],
    [450, '4.7.28', 'unusual rate of mail', 'certain'],
    [451, '4.3.2', 'system not accepting messages', 'certain'],
    [451, '4.7.1', 'try again', 'possible'],
    [450, undefined, 'busy', 'possible'],
    [451, '4.7.1', 'Greylisted, come back in 5 minutes', undefined],
    [450, '4.2.0', 'Recipient address rejected', undefined],
    [452, '4.2.2', 'mailbox full', undefined],
    [450, '4.1.1', 'unverified address', undefined],
    [550, '5.7.1', 'blocked', undefined],
  ] as const)('is told by %i %s "%s": %s', (code, enhancedCode, reason, trouble) => {
    expect(refusal(code, enhancedCode, reason)).toBe(trouble)
  })

  it.each(['connect', 'mail'] as const)('is not told at the stage %s, where no recipient was named', (stage) => {
    expect(refusal(421, undefined, 'too busy', stage)).toBeUndefined()
    expect(refusal(451, '4.7.1', 'try again', stage)).toBeUndefined()
  })
})

describe('the trouble of a next hop', () => {
  it.each([
    ['connect', undefined, undefined, 'nothing accepts connections there', 'possible'],
    ['connect', 421, '4.3.2', 'Service shutting down', 'certain'],
    ['connect', 535, '5.7.8', 'the server refused the login', 'certain'],
    ['mail', 421, undefined, 'Too many messages', 'certain'],
    ['mail', 451, '4.7.1', 'Sending limit exceeded', 'possible'],
    ['mail', 452, '4.3.1', 'Insufficient system storage', 'possible'],
    ['mail', 450, '4.7.1', 'Sender address rejected: try later', undefined],
    ['mail', 451, '4.7.1', '<news@acme.example>: rate limited', undefined],
    ['mail', 451, '4.1.8', 'Domain of sender does not resolve', undefined],
    ['mail', 451, undefined, 'local error', undefined],
    ['rcpt', 421, '4.7.0', 'Too many recipients', undefined],
    ['data', 451, '4.3.0', 'Try again', undefined],
  ] as const)('is told at %s by %s %s "%s": %s', (stage, code, enhancedCode, reason, trouble) => {
    const codes = { ...(code && { code }), ...(enhancedCode && { enhancedCode }) }
    expect(hopTrouble({ permanent: false, stage, ...codes, reason })).toBe(trouble)
  })
})

describe('after trouble', () => {
  const BUSY = {
    outcome: 'refused',
    permanent: false,
    stage: 'rcpt',
    code: 450,
    enhancedCode: '4.7.28',
    reason: 'unusual rate of mail',
  } as const

  /**
   * Sends so many mails to one domain, which refuses those of the tenth second; answers how many it took in each second, and
   * how often the throttle was asked.
   */
  async function taken(count: number, limits: object) {
    const throttled = new Throttle(kitOf(() => new Date(now()), { delivery: { throttle: limits } }))
    const perSecond: number[] = Array(600).fill(0)
    const waiting = new Map<string, NodeJS.Timeout>()
    let asked = 0
    const begin = now()
    const wait = (id: string, due: number) => {
      clearTimeout(waiting.get(id))
      waiting.set(
        id,
        setTimeout(() => void come(id, due), Math.max(0, due - now())),
      )
    }
    const come = async (id: string, due: number): Promise<void> => {
      waiting.delete(id)
      asked++
      const to = `${id}@busy.example`
      const email = { id, projectId: 'p' as ProjectId, to, createdAt: new Date(0), dueAt: new Date(due) }
      const turn = await throttled.permit(email, 'campaign')
      if (turn && 'until' in turn) return wait(id, turn.until.getTime())
      turn?.started()
      const second = Math.floor((now() - begin) / 1000)
      throttled.note(email, second === 10 ? BUSY : { outcome: 'accepted' }, now())
      turn?.end()
      if (second === 10) return wait(id, now() + 60_000)
      perSecond[second] = (perSecond[second] ?? 0) + 1
      for (const sooner of throttled.sooner(email)) if (waiting.has(sooner.id)) wait(sooner.id, now())
    }
    for (let i = 0; i < count; i++) void come(`m${i}`, 0)
    do await vi.advanceTimersByTimeAsync(1_000)
    while (waiting.size > 0)
    return { perSecond: perSecond.slice(0, perSecond.findLastIndex((each) => each > 0) + 1), asked }
  }

  it.each([
    { domains: { 'busy.example': { perSecond: 100 } } },
    { project: { perSecond: 100 } },
  ])('all of the rate that %j allows is soon used again, and never more', async (limits) => {
    const { perSecond, asked } = await taken(6_000, limits)
    for (const each of perSecond.slice(45, -5)) expect(each).toBeGreaterThan(90)
    expect(perSecond.length).toBeLessThan(85)
    expect(Math.max(...perSecond.slice(0, 10), ...perSecond.slice(45))).toBeLessThanOrEqual(106)
    expect(asked).toBeLessThan(6_000 * 6)
  })
})

describe('limits of the project and of a domain together', () => {
  it('let the others use all of the project’s rate while mail of a slow domain waits', async () => {
    const throttle = { project: { perSecond: 10 }, domains: { 'slow.example': { perSecond: 0.1 } } }
    const kit = kitOf(() => new Date(now()), { delivery: { throttle } })
    const throttled = new Throttle(kit)
    const sent: string[] = []
    const come = async (to: string, dueAt: Date): Promise<void> => {
      const email = { id: to, projectId: 'p' as ProjectId, to, createdAt: new Date(0), dueAt }
      const turn = await throttled.permit(email, 'campaign')
      if (turn && 'until' in turn) {
        const { until } = turn
        return void setTimeout(() => void come(to, until), until.getTime() - now())
      }
      turn?.started()
      sent.push(to)
      turn?.end()
    }
    await vi.advanceTimersByTimeAsync(1000)
    for (let i = 0; i < 200; i++) {
      void come(`a${i}@slow.example`, new Date(0))
      void come(`b${i}@fast.example`, new Date(0))
    }
    await vi.advanceTimersByTimeAsync(20_000)
    const slow = sent.filter((to) => to.endsWith('@slow.example')).length
    expect(slow).toBeLessThanOrEqual(3)
    expect(sent.length).toBeGreaterThan(190)
    expect(sent.length).toBeLessThanOrEqual(203)
  })
})

it('limits what an entry says, and no more', () => {
  expect(limitsOf({ perSecond: 0.5 })).toEqual({ rate: 0.5 })
  expect(limitsOf({ connections: 2 })).toEqual({ connections: 2 })
  expect(limitsOf({})).toBeUndefined()
})

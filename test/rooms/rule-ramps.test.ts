import { describe, expect, it, onTestFinished } from 'vitest'
import { RuleRamps, shareOn } from '../../core/delivery/routing/rule-ramps.ts'
import type { Answer } from '../../core/ports/mail-transport.ts'
import { type RampedRule, RouteRules } from '../../core/settings/route-settings.ts'
import { idSource } from '../../core/values/id.ts'
import { parse } from '../../core/values/parse.ts'
import { kitOf } from '../support/kit.ts'
import { testStore } from '../support/store.ts'

const DAY = 86_400
const TAKEN = { outcome: 'accepted' } as const satisfies Answer
const REFUSED = { outcome: 'refused', permanent: true, stage: 'rcpt', reason: '550 no', code: 550 } as const
const LATER = { outcome: 'refused', permanent: false, stage: 'rcpt', reason: '450 later', code: 450 } as const
const UNKNOWN = { outcome: 'unknown', reason: 'cut' } as const

function ruleWith(ramp: object): RampedRule {
  const given = { to: 'new', from: '2026-12-01', ...ramp }
  const [rule] = parse(RouteRules, [{ name: 'news', to: 'bulk', ramp: given }])
  if (rule?.name === undefined || rule.ramp === undefined) throw new Error('it has none')
  return { name: rule.name, ramp: rule.ramp }
}

describe('the part of a ramp', () => {
  it('follows from the day alone, and counts days from a moment where one is given', () => {
    const { ramp } = ruleWith({})
    const on = (at: string) => shareOn(ramp, new Date(at))
    expect(on('2026-11-30T23:59:59.999Z')).toBe(0)
    expect(on('2026-12-01T00:00:00Z')).toBe(5)
    expect(on('2026-12-01T23:59:59Z')).toBe(5)
    expect(on('2026-12-02T00:00:00Z')).toBe(15)
    expect(on('2026-12-10T00:00:00Z')).toBe(95)
    expect(on('2027-12-01T00:00:00Z')).toBe(100)
    const other = ruleWith({ from: '2026-12-01T14:30:00Z', start: 0.5, add: 0.1 }).ramp
    const then = (at: string) => shareOn(other, new Date(at))
    expect([then('2026-12-01T14:29:59Z'), then('2026-12-02T14:29:59Z')]).toEqual([0, 0.5])
    expect([then('2026-12-02T14:30:00Z'), then('2026-12-04T14:30:00Z')]).toEqual([0.6, 0.8])
  })

  it('is kept by the ids of mails, and a mail goes the same way on each try, also on the next day', async () => {
    const { ramps, clock } = await world()
    clock.set('2026-12-02T23:59:00Z')
    const rule = ruleWith({})
    const ids = idSource(() => clock.now().getTime())
    const mails = Array.from({ length: 5_000 }, () => ({ id: ids(), createdAt: clock.now() }))
    const ways = async () => {
      const all: boolean[] = []
      for (const mail of mails) all.push(await ramps.takes(rule, mail))
      return all
    }
    const first = await ways()
    const taken = first.filter(Boolean).length / 50
    expect(taken).toBeGreaterThan(12)
    expect(taken).toBeLessThan(18)
    clock.advance(3 * DAY)
    expect(await ways()).toEqual(first)
  })
})

describe('a ramp whose mail is refused', () => {
  it('goes back above its percentage, for all processes and after a restart, until it has another from', async () => {
    const { ramps, open, store, warned } = await world()
    const rule = ruleWith({ start: 100 })
    const [other, mail] = [open(), { id: '0', createdAt: new Date('2026-12-01T12:00:00Z') }]
    const note = async (to: RuleRamps, answer: Answer, times: number) => {
      for (let i = 0; i < times; i++) to.note(rule, answer)
      await to.count()
    }
    expect(await ramps.takes(rule, mail)).toBe(true)
    // too few to say anything; what may come later, and what may have arrived, is no refusal
    await note(ramps, REFUSED, 2)
    await note(ramps, LATER, 500)
    await note(ramps, UNKNOWN, 500)
    await note(other, TAKEN, 97)
    expect(await open().takes(rule, mail)).toBe(true)
    // 2 of 100 are not more than 2 %
    await note(other, TAKEN, 1)
    expect(await open().takes(rule, mail)).toBe(true)
    expect(await ramps.states([rule])).toEqual([
      { rule: 'news', transport: 'new', share: 100, isBack: false, sent: 100, refused: 2 },
    ])
    await note(other, REFUSED, 1)
    expect(await other.takes(rule, mail)).toBe(false)
    expect(await open().takes(rule, mail)).toBe(false)
    await note(ramps, REFUSED, 1)
    expect(warned).toEqual([expect.objectContaining({ rule: 'news', transport: 'new', sent: 101, refused: 3 })])
    expect(await ramps.states([rule])).toMatchObject([{ share: 0, isBack: true, sent: 102, refused: 4 }])
    expect(await ramps.state(rule)).toEqual({ share: 0, isBack: true })

    const again = ruleWith({ start: 100, from: '2026-12-01T06:00:00Z' })
    expect(await ramps.takes(again, mail)).toBe(true)
    expect(await ramps.states([again])).toMatchObject([{ share: 100, isBack: false, sent: 0 }])
    expect(await store.attempts.forget(new Date('2027-12-01T12:00:00Z'), 10)).toBe(2)
    expect(await open().takes(rule, mail)).toBe(false)
  })

  // catches bounces of a day that is over, which the day of today would hide or never see
  it('counts what is refused later on the day on which it was taken, for three more days', async () => {
    const { ramps, clock, store, warned } = await world()
    const rule = ruleWith({ start: 100 })
    for (let i = 0; i < 100; i++) ramps.note(rule, TAKEN)
    await ramps.count()
    const taken = Array.from({ length: 3 }, () => ({ rule, takenAt: clock.now() }))
    clock.set('2026-12-04T23:59:59.999Z')
    for (let i = 0; i < 1_000; i++) ramps.note(rule, TAKEN)
    await ramps.count()
    await store.transaction((tx) => ramps.countLate(tx, taken.slice(1)))
    await ramps.judgeLate(taken.slice(1))
    expect(await ramps.goneBack([rule])).toEqual([])
    const { ramps: other, clock: later } = await world()
    later.set('2026-12-05T00:00:00Z')
    await other.countLate(store, taken)
    expect(await other.states([rule])).toMatchObject([{ sent: 0, refused: 0 }])
    await ramps.countLate(store, taken.slice(2))
    await ramps.judgeLate(taken)
    expect(await ramps.goneBack([rule])).toMatchObject([{ rule: 'news', sent: 100, refused: 3, backAt: 2 }])
    expect(warned).toHaveLength(1)
  })

  it('loses no answer while the store is away', async () => {
    const { open, store } = await world()
    const rule = ruleWith({ start: 100 })
    const { attempts } = store
    let isAway = true
    const take: typeof store.attempts.take = (key, ...given) => {
      if (isAway && key.includes(' refused ')) throw new Error('the store is away')
      return attempts.take(key, ...given)
    }
    const counted = attempts.counted.bind(attempts)
    const ramps = open({ attempts: { ...attempts, take, counted } })
    for (let i = 0; i < 100; i++) ramps.note(rule, i < 3 ? REFUSED : TAKEN)
    await ramps.count()
    expect(await ramps.states([rule])).toMatchObject([{ isBack: false, sent: 100, refused: 0 }])
    isAway = false
    await ramps.count()
    expect(await ramps.states([rule])).toMatchObject([{ isBack: true, sent: 100, refused: 3 }])
  })

  it('is not counted any more once the engine has stopped without its store', async () => {
    const { open, store } = await world()
    let tries = 0
    const take = () => {
      tries++
      throw new Error('the store is closed')
    }
    const ramps = open({ attempts: { ...store.attempts, take } })
    ramps.note(ruleWith({}), REFUSED)
    await ramps.close()
    expect(tries).toBe(1)
    await ramps.count()
    expect(tries).toBe(1)
  })

  it('is looked at anew each day', async () => {
    const { ramps, clock } = await world()
    const rule = ruleWith({ start: 100 })
    for (let i = 0; i < 4; i++) ramps.note(rule, REFUSED)
    await ramps.count()
    clock.advance(DAY)
    for (let i = 0; i < 99; i++) ramps.note(rule, TAKEN)
    await ramps.count()
    expect(await ramps.states([rule])).toMatchObject([{ isBack: false, sent: 99, refused: 0 }])
  })
})

async function world() {
  const { store, clock, close } = await testStore()
  onTestFinished(close)
  clock.set('2026-12-01T12:00:00Z')
  const warned: unknown[] = []
  const kit = kitOf(() => clock.now())
  const log = { ...kit.log, warn: (_message: string, about?: object) => void warned.push(about) }
  const open = (on: ConstructorParameters<typeof RuleRamps>[0] = store) => new RuleRamps(on, { now: kit.now, log })
  return { ramps: open(), open, store, clock, warned }
}

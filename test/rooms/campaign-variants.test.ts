import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { merged } from '../../core/campaigns/variants/as-variant.ts'
import { type Shares, testPart } from '../../core/campaigns/variants/test-part.ts'
import { reasonToWait, restarted, withWinner } from '../../core/campaigns/variants/test-progress.ts'
import { chanceOfDifference, erfc, holm, interval } from '../../core/campaigns/variants/two-proportions.ts'
import { verdictOf } from '../../core/campaigns/variants/verdict.ts'
import type { Campaign, FanOut, VariantTest } from '../../core/ports/store/campaigns.ts'
import { campaign, newProjectId } from '../contracts/store/records.ts'

describe('two proportions', () => {
  it('differ by chance as tables and textbooks say', () => {
    // tables of the error function
    for (const [x, value] of [
      [0, 1],
      [0.5, 0.4795001221869535],
      [1, 0.15729920705028513],
      [2, 0.004677734981047266],
      [3, 2.209049699858544e-5],
    ] as const)
      expect(erfc(x) / value).toBeCloseTo(1, 11)
    // prop.test(c(15, 25), c(50, 50), correct = FALSE) of R: X-squared = 4.1667, p-value = 0.04123
    expect(chanceOfDifference({ count: 15, of: 50 }, { count: 25, of: 50 })).toBeCloseTo(0.0412268, 6)
    // Penn State, STAT 415, lesson 9.4: Z = 8.99
    const smokers = chanceOfDifference({ count: 351, of: 605 }, { count: 41, of: 195 })
    expect(smokers).toBeCloseTo(erfc(8.99 / Math.SQRT2), 6)
    expect(smokers).toBeGreaterThan(1e-19)
    expect(smokers).toBeLessThan(1e-18)
    expect(chanceOfDifference({ count: 20, of: 100 }, { count: 20, of: 100 })).toBe(1)
  })

  it('tell nothing while fewer than five are expected in a cell', () => {
    expect(chanceOfDifference({ count: 0, of: 1000 }, { count: 9, of: 1000 })).toBeUndefined()
    expect(chanceOfDifference({ count: 0, of: 1000 }, { count: 10, of: 1000 })).toBeDefined()
    expect(chanceOfDifference({ count: 100, of: 100 }, { count: 91, of: 100 })).toBeUndefined()
    expect(chanceOfDifference({ count: 0, of: 0 }, { count: 0, of: 0 })).toBeUndefined()
  })

  it('lie in the intervals that Newcombe has computed with the score of Wilson', () => {
    for (const [count, of, low, high] of [
      [81, 263, 0.2553, 0.3662],
      [15, 148, 0.0624, 0.1605],
      [0, 20, 0, 0.1611],
      [1, 29, 0.0061, 0.1718],
    ] as const) {
      const [from, to] = interval({ count, of })
      expect([from, to].map((each) => Math.round(each * 10_000) / 10_000)).toEqual([low, high])
    }
    expect(interval({ count: 0, of: 0 })).toEqual([0, 1])
  })

  it('are corrected for each other as Holm does', () => {
    // the example of the article in Wikipedia, and what p.adjust of R makes of it
    expect(holm([0.01, 0.04, 0.03, 0.005])).toEqual([0.03, 0.06, 0.06, 0.02])
    expect(holm([0.9, 0.8])).toEqual([1, 1])
    expect(holm([])).toEqual([])
  })
})

describe('the verdict of a test', () => {
  it('is clear when the best is better than each of the others by more than chance explains', () => {
    const clear = verdictOf([
      { variant: 'A', count: 40, of: 1000 },
      { variant: 'B', count: 90, of: 1000 },
      { variant: 'C', count: 45, of: 1000 },
    ])
    expect(clear).toMatchObject({ best: 'B', isClear: true })
    expect([...clear.chances.keys()]).toEqual(['A', 'C'])
    expect(
      verdictOf([
        { variant: 'A', count: 40, of: 1000 },
        { variant: 'B', count: 44, of: 1000 },
      ]),
    ).toMatchObject({
      best: 'B',
      isClear: false,
    })
  })

  it('needs more with more variants, since chance has more tries', () => {
    const two = [
      { variant: 'A', count: 100, of: 1000 },
      { variant: 'B', count: 130, of: 1000 },
    ] as const
    expect(verdictOf(two)).toMatchObject({ best: 'B', isClear: true })
    const more = [...two, { variant: 'C', count: 101, of: 1000 }, { variant: 'D', count: 99, of: 1000 }] as const
    expect(verdictOf(more)).toMatchObject({ best: 'B', isClear: false })
  })

  it('names none while nothing happened, when two are the best, and is not clear with too few', () => {
    const none = { best: undefined, isClear: false }
    expect(verdictOf([])).toMatchObject(none)
    expect(
      verdictOf([
        { variant: 'A', count: 0, of: 50 },
        { variant: 'B', count: 0, of: 50 },
      ]),
    ).toMatchObject(none)
    expect(
      verdictOf([
        { variant: 'A', count: 9, of: 50 },
        { variant: 'B', count: 9, of: 50 },
      ]),
    ).toMatchObject(none)
    const few = verdictOf([
      { variant: 'A', count: 0, of: 8 },
      { variant: 'B', count: 8, of: 8 },
    ])
    expect(few).toMatchObject({ best: 'B', isClear: false })
    expect([...few.chances]).toEqual([['A', undefined]])
    expect(verdictOf([{ variant: 'A', count: 9, of: 50 }])).toMatchObject({ best: 'A', isClear: false })
  })
})

describe('the part of a test', () => {
  const id = '01990000-0000-7000-8000-000000000001'
  const people = Array.from({ length: 20_000 }, () => randomUUID())
  const partsOf = (shares: Shares) => {
    const counts = new Map<string, number>()
    for (const person of people) {
      const part = testPart(shares, id, person)
      counts.set(part, (counts.get(part) ?? 0) + 1)
    }
    return counts
  }

  it('follows from the two ids: the same whenever it is asked, and another in each campaign', () => {
    // what is written down once must stay so: a changed hash would send a second mail to people of a running test
    const of = { variants: 3, share: 50, holdOut: 10 }
    const some = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((person) => testPart(of, id, person))
    expect(some).toMatchInlineSnapshot(`
      [
        "C",
        "held-out",
        "rest",
        "held-out",
        "rest",
        "rest",
        "A",
        "rest",
      ]
    `)
    const other = people.filter((person) => testPart(of, id, person) !== testPart(of, 'other', person))
    expect(other.length).toBeGreaterThan(people.length / 3)
  })

  it('has as many people as its share says, and the variants have the same', () => {
    const counts = partsOf({ variants: 2, share: 20, holdOut: 10 })
    const wanted = { A: 1800, B: 1800, rest: 14_400, 'held-out': 2000 }
    for (const [part, count] of Object.entries(wanted)) {
      expect(Math.abs((counts.get(part) ?? 0) - count)).toBeLessThan(6 * Math.sqrt(count))
    }
    expect([...partsOf({ variants: 5, share: 100, holdOut: 0 }).keys()].toSorted()).toEqual(['A', 'B', 'C', 'D', 'E'])
    expect([...partsOf({ variants: 1, share: 100, holdOut: 50 }).keys()].toSorted()).toEqual(['A', 'held-out'])
  })
})

describe('a variant', () => {
  const made = campaign(newProjectId(), {
    ...{ preheader: 'Read on', layoutId: 'l', design: { by: 'hand' }, fromName: 'Ada' },
    source: { format: 'HTML', text: '<p>Hi</p>' },
  })

  it('has what it differs in, and else what the campaign has', () => {
    expect(merged(made, { subject: 'Other' })).toEqual({ ...made, subject: 'Other' })
    const { design, source, preheader, ...rest } = made
    expect(merged(made, { body: '<p>Other</p>', preheader: null })).toEqual({ ...rest, body: '<p>Other</p>' })
  })
})

describe('a campaign that waits for its winner', () => {
  const test: VariantTest = {
    ...{ share: 20, holdOut: 0, metric: 'clicks', hours: 4, winner: 'automatic', whenUnclear: 'wait' },
  }
  const fanOut: FanOut & Required<Pick<FanOut, 'test'>> = {
    ...{ frozenAt: '2025-06-01T12:00:00.000Z', upTo: 'z', cursor: '', done: false, recipients: 10, skipped: {} },
    phase: 'waiting',
    test: { contents: ['a', 'b'], since: '2025-06-01T12:00:00.000Z' },
  }

  it('says what it waits for', () => {
    const waiting = campaign(newProjectId(), { status: 'SENDING', test, fanOut })
    expect(reasonToWait(waiting)).toContain('compared until 2025-06-01T16:00:00.000Z')
    expect(reasonToWait({ ...waiting, test: { ...test, winner: 'manual' } })).toContain('the winner that you choose')
    const unclear = { ...fanOut, test: { ...fanOut.test, unclear: true } } as const
    expect(reasonToWait({ ...waiting, fanOut: unclear })).toContain('does not show')
    expect(reasonToWait({ ...waiting, status: 'PAUSED' })).toBeUndefined()
    expect(reasonToWait({ ...waiting, fanOut: { ...fanOut, phase: 'rest' } })).toBeUndefined()
  })

  it('gets a winner while it waits or is paused, and none once it was cancelled', () => {
    const now = new Date('2025-06-02T12:00:00.000Z')
    const won = (status: Campaign['status']) =>
      withWinner(campaign(newProjectId(), { status, test, fanOut }), 'A', 'person', now).fanOut?.phase
    expect([won('SENDING'), won('PAUSED')]).toEqual(['rest', 'rest'])
    for (const status of ['CANCELLED', 'FAILED'] as const) expect(() => won(status)).toThrow(`is ${status}`)
  })

  it('compares for its whole time again once it is resumed', () => {
    const now = new Date('2025-06-02T12:00:00.000Z')
    expect(restarted(fanOut, now).test?.since).toBe(now.toISOString())
    const rest = { ...fanOut, phase: 'rest' } as const
    expect(restarted(rest, now)).toBe(rest)
  })
})

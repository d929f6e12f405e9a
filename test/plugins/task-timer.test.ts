import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { type TaskTimer, taskTimer } from '../../plugins/kit/schedule/task-timer.ts'

const HOUR = 3_600_000
/** The wall clock's lead over the fake timers. */
let ahead = Date.UTC(2026, 2, 10, 3, 22, 30)
const clock = { now: () => new Date(ahead + performance.now()) }
let timer: TaskTimer | undefined

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  ahead = Date.UTC(2026, 2, 10, 3, 22, 30) - performance.now()
})
afterEach(() => {
  timer?.stop()
  vi.useRealTimers()
})

/** How many turns a task of this expression has while the timers go on for so long. */
function set(cron: string) {
  let turns = 0
  timer = taskTimer({ name: 'task', cron, run: async () => {} }, clock, () => turns++)
  return (milliseconds: number) => {
    turns = 0
    vi.advanceTimersByTime(milliseconds)
    return turns
  }
}

it('has a turn at a time of day when that comes, once', () => {
  const during = set('23 3 * * *')
  expect(during(29_900)).toBe(0)
  expect(during(200)).toBe(1)
  expect(during(23 * HOUR)).toBe(0)
  expect(during(HOUR)).toBe(1)
})

it('is at most a minute late when the clock is set forward to just before, or beyond, the time of day', () => {
  const during = set('23 17 * * *')
  ahead += 13 * HOUR
  expect(during(60_000)).toBe(0)
  ahead += HOUR
  expect(during(60_000)).toBe(1)
  expect(during(2 * HOUR)).toBe(0)
})

it('has one turn for all that a leap of the clock has passed over, and none for those of long ago', () => {
  const hourly = set('17 * * * *')
  ahead += 9 * HOUR
  expect(hourly(60_000)).toBe(1)
  timer?.stop()
  const yearly = set('0 0 1 5 *')
  ahead += 200 * 24 * HOUR
  expect(yearly(120_000)).toBe(0)
})

it('has its turns as before when the clock is set back', () => {
  const hourly = set('17 * * * *')
  expect(hourly(HOUR)).toBe(1)
  ahead -= 100 * HOUR
  expect(hourly(HOUR)).toBe(1)
  expect(hourly(3 * HOUR)).toBe(3)
})

it.each([
  '* * * * * *',
  '*/5 * * * * *',
  '*/15 * * * * *',
])('keeps the distance of %s whatever the clock does', (cron) => {
  const period = cron === '* * * * * *' ? 1_000 : Number(/\d+/.exec(cron)) * 1_000
  const during = set(cron)
  expect(during(60_000)).toBe(60_000 / period)
  for (const leap of [-HOUR, 3 * HOUR, -50 * HOUR]) {
    ahead += leap
    expect(during(60_000)).toBe(60_000 / period)
  }
})

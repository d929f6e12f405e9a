import { expect, it } from 'vitest'
import { type Fleet, loadOf, simulate } from '../../bench/fleet-model.ts'

const NO_TIME = { insert: 0, claim: 0, result: 0, worker: 0, nextHopMs: 0 }
const ONE: Fleet = { databaseCores: 1, workers: 1, connections: 1 }
const rarely = { transactional: 5, campaignsAnHour: 0, recipients: 0 }

/** How long 95 and 99 of 100 wait in the queue of one server (M/M/1), in ms, by the textbook. */
const wait = (arrivals: number, served: number, part: number) =>
  (1000 * Math.log(arrivals / served / (1 - part))) / (served - arrivals)

it('has a mail wait for the one connection as long as the formula of one server says', () => {
  const { waits, busy, left } = simulate(ONE, rarely, { ...NO_TIME, nextHopMs: 100 }, 20_000)
  expect(waits.p95 / wait(5, 10, 0.95)).toBeCloseTo(1, 1)
  expect(waits.p99 / wait(5, 10, 0.99)).toBeCloseTo(1, 1)
  expect(busy.connections).toBeCloseTo(0.5, 1)
  expect(left).toBeLessThan(20)
})

it('falls behind where the calculation says that more arrives than can be done', () => {
  const load = { transactional: 0, campaignsAnHour: 36, recipients: 10_000 }
  const times = { ...NO_TIME, claim: 100, worker: 500, nextHopMs: 100 }
  const few = { databaseCores: 1, workers: 1, connections: 8 }
  expect(loadOf(few, load, times).connections).toBeGreaterThan(1)
  const behind = simulate(few, load, times, 3600)
  expect(behind.left).toBeGreaterThan(50_000)
  expect(behind.busy.connections).toBeGreaterThan(0.98)
  const enough = { ...few, workers: 2 }
  const keeps = simulate(enough, load, times, 3600)
  const calculated = loadOf(enough, load, times)
  for (const part of ['database', 'workers', 'connections'] as const)
    expect(keeps.busy[part] / calculated[part], part).toBeCloseTo(1, 0)
  expect(keeps.left).toBeLessThan(20_000)
})

it('lets a transactional mail pass the mails of a campaign', () => {
  const load = { transactional: 1, campaignsAnHour: 36, recipients: 10_000 }
  const times = { insert: 50, claim: 90, result: 85, worker: 580, nextHopMs: 50 }
  const fleet = { databaseCores: 1, workers: 1, connections: 50 }
  expect(simulate(fleet, load, times, 600).waits.p95).toBeLessThan(100)
})

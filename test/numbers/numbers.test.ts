import { randomInt } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { STORES } from '../support/matrix.ts'
import {
  expectActivity,
  expectEvents,
  expectFigures,
  expectPeople,
  expectSink,
  expectVisits,
  ledgerOf,
  leftOutAtOnce,
  type Row,
} from './agreement.ts'
import { kindOf } from './people.ts'
import { makeWorld, type World } from './world.ts'

const SEEDS = [1, randomInt(2 ** 31)]

// At the same time: much of it is waiting for the next try.
describe.concurrent.each(STORES)('the numbers of campaigns on $name', (store) => {
  let world: World
  let worlds: readonly World[]
  beforeAll(async () => {
    world = await makeWorld(store, 20_260_101, 0.5, 32)
    worlds = await Promise.all(SEEDS.map((seed) => makeWorld(store, seed, 0.1, 16)))
  })

  it('add up after every kind of trouble, after another try of what failed, and for a second campaign sent several times at once', async () => {
    const first = await world.draft('First')
    expect(await world.send(first.id)).toEqual([200])
    await world.live()
    expect(await world.ended(first.id)).toBe('SENT')
    const [rows = []] = (await ledgerOf(world, [first.id])).values()
    await expectFigures(world, first.id, rows)
    expect(await leftOutAtOnce(world, first.id, rows)).toEqual(first.preview.skipped)
    await expectAll(world, rows)
    expect(outcomes(world, rows)).toMatchObject({
      ...{ ok: ['DELIVERED'], unknown: ['BOUNCED'], refused: ['BOUNCED'], policy: ['FAILED'], full: ['FAILED'] },
      ...{ later: ['DELIVERED'], deferred: ['DELIVERED'], grey: ['DELIVERED'], expired: ['DELIVERED'] },
      ...{ deleted: expect.arrayContaining(['SKIPPED']), leaving: ['SKIPPED'], banned: ['SKIPPED'] },
    })

    const failed = rows.filter(({ status }) => status === 'FAILED').length
    const { body } = await world.test.ask('POST', `/campaigns/${first.id}/retry-failed`)
    expect(body).toEqual({ retried: failed })
    expect(await world.ended(first.id)).toBe('SENT')
    const [retried = []] = (await ledgerOf(world, [first.id])).values()
    await expectFigures(world, first.id, retried)
    await expectAll(world, retried)
    expect(outcomes(world, retried)).toMatchObject({ policy: ['FAILED'], full: ['DELIVERED'] })

    const second = await world.draft('Second')
    expect(await world.send(second.id, 4)).toEqual([200, 409, 409, 409])
    expect(await world.ended(second.id)).toBe('SENT')
    const both = await ledgerOf(world, [first.id, second.id])
    for (const [id, its] of both) await expectFigures(world, id, its)
    expect(await leftOutAtOnce(world, second.id, both.get(second.id) ?? [])).toEqual(second.preview.skipped)
    await expectAll(world, [...both.values()].flat())
    // else there was little trouble
    expect(Object.keys(world.sink.wrong)).toHaveLength(7)
    expect(world.sink.taken.some(({ isAnswered }) => !isAnswered)).toBe(true)
    expect(world.test.lines.filter(({ level }) => level === 'error')).toEqual([])
  }, 180_000)

  it('add up for random campaigns that are sent at the same time', async () => {
    await Promise.all(worlds.map((one, i) => seeded(SEEDS[i]!, () => sendTwo(one))))
  }, 180_000)
})

async function sendTwo(world: World): Promise<void> {
  const [{ id: one }, { id: other }] = [await world.draft('One'), await world.draft('Other')]
  await Promise.all([world.send(one), world.send(other)])
  await world.live()
  expect([await world.ended(one), await world.ended(other)]).toEqual(['SENT', 'SENT'])
  const both = await ledgerOf(world, [one, other])
  for (const [id, rows] of both) {
    await expectFigures(world, id, rows)
    await leftOutAtOnce(world, id, rows)
  }
  await expectAll(world, [...both.values()].flat())
}

/** A failure names the seed it came with. */
async function seeded(seed: number, work: () => Promise<void>): Promise<void> {
  await work().catch((cause: unknown) => {
    throw new Error(`with seed ${seed}: ${cause instanceof Error ? cause.message : cause}`, { cause })
  })
}

async function expectAll(world: World, rows: readonly Row[]): Promise<void> {
  expectSink(world, rows)
  expectVisits(world, rows)
  await expectEvents(world, rows)
  await expectPeople(world, rows)
  await expectActivity(world, rows)
}

/**
 * The outcomes of the mails of each kind of people; being read counts as being delivered. Who unsubscribed by a mail
 * whose answer was lost is not sent it again: those are left out.
 */
function outcomes({ readers }: World, rows: readonly Row[]): Readonly<Record<string, readonly string[]>> {
  const found: Record<string, string[]> = {}
  for (const { id, to, status } of rows) {
    if (status === 'SKIPPED' && readers.unsubscribed.has(id)) continue
    const kind = to === 'deleted' ? to : kindOf(to)
    const outcome = status === 'OPENED' || status === 'CLICKED' ? 'DELIVERED' : status
    found[kind] = [...new Set([...(found[kind] ?? []), outcome])].toSorted()
  }
  return found
}

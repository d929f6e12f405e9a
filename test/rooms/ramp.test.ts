import { describe, expect, it, onTestFinished } from 'vitest'
import { sendingLimits } from '../../core/analytics/limits.ts'
import { allowance, Ramps, rampStates } from '../../core/delivery/throttle/ramp.ts'
import { newProjectId, project as projectRecord } from '../contracts/store/records.ts'
import { kitOf } from '../support/kit.ts'
import { testStore } from '../support/store.ts'

const TRANSPORTS = { main: { ramp: { start: 2, growth: 2, until: 20 } }, other: {} }
const FROM = 'news@example.com'
const DAY = 86_400

describe('a ramp', () => {
  it('lets more marketing mail go each day, whatever process asks, until it is over', async () => {
    const { open, clock, day } = await world()
    // a restart and another process change nothing
    const [one, other] = [open(), open()]
    expect(await day([one, other], 5)).toBe(2)
    clock.advance(DAY)
    expect(await day([one, open()], 9)).toBe(4)
    // a week without mail is no step
    clock.advance(7 * DAY)
    expect(await day([other], 20)).toBe(8)
    clock.advance(DAY)
    expect(await day([one, other], 40)).toBe(16)
    clock.advance(DAY)
    expect(await day([one, other], 100)).toBe(100)
  })

  it('tells a mail that is one too many when to come again, and that its time has not run', async () => {
    const { open, clock, projectId } = await world()
    const ramps = open()
    const ask = (attempts = 1) => ramps.held({ projectId, attempts }, 'main', FROM)
    expect([await ask(), await ask()]).toEqual([undefined, undefined])
    const renewsAt = new Date('2026-11-28T00:00:00Z')
    const expiresAt = new Date('2026-12-01T00:00:00Z')
    expect(await ask()).toMatchObject({ until: renewsAt, expiresAt })
    // a retry was counted at its first try, other transports and domains have their own
    expect(await ask(2)).toBeUndefined()
    expect(await ramps.held({ projectId, attempts: 1 }, 'other', FROM)).toBeUndefined()
    expect(await ramps.held({ projectId, attempts: 1 }, 'main', 'a@b.example')).toBeUndefined()
    const { store } = clock
    expect(await rampStates(store, TRANSPORTS, ['example.com', 'new.example'], clock.now())).toEqual([
      { transport: 'main', domain: 'example.com', step: 1, perDay: 2, sent: 2, renewsAt },
    ])
    expect(await rampStates(store, { main: {} }, ['example.com'], clock.now())).toEqual([])
  })

  it('stays while rates are high, and steps back once marketing mail is stopped', async () => {
    const { open, clock, day, health } = await world()
    const ramps = open()
    await day([ramps], 9)
    clock.advance(DAY)
    expect(await day([ramps], 9)).toBe(4)
    health.state = 'warning'
    clock.advance(DAY)
    expect(await day([ramps], 9)).toBe(4)
    health.state = 'stopped'
    clock.advance(DAY)
    expect(await day([ramps], 9)).toBe(2)
    clock.advance(DAY)
    expect(await day([ramps], 9)).toBe(2)
    health.state = 'ok'
    clock.advance(DAY)
    expect(await day([ramps], 9)).toBe(4)
  })

  it('is among the limits of a project, with why it does not grow', async () => {
    const { open, clock, day, projectId, kit } = await world()
    await day([open()], 1)
    const project = projectRecord({ id: projectId, trustedDomains: ['example.com'] })
    const limits = () => sendingLimits(clock.store, kit, project)
    const share = { transport: 'main', domain: 'example.com', step: 1, perDay: 2, sent: 1, left: 1 }
    expect((await limits()).ramps).toMatchObject([{ ...share, state: 'ok', reasons: [], reasonCodes: [] }])
    const mail = { projectId, at: clock.now(), sendingDomain: 'example.com', recipientDomain: 'example.org' }
    const bounced = { ...mail, facts: ['sent', 'bounced'] as const }
    const delivered = { ...mail, facts: ['sent', 'delivered'] as const }
    await clock.store.reputation.add(Array.from({ length: 200 }, (_, i) => (i < 20 ? bounced : delivered)))
    const [ramp] = (await limits()).ramps
    expect(ramp).toMatchObject({ ...share, state: 'stopped', reasonCodes: [{ code: 'bounce_rate' }] })
    expect(ramp?.reasons[0]).toContain('10 % of its mails of the last 7 days (20) bounced')
  })

  it('grows by its factor', () => {
    const ramp = { start: 50, growth: 1.5, until: 150 }
    expect([1, 2, 3, 4].map((step) => allowance(ramp, step))).toEqual([50, 75, 112, undefined])
  })
})

async function world() {
  const { store, clock, close } = await testStore()
  onTestFinished(close)
  clock.set('2026-11-27T12:00:00Z')
  const projectId = newProjectId()
  const health: { state: 'ok' | 'warning' | 'stopped' } = { state: 'ok' }
  const kit = kitOf(() => clock.now(), { delivery: { throttle: { transports: TRANSPORTS } } })
  const open = () => new Ramps(store, { state: async () => health.state }, kit)
  /** How many of so many mails go, asked for by turns and at the same time. */
  const day = async (ramps: readonly Ramps[], mails: number) => {
    const asked = Array.from({ length: mails }, (_, i) =>
      ramps[i % ramps.length]!.held({ projectId, attempts: 1 }, 'main', FROM),
    )
    return (await Promise.all(asked)).filter((held) => held === undefined).length
  }
  return { open, clock: Object.assign(clock, { store }), day, health, projectId, kit }
}

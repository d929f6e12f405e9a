import { beforeAll, describe, expect, it } from 'vitest'
import { expectEnvelope, MAIL, OTHER_SECRET, PROJECT, SECRET, type TestApp, testApp } from '../support/app.ts'
import { QUICK } from '../support/matrix.ts'
import { SettableClock } from '../support/store.ts'

describe.each([QUICK])('the limits of a project with $name', (store) => {
  const clock = new SettableClock('2026-11-30T22:30:00Z')
  let test: TestApp
  beforeAll(async () => {
    const quotas = { timeZone: 'Europe/Berlin', quotas: { daily: 3, monthly: 10 } }
    const projects = [
      { id: PROJECT, name: 'Test', secretKey: SECRET, trustedDomains: ['example.com'], ...quotas },
      { name: 'Other', secretKey: OTHER_SECRET, trustedDomains: ['example.com'] },
    ]
    test = await testApp(store, {}, { clock, projects })
  })

  it('are what its quotas have left, and renew with its day and month', async () => {
    const limits = async () => (await test.ask('GET', `/projects/${PROJECT}/limits`)).body
    const [day, month] = ['2026-11-30T23:00:00.000Z', '2026-11-30T23:00:00.000Z']
    const used = (of: string, most: number, used: number, renewsAt: string) => ({
      ...{ of, most, used, left: most - used, renewsAt },
    })
    expect(await limits()).toEqual({ quotas: [used('day', 3, 0, day), used('month', 10, 0, month)], ramps: [] })
    const to = ['a@example.org', 'b@example.org', 'c@example.org']
    expect((await test.ask('POST', '/v1/send', { json: { ...MAIL, to } })).status).toBe(200)
    expect((await test.ask('POST', '/v1/send', { json: MAIL })).status).toBe(429)
    expect((await limits()).quotas).toEqual([used('day', 3, 3, day), used('month', 10, 3, month)])
    clock.advance(1800)
    const next = [used('day', 3, 0, '2026-12-01T23:00:00.000Z'), used('month', 10, 0, '2026-12-31T23:00:00.000Z')]
    expect((await limits()).quotas).toEqual(next)
  })

  it('are none without quotas, and only those of its own project', async () => {
    const { body: me } = await test.ask('GET', '/keys/@me', { key: OTHER_SECRET })
    const own = await test.ask('GET', `/projects/${me.projectId}/limits`, { key: OTHER_SECRET })
    expect(own.body).toEqual({ quotas: [], ramps: [] })
    const foreign = await test.ask('GET', `/projects/${PROJECT}/limits`, { key: OTHER_SECRET })
    expectEnvelope(foreign, 404, 'PROJECT_NOT_FOUND')
  })
})

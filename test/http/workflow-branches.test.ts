import { beforeAll, describe, expect, it } from 'vitest'
import { expectEnvelope, type TestApp, testApp } from '../support/app.ts'
import { STRICT } from '../support/matrix.ts'

const EXIT = { type: 'EXIT' }
const cases = (count: number, more: object = {}) =>
  Array.from({ length: count }, (_, i) => ({ branch: `b${i}`, values: [`v${i}`], ...more }))
const parts = (...percents: number[]) => ({
  type: 'SPLIT',
  config: { branches: percents.map((percent, i) => ({ branch: `b${i}`, percent })) },
})

// On PostgreSQL, the stricter: what a step says of a contact is tried on both where it runs.
describe('steps that decide', () => {
  let test: TestApp
  let id: string
  const ask = (method: string, path: string, json?: object) =>
    test.ask(method, `/workflows${path}`, json === undefined ? {} : { json })
  const step = (json: object) => ask('POST', `/${id}/steps`, { autoConnect: false, ...json })
  const refused = async (json: object, fields: Record<string, string>) =>
    expectEnvelope(await step(json), 422, 'VALIDATION_ERROR', fields)

  beforeAll(async () => {
    test = await testApp(STRICT)
    id = (await ask('POST', '', { name: 'W', eventName: 'begin' })).body.id
  })

  it('SWITCH takes up to 20 cases with 20 values, under names of their own', async () => {
    const of = (config: object) => ({ type: 'SWITCH', config: { field: 'data.plan', ...config } })
    const values = Array.from({ length: 20 }, (_, i) => i)
    const most = of({ cases: [...cases(19), { branch: 'ä 1_-.2', values }] })
    expect(await step(most)).toMatchObject({ status: 201, body: { config: most.config } })
    await refused(of({ cases: cases(21) }), { 'config.cases': 'too_big' })
    await refused(of({ cases: [] }), { 'config.cases': 'too_small' })
    await refused(of({ cases: cases(1, { values: [...values, 'x'] }) }), { 'config.cases.0.values': 'too_big' })
    await refused(of({ cases: cases(1, { values: [] }) }), { 'config.cases.0.values': 'too_small' })
    await refused(of({ cases: cases(1, { values: ['x'.repeat(1001)] }) }), { 'config.cases.0.values.0': 'too_big' })
    expect((await step(of({ cases: cases(1, { branch: 'x'.repeat(40) }) }))).status).toBe(201)
    await refused(of({ cases: cases(1, { branch: 'x'.repeat(41) }) }), { 'config.cases.0.branch': 'too_big' })
    await refused(of({ cases: cases(1, { branch: '-x' }) }), { 'config.cases.0.branch': 'invalid_string' })
    await refused(of({ cases: cases(1, { branch: 'else' }) }), { 'config.cases.0.branch': 'custom' })
    await refused(of({ cases: cases(2, { branch: 'a' }) }), { 'config.cases.1.branch': 'custom' })
    await refused(of({ cases: cases(2, { values: ['a'] }) }), { 'config.cases.1.values.0': 'custom' })
  })

  it('SWITCH takes the fields that filters compare with equals', async () => {
    const of = (field: string, ...values: unknown[]) => ({
      type: 'SWITCH',
      config: { field, cases: [{ branch: 'a', values }] },
    })
    for (const field of ['email', 'plan', 'contact.data.plan', 'event.plan', 'context.plan']) {
      expect((await step(of(field, 'x'))).status).toBe(201)
    }
    expect((await step(of('subscribed', true))).status).toBe(201)
    const ranked = (await step(of('rank', 1, 'A'))).body.id
    await refused(of('subscribed', 'yes'), { 'config.cases.0.values.0': 'invalid_type' })
    await refused(of('email.sold', 'x', 'y'), { 'config.field': 'invalid_enum_value' })
    const segment = await step(of(`segment.${id}`, 'x'))
    expectEnvelope(segment, 422, 'VALIDATION_ERROR', { 'config.field': 'invalid_enum_value' })
    expect(segment.body.message).toContain('use a CONDITION')
    expect((await step(of('plam', 'x'))).headers.get('mailwright-warning')).toContain(
      'config.field: is a field that no',
    )
    const { usedInWorkflows } = (await test.ask('GET', '/contacts/fields/data.rank/usage')).body
    expect(usedInWorkflows).toMatchObject([{ id, stepId: ranked }])
  })

  it('SPLIT takes 2 to 10 branches that come to 100 percent', async () => {
    expect((await step(parts(33.33, 66.67, 0))).status).toBe(201)
    expect((await step(parts(...Array(10).fill(10)))).status).toBe(201)
    await refused(parts(100), { 'config.branches': 'too_small' })
    await refused(parts(...Array(10).fill(10), 0), { 'config.branches': 'too_big' })
    await refused(parts(-1, 101), { 'config.branches.0.percent': 'too_small', 'config.branches.1.percent': 'too_big' })
    await refused(parts(33.333, 66.667), { 'config.branches.0.percent': 'custom' })
    const short = await step(parts(50, 49.99))
    expectEnvelope(short, 422, 'VALIDATION_ERROR', { 'config.branches': 'custom' })
    expect(short.body.message).toContain('must come to 100 percent, not 99.99')
  })

  it('keep a branch that a transition leads from, and take one that is new', async () => {
    const { body } = await step(parts(50, 50))
    const exit = (await step(EXIT)).body.id
    const link = { fromStepId: body.id, toStepId: exit }
    const named = async (branch: string) => ask('POST', `/${id}/transitions`, { ...link, branch })
    expectEnvelope(await named('b2'), 422, 'VALIDATION_ERROR', { branch: 'invalid_enum_value' })
    expectEnvelope(await ask('POST', `/${id}/transitions`, link), 422, 'VALIDATION_ERROR', { branch: 'required' })
    const transition = await named('b1')
    expect(transition).toMatchObject({ status: 201, body: { branch: 'b1', condition: { branch: 'b1' } } })
    const change = (branches: readonly string[]) => {
      const config = { branches: branches.map((branch) => ({ branch, percent: 100 / branches.length })) }
      return ask('PATCH', `/${id}/steps/${body.id}`, { config })
    }
    const lost = await change(['b0', 'c'])
    expectEnvelope(lost, 422, 'VALIDATION_ERROR', { config: 'custom' })
    expect(lost.body.message).toContain('must keep the branch "b1"')
    expect((await change(['b1', 'c'])).status).toBe(200)
    expect((await named('c')).status).toBe(201)
    expectEnvelope(await named('c'), 422, 'VALIDATION_ERROR', { branch: 'custom' })
    await ask('DELETE', `/${id}/transitions/${transition.body.id}`)
    expect((await change(['c', 'd'])).status).toBe(200)
  })
})

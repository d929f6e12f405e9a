import { beforeAll, describe, expect, it } from 'vitest'
import { expectEnvelope, type TestApp, testApp } from '../support/app.ts'
import { QUICK } from '../support/matrix.ts'

const EXIT = { type: 'EXIT' }
const DELAY = { type: 'DELAY', config: { amount: 1, unit: 'hours' } }
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
    test = await testApp(QUICK)
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
    await refused(of({ field: '', cases: cases(1, { values: [] }) }), {
      ...{ 'config.field': 'too_small', 'config.cases.0.values': 'too_small' },
    })
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
    await refused(of('contact.topic.none', true), { 'config.field': 'custom' })
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

  it('WAIT_UNTIL takes a field with a date, or a time of day, in a zone that there is', async () => {
    const of = (config: object) => ({ type: 'WAIT_UNTIL', config })
    const [field, at] = ['data.on', '09:00']
    const offset = (amount: number, unit: string) => of({ field, offset: { amount, unit, direction: 'before' } })
    for (const right of [of({ field }), of({ at: '23:59', timezone: 'Asia/Kolkata' }), offset(52, 'weeks')]) {
      expect((await step(right)).status).toBe(201)
    }
    expect((await step(offset(365, 'days'))).status).toBe(201)
    await refused(offset(366, 'days'), { 'config.offset.amount': 'too_big' })
    await refused(offset(1.5, 'days'), { 'config.offset.amount': 'invalid_type' })
    await refused(offset(0, 'days'), { 'config.offset.amount': 'too_small' })
    await refused(of({}), { 'config.at': 'required' })
    await refused(of({ at: '24:00' }), { 'config.at': 'custom' })
    await refused(of({ at, weekdays: [] }), { 'config.weekdays': 'too_small' })
    await refused(of({ at, weekdays: Array(8).fill('MONDAY') }), { 'config.weekdays': 'too_big' })
    await refused(of({ at, yearly: true }), { 'config.yearly': 'custom' })
    await refused(of({ field, weekdays: ['MONDAY'] }), { 'config.weekdays': 'custom' })
    await refused(of({ field: 'email' }), { 'config.field': 'invalid_enum_value' })
    await refused(of({ at, timezoneField: 'createdAt' }), { 'config.timezoneField': 'invalid_enum_value' })
    const zone = await step(of({ at, timezone: 'Europe/Berlim' }))
    expectEnvelope(zone, 422, 'VALIDATION_ERROR', { 'config.timezone': 'custom' })
    expect(zone.body.message).toContain('Europe/Berlin')
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

describe('a step that is tried', () => {
  let test: TestApp
  let id: string
  beforeAll(async () => {
    test = await testApp(QUICK)
    id = (await test.ask('POST', '/workflows', { json: { name: 'W', eventName: 'begin' } })).body.id
    const data = { plan: 'gold', on: '2090-01-31', trial: '2020-01-31', timezone: 'Europe/Berlin' }
    await test.ask('POST', '/contacts', { json: { email: 'ada@example.org', subscribed: false, data } })
  })
  const add = async (type: string, config: object, more: object = {}) => {
    const json = { type, config, autoConnect: false, ...more }
    return (await test.ask('POST', `/workflows/${id}/steps`, { json })).body.id as string
  }
  const tryIt = (stepId: string, json: object = { email: 'ada@example.org' }) =>
    test.ask('POST', `/workflows/${id}/steps/${stepId}/test`, { json })
  const says = async (stepId: string, json?: object) => (await tryIt(stepId, json)).body

  it('says what it would say, and writes nothing', async () => {
    const before = await test.counts()
    const is = (field: string, value: string) => ({ field, operator: 'equals', value })
    const plain = { until: null, skipped: false }
    expect(await says(await add('CONDITION', is('data.plan', 'gold')))).toEqual({
      ...{ ...plain, branch: 'yes', output: { branch: 'yes' } },
    })
    const cases = [{ branch: 'a', values: ['x'] }]
    const json = { email: 'ADA@example.org', context: { plan: 'x' }, event: { plan: 'y' } }
    expect(await says(await add('SWITCH', { field: 'context.plan', cases }), json)).toMatchObject({ branch: 'a' })
    expect(await says(await add('SWITCH', { field: 'event.plan', cases }), json)).toMatchObject({ branch: 'else' })
    const contactId = (await test.ask('GET', '/contacts')).body.data[0].id
    const split = await add('SPLIT', parts(0, 100).config)
    expect(await says(split, { contactId })).toMatchObject({ branch: 'b1' })
    expect(await says(await add('WAIT_UNTIL', { at: '09:00' }))).toEqual({
      ...{ branch: 'reached', skipped: false, until: expect.stringMatching(/T0[78]:00:00\.000Z$/) },
      output: { until: expect.any(String), timezone: 'Europe/Berlin' },
    })
    expect(await says(await add('WAIT_UNTIL', { field: 'trial' }))).toMatchObject({ ...plain, branch: 'reached' })
    expect(await says(await add('WAIT_UNTIL', { field: 'on' }))).toMatchObject({ ...plain, branch: 'missing' })
    const mail = { subject: 'Hi {{ plan }}', body: 'B', from: 'hello@example.com', unlessMailedWithin: 1 }
    expect(await says(await add('SEND_EMAIL', mail))).toEqual({
      ...{ ...plain, branch: null, output: { to: 'ada@example.org' } },
    })
    const news = { name: 'N', subject: 'S', body: 'B', type: 'MARKETING', from: 'hello@example.com' }
    const templateId = (await test.ask('POST', '/templates', { json: news })).body.id
    expect(await says(await add('SEND_EMAIL', {}, { templateId }))).toMatchObject({
      ...{ skipped: true, output: { reason: 'unsubscribed' } },
    })
    expect(await test.counts()).toEqual(before)
    expect((await test.ask('GET', `/workflows/${id}/executions`)).body.total).toBe(0)
  })

  it('needs a contact that there is, and a step that decides', async () => {
    const condition = await add('CONDITION', { field: 'data.plan', operator: 'exists' })
    expectEnvelope(await tryIt(condition, {}), 422, 'VALIDATION_ERROR', { contactId: 'required' })
    const both = { contactId: id, email: 'ada@example.org' }
    expectEnvelope(await tryIt(condition, both), 422, 'VALIDATION_ERROR', { email: 'custom' })
    expectEnvelope(await tryIt(condition, { email: 'x' }), 422, 'VALIDATION_ERROR', { email: 'invalid_string' })
    for (const json of [{ contactId: id }, { contactId: 'x' }, { email: 'eve@example.org' }]) {
      expectEnvelope(await tryIt(condition, json), 404, 'CONTACT_NOT_FOUND')
    }
    expectEnvelope(await tryIt(id), 404, 'STEP_NOT_FOUND')
    expectEnvelope(await tryIt(await add('DELAY', DELAY.config)), 400, 'BAD_REQUEST')
    const mail = await add('SEND_EMAIL', {})
    expectEnvelope(await tryIt(mail), 422, 'VALIDATION_ERROR')
    for (const [hours, code] of [
      [0, 'too_small'],
      [8761, 'too_big'],
      [1.5, 'invalid_type'],
    ] as const) {
      const json = { type: 'SEND_EMAIL', config: { unlessMailedWithin: hours } }
      const answer = await test.ask('POST', `/workflows/${id}/steps`, { json })
      expectEnvelope(answer, 422, 'VALIDATION_ERROR', { 'config.unlessMailedWithin': code })
    }
    expect(await add('SEND_EMAIL', { unlessMailedWithin: 8760 })).toEqual(expect.any(String))
  })

  it('stands in a workflow whose goal is set, shown, used and taken away', async () => {
    const goal = { eventName: 'paid' }
    const change = async (json: object) => (await test.ask('PATCH', `/workflows/${id}`, { json })).body
    expect(await change({ goal })).toMatchObject({ goal })
    expect(await change({ name: 'Still' })).toMatchObject({ goal })
    const usage = (await test.ask('GET', '/events/paid/usage')).body
    expect(usage.usedInWorkflows).toMatchObject([{ id }])
    const copy = await test.ask('POST', `/workflows/${id}/duplicate`)
    expect(copy.body).toMatchObject({ goal })
    expect(await change({ goal: null })).not.toHaveProperty('goal')
    const wrong = await test.ask('PATCH', `/workflows/${id}`, { json: { goal: { eventName: '' } } })
    expectEnvelope(wrong, 422, 'VALIDATION_ERROR', { 'goal.eventName': 'too_small' })
    const stats = (await test.ask('GET', `/workflows/${id}/stats`)).body
    expect(stats.executions.goalReached).toBe(0)
    expect((await test.ask('GET', `/workflows/${id}/executions?goalReached=true`)).body.total).toBe(0)
    const mixed = await test.ask('GET', `/workflows/${id}/executions?goalReached=true&status=EXITED`)
    expectEnvelope(mixed, 422, 'VALIDATION_ERROR', { goalReached: 'custom' })
  })
})

describe('a workflow that is created whole', () => {
  let test: TestApp
  const create = (json: object) => test.ask('POST', '/workflows', { json: { name: 'W', eventName: 'begin', ...json } })
  const delays = (count: number) => Array.from({ length: count }, (_, i) => ({ key: `${i}`, ...DELAY }))
  const all = async () => (await test.ask('GET', '/workflows')).body.total as number

  beforeAll(async () => {
    test = await testApp(QUICK)
  })

  it('has its steps in their order, under new ids, and can be enabled', async () => {
    const mail = { name: 'M', subject: 'S', body: 'B', type: 'TRANSACTIONAL', from: 'hello@example.com', slug: 'hello' }
    const template = (await test.ask('POST', '/templates', { json: mail })).body.id
    const { status, body } = await create({
      steps: [
        { key: 'x'.repeat(64), type: 'SPLIT', name: 'Half', config: parts(50, 50).config, position: { x: 5, y: -1 } },
        { key: 'mail', type: 'SEND_EMAIL', templateId: 'hello' },
        { key: 'end', ...EXIT },
      ],
      transitions: [
        { from: 'trigger', to: 'x'.repeat(64) },
        { from: 'x'.repeat(64), to: 'mail', branch: 'b0', priority: 3 },
        { from: 'x'.repeat(64), to: 'end', branch: 'b1' },
        { from: 'mail', to: 'end' },
      ],
    })
    expect(status).toBe(201)
    const [trigger, split, send, end] = body.steps
    expect(body).toMatchObject({
      enabled: false,
      steps: [
        { type: 'TRIGGER' },
        { type: 'SPLIT', name: 'Half', position: { x: 5, y: -1 } },
        { type: 'SEND_EMAIL', name: 'Send e-mail', templateId: template, config: { templateId: template } },
        { type: 'EXIT', position: { x: 0, y: 360 } },
      ],
      transitions: [
        { fromStepId: trigger.id, toStepId: split.id },
        { fromStepId: split.id, toStepId: send.id, branch: 'b0', priority: 3 },
        { fromStepId: split.id, toStepId: end.id, branch: 'b1' },
        { fromStepId: send.id, toStepId: end.id },
      ],
    })
    const stored = (await test.ask('GET', `/workflows/${body.id}`)).body
    expect({ ...stored, transitions: byId(stored.transitions) }).toEqual({
      ...body,
      transitions: byId(body.transitions),
    })
    expect((await test.ask('PATCH', `/workflows/${body.id}`, { json: { enabled: true } })).status).toBe(200)
  })

  it('has up to 199 steps, and is warned of what they do not know', async () => {
    const { status, body } = await create({ steps: delays(199) })
    expect({ status, steps: body.steps.length, transitions: body.transitions }).toEqual({
      ...{ status: 201, steps: 200, transitions: [] },
    })
    expectEnvelope(await create({ steps: delays(200) }), 422, 'VALIDATION_ERROR', { steps: 'too_big' })
    const ways = (count: number) => Array.from({ length: count }, () => ({ from: 'a', to: 'b' }))
    const many = await create({ transitions: ways(1000) })
    expectEnvelope(many, 422, 'VALIDATION_ERROR', { 'transitions.999.from': 'custom' })
    expectEnvelope(await create({ transitions: ways(1001) }), 422, 'VALIDATION_ERROR', { transitions: 'too_big' })
    const odd = await create({ steps: [{ key: 'a', type: 'EXIT', config: { reasn: 'x' } }] })
    expect(odd.headers.get('mailwright-warning')).toContain('steps.0.config.reasn')
  })

  it('is refused as a whole, with each problem in its place', async () => {
    const before = await all()
    const wrong = await create({
      steps: [
        { key: 'a', type: 'DELAY', config: { amount: -1, unit: 'days' } },
        { key: 'a', ...EXIT, templateId: 'x' },
        { key: 'b', ...parts(50, 40) },
      ],
    })
    expectEnvelope(wrong, 422, 'VALIDATION_ERROR', {
      ...{ 'steps.0.config.amount': 'too_small', 'steps.1.key': 'custom', 'steps.1.templateId': 'custom' },
      'steps.2.config.branches': 'custom',
    })
    const [a, b] = [
      { key: 'a', ...DELAY },
      { key: 'b', ...DELAY },
    ]
    const linked = await create({
      steps: [a, b, { key: 'end', ...EXIT }, { key: 'half', ...parts(50, 50) }],
      transitions: [
        { from: 'a', to: 'b' },
        ...[
          { from: 'b', to: 'a' },
          { from: 'end', to: 'a' },
          { from: 'a', to: 'trigger' },
          { from: 'a', to: 'half' },
        ],
        ...[
          { from: 'half', to: 'end' },
          { from: 'half', to: 'end', branch: 'b2' },
          { from: 'no', to: 'nor' },
        ],
      ],
    })
    expectEnvelope(linked, 422, 'VALIDATION_ERROR', {
      ...{ 'transitions.1.to': 'custom', 'transitions.2.from': 'custom', 'transitions.3.to': 'custom' },
      ...{ 'transitions.4.from': 'custom', 'transitions.5.branch': 'required' },
      ...{ 'transitions.6.branch': 'invalid_enum_value', 'transitions.7.from': 'custom', 'transitions.7.to': 'custom' },
    })
    for (const [key, code] of [
      ['trigger', 'custom'],
      ['', 'too_small'],
      ['x'.repeat(65), 'too_big'],
    ] as const) {
      expectEnvelope(await create({ steps: [{ key, ...EXIT }] }), 422, 'VALIDATION_ERROR', { 'steps.0.key': code })
    }
    const gone = await create({ steps: [a, { key: 'mail', type: 'SEND_EMAIL', templateId: 'gone' }] })
    expectEnvelope(gone, 404, 'TEMPLATE_NOT_FOUND')
    // more than a request can have, but not a call
    const config = { subject: 'S', body: 'x'.repeat(1_100_000) }
    const steps = Array.from({ length: 4 }, (_, i) => ({ key: `${i}`, type: 'SEND_EMAIL' as const, config }))
    const [project] = await test.engine.projects.list()
    const tooMuch = test.engine.workflows.create(project!, { name: 'W', eventName: 'begin', steps })
    await expect(tooMuch).rejects.toMatchObject({ fields: [{ field: 'steps', code: 'too_big' }] })
    expect(await all()).toBe(before)
  })
})

function byId<Each extends { id: string }>(list: readonly Each[]): readonly Each[] {
  return list.toSorted((a, b) => (a.id < b.id ? -1 : 1))
}

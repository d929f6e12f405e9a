import { beforeAll, expect, it } from 'vitest'
import { installationSettings } from '../../config/mail-server.ts'
import { createApp } from '../../server/index.ts'
import { type AccountWorld, accountWorld, type Browser, newAddress, PASSWORD } from '../support/accounts.ts'
import { type AskOptions, askApp, expectEnvelope, PROJECT } from '../support/app.ts'
import { atEndOfFile } from '../support/end-of-file.ts'
import { toSink } from '../support/engine.ts'
import { QUICK } from '../support/matrix.ts'
import { startSmtpSink } from '../support/smtp-sink.ts'

const MINE = '/users/@me/operator/routes'
const KEYED = '/operator/routes'
const KEY = 'the-key-of-the-operator'

let world: AccountWorld
let operator: Browser
let byKey: (method: string, path: string, options?: AskOptions) => ReturnType<typeof askApp>

beforeAll(async () => {
  const sink = await startSmtpSink()
  atEndOfFile(() => sink.close())
  world = await accountWorld(QUICK, {
    installation: installationSettings({ transportsFrom: 'transports' }),
    transports: [toSink(sink, 'main'), toSink(sink, 'bulk'), toSink(sink, 'spare')],
    delivery: { threads: 0, routes: [{ name: 'first', when: { tag: { stream: 'receipts' } }, to: 'main' }] },
  })
  const address = newAddress()
  await world.engine.accounts.make({ email: address, password: PASSWORD })
  operator = world.browserOf(await world.open('POST', '/auth/login', { email: address, password: PASSWORD }))
  const app = createApp(world.engine, { operatorKey: KEY })
  byKey = (method, path, options = {}) => askApp(app, method, path, { key: KEY, ...options })
})

it('rules are for the person who runs the server, and for its key', async () => {
  const stranger = await world.signup()
  for (const [method, path] of [
    ['GET', MINE],
    ['PUT', MINE],
    ['POST', `${MINE}/explain`],
  ] as const) {
    const json = method === 'GET' ? {} : { json: { rules: [] } }
    expectEnvelope(await stranger.ask(method, path, json), 403, 'FORBIDDEN')
    expectEnvelope(await world.open(method, path, json.json), 401, 'MISSING_AUTH')
  }
  for (const method of ['GET', 'PUT']) {
    const json = method === 'GET' ? {} : { json: { rules: [] } }
    expectEnvelope(await byKey(method, KEYED, { ...json, key: 'another' }), 401, 'INVALID_API_KEY')
    // without a key of the operator there is no such path
    expectEnvelope(await world.ask(method, KEYED, { ...json, key: KEY }), 404, 'RESOURCE_NOT_FOUND')
  }
})

it('are read and set as a whole, each change for one version', async () => {
  const first = await operator.ask('GET', MINE)
  expect(first.headers.get('etag')).toBe('"1"')
  expect(first.body).toEqual({
    version: 1,
    rules: [],
    given: [{ name: 'first', when: { tag: { stream: 'receipts' } }, to: 'main' }],
    givenMore: 0,
    problems: [],
    transports: ['main', 'bulk', 'spare'],
    mayName: {},
    givenMayName: {},
  })
  const rules = [{ name: 'news', when: { class: ['campaign'] }, to: { bulk: 9, main: 1 }, fallback: ['spare'] }]
  const set = await operator.ask('PUT', MINE, { json: { rules }, headers: { 'if-match': '"1"' } })
  expect({ status: set.status, tag: set.headers.get('etag'), ...set.body }).toMatchObject({
    ...{ status: 200, tag: '"2"', version: 2, rules },
  })
  expect((await byKey('GET', KEYED)).body).toEqual(set.body)
  const stale = { json: { rules: [] }, headers: { 'if-match': '"1"' } }
  for (const answer of [await operator.ask('PUT', MINE, stale), await byKey('PUT', KEYED, stale)]) {
    expectEnvelope(answer, 409, 'VERSION_CONFLICT', { version: 'custom' })
    expect(answer.body.error.currentVersion).toBe(2)
  }
  const question = { from: 'a@example.com', to: 'b@example.org', class: 'campaign', tags: { stream: 'x' } }
  expect((await operator.ask('POST', `${MINE}/explain`, { json: question })).body).toEqual({
    rule: { number: 2, name: 'news', because: 'class is campaign', fits: [{ key: 'class', value: 'campaign' }] },
    transports: ['bulk', 'main', 'spare'],
    shares: { bulk: 90, main: 10 },
    notFitting: [
      {
        ...{ number: 1, name: 'first', because: 'tag.stream is x, not receipts' },
        ...{ key: 'tag.stream', value: 'x', wanted: ['receipts'], wantedMore: 0 },
      },
    ],
    more: 0,
  })
  expect((await byKey('PUT', KEYED, { json: { rules: [], version: 2 } })).body).toMatchObject({ version: 3, rules: [] })
  const { body: log } = await operator.ask('GET', '/users/@me/audit')
  expect(log.data.map(({ action }: { action: string }) => action)).toContain('changeMyRoutes')
})

it('with faults are refused as those of the configuration are, each with its place, and nothing is stored', async () => {
  const before = (await operator.ask('GET', MINE)).body
  const faulty = await operator.ask('PUT', MINE, {
    json: {
      rules: [
        { when: { class: 'campaign' }, to: 'blk' },
        { when: { project: 'A' }, to: 'main', fallback: ['bulk', 'main'] },
        { when: { header: { 'X Pool': 'a' } }, to: 'main', whenFull: 'fallback' },
        { when: { tag: { stream: 'receipts' }, class: 'workflow' }, to: 'bulk' },
        { to: 'main' },
        { when: { class: 'transactional' }, to: 'bulk' },
      ],
    },
  })
  expectEnvelope(faulty, 422, 'VALIDATION_ERROR')
  const problems = faulty.body.error.errors.map(({ field, message }: Record<string, string>) => [field, message])
  expect(problems).toEqual([
    ['rules.0.to', 'is not the name of a transport: blk (did you mean bulk?)'],
    ['rules.1.fallback.1', expect.stringMatching(/^goes round in a circle: .* which rules\.1\.to names already\. /)],
    ['rules.2.whenFull', 'needs a fallback: name the transports to go to, or write wait'],
    ['rules.2.when.header.X Pool', 'is not the name of a header field, such as X-Stream'],
    ['rules.3', expect.stringContaining('can never decide: delivery.routes[0] (first) before it takes all mail')],
    ['rules.5', expect.stringContaining('can never decide: rules.4 before it takes all mail')],
  ])
  const malformed = await operator.ask('PUT', MINE, { json: { rules: [{ when: { clas: 'x' }, to: { main: 0 } }] } })
  const fields = malformed.body.error.errors.map(({ field, message }: Record<string, string>) => [field, message])
  expect(fields).toEqual([
    ['rules.0.when.clas', 'is not a known key (did you mean class?)'],
    ['rules.0.to.main', expect.stringContaining('must be more than 0')],
  ])
  const many = Array.from({ length: 501 }, (_, i) => ({ when: { project: `P${i}` }, to: 'main' }))
  const tooMany = await operator.ask('PUT', MINE, { json: { rules: many } })
  expectEnvelope(tooMany, 422, 'VALIDATION_ERROR', { rules: 'too_big' })
  expect((await operator.ask('PUT', MINE, { json: { rules: many.slice(1) } })).status).toBe(200)
  const { version } = (await operator.ask('PUT', MINE, { json: { rules: [] } })).body
  expect(version).toBe(before.version + 2)
})

it('say which projects may name a transport, which a change of the rules alone leaves as it is', async () => {
  const shown = async () => (await world.ask('GET', `/projects/${PROJECT}`)).body.mayName
  const sent = async (transport: string) => {
    const json = { to: 'a@example.org', from: 'news@example.com', subject: 'Hi', body: '<p>Hi</p>', transport }
    return (await world.ask('POST', '/v1/send', { json })).status
  }
  expect([await shown(), await sent('bulk')]).toEqual([[], 422])
  const mayName = { bulk: [PROJECT], spare: true }
  const set = await operator.ask('PUT', MINE, { json: { rules: [], mayName } })
  expect(set.body).toMatchObject({ mayName, givenMayName: {}, problems: [] })
  expect(await shown()).toEqual(['bulk', 'spare'])
  expect([await sent('bulk'), await sent('spare'), await sent('main')]).toEqual([200, 200, 422])
  expect((await byKey('PUT', KEYED, { json: { rules: [] } })).body.mayName).toEqual(mayName)

  const id = '019a2f6e-7c1b-7d20-9a53-0c5f7be8a410'
  const wrong = { main: [PROJECT, id], blk: true, spare: false }
  const refused = await operator.ask('PUT', MINE, { json: { rules: [], mayName: wrong } })
  expectEnvelope(refused, 422, 'VALIDATION_ERROR', { 'mayName.spare': 'invalid_type' })
  const { spare: _, ...others } = wrong
  const unknown = await operator.ask('PUT', MINE, { json: { rules: [], mayName: others } })
  expectEnvelope(unknown, 422, 'VALIDATION_ERROR', { 'mayName.main.1': 'custom', 'mayName.blk': 'custom' })
  expect(await shown()).toEqual(['bulk', 'spare'])
  expect((await operator.ask('PUT', MINE, { json: { rules: [], mayName: {} } })).body.mayName).toEqual({})
  expect([await shown(), await sent('bulk')]).toEqual([[], 422])
})

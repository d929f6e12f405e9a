import { describe, expect, it } from 'vitest'
import { asProjectId, type ChangeWorkflowInput } from '../../config/library.ts'
import type { Contact } from '../../core/ports/store/contacts.ts'
import type { Execution, ExecutionStatus } from '../../core/ports/store/executions.ts'
import type { WorkflowGraph, WorkflowStep } from '../../core/ports/store/workflows.ts'
import type { JsonObject } from '../../core/values/json.ts'
import { readSent, STEP_TYPES, STEPS, type StepType, stepOrError } from '../../core/workflows/steps/registry.ts'
import { freshSqlite } from '../support/fresh-sqlite.ts'
import { until } from '../support/until.ts'
import { type DrawnStep, drawn, engineOnStore, type World } from '../support/workflow.ts'

/** Configs that are stored otherwise than they are sent, or with every field. */
const SENT: Readonly<Record<StepType, readonly JsonObject[]>> = {
  TRIGGER: [{}],
  SEND_EMAIL: [
    { subject: 'S', body: 'B', from: 'Ada <ada@example.com>', replyTo: '"Doe, John" <j@example.com>' },
    { templateId: 'T', from: 'ada@EXAMPLE.com', recipient: { type: 'CUSTOM', customEmail: '{{ owner }}' } },
    { from: { email: 'ada@example.com', name: null }, fromName: 'Ada', recipient: { customEmail: null } },
    { templateId: 'T', unlessMailedWithin: 24, mostPerHour: 5, headers: { 'X-Team': 'help', List: '' } },
  ],
  DELAY: [{ amount: 1.5, unit: 'hours' }],
  WAIT_FOR_EVENT: [
    { eventName: 'go', timeout: 3 },
    { eventName: 'go', timeout: null },
  ],
  WAIT_UNTIL: [
    { at: '09:00', weekdays: ['MONDAY'], timezone: 'Europe/Berlin', timezoneField: 'data.zone', field: null },
    { field: 'data.born', yearly: true, offset: { amount: 1, unit: 'weeks', direction: 'before' } },
  ],
  CONDITION: [
    { field: 'contact.subscribed', operator: 'equals', value: true },
    { filter: { field: 'event.plan', operator: 'in', value: ['a', 1] } },
    { condition: { operator: 'OR', conditions: [{ field: 'context.a', operator: 'exists', other: 1 }] } },
    {
      logic: 'OR',
      groups: [
        { filters: [{ field: 'plan', operator: 'equals', value: 'a' }] },
        {
          filters: [{ field: 'event.paid', operator: 'triggeredWithin', value: 3, unit: 'days', count: 2 }],
          conditions: { logic: 'AND', groups: [{ filters: [{ field: 'email', operator: 'contains', value: 'x' }] }] },
        },
      ],
    },
  ],
  SWITCH: [{ field: 'event.plan', cases: [{ branch: ' Gold ', values: ['gold', 1, true] }] }],
  SPLIT: [{ branches: [33.33, 66.67, 0].map((percent, i) => ({ branch: `${i}`, percent })) }],
  WEBHOOK: [
    { url: 'https://{{ host }}/', method: 'PUT', headers: { 'x-a': '{{ a }}' }, timeoutSeconds: 2.5, body: '{"a":1}' },
    { url: 'https://example.com', body: { a: [null, '{{ a }}'] }, onFailure: 'continue', headers: null },
    { url: 'https://example.com', body: null },
  ],
  UPDATE_CONTACT: [
    { data: { a: '{{ b }}', gone: null, once: { value: 1, persistent: false } }, subscribed: false },
    {},
  ],
  EXIT: [{ reason: 'done' }, { reason: null }],
}

const ANY_STEP: WorkflowStep = {
  ...{ id: 's', projectId: asProjectId('01900000-0000-7000-8000-000000000000')!, workflowId: 'w', type: 'EXIT' },
  ...{ name: 'S', position: { x: 0, y: 0 }, config: {}, createdAt: new Date('2025-06-01') },
}
const EXIT: DrawnStep = { type: 'EXIT' }
const WITHIN = 20_000

async function put({ store, project }: World, steps: readonly DrawnStep[]): Promise<WorkflowGraph> {
  const graph = drawn(project, steps)
  await store.workflows.insert(graph)
  return graph
}

async function begin({ engine, project }: World, { workflow }: WorkflowGraph, email: string): Promise<void> {
  const { contact } = await engine.contacts.upsert(project, { email })
  await engine.workflows.executions.start(project, workflow.id, { contactId: contact.id })
}

function count({ store, project }: World, { workflow }: WorkflowGraph, status: ExecutionStatus): Promise<number> {
  return store.executions.count(project.id, workflow.id, { status })
}

describe('a config', () => {
  it.each(STEP_TYPES)('of a %s is stored in a form that is read again as the same', (type) => {
    for (const sent of SENT[type]) {
      const read = readSent(type, sent)
      const stored = JSON.parse(JSON.stringify(read.config))
      expect(stepOrError({ ...ANY_STEP, type, config: stored })).toEqual({ type, config: stored })
    }
  })

  // a form that lacks a field would take it away from the step, unseen
  it.each(STEP_TYPES)('of a %s comes out of the form of the dashboard as it went in', async (type) => {
    const { valuesOf, configOf, filterOf } = await fromDashboard('workflows/step-values.ts')
    const { en } = await fromDashboard('texts/en/all.ts')
    const given = (config: JsonObject) => Object.entries(config).filter(([, value]) => value !== null)
    for (const sent of SENT[type]) {
      const stored: JsonObject = JSON.parse(JSON.stringify(readSent(type, sent).config))
      const saved = configOf(valuesOf({ ...ANY_STEP, type, config: stored }), en)
      // a condition alone becomes a filter of one condition, and a method that is left out is said
      const same = type === 'CONDITION' ? filterOf(stored) : type === 'WEBHOOK' ? { method: 'POST', ...stored } : stored
      expect(Object.fromEntries(given(saved))).toEqual(Object.fromEntries(given(same)))
    }
  })
})

describe('a condition in the dashboard', () => {
  it.each([
    ['event.plan', 'equals', 'pro', 'value', 'plan of the event is pro'],
    ['event.plan', 'triggered', undefined, 'nothing', 'Event “plan” at any time'],
    ['event.items.count', 'greaterThan', 2, 'value', 'items.count of the event is more than 2'],
    ['context.order', 'exists', undefined, 'nothing', 'order of the run has any value'],
  ])('tells values of the event from events: %s %s', async (field, operator, value, takes, words) => {
    const { inWords, operatorsOf, takenBy } = await fromDashboard('parts/filter/language.ts')
    const { en } = await fromDashboard('texts/en/all.ts')
    const none = new Map()
    expect(operatorsOf(field, none, operator)).toContain(operator)
    expect(takenBy(field, operator, none)).toBe(takes)
    const filter = { operator: 'AND', conditions: [{ field, operator, value }] }
    expect(inWords(filter, en, none, none, { plain: String })).toBe(words)
  })
})

describe('what a step said for a contact', () => {
  it.each([
    ['CONDITION', {}, { branch: 'yes' }, 'Takes the branch “If yes”. Goes on at Next.'],
    ['CONDITION', {}, { branch: 'no' }, 'Takes the branch “If no”. Nothing follows.'],
    ['SPLIT', { branches: [{ branch: 'B' }] }, { branch: 'B' }, 'Takes the branch “B”. Nothing follows.'],
    ['WAIT_UNTIL', { at: '09:00' }, { branch: 'reached', until: 'TIME' }, 'Waits until TIME. Goes on at Next.'],
    [
      'WAIT_UNTIL',
      { field: 'data.born' },
      { branch: 'missing', output: { reason: 'no-date' } },
      'The contact’s value is not a date, so it does not wait. Takes the branch “Without a date”. Goes on at Next.',
    ],
    ['SEND_EMAIL', {}, { output: { to: 'ada@example.org' } }, 'Would send to ada@example.org:'],
    ['SEND_EMAIL', {}, {}, 'Would send to the address set in the step:'],
    [
      'SEND_EMAIL',
      { unlessMailedWithin: 1 },
      { skipped: true, output: { reason: 'mailed-recently' } },
      'No mail: the contact was mailed in the last hour.',
    ],
  ])('is put into words: %s %j %j', async (type, config, said, words) => {
    const { triedWords } = await fromDashboard('workflows/tried.ts')
    const { en } = await fromDashboard('texts/en/all.ts')
    const steps = [
      { id: 's', type, name: 'S', config },
      { id: 'n', type: 'EXIT', name: 'Next', config: {} },
    ]
    const way = { fromStepId: 's', toStepId: 'n', ...(type === 'CONDITION' ? { branch: 'yes' } : {}) }
    const workflow = { steps, transitions: type === 'SPLIT' ? [] : [way], triggerConfig: {} }
    const tried = { branch: null, until: null, skipped: false, output: {}, ...said }
    expect(triedWords(tried, steps[0], workflow, en, (moment: string) => moment).join(' ')).toBe(words)
  })
})

/** A module of the dashboard, which is compiled for browsers: with types of its own. */
function fromDashboard(path: string) {
  return import(new URL(`../../server/dashboard/${path}`, import.meta.url).href)
}

describe('the steps of one batch', () => {
  it('see what those before them wrote: the contact they change, the one they mail', async () => {
    const world = await engineOnStore(freshSqlite({}))
    const change = (key: string) => put(world, [{ type: 'UPDATE_CONTACT', config: { data: { [key]: true } } }, EXIT])
    const mail = { subject: 'S', body: 'B', from: 'hello@example.com' }
    const config = { ...mail, recipient: { type: 'CUSTOM', customEmail: 'boss@example.org' } }
    const [first, second, boss] = [
      await change('a'),
      await change('b'),
      await put(world, [{ type: 'SEND_EMAIL', config }]),
    ]
    // nothing runs before the start, so that all of it is claimed at once
    for (const graph of [first, second, boss]) await begin(world, graph, 'ada@example.org')
    await begin(world, boss, 'eve@example.org')
    await world.engine.start()
    await until('both have mailed', async () => (await count(world, boss, 'COMPLETED')) === 2, WITHIN)
    await until('the last has ended', async () => (await count(world, second, 'EXITED')) === 1, WITHIN)
    const { items } = await world.engine.contacts.list(world.project, {})
    expect(items.map(({ email, data }) => ({ email, data })).toSorted((a, b) => (a.email < b.email ? -1 : 1))).toEqual([
      { email: 'ada@example.org', data: { a: true, b: true } },
      { email: 'boss@example.org', data: {} },
      { email: 'eve@example.org', data: {} },
    ])
    const runs = await world.store.stepRuns.counts(world.project.id, boss.workflow.id)
    expect(runs.map(({ status }) => status)).toEqual(['COMPLETED', 'COMPLETED'])
    expect((await world.engine.mails.list(world.project, {})).items.map(({ to }) => to)).toEqual(
      Array(2).fill('boss@example.org'),
    )
  })
})

describe('a mail that answers received mail', () => {
  it('goes to one person three times an hour, or as often as its step says, and is marked as automatic', async () => {
    const world = await engineOnStore(freshSqlite({}))
    const mail = { subject: 'S', body: 'B', from: 'hello@example.com', headers: { 'X-Team': 'help' } }
    const answering = async (config: JsonObject) => {
      const started = { eventName: 'email.received', allowReentry: true }
      const graph = drawn(world.project, [{ type: 'SEND_EMAIL', config: { ...mail, ...config } }], started)
      await world.store.workflows.insert(graph)
      return graph
    }
    await world.engine.start()
    for (const [config, most, email] of [
      [{}, 3, 'ada@example.org'],
      [{ mostPerHour: 1 }, 1, 'eve@example.org'],
      [{ mostPerHour: 1000 }, 5, 'bob@example.org'],
    ] as const) {
      const graph = await answering(config)
      for (let i = 1; i <= 5; i++) {
        await begin(world, graph, email)
        await until('it has ended', async () => (await count(world, graph, 'COMPLETED')) === i, WITHIN)
      }
      const runs = await world.store.stepRuns.counts(world.project.id, graph.workflow.id)
      const sent = runs.filter(({ stepId }) => stepId === graph.steps.at(-1)?.id)
      expect(Object.fromEntries(sent.map((each) => [each.status, each.count]))).toEqual({
        COMPLETED: most,
        ...(most === 5 ? {} : { SKIPPED: 5 - most }),
      })
    }
    const { items } = await world.engine.mails.list(world.project, {})
    expect(items).toHaveLength(9)
    const [content] = await world.store.emails.contents([items[0]!.contentId])
    expect(content?.headers).toEqual([
      ['X-Team', 'help'],
      ['Auto-Submitted', 'auto-generated'],
    ])
  })
})

describe('a condition', () => {
  it('asks for segments, nested ones too, and campaigns, inside the transaction that holds the store', async () => {
    const world = await engineOnStore(freshSqlite({}))
    const { segments, contacts } = world.engine
    const list = await segments.create(world.project, { name: 'List', type: 'STATIC' })
    const inList = { field: `segment.${list.id}`, operator: 'memberOfSegment' } as const
    const draft = { name: 'C', subject: 'S', body: 'B', from: 'a@example.com', audienceType: 'ALL' } as const
    const { id } = (await world.engine.campaigns.create(world.project, draft)).campaign
    const conditions = [
      inList,
      { field: 'email', operator: 'contains', value: '@' },
      { field: `campaign.${id}`, operator: 'notReceived' },
    ] as const
    const filters = { operator: 'AND', conditions } as const
    const nested = await segments.create(world.project, { name: 'Nested', filters })
    const config = { field: `segment.${nested.id}`, operator: 'memberOfSegment' }
    const graph = await put(world, [{ type: 'CONDITION', config, to: { yes: 1 } }, EXIT])
    for (const email of ['ada@example.org', 'eve@example.org']) await contacts.upsert(world.project, { email })
    await segments.addMembers(world.project, list.id, { emails: ['ada@example.org'] })
    for (const email of ['ada@example.org', 'eve@example.org']) await begin(world, graph, email)
    await world.engine.start()
    await until('one took each branch', async () => (await count(world, graph, 'COMPLETED')) === 1, WITHIN)
    expect(await count(world, graph, 'EXITED')).toBe(1)
  })
})

describe('a condition that was stored before empty values were refused', () => {
  it('is read and shown, and met by no one', async () => {
    const world = await engineOnStore(freshSqlite({}))
    const config = { field: 'data.plan', operator: 'equals', value: '' }
    const graph = await put(world, [{ type: 'CONDITION', config, to: { no: 1 } }, EXIT])
    const { steps } = await world.engine.workflows.get(world.project, graph.workflow.id)
    expect(steps.find(({ type }) => type === 'CONDITION')).toMatchObject({ config })
    await world.engine.contacts.upsert(world.project, { email: 'ada@example.org', data: { plan: 'pro' } })
    await begin(world, graph, 'ada@example.org')
    await world.engine.start()
    await until('it took the branch', async () => (await count(world, graph, 'EXITED')) === 1, WITHIN)
  })
})

describe('a trigger that was stored before it was refused', () => {
  it('stays until a request gives another one', async () => {
    const { engine, store, project } = await engineOnStore(freshSqlite({}))
    const { workflow, ...graph } = drawn(project, [EXIT], { eventName: 'contact.unsubscribed' })
    const eventTrigger = { formId: '01900000-0000-7000-8000-000000000000' }
    await store.workflows.insert({ workflow: { ...workflow, eventTrigger }, ...graph })
    const change = (input: ChangeWorkflowInput) => engine.workflows.change(project, workflow.id, input)
    expect((await change({ enabled: false })).workflow).toMatchObject({ enabled: false, eventTrigger })
    const triggerConfig = { eventName: 'contact.unsubscribed', ...eventTrigger }
    await expect(change({ triggerConfig })).rejects.toMatchObject({ fields: [{ field: 'triggerConfig.formId' }] })
    expect((await change({ eventName: 'paid' })).workflow).not.toHaveProperty('eventTrigger')
  })
})

describe('a date to wait for', () => {
  /** The step's result for a contact with this data at that time. */
  const said = (config: JsonObject, data: JsonObject, now: string, event: JsonObject = {}) => {
    const at = new Date('2025-06-01T10:00:00Z')
    const contact = { data, createdAt: at, updatedAt: at } as unknown as Contact
    const execution = { event, context: {} } as unknown as Execution
    const { run } = STEPS.WAIT_UNTIL
    const read = readSent('WAIT_UNTIL', config).config
    const context = { config: read, contact, execution, now: new Date(now), waited: false }
    const result = run!(context as Parameters<NonNullable<typeof run>>[0])
    if (result.outcome === 'exit') return undefined
    const { branch, reason, until, ...zone } = result.output ?? {}
    if (result.outcome === 'wait') expect(until).toBe(result.dueAt?.toISOString())
    return [result.outcome === 'wait' ? until : `${branch}: ${reason}`, ...Object.values(zone)].join(' ')
  }
  const [berlin, york] = [{ timezone: 'Europe/Berlin' }, { timezone: 'America/New_York' }]
  const earlier = (amount: number, unit: string) => ({ offset: { amount, unit, direction: 'before' } })
  const later = (amount: number, unit: string) => ({ offset: { amount, unit, direction: 'after' } })
  const [field, now] = ['data.on', '2026-01-01T00:00:00Z']

  it.each([
    // days are those of the contact, moments the same everywhere; over the changes of clocks and in them
    [{ field }, { on: '2026-03-29', ...berlin }, now, '2026-03-28T23:00:00.000Z Europe/Berlin'],
    [{ field, at: '09:00' }, { on: '2026-03-29', ...york }, now, '2026-03-29T13:00:00.000Z America/New_York'],
    [{ field, at: '02:30' }, { on: '2026-03-29', ...berlin }, now, '2026-03-29T01:30:00.000Z Europe/Berlin'],
    [{ field, at: '01:30' }, { on: '2026-11-01', ...york }, now, '2026-11-01T05:30:00.000Z America/New_York'],
    [{ field }, { on: '2026-10-25T01:30:00Z', ...berlin }, now, '2026-10-25T01:30:00.000Z Europe/Berlin'],
    [{ field }, { on: 1772323200, ...york }, now, '2026-03-01T00:00:00.000Z America/New_York'],
    [{ field, at: '08:00' }, { on: 1772323200, ...york }, now, '2026-02-28T13:00:00.000Z America/New_York'],
    [
      { field, ...earlier(1, 'days') },
      { on: '2026-03-29T18:00:00Z', ...berlin },
      now,
      '2026-03-28T19:00:00.000Z Europe/Berlin',
    ],
    [
      { field, ...earlier(24, 'hours') },
      { on: '2026-03-29T18:00:00Z', ...berlin },
      now,
      '2026-03-28T18:00:00.000Z Europe/Berlin',
    ],
    [
      { field, ...later(1, 'weeks'), at: '09:00' },
      { on: '2026-03-05', ...york },
      now,
      '2026-03-12T13:00:00.000Z America/New_York',
    ],
    [
      { field, ...earlier(90, 'minutes'), at: '09:00' },
      { on: '2026-07-01', ...berlin },
      now,
      '2026-07-01T05:30:00.000Z Europe/Berlin',
    ],
    [{ field: 'createdAt', ...later(300, 'days') }, {}, now, '2026-03-28T10:00:00.000Z UTC'],
    [{ field: 'event.on' }, {}, now, '2026-02-01T00:00:00.000Z UTC'],
    // what comes back each year
    [
      { field, yearly: true, at: '09:00' },
      { on: '1990-07-04', ...berlin },
      '2026-07-04T06:59:00Z',
      '2026-07-04T07:00:00.000Z Europe/Berlin',
    ],
    [
      { field, yearly: true, at: '09:00' },
      { on: '1990-07-04', ...berlin },
      '2026-07-04T07:01:00Z',
      '2027-07-04T07:00:00.000Z Europe/Berlin',
    ],
    [
      { field, yearly: true, ...earlier(1, 'weeks') },
      { on: '1990-01-02' },
      '2026-12-20T00:00:00Z',
      '2026-12-26T00:00:00.000Z UTC',
    ],
    [{ field, yearly: true }, { on: '2000-02-29' }, now, '2026-02-28T00:00:00.000Z UTC'],
    [{ field, yearly: true }, { on: '2000-02-29' }, '2028-01-01T00:00:00Z', '2028-02-29T00:00:00.000Z UTC'],
    // no date, one that is over, one that is too far
    [{ field }, {}, now, 'missing: missing UTC'],
    [{ field }, { on: null }, now, 'missing: missing UTC'],
    [{ field }, { on: 'soon' }, now, 'missing: no-date UTC'],
    [{ field }, { on: '0900-01-01' }, now, 'missing: no-date UTC'],
    [{ field }, { on: '2025-12-31' }, now, 'reached: past UTC'],
    [{ field }, { on: '2031-01-01' }, now, '2031-01-01T00:00:00.000Z UTC'],
    [{ field }, { on: '2031-01-02' }, now, 'missing: too-far UTC'],
    // the next of some weekdays: the first is a Thursday
    [{ at: '09:00' }, berlin, '2026-03-28T08:00:01Z', '2026-03-29T07:00:00.000Z Europe/Berlin'],
    [{ at: '09:00' }, york, '2026-11-01T13:59:00Z', '2026-11-01T14:00:00.000Z America/New_York'],
    [{ at: '02:30', weekdays: ['SUNDAY'] }, york, '2026-03-07T12:00:00Z', '2026-03-08T07:30:00.000Z America/New_York'],
    [{ at: '09:00', weekdays: ['MONDAY', 'FRIDAY'] }, {}, now, '2026-01-02T09:00:00.000Z UTC'],
    [{ at: '09:00', weekdays: ['THURSDAY'] }, {}, '2026-01-01T09:00:01Z', '2026-01-08T09:00:00.000Z UTC'],
    [{ at: '09:00', weekdays: ['THURSDAY'] }, {}, '2026-01-01T09:00:00Z', 'reached: past UTC'],
    // whose zone counts
    [{ at: '09:00', ...york }, berlin, now, '2026-01-01T08:00:00.000Z Europe/Berlin'],
    [{ at: '09:00', ...york }, {}, now, '2026-01-01T14:00:00.000Z America/New_York'],
    [{ at: '09:00', ...york }, { timezone: 'Mars' }, now, '2026-01-01T14:00:00.000Z America/New_York true'],
    [
      { at: '09:00', timezoneField: 'data.home.zone' },
      { home: { zone: 'Asia/Tokyo' } },
      now,
      'reached: past Asia/Tokyo',
    ],
  ] as const)('%j for %j at %s is %s', (config, data, at, expected) => {
    expect(said(config as JsonObject, data as JsonObject, at, { on: '2026-02-01' })).toBe(expected)
  })

  it('comes when the clock says so, and the branches are taken', async () => {
    let time = new Date('2026-03-28T12:00:00Z')
    const world = await engineOnStore(freshSqlite({}), { clock: { now: () => time } })
    const config = { field: 'data.on', at: '02:30' }
    const graph = await put(world, [
      { type: 'WAIT_UNTIL', config, to: { reached: 1, missing: 2 } },
      { type: 'EXIT', config: { reason: 'reached' } },
      { type: 'EXIT', config: { reason: 'missing' } },
    ])
    await world.engine.contacts.upsert(world.project, { email: 'a@example.org', data: { on: '2026-03-29', ...berlin } })
    for (const email of ['a@example.org', 'b@example.org']) await begin(world, graph, email)
    await world.engine.start()
    await until('one waits', async () => (await count(world, graph, 'WAITING')) === 1, WITHIN)
    await until('one has none', async () => (await count(world, graph, 'EXITED')) === 1, WITHIN)
    time = new Date('2026-03-29T01:29:59Z')
    await begin(world, graph, 'c@example.org')
    await until('another came by', async () => (await count(world, graph, 'EXITED')) === 2, WITHIN)
    expect(await count(world, graph, 'WAITING')).toBe(1)
    time = new Date('2026-03-29T01:30:00Z')
    await begin(world, graph, 'd@example.org')
    await until('it went on', async () => (await count(world, graph, 'EXITED')) === 4, WITHIN)
    const { items } = await world.engine.workflows.executions.list(world.project, graph.workflow.id, {})
    expect(items.map(({ execution }) => execution.exitReason)).toEqual(['missing', 'missing', 'missing', 'reached'])
    expect(items[3]?.steps[1]?.output).toEqual({ branch: 'reached', until: '2026-03-29T01:30:00.000Z' })
  })
})

describe('a split', () => {
  it('sends its percentages down each branch, evenly for each step alone', async () => {
    const world = await engineOnStore(freshSqlite({}))
    const percents = [50, 33.33, 16.67, 0]
    const branches = percents.map((percent) => ({ branch: `${percent}`, percent }))
    const to = { '50': 1, '33.33': 2, '16.67': 3 }
    const graph = await put(world, [
      { type: 'SPLIT', config: { branches }, to },
      ...Object.keys(to).map((): DrawnStep => ({ type: 'SPLIT', config: { branches }, to: {} })),
    ])
    const emails = Array.from({ length: 600 }, (_, i) => `c${i}@example.org`)
    for (const email of emails) await begin(world, graph, email)
    await world.engine.start()
    await until('all are through', async () => (await count(world, graph, 'COMPLETED')) === emails.length, 60_000)
    const { items } = await world.engine.workflows.executions.list(world.project, graph.workflow.id, { limit: 100 })
    const runs = await world.store.stepRuns.counts(world.project.id, graph.workflow.id)
    const share = (stepId: string) => ((runs.find((run) => run.stepId === stepId)?.count ?? 0) / emails.length) * 100
    // four standard deviations of 600 draws
    for (const [i, percent] of percents.slice(0, 3).entries()) {
      expect(Math.abs(share(graph.steps[i + 2]!.id) - percent)).toBeLessThan(8.2)
    }
    // contacts who took the first branch of one split are spread over the next again
    const ways = items.map(({ steps }) => steps.map(({ output }) => output?.branch).slice(1))
    expect(new Set(ways.filter(([first]) => first === '50').map(([, second]) => second)).size).toBe(3)
  }, 120_000)
})

describe('a config that cannot be read', () => {
  it('fails its step, and keeps nothing from being deleted', async () => {
    const world = await engineOnStore(freshSqlite({}))
    const { engine, project } = world
    const template = await engine.templates.create(project, {
      type: 'TRANSACTIONAL',
      name: 'T',
      subject: 'S',
      body: 'B',
      from: 'a@example.com',
    })
    const graph = await put(world, [{ type: 'CONDITION', config: { field: 'data.a', operator: 'is' } }, EXIT])
    await begin(world, graph, 'ada@example.org')
    await world.engine.start()
    const error = 'The config of this CONDITION step cannot be read.'
    await until(
      'it has failed',
      async () => {
        const { items } = await engine.workflows.executions.list(project, graph.workflow.id, {})
        return items[0]?.steps.some((run) => run.error === error)
      },
      WITHIN,
    )
    await engine.templates.remove(project, template.id)
  })
})

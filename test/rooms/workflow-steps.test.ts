import { describe, expect, it } from 'vitest'
import { asProjectId } from '../../config/library.ts'
import type { ExecutionStatus } from '../../core/ports/store/executions.ts'
import type { WorkflowGraph, WorkflowStep } from '../../core/ports/store/workflows.ts'
import type { JsonObject } from '../../core/values/json.ts'
import { readSent, STEP_TYPES, type StepType, stepOrError } from '../../core/workflows/steps/registry.ts'
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
  ],
  DELAY: [{ amount: 1.5, unit: 'hours' }],
  WAIT_FOR_EVENT: [
    { eventName: 'go', timeout: 3 },
    { eventName: 'go', timeout: null },
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
  await engine.executions.start(project, workflow.id, { contactId: contact.id })
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
})

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

describe('a condition', () => {
  it('asks for segments, nested ones too, and campaigns, inside the transaction that holds the store', async () => {
    const world = await engineOnStore(freshSqlite({}))
    const { segments, contacts } = world.engine
    const list = await segments.create(world.project, { name: 'List', type: 'STATIC' })
    const inList = { field: `segment.${list.id}`, operator: 'memberOfSegment' }
    const draft = { name: 'C', subject: 'S', body: 'B', from: 'a@example.com', audienceType: 'ALL' } as const
    const { id } = (await world.engine.campaigns.create(world.project, draft)).campaign
    const conditions = [
      ...[inList, { field: 'email', operator: 'contains', value: '@' }],
      { field: `campaign.${id}`, operator: 'notReceived' },
    ]
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
    const emails = Array.from({ length: 1500 }, (_, i) => `c${i}@example.org`)
    for (const email of emails) await begin(world, graph, email)
    await world.engine.start()
    await until('all are through', async () => (await count(world, graph, 'COMPLETED')) === emails.length, 60_000)
    const { items } = await world.engine.executions.list(world.project, graph.workflow.id, { limit: 100 })
    const runs = await world.store.stepRuns.counts(world.project.id, graph.workflow.id)
    const share = (stepId: string) => ((runs.find((run) => run.stepId === stepId)?.count ?? 0) / emails.length) * 100
    // four standard deviations of 1,500 draws
    for (const [i, percent] of percents.slice(0, 3).entries()) {
      expect(Math.abs(share(graph.steps[i + 2]!.id) - percent)).toBeLessThan(5.2)
    }
    // whoever took the first branch of one split is spread over the next again
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
        const { items } = await engine.executions.list(project, graph.workflow.id, {})
        return items[0]?.steps.some((run) => run.error === error)
      },
      WITHIN,
    )
    await engine.templates.remove(project, template.id)
  })
})

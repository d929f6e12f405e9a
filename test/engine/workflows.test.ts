import { beforeAll, describe, expect, it } from 'vitest'
import type { Execution } from '../../core/ports/store/executions.ts'
import type { WorkflowGraph } from '../../core/ports/store/workflows.ts'
import { idSource } from '../../core/values/id.ts'
import type { JsonObject } from '../../core/values/json.ts'
import { isSwapped, STRICT } from '../support/matrix.ts'
import { until } from '../support/until.ts'
import { type DrawnStep, type DrawnWorkflow, drawn, sharedEngine, type World } from '../support/workflow.ts'

const WITHIN = 20_000
const EXIT: DrawnStep = { type: 'EXIT', config: { reason: 'done' } }
const SENDER = { subject: 'Hi {{ name }}', body: '<p>{{ event.plan }} {{ source }}</p>', from: 'hello@example.com' }

async function put(
  { store, project }: World,
  steps: readonly DrawnStep[],
  workflow: DrawnWorkflow = { eventName: 'begin' },
): Promise<WorkflowGraph> {
  const graph = drawn(project, steps, workflow)
  await store.workflows.insert(graph)
  return graph
}

function executions({ engine, project }: World, graph: WorkflowGraph, limit = 100): Promise<readonly Execution[]> {
  return engine.workflows.executions
    .list(project, graph.workflow.id, { limit })
    .then((page) => page.items.map(({ execution }) => execution))
}

/** The only execution of the workflow, when it has come to this status. */
function cameTo(world: World, graph: WorkflowGraph, status: Execution['status']): Promise<Execution> {
  return until(
    `the execution is ${status}`,
    async () => {
      const found = await executions(world, graph)
      expect(found.length).toBeLessThan(2)
      return found.find((each) => each.status === status)
    },
    WITHIN,
  )
}

function track({ engine, project }: World, event: string, data = {}, email = 'ada@example.org') {
  return engine.events.track(project, { email, event, data })
}

async function stepsOf({ engine, project }: World, execution: Execution) {
  return (await engine.workflows.executions.get(project, execution.workflowId, execution.id)).steps
}

describe.each([STRICT])('workflows on $name', ({ store }) => {
  let started: () => World
  beforeAll(async () => {
    started = await sharedEngine(store())
  })

  it('run from an event to their end: condition, change of the contact, mail, exit', async () => {
    const world = started()
    const graph = await put(world, [
      {
        type: 'CONDITION',
        config: {
          operator: 'AND',
          conditions: [
            { field: 'event.plan', operator: 'equals', value: 'pro' },
            { field: 'contact.subscribed', operator: 'equals', value: true },
            { field: 'event.begin', operator: 'triggered' },
          ],
        },
        to: { yes: 1, no: 4 },
      },
      {
        type: 'UPDATE_CONTACT',
        config: { data: { plan: '{{ event.plan }}', seats: '{{event.seats}}', note: 'is {{ event.plan }}' } },
      },
      { type: 'SEND_EMAIL', config: SENDER },
      EXIT,
      { type: 'EXIT', config: { reason: 'other' } },
    ])
    await track(world, 'begin', { plan: 'pro', seats: 5, name: { value: 'Ada', persistent: false } })
    const execution = await cameTo(world, graph, 'EXITED')
    expect(execution).toMatchObject({ exitReason: 'done', event: { plan: 'pro', seats: 5 } })
    const contact = await world.engine.contacts.get(world.project, execution.contactId)
    expect(contact.data).toEqual({ plan: 'pro', seats: 5, note: 'is pro' })
    const steps = await stepsOf(world, execution)
    expect(steps.map(({ status }) => status)).toEqual(Array(5).fill('COMPLETED'))
    expect(steps[1]?.output).toEqual({ branch: 'yes' })
    const emailId = String(steps[3]?.output?.emailId)
    const mail = await until(
      'it is sent',
      async () => {
        const found = await world.engine.mails.get(world.project, emailId)
        return found.email.status === 'SENT' || found.email.status === 'DELIVERED' ? found : undefined
      },
      WITHIN,
    )
    expect(mail).toMatchObject({ email: { sourceType: 'WORKFLOW', to: 'ada@example.org' }, html: '<p>pro </p>' })
  })

  if (!isSwapped)
    it('take the other branch, and end where a branch leads nowhere', async () => {
      const world = started()
      const config = { field: 'data.plan', operator: 'equals', value: 'pro' }
      const no = await put(world, [{ type: 'CONDITION', config, to: { no: 1 } }, EXIT])
      const nowhere = await put(world, [{ type: 'CONDITION', config, to: { yes: 1 } }, EXIT])
      await track(world, 'begin')
      expect((await cameTo(world, no, 'EXITED')).exitReason).toBe('done')
      await cameTo(world, nowhere, 'COMPLETED')
    })

  it('switch on a value as filters compare it, and split contacts the same way each time', async () => {
    const world = started()
    const half = (branch: string) => ({ branch, percent: 50 })
    const graph = await put(
      world,
      [
        {
          type: 'SWITCH',
          config: {
            field: 'event.plan',
            cases: [
              { branch: 'gold', values: ['gold', 'vip'] },
              { branch: 'numbered', values: ['7', true] },
            ],
          },
          to: { gold: 2, numbered: 2, else: 1 },
        },
        { type: 'EXIT', config: { reason: 'else' } },
        { type: 'SPLIT', config: { branches: [half('a'), half('b')] }, to: { a: 3 } },
        EXIT,
      ],
      { eventName: 'begin', allowReentry: true },
    )
    let tracked = 0
    const wayOf = async (plan: JsonObject[string]) => {
      await track(world, 'begin', { plan: { value: plan, persistent: false } })
      tracked++
      const ended = await until(
        'it has ended',
        async () => {
          const found = await executions(world, graph)
          return found.length === tracked && found.every(({ completedAt }) => completedAt) ? found[0] : undefined
        },
        WITHIN,
      )
      return (await stepsOf(world, ended)).flatMap(({ output }) => output?.branch ?? []).join(' ')
    }
    expect(await wayOf('Gold')).toBe('else')
    expect(await wayOf(['silver', 'vip'])).toMatch(/^gold [ab]$/)
    const ways = []
    for (const plan of [7, '7', true]) ways.push(await wayOf(plan))
    expect(ways).toEqual(Array(3).fill(expect.stringMatching(/^numbered [ab]$/)))
    expect(new Set(ways).size).toBe(1)
  })

  it('end at their goal on whatever step they are, by events of callers and of the service', async () => {
    const world = started()
    const { store, engine, project } = world
    const graph = await put(world, [{ type: 'DELAY', config: { amount: 1, unit: 'days' } }, EXIT], {
      eventName: 'begin',
      allowReentry: true,
    })
    const goal = (goalEvent: string) =>
      store.workflows.update({ ...graph.workflow, goalEvent, enabled: goalEvent === 'begin' })
    await goal('begin')
    await track(world, 'begin')
    const execution = await cameTo(world, graph, 'WAITING')
    await goal('paid')
    // an event of another contact counts for nothing, nor does another event
    await track(world, 'paid', {}, 'eve@example.org')
    await track(world, 'paid.not')
    await track(world, 'paid')
    expect(await cameTo(world, graph, 'EXITED')).toMatchObject({ exitReason: 'goal', goalAt: expect.any(Date) })
    expect((await stepsOf(world, execution)).map(({ status }) => status)).toEqual(['COMPLETED', 'CANCELLED'])
    await goal('begin')
    const { executions: executionsOf } = engine.workflows
    await executionsOf.start(project, graph.workflow.id, { contactId: execution.contactId })
    await goal('contact.unsubscribed')
    await engine.contacts.change(project, execution.contactId, { subscribed: false })
    const stats = await until(
      'both have ended',
      async () => {
        const found = await engine.workflows.stats(project, graph.workflow.id)
        return found.byStatus.EXITED === 2 ? found : undefined
      },
      WITHIN,
    )
    expect(stats.goalReached).toBe(2)
    const reached = { goalReached: true } as const
    expect((await executionsOf.list(project, graph.workflow.id, reached)).items).toHaveLength(2)
    expect(await engine.mails.list(project, {})).toMatchObject({ items: [] })
  })

  it('do not reach a goal from before they began, but one that is dispatched with their beginning', async () => {
    const world = started()
    const { engine, project, store } = world
    const graph = await put(world, [{ type: 'DELAY', config: { amount: 1, unit: 'days' } }, EXIT])
    await store.workflows.update({ ...graph.workflow, goalEvent: 'paid' })
    const now = Date.now()
    const newId = idSource(() => now)
    const event = async (email: string, name: string, ahead = 0) => {
      const { contact } = await engine.contacts.upsert(project, { email })
      const createdAt = new Date(now + ahead)
      return { id: newId(), projectId: project.id, name, contactId: contact.id, data: {}, createdAt }
    }
    const [before, begin] = [await event('ada@example.org', 'paid', -1), await event('ada@example.org', 'begin')]
    const [first, after] = [await event('bob@example.org', 'begin'), await event('bob@example.org', 'paid')]
    await store.transaction((tx) => tx.events.record([before, begin, first, after]))
    await track(world, 'other')
    const found = await until(
      'both were dispatched',
      async () => {
        const both = await executions(world, graph)
        return both.length === 2 && both.every(({ status }) => status !== 'RUNNING') ? both : undefined
      },
      WITHIN,
    )
    const statusOf = (contactId: string) => found.find((each) => each.contactId === contactId)?.status
    expect([statusOf(begin.contactId), statusOf(first.contactId)]).toEqual(['WAITING', 'EXITED'])
  })

  it('send mail into the conversation that its header names', async () => {
    const world = started()
    const { engine, project } = world
    const { inbox } = await engine.inboxes.create(project, { name: 'Help', address: 'help@example.com' })
    const first = { to: ['ada@example.org'], subject: 'Your visit', body: '<p>On Friday.</p>' }
    const draft = await engine.inboxes.drafts.create(project, inbox.id, first)
    const { threadId = '' } = await engine.inboxes.drafts.send(project, draft.id)
    const [asked] = (await engine.inboxes.threads.messages(project, threadId)).items
    const headers = { 'In-Reply-To': asked?.messageId ?? '' }
    await put(world, [{ type: 'SEND_EMAIL', config: { ...SENDER, headers } }, EXIT])
    await track(world, 'begin')
    const count = async () => (await engine.inboxes.threads.get(project, threadId)).thread.messageCount
    await until('the mail has joined', async () => (await count()) === 2, WITHIN)
  })

  it('leave out a mail to who was mailed lately, also by another workflow of the same batch', async () => {
    const world = started()
    const config = { ...SENDER, unlessMailedWithin: 1 }
    const graphs = [
      await put(world, [{ type: 'SEND_EMAIL', config }]),
      await put(world, [{ type: 'SEND_EMAIL', config }]),
    ]
    const transactional = { to: 'ada@example.org', from: 'hello@example.com', subject: 'S', body: 'B' }
    await world.engine.sending.send(world.project, transactional)
    await track(world, 'begin')
    const runs = []
    for (const graph of graphs) runs.push((await stepsOf(world, await cameTo(world, graph, 'COMPLETED')))[1])
    expect(runs.map((run) => run?.status).toSorted()).toEqual(['COMPLETED', 'SKIPPED'])
    expect(runs.find((run) => run?.status === 'SKIPPED')?.output).toEqual({
      ...{ reason: 'mailed-recently', to: 'ada@example.org' },
    })
  })

  it('wait for an event, take its data, and are started by what they do themselves', async () => {
    const world = started()
    const graph = await put(world, [
      { type: 'WAIT_FOR_EVENT', config: { eventName: 'paid', timeout: 3600 }, to: { event: 1, timeout: 3 } },
      { type: 'UPDATE_CONTACT', config: { data: { amount: '{{ event.amount }}' }, subscribed: false } },
      EXIT,
      { type: 'EXIT', config: { reason: 'timeout' } },
    ])
    const other = await put(world, [EXIT], { eventName: 'contact.unsubscribed' })
    await track(world, 'begin')
    await cameTo(world, graph, 'WAITING')
    await track(world, 'paid', { amount: 12 }, 'eve@example.org')
    await track(world, 'paid', { amount: 34 })
    const { exitReason, event, contactId } = await cameTo(world, graph, 'EXITED')
    expect({ exitReason, event }).toEqual({ exitReason: 'done', event: { amount: 34 } })
    expect(await world.engine.contacts.get(world.project, contactId)).toMatchObject({
      subscribed: false,
      data: { amount: 34 },
    })
    expect((await cameTo(world, other, 'EXITED')).event).toEqual({ subscribed: false, reason: 'workflow' })
  })

  if (!isSwapped)
    it('go on when a delay or a wait ends', async () => {
      const world = started()
      const graph = await put(world, [
        { type: 'DELAY', config: { amount: 1, unit: 'seconds' } },
        { type: 'WAIT_FOR_EVENT', config: { eventName: 'never', timeout: 1 }, to: { timeout: 2 } },
        { type: 'DELAY', config: { amount: 1, unit: 'seconds' } },
      ])
      await track(world, 'begin')
      const execution = await cameTo(world, graph, 'COMPLETED')
      const steps = await stepsOf(world, execution)
      expect(steps.map(({ status }) => status)).toEqual(Array(4).fill('COMPLETED'))
      for (const { startedAt, completedAt } of steps.slice(1)) {
        expect(completedAt!.getTime() - startedAt.getTime()).toBeGreaterThanOrEqual(1000)
      }
    })

  it.each([false, true])('of 50 events at once start one execution (re-entry: %s)', async (allowReentry) => {
    const world = started()
    const wait = { type: 'WAIT_FOR_EVENT', config: { eventName: 'go' } } as const
    const graph = await put(world, [wait, EXIT], { eventName: 'begin', allowReentry })
    await Promise.all(Array.from({ length: 50 }, () => track(world, 'begin')))
    await cameTo(world, graph, 'WAITING')
    await track(world, 'go')
    await cameTo(world, graph, 'EXITED')
    await until(
      'all are dispatched',
      async () => (await world.store.transaction((tx) => tx.outbox.pending(1))).length === 0,
    )
    await track(world, 'begin')
    if (!allowReentry) {
      await until(
        'it is dispatched',
        async () => (await world.store.transaction((tx) => tx.outbox.pending(1))).length === 0,
      )
      expect(await executions(world, graph)).toHaveLength(1)
    } else await until('it runs again', async () => (await executions(world, graph)).length === 2, WITHIN)
  })

  if (!isSwapped)
    it('start nothing new when they are disabled, but go on', async () => {
      const world = started()
      const graph = await put(world, [{ type: 'WAIT_FOR_EVENT', config: { eventName: 'go' } }, EXIT])
      await track(world, 'begin')
      await cameTo(world, graph, 'WAITING')
      await world.store.workflows.update({ ...graph.workflow, enabled: false })
      await track(world, 'begin', {}, 'eve@example.org')
      await track(world, 'go')
      await cameTo(world, graph, 'EXITED')
      const { id } = graph.workflow
      const start = world.engine.workflows.executions.start(world.project, id, { contactId: id })
      await expect(start).rejects.toMatchObject({ code: 'CONFLICT' })
    })

  if (!isSwapped)
    it('leave out marketing for who is not subscribed, and go on', async () => {
      const world = started()
      const template = await world.engine.templates.create(world.project, {
        ...{ name: 'News', subject: 'News', body: '<p>News</p>', type: 'MARKETING', from: 'hello@example.com' },
      })
      const graph = await put(world, [{ type: 'SEND_EMAIL', config: {}, templateId: template.id }, EXIT])
      await world.engine.contacts.upsert(world.project, { email: 'ada@example.org', subscribed: false })
      await track(world, 'begin')
      const execution = await cameTo(world, graph, 'EXITED')
      expect((await stepsOf(world, execution))[1]).toMatchObject({
        status: 'SKIPPED',
        output: { reason: 'unsubscribed' },
      })
    })

  if (!isSwapped)
    it('mail somebody else about the contact', async () => {
      const world = started()
      const config = {
        ...{ subject: 'About {{ email }}', body: '{{ id }} {{ data.name }} {{ source }}', from: 'hello@example.com' },
        recipient: { type: 'CUSTOM', customEmail: '{{ owner }}@Example.org' },
      }
      const graph = await put(world, [{ type: 'SEND_EMAIL', config }])
      const { contact } = await world.engine.contacts.upsert(world.project, {
        ...{ email: 'ada@example.org', data: { name: 'Ada', owner: 'boss' } },
      })
      await world.engine.workflows.executions.start(world.project, graph.workflow.id, {
        contactId: contact.id,
        context: { source: 'hand' },
      })
      const execution = await cameTo(world, graph, 'COMPLETED')
      const emailId = String((await stepsOf(world, execution))[1]?.output?.emailId)
      expect(await world.engine.mails.get(world.project, emailId)).toMatchObject({
        email: { to: 'boss@example.org' },
        subject: 'About ada@example.org',
        html: `${contact.id} Ada hand`,
      })
    })

  if (!isSwapped)
    it('store the request of a WEBHOOK step and wait for what becomes of it', async () => {
      const world = started()
      const plain = await put(world, [
        { type: 'WEBHOOK', config: { url: 'https://hooks.invalid/a?e={{ email }}' } },
        EXIT,
      ])
      const own = await put(world, [
        {
          type: 'WEBHOOK',
          config: {
            ...{ url: 'https://hooks.invalid/{{ id }}', method: 'PUT', timeoutSeconds: 3 },
            headers: { 'X-Plan': '{{ event.plan }}' },
            body: { who: '{{ email }}', list: ['{{ event.plan }}'] },
          },
        },
      ])
      await track(world, 'begin', { plan: 'a "b"\n' })
      const [one, other] = [await cameTo(world, plain, 'WAITING'), await cameTo(world, own, 'WAITING')]
      const delivery = async (graph: WorkflowGraph) => {
        const [found] = await world.store.webhookDeliveries.page(
          world.project.id,
          { workflowId: graph.workflow.id },
          { limit: 1 },
        )
        return (await world.store.webhookDeliveries.find(world.project.id, found!.id))!
      }
      const first = await delivery(plain)
      expect(first).toMatchObject({
        ...{
          method: 'POST',
          url: 'https://hooks.invalid/a?e=ada@example.org',
          executionId: one.id,
          eventName: 'begin',
        },
        ...{ headers: { 'content-type': 'application/json' }, timeout: 10 },
      })
      expect(JSON.parse(first.body ?? '')).toEqual({
        contact: { email: 'ada@example.org', subscribed: true, data: { plan: 'a "b"\n' } },
        workflow: { id: plain.workflow.id, name: 'Drawn' },
        execution: { id: one.id, startedAt: one.startedAt.toISOString() },
        event: { plan: 'a "b"\n' },
      })
      const second = await delivery(own)
      expect(second).toMatchObject({
        ...{ method: 'PUT', url: `https://hooks.invalid/${other.contactId}`, timeout: 3 },
        headers: { 'X-Plan': 'a "b"' },
      })
      expect(JSON.parse(second.body ?? '')).toEqual({ who: 'ada@example.org', list: ['a "b"\n'] })
    })

  it('are cancelled, alone and all together, and end with their contact', async () => {
    const world = started()
    const graph = await put(world, [{ type: 'DELAY', config: { amount: 1, unit: 'days' } }, EXIT])
    for (const email of ['a', 'b', 'c']) await track(world, 'begin', {}, `${email}@example.org`)
    const waiting = await until(
      'all wait',
      async () => {
        const found = await executions(world, graph)
        return found.length === 3 && found.every(({ status }) => status === 'WAITING') ? found : undefined
      },
      WITHIN,
    )
    const [first, second] = waiting
    const { execution, steps } = await world.engine.workflows.executions.cancel(
      world.project,
      graph.workflow.id,
      first!.id,
    )
    expect([execution.status, steps.at(-1)?.status]).toEqual(['CANCELLED', 'CANCELLED'])
    await expect(
      world.engine.workflows.executions.cancel(world.project, graph.workflow.id, first!.id),
    ).rejects.toMatchObject({
      code: 'CONFLICT',
    })
    await world.engine.contacts.remove(world.project, second!.contactId)
    expect(await world.engine.workflows.executions.cancelAll(world.project, graph.workflow.id)).toBe(1)
    expect((await executions(world, graph)).map(({ status }) => status)).toEqual(Array(3).fill('CANCELLED'))
  })

  it('work off a hundred executions, each once', async () => {
    const world = started()
    const graph = await put(world, [
      { type: 'CONDITION', config: { field: 'event.n', operator: 'greaterThan', value: -1 }, to: { yes: 1 } },
      { type: 'UPDATE_CONTACT', config: { data: { seen: '{{ event.n }}' } } },
      EXIT,
    ])
    await Promise.all(Array.from({ length: 120 }, (_, n) => track(world, 'begin', { n }, `c${n}@example.org`)))
    const { executions, stepRuns } = world.store
    const ended = () => executions.count(world.project.id, graph.workflow.id, { status: 'EXITED' })
    await until('all have ended', async () => (await ended()) === 120, 90_000)
    expect(await executions.count(world.project.id, graph.workflow.id, {})).toBe(120)
    const counts = await stepRuns.counts(world.project.id, graph.workflow.id)
    expect(counts.map(({ status, count }) => [status, count])).toEqual(Array(4).fill(['COMPLETED', 120]))
  }, 120_000)
})

import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Engine } from '../../config/library.ts'
import type { Plugin } from '../../core/plugin/types.ts'
import type { Log } from '../../core/ports/log.ts'
import type { Execution } from '../../core/ports/store/executions.ts'
import type { WorkflowGraph } from '../../core/ports/store/workflows.ts'
import type { JsonObject } from '../../core/values/json.ts'
import { wakeWaiting } from '../../core/workflows/dispatch/wake-waiting.ts'
import { STEPS } from '../../core/workflows/steps/registry.ts'
import { postgres } from '../../plugins/store-postgres/index.ts'
import { sqlite } from '../../plugins/store-sqlite/index.ts'
import { at, event, execution, project, putContact } from '../contracts/store/records.ts'
import { freshDatabase } from '../support/fresh-database.ts'
import { freshFolder } from '../support/fresh-folder.ts'
import { freshFile, freshSqlite } from '../support/fresh-sqlite.ts'
import { QUICK } from '../support/matrix.ts'
import { SettableClock, testStore } from '../support/store.ts'
import { until } from '../support/until.ts'
import { type DrawnStep, drawn, engineOnStore, type World } from '../support/workflow.ts'

const WITHIN = 60_000
const EXIT: DrawnStep = { type: 'EXIT' }

/** One step of every kind whose result can be counted. */
const KINDS: readonly (DrawnStep & { readonly status?: Execution['status'] })[] = [
  { type: 'SEND_EMAIL', config: { subject: 'Hi', body: '<p>Hi</p>', from: 'hello@example.com' } },
  { type: 'UPDATE_CONTACT', config: { data: { seen: true }, subscribed: false } },
  { type: 'CONDITION', config: { field: 'subscribed', operator: 'equals', value: true }, to: { yes: 1 } },
  { type: 'DELAY', config: { amount: 1, unit: 'seconds' } },
  { type: 'WAIT_FOR_EVENT', config: { eventName: 'never', timeout: 1 } },
  { type: 'WEBHOOK', config: { url: 'https://hooks.invalid/' }, status: 'WAITING' },
]

async function only({ store, project }: World, graph: WorkflowGraph): Promise<Execution | undefined> {
  const found = await store.executions.page(project.id, graph.workflow.id, {}, { limit: 100 })
  expect(found.length).toBeLessThan(2)
  return found[0]
}

async function byHand(world: World, graph: WorkflowGraph, email = 'ada@example.org'): Promise<Execution> {
  const { contact } = await world.engine.contacts.upsert(world.project, { email })
  const started = await world.engine.workflows.executions.start(world.project, graph.workflow.id, {
    contactId: contact.id,
  })
  return started.execution
}

describe('after a crash, on SQLite', () => {
  it('what was claimed is run, once, whatever step it is', { timeout: 90_000 }, async () => {
    const file = fileStore()
    const before = await engineOnStore(file)
    const { store, project } = before
    const graphs = KINDS.map((step) => drawn(project, [step, EXIT]))
    for (const [i, graph] of graphs.entries()) {
      await store.workflows.insert(graph)
      // one of the steps changes its contact
      await byHand(before, graph, `c${i}@example.org`)
    }
    const lease = { token: 'died', until: new Date(Date.now() + 60_000) }
    expect(await store.executions.claimDue(new Date(), 10, lease)).toHaveLength(KINDS.length)
    await before.engine.stop()

    const after = await engineOnStore(file)
    await after.engine.start()
    for (const [i, { type, status = 'EXITED' }] of KINDS.entries()) {
      const graph = graphs[i]!
      await until(`${type} is ${status}`, async () => (await only(after, graph))?.status === status, WITHIN)
      const counts = await after.store.stepRuns.counts(after.project.id, graph.workflow.id)
      const stands = status === 'WAITING'
      expect({ type, counts: counts.map(({ count }) => count) }).toEqual({ type, counts: stands ? [1, 1] : [1, 1, 1] })
    }
    expect((await after.engine.mails.list(after.project, {})).total).toBe(1)
    expect(await after.store.webhookDeliveries.count(after.project.id, {})).toBe(1)
  })

  it('what waited in a DELAY or a WAIT_FOR_EVENT goes on', async () => {
    const file = fileStore()
    const clock = new SettableClock()
    const before = await engineOnStore(file, { clock })
    const waiting = KINDS.filter(({ type }) => type === 'DELAY' || type === 'WAIT_FOR_EVENT')
    const graphs = waiting.map(({ type, config }) => drawn(before.project, [{ type, config: config! }, EXIT]))
    for (const graph of graphs) await before.store.workflows.insert(graph)
    await before.engine.start()
    const ids: string[] = []
    for (const graph of graphs) ids.push((await byHand(before, graph)).id)
    const are = async ({ store, project }: World, status: Execution['status']) => {
      const found = await Promise.all(
        graphs.map(({ workflow }) => store.executions.count(project.id, workflow.id, { status })),
      )
      return found.every((count) => count === 1)
    }
    await until('both wait', () => are(before, 'WAITING'), WITHIN)
    await before.engine.stop()
    clock.advance(1)
    const after = await engineOnStore(file, { clock })
    await after.engine.start()
    await until('both have ended', () => are(after, 'EXITED'), WITHIN)
    for (const id of ids) expect(await after.store.stepRuns.of(after.project.id, [id])).toHaveLength(3)
  })

  it('events nobody was told of yet start their workflows', async () => {
    const file = fileStore()
    const before = await engineOnStore(file)
    const graph = drawn(before.project, [EXIT], { eventName: 'begin' })
    await before.store.workflows.insert(graph)
    await before.engine.events.track(before.project, { email: 'ada@example.org', event: 'begin' })
    await before.engine.stop()
    const after = await engineOnStore(file)
    await after.engine.start()
    await until('it has run', async () => (await only(after, graph))?.status === 'EXITED', WITHIN)
  })
})

describe('an execution that waits for an event', () => {
  it('goes on by one that came since, not by one from before, which was only dispatched late', async () => {
    const { store, close } = await testStore()
    onTestFinished(close)
    const made = project()
    const { id: projectId } = made
    const graph = drawn(made, [{ type: 'WAIT_FOR_EVENT', config: { eventName: 'go' } }, EXIT])
    await store.workflows.insert(graph)
    const ada = await putContact(store, projectId)
    const { id: currentStepId } = graph.steps[1]!
    const { dueAt, ...way } = execution(graph.workflow, ada.id, { status: 'WAITING', waitingFor: 'go', currentStepId })
    await store.executions.start([way])
    const wake = (seconds: number) => {
      const came = event(projectId, ada.id, { name: 'go', createdAt: at(seconds) })
      return store.transaction((tx) => wakeWaiting(tx, projectId, [came], at(60)))
    }
    // the clocks of two processes may differ by a second
    expect(await wake(-2)).toBe(0)
    expect(await wake(-1)).toBe(1)
  })
})

describe.each([QUICK])('workflows on $name', ({ store }) => {
  it('try a step again after growing pauses, and then fail with its error', async () => {
    const clock = new SettableClock()
    const world = await engineOnStore(store(), { clock })
    const config = { subject: 'Hi', body: '<p>Hi</p>', from: 'hello@elsewhere.example' }
    const graph = drawn(world.project, [{ type: 'SEND_EMAIL', config }, EXIT])
    await world.store.workflows.insert(graph)
    await world.engine.start()
    await byHand(world, graph)
    for (const [i, seconds] of [1, 5, 25].entries()) {
      const failed = await until(
        'it has failed',
        async () => {
          const execution = await only(world, graph)
          return execution?.attempts === i + 1 ? execution : undefined
        },
        WITHIN,
      )
      expect(failed.status).toBe('RUNNING')
      expect(failed.dueAt!.getTime() - clock.now().getTime()).toBe(seconds * 1000)
      clock.advance(seconds)
    }
    const ended = await until(
      'it has failed for good',
      async () => {
        const execution = await only(world, graph)
        return execution?.status === 'FAILED' ? execution : undefined
      },
      WITHIN,
    )
    expect(ended.error).toContain('elsewhere.example is not verified')
    const runs = await world.store.stepRuns.of(world.project.id, [ended.id])
    expect(runs.map(({ status }) => status)).toEqual(['COMPLETED', 'FAILED'])
    expect(runs[1]?.error).toContain('elsewhere.example')
  })

  it('fail with the error of a step that breaks, which the log names', async () => {
    const lines: unknown[] = []
    const none = () => {}
    const log: Log = {
      ...{ debug: none, info: none, warn: none, with: () => log },
      error: (message, fields) => void lines.push({ message, step: fields?.step, error: String(fields?.error) }),
    }
    const world = await engineOnStore(store(), { log })
    const { run } = STEPS.UPDATE_CONTACT
    const breaks = () => {
      throw new TypeError('broken')
    }
    Reflect.set(STEPS.UPDATE_CONTACT, 'run', breaks)
    onTestFinished(() => void Reflect.set(STEPS.UPDATE_CONTACT, 'run', run))
    const graph = drawn(world.project, [{ type: 'UPDATE_CONTACT', config: { data: { seen: true } } }])
    await world.store.workflows.insert(graph)
    await world.engine.start()
    await byHand(world, graph)
    const line = await until('it is logged', async () => lines[0])
    expect(line).toEqual({
      message: 'a step of a workflow broke',
      step: graph.steps[1]?.id,
      error: 'TypeError: broken',
    })
  })

  it('let an event or the time-out win when both come together, never both', async () => {
    const world = await engineOnStore(store())
    const graph = drawn(
      world.project,
      [
        { type: 'WAIT_FOR_EVENT', config: { eventName: 'go', timeout: 1 }, to: { event: 1, timeout: 2 } },
        { type: 'EXIT', config: { reason: 'event' } },
        { type: 'EXIT', config: { reason: 'timeout' } },
      ],
      { eventName: 'begin' },
    )
    await world.store.workflows.insert(graph)
    await world.engine.start()
    const many = Array.from({ length: 60 }, (_, i) => `c${i}@example.org`)
    const track = (email: string, event: string) => world.engine.events.track(world.project, { email, event })
    await Promise.all(many.map((email) => track(email, 'begin')))
    // the first come well before the time-out, the last well behind it
    await Promise.all(many.map((email, i) => pause(500 + i * 20).then(() => track(email, 'go'))))
    const ended = () => world.store.executions.count(world.project.id, graph.workflow.id, { status: 'EXITED' })
    await until('all have ended', async () => (await ended()) === many.length, WITHIN)
    const { items: executions } = await world.engine.workflows.executions.list(world.project, graph.workflow.id, {
      limit: 100,
    })
    for (const { execution, steps } of executions) {
      expect(steps.map(({ status }) => status)).toEqual(Array(3).fill('COMPLETED'))
      expect(steps[1]?.output?.branch).toBe(execution.exitReason)
    }
  })

  it('are started by events of mails and segments', async () => {
    const world = await engineOnStore(store())
    const { engine, project } = world
    const sent = drawn(project, [EXIT], { eventName: 'email.sent' })
    const entered = drawn(project, [EXIT], { eventName: 'segment.pro-users.entry' })
    for (const graph of [sent, entered]) await world.store.workflows.insert(graph)
    await engine.start()
    await engine.sending.send(project, {
      ...{ to: 'ada@example.org', from: 'hello@example.com', subject: 'Hi', body: '<p>Hi</p>' },
      data: { plan: 'pro' },
    })
    const filters = { operator: 'AND', conditions: [{ field: 'data.plan', operator: 'equals', value: 'pro' }] } as const
    const segment = await engine.segments.create(project, { name: 'Pro users', filters, trackMembership: true })
    await engine.segments.compute(project, segment.id)
    const ended = async (graph: WorkflowGraph) => {
      const execution = await only(world, graph)
      return execution?.status === 'EXITED' ? execution : undefined
    }
    const bySegment = await until('the entry was told', () => ended(entered), WITHIN)
    expect(bySegment.event).toEqual({ segmentId: segment.id, segmentName: 'Pro users' })
    const byMail = await until('the mail was told', () => ended(sent), WITHIN)
    expect(byMail.event).toMatchObject({ subject: 'Hi', sourceType: 'TRANSACTIONAL' })
  })
})

describe('a worker', () => {
  it('goes on with what another one left, when its lease has ended, and that one writes no more', async () => {
    const world = await engineOnStore(postgres({ url: await freshDatabase() }))
    const graph = drawn(world.project, [{ type: 'SEND_EMAIL', config: KINDS[0]!.config! }, EXIT])
    await world.store.workflows.insert(graph)
    await byHand(world, graph)
    const lease = { token: 'slow', until: new Date(Date.now() + 500) }
    const claimed = await world.store.executions.claimDue(new Date(), 10, lease)
    await world.engine.start()
    await until('it has ended', async () => (await only(world, graph))?.status === 'EXITED', WITHIN)
    const late = claimed.map(({ token, ...execution }) => ({ execution, token, runs: [] }))
    expect((await world.store.executions.advance(late)).size).toBe(0)
    expect((await world.engine.mails.list(world.project, {})).total).toBe(1)
  })

  it('lets the executions of a disabled project rest', async () => {
    const world = await engineOnStore(freshSqlite())
    const graph = drawn(world.project, [{ type: 'DELAY', config: { amount: 1, unit: 'seconds' } }, EXIT])
    await world.store.workflows.insert(graph)
    await byHand(world, graph)
    await world.engine.projects.applySettings([{ name: 'Test', disabled: true }])
    await world.engine.start()
    const rests = async () => (await only(world, graph))!.dueAt!.getTime() > Date.now() + 30_000
    await until('it rests', rests, WITHIN)
    expect(await only(world, graph)).toMatchObject({ status: 'RUNNING', attempts: 0 })
  })

  it('leaves out what was cancelled under its lease, and nothing of it happens', async () => {
    const cancelled: string[] = []
    const world = await engineOnStore(cancelling(freshSqlite(), 'stop', cancelled))
    const mail = { type: 'SEND_EMAIL', config: KINDS[0]!.config! } as const
    const graph = drawn(world.project, [mail, { type: 'UPDATE_CONTACT', config: { data: { seen: true } } }, EXIT])
    await world.store.workflows.insert(graph)
    const started = async (email: string, context: JsonObject) => {
      const { contact } = await world.engine.contacts.upsert(world.project, { email })
      await world.engine.workflows.executions.start(world.project, graph.workflow.id, {
        contactId: contact.id,
        context,
      })
      return contact.id
    }
    const kept = await Promise.all(['a', 'b', 'c'].map((name) => started(`${name}@example.org`, {})))
    const stopped = await started('d@example.org', { stop: true })
    await world.engine.start()
    const count = (status: Execution['status']) =>
      world.store.executions.count(world.project.id, graph.workflow.id, { status })
    await until('the others have ended', async () => (await count('EXITED')) === 3, WITHIN)
    expect([cancelled.length, await count('CANCELLED')]).toEqual([1, 1])
    const { items } = await world.engine.mails.list(world.project, {})
    expect(items.map(({ contactId }) => contactId).toSorted()).toEqual(kept.toSorted())
    expect((await world.engine.contacts.get(world.project, stopped)).data).toEqual({})
  })
})

describe('two engines on one PostgreSQL database', () => {
  it.each([
    false,
    true,
  ])('start one execution of 50 equal events (re-entry: %s) and run it once', async (allowReentry) => {
    const url = await freshDatabase()
    const [one, other] = [await engineOnStore(postgres({ url })), await engineOnStore(postgres({ url }))]
    const wait = { type: 'WAIT_FOR_EVENT', config: { eventName: 'go' } } as const
    const mail = { type: 'SEND_EMAIL', config: KINDS[0]!.config! } as const
    const graph = drawn(one.project, [wait, mail, EXIT], { eventName: 'begin', allowReentry })
    await one.store.workflows.insert(graph)
    await Promise.all([one.engine.start(), other.engine.start()])
    const engines: readonly Engine[] = [one.engine, other.engine]
    const tracked = (event: string, count: number) =>
      Promise.all(
        Array.from({ length: count }, (_, i) =>
          engines[i % 2]!.events.track(one.project, { email: 'ada@example.org', event }),
        ),
      )
    await tracked('begin', 50)
    await until('it waits', async () => (await only(one, graph))?.status === 'WAITING', WITHIN)
    await until(
      'all are dispatched',
      async () => (await one.store.transaction((tx) => tx.outbox.pending(1))).length === 0,
    )
    await tracked('go', 10)
    await until('it has ended', async () => (await only(one, graph))?.status === 'EXITED', WITHIN)
    expect((await one.engine.mails.list(one.project, {})).total).toBe(1)
  })
})

/** A store whose file outlives an engine, until the test ends. */
function fileStore(): Plugin<'store'> {
  return sqlite({ file: freshFile(join(freshFolder(), 'test.db')), synchronous: 'NORMAL' })
}

/** The store, in which an execution with this key in its context is cancelled just after it was claimed. */
function cancelling(plugin: Plugin<'store'>, key: string, cancelled: string[]): Plugin<'store'> {
  const open: typeof plugin.open = async (kit) => {
    const opened = await plugin.open(kit)
    const { executions } = opened.store
    const claimDue: typeof executions.claimDue = async (...asked) => {
      const claimed = await executions.claimDue(...asked)
      for (const { projectId, id, context } of claimed) {
        if (!(key in context)) continue
        cancelled.push(id)
        await executions.cancel(projectId, [id], new Date())
      }
      return claimed
    }
    const get = (target: typeof executions, name: string) => {
      if (name === 'claimDue') return claimDue
      const member: unknown = Reflect.get(target, name)
      return typeof member === 'function' ? member.bind(target) : member
    }
    const seen = new Proxy(executions, { get: (target, name) => get(target, String(name)) })
    return { ...opened, store: { ...opened.store, executions: seen } }
  }
  return { ...plugin, open }
}

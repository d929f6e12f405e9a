import { expect, it } from 'vitest'
import { EXECUTION_STATUSES, type Execution, type ExecutionsFilter } from '../../../core/ports/store/executions.ts'
import type { StepRun } from '../../../core/ports/store/step-runs.ts'
import type { Store } from '../../../core/ports/store/store.ts'
import type { NumberedRequest } from '../../../core/values/page.ts'
import { at, event, execution, HOSTILE, NOON, newId, newProjectId, putContact, stepRun, workflow } from './records.ts'

const LEASE = { token: 'worker-1', until: at(60) }
const FAR = at(1e9)

/** The fields of a step run that never change: where it is, and since when. */
type StepRunIdentity = 'id' | 'projectId' | 'workflowId' | 'executionId' | 'stepId' | 'startedAt'

/** The promises of a store about the ways of contacts through workflows. */
export function storeExecutionsContract(fresh: () => Promise<Store>) {
  it('gives an execution back as it was started, and finds it in its workflow and project only', async () => {
    const store = await fresh()
    const { way, of, projectId } = await prepared(store, {
      ...{ context: HOSTILE, event: HOSTILE, eventId: newId(), once: true, status: 'WAITING', waitingFor: 'a"b' },
      ...{
        currentStepId: newId(),
        exitReason: 'x',
        error: 'y',
        attempts: 3,
        completedAt: at(1),
        goalAt: at(1),
        updatedAt: at(2),
      },
    })
    const bare = unhurried(execution(of, (await putContact(store, projectId)).id))
    await store.executions.start([bare])
    expect(await store.executions.find(projectId, of.id, way.id)).toStrictEqual(way)
    expect(await store.executions.find(projectId, of.id, bare.id)).toStrictEqual(bare)
    expect(await store.executions.find(projectId, newId(), way.id)).toBeUndefined()
    expect(await store.executions.find(newProjectId(), of.id, way.id)).toBeUndefined()
  })

  it('starts one execution of an event and workflow, also when it has ended', async () => {
    const store = await fresh()
    const { of, way, projectId } = await prepared(store, { eventId: newId(), status: 'COMPLETED' })
    const bob = await putContact(store, projectId)
    const { eventId } = way as Required<Execution>
    const again = execution(of, bob.id, { eventId })
    const elsewhere = execution(workflow(projectId), bob.id, { eventId })
    const byHand = execution(of, bob.id)
    expect(await store.executions.start([again, elsewhere, byHand])).toEqual(new Set([elsewhere.id, byHand.id]))
    expect(await store.executions.start([elsewhere])).toEqual(new Set())
  })

  it('starts a contact once at a time, and the first of several of one call', async () => {
    const store = await fresh()
    const { of, way, ada } = await prepared(store)
    const next = execution(of, ada.id, { eventId: newId() })
    expect(await store.executions.start([next])).toEqual(new Set())
    await store.executions.cancel(of.projectId, [way.id], at(1))
    expect(await store.executions.start([next, execution(of, ada.id), execution(of, ada.id)])).toEqual(
      new Set([next.id]),
    )
  })

  it('starts a contact once ever, also when it ran while re-entry was allowed', async () => {
    const store = await fresh()
    const { of, way, ada, projectId } = await prepared(store, { status: 'COMPLETED' })
    const bob = await putContact(store, projectId)
    const [again, first] = [execution(of, ada.id, { once: true }), execution(of, bob.id, { once: true })]
    const elsewhere = execution(workflow(projectId), ada.id, { once: true })
    expect(await store.executions.start([again, first, elsewhere])).toEqual(new Set([first.id, elsewhere.id]))
    await store.executions.cancel(projectId, [first.id], at(1))
    expect(await store.executions.start([execution(of, bob.id, { once: true })])).toEqual(new Set())
    const allowed = execution(of, ada.id)
    expect(await store.executions.start([allowed])).toEqual(new Set([allowed.id]))
    expect(await store.executions.count(projectId, of.id, {})).toBe(3)
    expect(way.id).not.toBe(allowed.id)
  })

  it('holds the rules when fifty try at once', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const [reentry, once, byEvent] = [workflow(projectId), workflow(projectId), workflow(projectId)]
    const people = await Promise.all(Array.from({ length: 4 }, () => putContact(store, projectId)))
    const tries = Array.from({ length: 50 }, (_, i) => {
      const shuffled = i % 2 === 0 ? people : people.toReversed()
      return shuffled.flatMap(({ id }) => [
        execution(reentry, id, { eventId: newId() }),
        // those that end at once are told apart by the rule of once ever alone
        execution(once, id, { eventId: newId(), once: true, status: 'COMPLETED' }),
      ])
    })
    const eventIds = [newId(), newId()]
    // an event is one contact's
    const same = Array.from({ length: 50 }, () =>
      people.slice(0, 2).map(({ id }, j) => execution(byEvent, id, { eventId: eventIds[j]!, status: 'EXITED' })),
    )
    const started = await Promise.all([...tries, ...same].map((each) => store.executions.start(each)))
    const ids = started.flatMap((set) => [...set])
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids).toHaveLength(4 + 4 + 2)
    expect(await store.executions.count(projectId, reentry.id, {})).toBe(4)
    expect(await store.executions.count(projectId, once.id, {})).toBe(4)
    expect(await store.executions.count(projectId, byEvent.id, {})).toBe(2)
  })

  it('starts nothing of contacts that are not there or are of another project', async () => {
    const store = await fresh()
    const { of, projectId } = await prepared(store)
    const stranger = await putContact(store, newProjectId())
    const gone = await putContact(store, projectId)
    await store.contacts.remove(projectId, gone.id, NOON)
    const tries = [stranger.id, gone.id, newId()].map((id) => execution(of, id))
    expect(await store.executions.start(tries)).toEqual(new Set())
    expect(await store.executions.start([])).toEqual(new Set())
  })

  it('pages newest first, also by number, by status, and counts', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const of = workflow(projectId)
    const made: Execution[] = []
    for (const status of EXECUTION_STATUSES) {
      made.push(execution(of, (await putContact(store, projectId)).id, { status }))
    }
    await store.executions.start([...made, execution(workflow(projectId), made[0]!.contactId)])
    const newest = made.toReversed()
    const page = (filter: object, request: { limit: number; offset?: number; after?: { value: ''; id: string } }) =>
      store.executions.page(projectId, of.id, filter, request)
    expect(await page({}, { limit: 9 })).toEqual(newest)
    expect(await page({}, { limit: 2, offset: 1 })).toEqual(newest.slice(1, 4))
    expect(await page({}, { limit: 2, after: { value: '', id: newest[3]!.id } })).toEqual(newest.slice(4))
    for (const each of made) {
      expect(await page({ status: each.status }, { limit: 9 })).toEqual([each])
      expect(await store.executions.count(projectId, of.id, { status: each.status })).toBe(1)
    }
    expect(await store.executions.count(projectId, of.id, {})).toBe(made.length)
    expect(await store.executions.count(newProjectId(), of.id, {})).toBe(0)
  })

  it("lists a contact's in all workflows, newest first, with the names of workflow and step", async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const [ada, bob] = [await putContact(store, projectId), await putContact(store, projectId)]
    const workflows = [workflow(projectId, { name: 'One' }), workflow(projectId, { name: 'Two' })]
    const step = { ...{ id: newId(), projectId, workflowId: workflows[1]!.id, type: 'DELAY', name: 'Two days' } }
    const drawn = { ...step, position: { x: 0, y: 0 }, config: {}, createdAt: NOON }
    for (const each of workflows) {
      await store.workflows.insert({ workflow: each, steps: each === workflows[1] ? [drawn] : [], transitions: [] })
    }
    const [first, second] = [
      execution(workflows[0]!, ada.id, { status: 'FAILED', error: 'E', completedAt: at(1), currentStepId: newId() }),
      execution(workflows[1]!, ada.id, { status: 'WAITING', currentStepId: step.id, context: HOSTILE }),
    ]
    await store.executions.start([first, second, execution(workflows[0]!, bob.id)])
    const list = (filter: object, more: object = {}, project = projectId) =>
      store.executions.ofContact(project, ada.id, filter, { limit: 1, ...more })
    const shown = ({ id, workflowId, status, startedAt, updatedAt }: Execution) => ({
      ...{ id, workflowId, status, startedAt, updatedAt },
    })
    const newest = { ...shown(second), workflowName: 'Two', step: { id: step.id, type: 'DELAY', name: 'Two days' } }
    const oldest = { ...shown(first), workflowName: 'One', error: 'E', completedAt: at(1) }
    expect(await list({})).toEqual([newest, oldest])
    expect(await list({}, { after: { value: '', id: second.id } })).toEqual([oldest])
    expect(await list({ status: 'FAILED' })).toEqual([oldest])
    expect(await list({}, {}, newProjectId())).toEqual([])
    expect(await store.executions.countOfContact(projectId, ada.id, {})).toBe(2)
    expect(await store.executions.countOfContact(projectId, ada.id, { status: 'WAITING' })).toBe(1)
    expect(await store.executions.countOfContact(newProjectId(), ada.id, {})).toBe(0)
  })

  it('finds the active ones of contacts in workflows, and lists those that the goal ended', async () => {
    const store = await fresh()
    const { executions } = store
    const { of, way, projectId } = await prepared(store, { status: 'WAITING' })
    const bob = await putContact(store, projectId)
    const gone = execution(of, bob.id, { status: 'EXITED', completedAt: at(1) })
    const reached = execution(of, bob.id, { status: 'EXITED', completedAt: at(1), goalAt: at(1) })
    const elsewhere = execution(workflow(projectId), way.contactId)
    await executions.start([gone, elsewhere])
    await executions.start([reached])
    const pairs = [way, way, gone].map(({ workflowId, contactId }) => ({ workflowId, contactId }))
    expect(await store.goals.activeAmong(projectId, pairs)).toStrictEqual([way])
    expect(await store.goals.activeAmong(newProjectId(), pairs)).toEqual([])
    expect(await store.goals.activeAmong(projectId, [])).toEqual([])
    expect(await executions.page(projectId, of.id, { goalReached: true }, { limit: 9 })).toStrictEqual([reached])
    expect(await executions.count(projectId, of.id, { goalReached: true })).toBe(1)
    const to = { ...way, status: 'EXITED', completedAt: at(2), goalAt: at(2) } as const
    await executions.wake([{ from: way, to, runs: [] }])
    expect(await executions.count(projectId, of.id, { goalReached: true })).toBe(2)
  })

  it('claims what is due, the longest first, of all projects, and nothing that is under a live lease', async () => {
    const store = await fresh()
    const { executions } = store
    const late = (await prepared(store, { dueAt: at(-5), status: 'WAITING' })).way
    const first = (await prepared(store, { dueAt: at(-9) })).way
    await prepared(store, { dueAt: at(1) })
    const waiting = unhurried(execution(workflow(late.projectId), late.contactId, { status: 'WAITING' }))
    await executions.start([waiting])
    expect(await executions.nextDue()).toEqual(at(-9))
    expect(await executions.claimDue(NOON, 1, LEASE)).toEqual([{ ...first, token: 'worker-1' }])
    expect(await executions.nextDue()).toEqual(at(-5))
    expect(await executions.claimDue(NOON, 9, { token: 'worker-2', until: at(90) })).toEqual([
      { ...late, token: 'worker-2' },
    ])
    expect(await executions.claimDue(NOON, 9, LEASE)).toEqual([])
    expect(await executions.nextDue()).toEqual(at(1))
    expect(
      (await executions.claimDue(at(60), 9, { token: 'worker-3', until: at(90) })).map(({ dueAt }) => dueAt),
    ).toEqual([at(-9), at(1)])
    expect(await executions.nextDue()).toBeUndefined()
    expect(await executions.expireLeases(at(90))).toBe(0)
    expect(await executions.expireLeases(FAR)).toBe(3)
    expect(await executions.nextDue()).toEqual(at(-9))
  })

  it('gives each due execution to one of many who claim at once', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const of = workflow(projectId)
    const ways: Execution[] = []
    for (let i = 0; i < 40; i++) ways.push(execution(of, (await putContact(store, projectId)).id))
    await store.executions.start(ways)
    const claims = await Promise.all(
      Array.from({ length: 10 }, (_, i) => store.executions.claimDue(NOON, 7, { token: `t${i}`, until: at(9) })),
    )
    const rest = await store.executions.claimDue(NOON, 40, { token: 'rest', until: at(9) })
    const ids = [...claims.flat(), ...rest].map(({ id }) => id)
    expect(ids.toSorted()).toEqual(ways.map(({ id }) => id).toSorted())
  })

  it('writes moves with their step runs, each only under its token, and the lease ends', async () => {
    const store = await fresh()
    const { executions, stepRuns } = store
    const [one, two] = [await prepared(store, { context: { a: 1 } }), await prepared(store)]
    await executions.claimDue(NOON, 1, { token: 'a', until: at(60) })
    const [second] = await executions.claimDue(NOON, 1, { token: 'b', until: at(60) })
    expect(second?.id).toBe(two.way.id)
    const stepId = newId()
    const to: Execution = {
      ...one.way,
      ...{ status: 'WAITING', currentStepId: stepId, dueAt: at(30), waitingFor: 'paid', attempts: 2, updatedAt: at(5) },
      ...{ event: HOSTILE, context: HOSTILE, error: 'e"', exitReason: '' },
    }
    const done = stepRun(one.way, newId(), { status: 'COMPLETED', output: HOSTILE, completedAt: at(1) })
    const open = stepRun(one.way, stepId, { status: 'WAITING' })
    const moves = [
      { execution: to, token: 'a', runs: [done, open] },
      { execution: { ...two.way, status: 'COMPLETED' } as const, token: 'a', runs: [stepRun(two.way, stepId)] },
    ]
    expect(await executions.advance(moves)).toEqual(new Set([to.id]))
    expect(await executions.find(one.projectId, one.of.id, to.id)).toStrictEqual(to)
    expect(await stepRuns.of(one.projectId, [to.id])).toStrictEqual([done, open])
    expect(await stepRuns.open(one.projectId, [to.id, two.way.id])).toEqual([open])
    expect(await stepRuns.open(newProjectId(), [to.id])).toEqual([])
    expect(await stepRuns.of(two.projectId, [two.way.id])).toEqual([])
    expect(await executions.advance(moves)).toEqual(new Set())
    expect(await executions.advance([])).toEqual(new Set())

    const [again] = await executions.claimDue(at(30), 9, { token: 'c', until: at(60) })
    expect(again).toEqual({ ...to, token: 'c' })
    const { dueAt, waitingFor, error, exitReason, ...rest } = to
    const ended: Execution = { ...rest, status: 'COMPLETED', completedAt: at(31), updatedAt: at(31) }
    const outcome = { status: 'COMPLETED', output: HOSTILE, error: 'x', completedAt: at(31) } as const
    // every other property of a step run: one that is added must be written over too, or be said to stay
    const closed = { ...open, ...(outcome satisfies Omit<Required<StepRun>, StepRunIdentity>) }
    const strange = { ...ended, projectId: newProjectId() }
    expect(await executions.advance([{ execution: strange, token: 'c', runs: [] }])).toEqual(new Set())
    expect(await executions.advance([{ execution: ended, token: 'c', runs: [closed] }])).toEqual(new Set([to.id]))
    expect(await executions.find(one.projectId, one.of.id, to.id)).toStrictEqual(ended)
    expect(await stepRuns.of(one.projectId, [to.id])).toStrictEqual([done, closed])
    expect(await executions.claimDue(FAR, 9, LEASE)).toMatchObject([{ id: two.way.id }])
  })

  it('finds those who wait for an event by contact and exact name', async () => {
    const store = await fresh()
    const wait = { status: 'WAITING', waitingFor: 'paid' } as const
    const { way, ada, projectId } = await prepared(store, wait)
    const also = unhurried(execution(workflow(projectId), ada.id, wait))
    const other = execution(workflow(projectId), ada.id, { ...wait, waitingFor: 'Paid' })
    const ended = execution(workflow(projectId), ada.id, { ...wait, status: 'CANCELLED' })
    await store.executions.start([way, also, other, ended])
    const bob = await putContact(store, projectId)
    const paid = { contactId: ada.id, eventName: 'paid' }
    const found = await store.executions.waitingFor(projectId, [paid, paid, { contactId: bob.id, eventName: 'paid' }])
    expect(found).toEqual([way, also])
    expect(await store.executions.waitingFor(newProjectId(), [paid])).toEqual([])
    expect(await store.executions.waitingFor(projectId, [])).toEqual([])
  })

  it('lets those of a workflow wait for another event, so many at a time', async () => {
    const store = await fresh()
    const wait = { status: 'WAITING', waitingFor: 'paid' } as const
    const { way, ada, projectId } = await prepared(store, wait)
    const elsewhere = unhurried(execution(workflow(projectId), ada.id, wait))
    await store.executions.start([way, elsewhere])
    const names = { from: 'paid', to: 'bought' }
    const change = (project = projectId, limit = 5) =>
      store.transaction((tx) => tx.goals.awaitInstead(project, way.workflowId, names, limit))
    expect([await change(newProjectId()), await change(projectId, 0), await change(), await change()]).toEqual([
      0, 0, 1, 0,
    ])
    const waiting = (eventName: string) => store.executions.waitingFor(projectId, [{ contactId: ada.id, eventName }])
    expect(await waiting('paid')).toEqual([elsewhere])
    expect(await waiting('bought')).toEqual([{ ...way, waitingFor: 'bought' }])
  })

  it('wakes an execution that is as it was, one of two who try, and breaks a lease', async () => {
    const store = await fresh()
    const { executions, stepRuns } = store
    const currentStepId = newId()
    const { way, of, projectId } = await prepared(store, { status: 'WAITING', waitingFor: 'paid', currentStepId })
    const to = { ...way, status: 'RUNNING', updatedAt: at(1) } as const
    const moved = { ...way, currentStepId: newId() }
    for (const from of [moved, { ...way, status: 'RUNNING' } as const, { ...way, id: newId() }]) {
      expect(await executions.wake([{ from, to, runs: [] }])).toEqual(new Set())
    }
    // its time has come, and in the same second the event
    await executions.claimDue(NOON, 1, LEASE)
    const run = stepRun(way, currentStepId, { status: 'COMPLETED', output: { a: 1 } })
    const wakes = await Promise.all([1, 2].map(() => executions.wake([{ from: way, to, runs: [run] }])))
    expect(wakes.filter((ids) => ids.has(way.id))).toHaveLength(1)
    expect(await executions.advance([{ execution: moved, token: LEASE.token, runs: [] }])).toEqual(new Set())
    expect(await executions.find(projectId, of.id, way.id)).toEqual(to)
    expect(await stepRuns.of(projectId, [way.id])).toEqual([run])

    await executions.claimDue(NOON, 1, LEASE)
    expect(await executions.advance([{ execution: moved, token: LEASE.token, runs: [] }])).toEqual(new Set([way.id]))
    expect(await executions.wake([{ from: to, to: { ...to, status: 'EXITED' }, runs: [] }])).toEqual(new Set())
  })

  it('lets one of an event and a time-out win, whoever comes first', async () => {
    const store = await fresh()
    const { executions } = store
    const ways = await Promise.all(
      Array.from({ length: 20 }, () =>
        prepared(store, { status: 'WAITING', waitingFor: 'paid', currentStepId: newId() }),
      ),
    )
    await executions.claimDue(NOON, 50, LEASE)
    const outcomes = await Promise.all(
      ways.map(async ({ way }, i) => {
        const timeout = () =>
          executions.advance([
            { execution: { ...way, status: 'RUNNING', exitReason: 'timeout' }, token: LEASE.token, runs: [] },
          ])
        const came = () =>
          executions.wake([{ from: way, to: { ...way, status: 'RUNNING', exitReason: 'event' }, runs: [] }])
        return Promise.all(i % 2 === 0 ? [timeout(), came()] : [came(), timeout()])
      }),
    )
    for (const [i, [a, b]] of outcomes.entries()) expect(a!.size + b!.size, `${i}`).toBe(1)
  })

  it('cancels what is active with its open step runs, once, also under a lease', async () => {
    const store = await fresh()
    const { executions, stepRuns } = store
    const currentStepId = newId()
    const { way, of, projectId } = await prepared(store, { status: 'WAITING', waitingFor: 'paid', currentStepId })
    const ended = (await prepared(store, { status: 'COMPLETED', dueAt: FAR })).way
    const runs = [stepRun(way, newId(), { status: 'COMPLETED' }), stepRun(way, currentStepId, { status: 'WAITING' })]
    await executions.wake([{ from: way, to: way, runs }])
    await executions.claimDue(NOON, 9, LEASE)
    const { dueAt, waitingFor, ...rest } = way
    const cancelled = { ...rest, status: 'CANCELLED', completedAt: at(7), updatedAt: at(7) }
    expect(await executions.cancel(newProjectId(), [way.id], at(7))).toEqual([])
    expect(await executions.cancel(projectId, [way.id, ended.id, newId()], at(7))).toStrictEqual([cancelled])
    expect(await executions.cancel(projectId, [way.id], at(8))).toEqual([])
    expect(await executions.find(projectId, of.id, way.id)).toStrictEqual(cancelled)
    expect(await stepRuns.of(projectId, [way.id])).toEqual([
      runs[0],
      { ...runs[1], status: 'CANCELLED', completedAt: at(7) },
    ])
    expect(await executions.advance([{ execution: way, token: LEASE.token, runs: [] }])).toEqual(new Set())
  })

  it('ends the executions of a contact that is removed, and no others', async () => {
    const store = await fresh()
    const { executions, stepRuns } = store
    const { way, ada, of, projectId } = await prepared(store, { currentStepId: newId() })
    const done = execution(workflow(projectId), ada.id, { status: 'COMPLETED', completedAt: at(1) })
    const bobs = execution(of, (await putContact(store, projectId)).id)
    await executions.start([done, bobs])
    await executions.wake([{ from: way, to: way, runs: [stepRun(way, newId())] }])
    await executions.claimDue(NOON, 1, LEASE)
    await store.events.record([event(projectId, ada.id)])
    expect(await store.contacts.remove(projectId, ada.id, at(5))).toBe(true)
    const { dueAt, ...rest } = way
    const ending = { status: 'CANCELLED', exitReason: 'contact-removed', completedAt: at(5), updatedAt: at(5) }
    expect(await executions.find(projectId, of.id, way.id)).toStrictEqual({ ...rest, ...ending })
    expect(await stepRuns.of(projectId, [way.id])).toMatchObject([{ status: 'CANCELLED', completedAt: at(5) }])
    expect(await executions.find(projectId, done.workflowId, done.id)).toEqual(done)
    expect(await executions.find(projectId, of.id, bobs.id)).toEqual(bobs)
    expect(await executions.advance([{ execution: way, token: LEASE.token, runs: [] }])).toEqual(new Set())
    await store.contacts.removeAll(projectId, [bobs.contactId], NOON)
    expect(await executions.find(projectId, of.id, bobs.id)).toMatchObject({
      ...ending,
      completedAt: NOON,
      updatedAt: NOON,
    })
  })

  it('answers active executions a page at a time, where they stand, and how the steps went', async () => {
    const store = await fresh()
    const { executions, stepRuns } = store
    const projectId = newProjectId()
    const of = workflow(projectId)
    const [a, b] = [newId(), newId()]
    const ways: Execution[] = []
    for (let i = 0; i < 7; i++) {
      const contact = await putContact(store, projectId)
      const status = (['RUNNING', 'WAITING', 'COMPLETED'] as const)[i % 3]!
      ways.push(execution(of, contact.id, { status, ...(i > 0 && { currentStepId: i < 3 ? a : b }) }))
    }
    await executions.start([...ways, execution(workflow(projectId), ways[0]!.contactId, { currentStepId: a })])
    const active = ways.filter(({ status }) => status !== 'COMPLETED')
    expect(await executions.active(projectId, of.id, 9)).toEqual(active)
    expect(await executions.active(projectId, of.id, 2)).toEqual(active.slice(0, 2))
    expect(await executions.active(projectId, of.id, 2, active[1]!.id)).toEqual(active.slice(2, 4))
    expect(await executions.active(projectId, of.id, 9, active[3]!.id)).toEqual(active.slice(4))
    expect(await executions.active(newProjectId(), of.id, 9)).toEqual([])
    expect(await executions.standingOn(projectId, of.id)).toEqual(
      new Map([
        [a, 1],
        [b, 3],
      ]),
    )
    const runs = ways.map((way, i) => stepRun(way, i < 4 ? a : b, { status: i % 2 === 0 ? 'COMPLETED' : 'FAILED' }))
    await executions.wake(ways.map((way, i) => ({ from: way, to: way, runs: [runs[i]!] })))
    expect(await stepRuns.counts(projectId, of.id)).toEqual([
      { stepId: a, status: 'COMPLETED', count: 2 },
      { stepId: a, status: 'FAILED', count: 2 },
      { stepId: b, status: 'COMPLETED', count: 2 },
      { stepId: b, status: 'FAILED', count: 1 },
    ])
    expect(await stepRuns.counts(newProjectId(), of.id)).toEqual([])
    // the people behind each of these counts
    const listed = async (filter: ExecutionsFilter, request: NumberedRequest = { limit: 9 }) => {
      const page = await executions.page(projectId, of.id, filter, request)
      return page.map(({ id }) => ways.findIndex((way) => way.id === id))
    }
    expect([await listed({ standingOn: a }), await listed({ standingOn: b })]).toEqual([[1], [6, 4, 3]])
    expect(await executions.count(projectId, of.id, { standingOn: b })).toBe(3)
    const [done, failed] = [{ stepId: b, status: 'COMPLETED' } as const, { stepId: a, status: 'FAILED' } as const]
    expect([await listed({ ran: done }), await listed({ ran: failed })]).toEqual([
      [6, 4],
      [3, 1],
    ])
    expect(await listed({ ran: done }, { limit: 9, offset: 1 })).toEqual([4])
    expect(await listed({ ran: done }, { limit: 9, after: { value: '', id: ways[6]!.id } })).toEqual([4])
    // a step in a circle is run several times
    await executions.wake([{ from: ways[6]!, to: ways[6]!, runs: [stepRun(ways[6]!, b, { status: 'COMPLETED' })] }])
    expect(await listed({ ran: done })).toEqual([6, 4])
    expect(await executions.count(projectId, of.id, { ran: done })).toBe(2)
    expect(await executions.page(newProjectId(), of.id, { ran: done }, { limit: 9 })).toEqual([])
  })

  it('keeps nothing of a transaction that is rolled back', async () => {
    const store = await fresh()
    const { of, way, ada, projectId } = await prepared(store)
    const failure = new Error('changed my mind')
    const work = store.transaction(async (tx) => {
      expect((await tx.executions.cancel(projectId, [way.id], at(1))).length).toBe(1)
      expect((await tx.executions.start([execution(of, ada.id)])).size).toBe(1)
      throw failure
    })
    await expect(work).rejects.toBe(failure)
    expect(await store.executions.page(projectId, of.id, {}, { limit: 9 })).toEqual([way])
  })
}

/** A contact on its way through a workflow; the fields say how far it is. */
async function prepared(store: Store, fields: Partial<Execution> = {}) {
  const projectId = newProjectId()
  const ada = await putContact(store, projectId)
  const of = workflow(projectId)
  const way = execution(of, ada.id, fields)
  expect(await store.executions.start([way])).toEqual(new Set([way.id]))
  return { projectId, ada, of, way }
}

/** The execution as one that only an event or an answer moves. */
function unhurried({ dueAt, ...of }: Execution): Execution {
  return of
}

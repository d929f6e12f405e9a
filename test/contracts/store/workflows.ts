import { expect, it } from 'vitest'
import type { Store } from '../../../core/ports/store/store.ts'
import type { Workflow, WorkflowGraph, WorkflowStep, WorkflowTransition } from '../../../core/ports/store/workflows.ts'
import {
  at,
  execution,
  HOSTILE,
  newId,
  newProjectId,
  project,
  putContact,
  step,
  stepRun,
  transition,
  workflow,
} from './records.ts'

/** The promises of a store about workflows as they are drawn. */
export function storeWorkflowsContract(fresh: () => Promise<Store>) {
  it('gives a workflow back as it was written, with its graph: the trigger first, then as the steps were made', async () => {
    const { workflows } = await fresh()
    const made = drawn(workflow(newProjectId(), { description: 'quote"\\', triggerType: 'MANUAL' }))
    const { projectId, id } = made.workflow
    await workflows.insert(made)
    expect(await workflows.find(projectId, id)).toStrictEqual(made.workflow)
    expect(await workflows.graph(projectId, id)).toStrictEqual(made)
    expect(await workflows.find(newProjectId(), id)).toBeUndefined()
    expect(await workflows.graph(newProjectId(), id)).toBeUndefined()
    const { eventName, ...bare } = workflow(projectId, { triggerType: 'MANUAL' })
    await workflows.insert({ workflow: bare, steps: [], transitions: [] })
    expect(await workflows.graph(projectId, bare.id)).toStrictEqual({ workflow: bare, steps: [], transitions: [] })
  })

  it('writes every field, takes away what is absent, and sees one project only', async () => {
    const { workflows } = await fresh()
    const made = drawn(workflow(newProjectId(), { description: 'Old' }))
    const { id, projectId } = made.workflow
    await workflows.insert(made)
    const { eventName, ...manual } = workflow(projectId, {
      id,
      triggerType: 'MANUAL',
      enabled: false,
      updatedAt: at(9),
    })
    const next: Workflow = { ...manual, allowReentry: true, name: `New ${eventName}` }
    expect(await workflows.update({ ...next, projectId: newProjectId() })).toBe(false)
    expect(await workflows.find(projectId, id)).toStrictEqual(made.workflow)
    expect(await workflows.update(next)).toBe(true)
    expect(await workflows.find(projectId, id)).toStrictEqual(next)
    const mail = made.steps[1]!
    const { templateId, ...changed } = { ...mail, name: 'Changed', config: HOSTILE, position: { x: -1.5, y: 2 } }
    expect(await workflows.updateStep({ ...changed, projectId: newProjectId() })).toBe(false)
    expect(await workflows.updateStep(changed)).toBe(true)
    expect((await workflows.graph(projectId, id))?.steps[1]).toStrictEqual(changed)
  })

  it('begins workflows whose time has come, once, but for those of disabled projects', async () => {
    const { workflows, datedWorkflows, projects } = await fresh()
    const [on, off] = [project(), project({ disabled: true })]
    for (const each of [on, off]) await projects.save(each)
    const due = (seconds: number, projectId = on.id) => workflow(projectId, { triggerType: 'DATE', dueAt: at(seconds) })
    const [first, second, later] = [due(-9), due(0), due(1)]
    for (const made of [second, later, first, due(-99, off.id), workflow(on.id)]) await workflows.insert(drawn(made))
    expect(await datedWorkflows.nextDue()).toStrictEqual(first.dueAt)
    const ids = (found: readonly Workflow[]) => found.map(({ id }) => id)
    expect(await datedWorkflows.begin(at(0), at(60), 1)).toStrictEqual([{ ...first, dueAt: at(60) }])
    expect(ids(await datedWorkflows.begin(at(0), at(60), 9))).toEqual([second.id])
    expect(await datedWorkflows.begin(at(0), at(60), 9)).toEqual([])
    expect(await datedWorkflows.nextDue()).toStrictEqual(later.dueAt)
  })

  it('adds steps and transitions, and removes a step with its transitions', async () => {
    const { workflows } = await fresh()
    const made = drawn(workflow(newProjectId()))
    const { id, projectId } = made.workflow
    await workflows.insert(made)
    const [first, mail, last] = made.steps as [WorkflowStep, WorkflowStep, WorkflowStep]
    const added = step(made.workflow, { type: 'CONDITION' })
    const [to, from] = [
      transition(last, added, { priority: 7 }),
      transition(added, first, { branch: 'no', priority: 8 }),
    ]
    await workflows.insertStep(added)
    await workflows.insertTransition(to)
    await workflows.insertTransition(from)
    const grown = { ...made, steps: [...made.steps, added], transitions: [...made.transitions, to, from] }
    expect(await workflows.graph(projectId, id)).toEqual(grown)
    expect(await workflows.removeTransition(newProjectId(), id, to.id)).toBe(false)
    expect(await workflows.removeTransition(projectId, newId(), to.id)).toBe(false)
    expect(await workflows.removeTransition(projectId, id, to.id)).toBe(true)
    expect(await workflows.removeTransition(projectId, id, to.id)).toBe(false)
    expect(await workflows.removeStep(newProjectId(), id, mail.id)).toBe(false)
    expect(await workflows.removeStep(projectId, newId(), mail.id)).toBe(false)
    expect(await workflows.removeStep(projectId, id, mail.id)).toBe(true)
    expect(await workflows.graph(projectId, id)).toEqual({
      workflow: made.workflow,
      steps: [first, last, added],
      transitions: [from],
    })
  })

  it('pages newest first, also by number, counts, and answers every graph of the project', async () => {
    const { workflows } = await fresh()
    const projectId = newProjectId()
    const made = Array.from({ length: 5 }, () => drawn(workflow(projectId)))
    for (const each of made) await workflows.insert(each)
    await workflows.insert(drawn(workflow(newProjectId())))
    const newest = made.toReversed()
    const plain = newest.map((each) => each.workflow)
    expect(await workflows.page(projectId, { limit: 9 })).toEqual(plain)
    expect(await workflows.page(projectId, { limit: 2 })).toEqual(plain.slice(0, 3))
    expect(await workflows.page(projectId, { limit: 2, offset: 2 })).toEqual(plain.slice(2, 5))
    expect(await workflows.page(projectId, { limit: 2, after: { value: '', id: plain[2]!.id } })).toEqual(
      plain.slice(3),
    )
    expect(await workflows.count(projectId)).toBe(5)
    expect(await workflows.graphs(projectId)).toEqual(newest)
    expect(await workflows.graphs(newProjectId())).toEqual([])
  })

  it('finds what an event starts by its exact name: enabled, of the project, and started by events', async () => {
    const { workflows } = await fresh()
    const projectId = newProjectId()
    const [older, newer] = [drawn(workflow(projectId)), drawn(workflow(projectId))]
    const others = [
      workflow(projectId, { enabled: false }),
      workflow(projectId, { triggerType: 'MANUAL' }),
      workflow(projectId, { eventName: 'Signed.up' }),
      workflow(projectId, { eventName: 'signed.%' }),
      workflow(newProjectId()),
    ]
    for (const each of [newer, older, ...others.map(drawn)]) await workflows.insert(each)
    expect(await workflows.startedBy(projectId, 'signed.up')).toEqual([older, newer])
    expect(await workflows.startedBy(projectId, 'signed.in')).toEqual([])
  })

  it('finds the workflows with one of some goals, disabled ones too', async () => {
    const { workflows, goals } = await fresh()
    const projectId = newProjectId()
    const [one, off] = [
      workflow(projectId, { goalEvent: 'paid"' }),
      workflow(projectId, { goalEvent: 'left', enabled: false, triggerType: 'MANUAL' }),
    ]
    const others = [
      workflow(projectId),
      workflow(projectId, { goalEvent: 'Paid' }),
      workflow(newProjectId(), { goalEvent: 'paid"' }),
    ]
    for (const each of [one, off, ...others.map((other) => ({ ...other, id: newId() }))]) {
      await workflows.insert({ workflow: each, steps: [], transitions: [] })
    }
    const found = await goals.withGoals(projectId, ['left', 'signed.up', 'paid"'])
    expect(found.toSorted((a, b) => (a.id < b.id ? -1 : 1))).toEqual([
      { id: one.id, goalEvent: 'paid"' },
      { id: off.id, goalEvent: 'left' },
    ])
    const { goalEvent, ...rest } = one
    await workflows.update(rest)
    expect(await goals.withGoals(projectId, ['paid"'])).toEqual([])
    expect(await workflows.find(projectId, one.id)).toStrictEqual(rest)
  })

  it('removes a workflow with its graph, executions and step runs, and nothing of another', async () => {
    const store = await fresh()
    const { workflows, executions, stepRuns } = store
    const projectId = newProjectId()
    const ada = await putContact(store, projectId)
    const [gone, kept] = [drawn(workflow(projectId)), drawn(workflow(projectId))]
    const ways = []
    for (const each of [gone, kept]) {
      await workflows.insert(each)
      const way = execution(each.workflow, ada.id)
      await executions.start([way])
      await executions.wake([{ from: way, to: way, runs: [stepRun(way, each.steps[0]!.id)] }])
      ways.push(way)
    }
    const [lost, still] = ways
    expect(await workflows.remove(newProjectId(), gone.workflow.id)).toBe(false)
    expect(await workflows.remove(projectId, gone.workflow.id)).toBe(true)
    expect(await workflows.remove(projectId, gone.workflow.id)).toBe(false)
    expect(await workflows.graphs(projectId)).toEqual([kept])
    expect(await executions.find(projectId, gone.workflow.id, lost!.id)).toBeUndefined()
    expect(await stepRuns.of(projectId, [lost!.id])).toEqual([])
    expect(await executions.find(projectId, kept.workflow.id, still!.id)).toEqual(still)
    expect(await stepRuns.of(projectId, [still!.id])).toHaveLength(1)
  })

  it('is locked until the transaction ends', async () => {
    const { workflows, transaction } = await fresh()
    const made = drawn(workflow(newProjectId()))
    const { id, projectId } = made.workflow
    await workflows.insert(made)
    const order: string[] = []
    const change = (name: string) =>
      transaction(async (tx) => {
        const known = await tx.workflows.lock(projectId, id)
        order.push(`${name} in`)
        await new Promise((resolve) => setImmediate(resolve))
        order.push(`${name} out`)
        await tx.workflows.update({ ...known!, name: known!.name + name })
      })
    await Promise.all([change('a'), change('b')])
    expect(order.map((text) => text.split(' ')[1])).toEqual(['in', 'out', 'in', 'out'])
    expect((await workflows.find(projectId, id))?.name).toMatch(/^Welcome(ab|ba)$/)
  })
}

/** A graph of three steps with two transitions. */
function drawn(of: Workflow): WorkflowGraph {
  const mail = step(of, { type: 'SEND_EMAIL', config: { subject: '{{name}}"' }, templateId: newId() })
  const trigger = step(of, { type: 'TRIGGER', position: { x: 1.5, y: -2 } })
  const last = step(of)
  const transitions: WorkflowTransition[] = [
    transition(trigger, mail),
    transition(mail, last, { branch: 'yes', priority: 1 }),
  ]
  return { workflow: of, steps: [trigger, mail, last], transitions }
}

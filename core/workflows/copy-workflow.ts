import { copyName } from '../values/copy-name.ts'
import type { NewId } from '../values/id.ts'
import type { KnownGraph } from './steps/registry.ts'

/** A copy of the workflow, with this name or "… (Copy)" and new ids, disabled. */
export function copyOf(
  { workflow: original, steps, transitions }: KnownGraph,
  name: string | null | undefined,
  newId: NewId,
  now: Date,
): KnownGraph {
  const id = newId()
  const { startedUntil: _, dueAt: _due, ...workflow } = original
  const copies = new Map(steps.map((step) => [step.id, { ...step, id: newId(), workflowId: id, createdAt: now }]))
  return {
    workflow: {
      ...workflow,
      id,
      name: name ?? copyName(workflow.name),
      enabled: false,
      version: 1,
      createdAt: now,
      updatedAt: now,
    },
    steps: [...copies.values()],
    transitions: transitions.flatMap((transition) => {
      const [from, to] = [copies.get(transition.fromStepId), copies.get(transition.toStepId)]
      return from && to ? [{ ...transition, id: newId(), workflowId: id, fromStepId: from.id, toStepId: to.id }] : []
    }),
  }
}

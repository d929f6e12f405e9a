import type { Kit } from '../kit.ts'
import type { Project } from '../ports/store/projects.ts'
import type { WorkflowTransition } from '../ports/store/workflows.ts'
import { requireEnabled } from '../projects/project.ts'
import type { Untrusted } from '../values/json.ts'
import { parse } from '../values/parse.ts'
import type { Versioned } from '../values/record-version.ts'
import { drawTransition, leadTransition, transitionOf } from './draw-transition.ts'
import { type EditGraph, stepOf } from './edit-graph.ts'
import { AddTransition, ChangeTransition, RemoveTransition } from './workflow-request.ts'

/** Adds, changes and removes the transitions between steps. */
export class EditTransitions {
  constructor(
    private readonly drawing: EditGraph,
    private readonly kit: Kit,
  ) {}

  /** See `Workflows.addTransition`. */
  async add(project: Project, workflowId: string, input: Untrusted): Promise<WorkflowTransition & Versioned> {
    requireEnabled(project)
    const { fromStepId, toStepId, branch: beside, condition, priority, version } = parse(AddTransition, input)
    const branch = beside ?? condition?.branch ?? undefined
    return this.drawing.edit(project, workflowId, version, async (tx, graph) => {
      const transition: WorkflowTransition = {
        id: this.kit.newId(),
        projectId: project.id,
        workflowId,
        fromStepId: stepOf(graph, fromStepId).id,
        toStepId: stepOf(graph, toStepId).id,
        ...(branch === undefined ? {} : { branch }),
        priority: priority ?? 0,
      }
      await drawTransition(tx, graph, transition)
      return transition
    })
  }

  /** See `Workflows.changeTransition`. */
  async change(
    project: Project,
    workflowId: string,
    id: string,
    input: Untrusted,
  ): Promise<WorkflowTransition & Versioned> {
    requireEnabled(project)
    const { toStepId, branch: beside, condition, priority, version } = parse(ChangeTransition, input)
    const branch = beside ?? condition?.branch ?? undefined
    return this.drawing.edit(project, workflowId, version, async (tx, graph) => {
      const before = transitionOf(graph, id)
      const to = toStepId == null ? before.toStepId : stepOf(graph, toStepId).id
      const change = { toStepId: to, branch, priority: priority ?? before.priority }
      return transitionOf(await leadTransition(tx, graph, before, change, this.kit.newId), id)
    })
  }

  /** See `Workflows.removeTransition`. */
  async remove(project: Project, workflowId: string, id: string, query: Untrusted): Promise<Versioned> {
    requireEnabled(project)
    const { version } = parse(RemoveTransition, query)
    return this.drawing.edit(project, workflowId, version, async (tx, graph) => {
      await tx.workflows.removeTransition(project.id, workflowId, transitionOf(graph, id).id)
      return {}
    })
  }
}

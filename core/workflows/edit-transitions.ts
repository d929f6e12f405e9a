import { inject, injectable } from '../di.ts'
import { EngineError } from '../errors.ts'
import { Kit } from '../kit.ts'
import type { Project } from '../ports/store/projects.ts'
import type { WorkflowTransition } from '../ports/store/workflows.ts'
import { requireEnabled } from '../projects/project.ts'
import { isId } from '../values/id.ts'
import type { Untrusted } from '../values/json.ts'
import { parse, refused } from '../values/parse.ts'
import { EditGraph, stepOf } from './edit-graph.ts'
import { guessesInTheWay, linkProblem, withoutTransitions } from './graph-links.ts'
import { AddTransition } from './workflow-request.ts'

/** Adds and removes the transitions between steps. */
@injectable()
export class EditTransitions {
  constructor(
    @inject(EditGraph) private readonly drawing: EditGraph,
    @inject(Kit) private readonly kit: Kit,
  ) {}

  /** See `Workflows.addTransition`. */
  async add(project: Project, workflowId: string, input: Untrusted): Promise<WorkflowTransition> {
    requireEnabled(project)
    const { fromStepId, toStepId, branch: beside, condition, priority } = parse(AddTransition, input)
    const branch = beside ?? condition?.branch ?? undefined
    return this.drawing.edit(project, workflowId, async (tx, graph) => {
      const link = { fromStepId: stepOf(graph, fromStepId).id, toStepId: stepOf(graph, toStepId).id }
      const guesses = guessesInTheWay(graph, { ...link, branch })
      const problem = linkProblem(withoutTransitions(graph, guesses), { ...link, branch })
      if (problem) throw refused([problem])
      for (const { id } of guesses) await tx.workflows.removeTransition(project.id, workflowId, id)
      const transition: WorkflowTransition = {
        id: this.kit.newId(),
        projectId: project.id,
        workflowId,
        ...link,
        ...(branch === undefined ? {} : { branch }),
        priority: priority ?? 0,
      }
      await tx.workflows.insertTransition(transition)
      return transition
    })
  }

  /** See `Workflows.removeTransition`. */
  async remove(project: Project, workflowId: string, id: string): Promise<void> {
    requireEnabled(project)
    await this.drawing.edit(project, workflowId, async (tx) => {
      if (isId(id) && (await tx.workflows.removeTransition(project.id, workflowId, id))) return
      throw new EngineError('TRANSITION_NOT_FOUND', `There is no transition ${id} in this workflow.`)
    })
  }
}

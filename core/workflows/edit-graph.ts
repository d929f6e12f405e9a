import { EngineError } from '../errors.ts'
import type { Kit } from '../kit.ts'
import type { Project } from '../ports/store/projects.ts'
import type { Repositories, Store } from '../ports/store/store.ts'
import type { Template } from '../ports/store/templates.ts'
import type { WorkflowGraph } from '../ports/store/workflows.ts'
import { isId } from '../values/id.ts'
import { nextVersion, type Versioned } from '../values/record-version.ts'
import { shownId } from '../values/shown-id.ts'
import { whatStops } from './graph-check.ts'
import { type KnownGraph, type KnownStep, knownGraph } from './steps/registry.ts'

/** How many problems an error's sentence names. */
const MAX_NAMED = 5

/** Edits the graphs of workflows, each one at a time. */
export class EditGraph {
  constructor(
    private readonly store: Store,
    private readonly kit: Kit,
  ) {}

  /** The workflow's graph. Throws EngineError `WORKFLOW_NOT_FOUND`. */
  async graph(project: Project, workflowId: string): Promise<KnownGraph> {
    const graph = isId(workflowId) ? await this.store.workflows.graph(project.id, workflowId) : undefined
    return knownGraph(graph ?? missingWorkflow(workflowId))
  }

  /**
   * Edits a graph under a lock; an error thrown by `work` undoes it. An enabled workflow must still be able to run.
   * `seen` is the version of the workflow that the caller saw. Throws EngineError `WORKFLOW_NOT_FOUND`, `CONFLICT`,
   * `VERSION_CONFLICT`.
   */
  async edit<T extends object>(
    project: Project,
    workflowId: string,
    seen: number | null | undefined,
    work: (tx: Repositories, graph: KnownGraph) => Promise<T>,
  ): Promise<T & Versioned> {
    if (!isId(workflowId)) return missingWorkflow(workflowId)
    return this.store.transaction(async (tx) => {
      const workflow = (await tx.workflows.lock(project.id, workflowId)) ?? missingWorkflow(workflowId)
      const version = nextVersion('workflow', workflow, seen)
      const before = (await tx.workflows.graph(project.id, workflowId)) ?? missingWorkflow(workflowId)
      const answer = await work(tx, knownGraph(before))
      await tx.workflows.update({ ...workflow, version, updatedAt: this.kit.now() })
      if (workflow.enabled) {
        const after = (await tx.workflows.graph(project.id, workflowId)) ?? missingWorkflow(workflowId)
        await refuseUnlessRuns(tx, project, knownGraph(after))
      }
      return { ...answer, version }
    })
  }
}

/** The templates that the graph's steps name, by id. */
export async function templatesOf(
  tx: Repositories,
  project: Project,
  { steps }: WorkflowGraph,
): Promise<ReadonlyMap<string, Template>> {
  const found = new Map<string, Template>()
  for (const id of new Set(steps.flatMap(({ templateId }) => templateId ?? []))) {
    const template = await tx.templates.find(project.id, id)
    if (template) found.set(id, template)
  }
  return found
}

/** The step of the workflow. Throws EngineError `STEP_NOT_FOUND`. */
export function stepOf({ steps }: KnownGraph, id: string): KnownStep {
  const step = steps.find((each) => each.id === id)
  if (step === undefined) throw new EngineError('STEP_NOT_FOUND', `There is no step ${shownId(id)} in this workflow.`)
  return step
}

/** Throws EngineError `WORKFLOW_NOT_FOUND`. */
export function missingWorkflow(id: string): never {
  throw new EngineError('WORKFLOW_NOT_FOUND', `There is no workflow ${shownId(id)}.`)
}

async function refuseUnlessRuns(tx: Repositories, project: Project, graph: KnownGraph): Promise<void> {
  const problems = whatStops(graph, project, await templatesOf(tx, project, graph))
  if (problems.length === 0) return
  const named = problems.slice(0, MAX_NAMED).map(({ message }) => message)
  const message = `The workflow "${graph.workflow.name}" is enabled and could not run after this: ${named.join('; ')}.`
  throw new EngineError('CONFLICT', message, {
    fields: problems,
    suggestion:
      'Disable the workflow while you change it, or draw the new steps with autoConnect: false before you lead a way to them.',
  })
}

import { EngineError, type FieldProblem } from '../errors.ts'
import type { Project } from '../ports/store/projects.ts'
import type { Repositories } from '../ports/store/store.ts'
import type { Workflow } from '../ports/store/workflows.ts'
import { refused } from '../values/parse.ts'
import { templatesOf } from './edit-graph.ts'
import { inStep, stepsOnTheWay, whatStops } from './graph-check.ts'
import type { StepConfigs } from './step-configs.ts'
import { type KnownGraph, knownGraph } from './steps/registry.ts'

/** Checks that workflows can run before they are enabled. */
export class EnableWorkflow {
  constructor(private readonly configs: StepConfigs) {}

  /**
   * Checks the configs of all reachable steps again: what they name may be gone. Call it before the transaction. Throws
   * EngineError `VALIDATION_ERROR` with places such as `steps.<stepId>.config.url`.
   */
  async checkConfigs(project: Project, graph: KnownGraph): Promise<void> {
    const problems: FieldProblem[] = []
    for (const step of stepsOnTheWay(graph)) {
      try {
        await this.configs.read(project, step.type, step.config)
      } catch (error) {
        if (!EngineError.is(error)) throw error
        // a sender whose domain is no longer the project's has no field; it is found when the mail is checked
        for (const { field, message, code } of error.fields) {
          problems.push({ ...inStep(step, `.${field}`, `cannot run: ${field} ${message}`), code })
        }
      }
    }
    if (problems.length > 0) throw refused(problems)
  }

  /** Checks in the transaction that the workflow's graph can run. Throws EngineError `VALIDATION_ERROR`. */
  async checkGraph(tx: Repositories, project: Project, workflow: Workflow): Promise<void> {
    const graph = await tx.workflows.graph(project.id, workflow.id)
    if (graph === undefined) return
    const problems = whatStops({ ...knownGraph(graph), workflow }, project, await templatesOf(tx, project, graph))
    if (problems.length > 0) throw refused(problems)
  }
}

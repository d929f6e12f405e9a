import type {
  Execution,
  ExecutionFilter,
  Workflow,
  WorkflowGraph,
  WorkflowRepository,
  WorkflowStep,
  WorkflowTransition,
} from '../../../core/ports/store/workflows.ts'
import type { NumberedRequest } from '../../../core/values/page.ts'
import type { ProjectId } from '../../../core/values/project-id.ts'
import { Executions } from './executions.ts'
import type { Access } from './session.ts'
import type { Tables } from './tables.ts'
import { WorkflowGraphs } from './workflow-graphs.ts'

/** The workflows, and the ways of contacts through them. */
export class SqlWorkflows implements WorkflowRepository {
  readonly #graphs: WorkflowGraphs
  readonly #executions: Executions

  constructor(access: Access, tables: Tables) {
    this.#graphs = new WorkflowGraphs(access, tables)
    this.#executions = new Executions(access, tables)
  }

  find(projectId: ProjectId, id: string): Promise<Workflow | undefined> {
    return this.#graphs.find(projectId, id)
  }

  lock(projectId: ProjectId, id: string): Promise<Workflow | undefined> {
    return this.#graphs.lock(projectId, id)
  }

  page(projectId: ProjectId, page: NumberedRequest): Promise<readonly Workflow[]> {
    return this.#graphs.page(projectId, page)
  }

  count(projectId: ProjectId): Promise<number> {
    return this.#graphs.count(projectId)
  }

  graph(projectId: ProjectId, id: string): Promise<WorkflowGraph | undefined> {
    return this.#graphs.graph(projectId, id)
  }

  graphs(projectId: ProjectId): Promise<readonly WorkflowGraph[]> {
    return this.#graphs.graphs(projectId)
  }

  insert(graph: WorkflowGraph): Promise<void> {
    return this.#graphs.insert(graph)
  }

  update(workflow: Workflow): Promise<boolean> {
    return this.#graphs.update(workflow)
  }

  remove(projectId: ProjectId, id: string): Promise<boolean> {
    return this.#graphs.remove(projectId, id)
  }

  insertStep(step: WorkflowStep): Promise<void> {
    return this.#graphs.insertStep(step)
  }

  updateStep(step: WorkflowStep): Promise<boolean> {
    return this.#graphs.updateStep(step)
  }

  removeStep(projectId: ProjectId, workflowId: string, stepId: string): Promise<boolean> {
    return this.#graphs.removeStep(projectId, workflowId, stepId)
  }

  insertTransition(transition: WorkflowTransition): Promise<void> {
    return this.#graphs.insertTransition(transition)
  }

  removeTransition(projectId: ProjectId, workflowId: string, id: string): Promise<boolean> {
    return this.#graphs.removeTransition(projectId, workflowId, id)
  }

  startedBy(projectId: ProjectId, eventName: string): Promise<readonly WorkflowGraph[]> {
    return this.#graphs.startedBy(projectId, eventName)
  }

  findExecution(projectId: ProjectId, workflowId: string, id: string): Promise<Execution | undefined> {
    return this.#executions.find(projectId, workflowId, id)
  }

  executions(
    projectId: ProjectId,
    workflowId: string,
    filter: ExecutionFilter,
    page: NumberedRequest,
  ): Promise<readonly Execution[]> {
    return this.#executions.page(projectId, workflowId, filter, page)
  }

  countExecutions(projectId: ProjectId, workflowId: string, filter: ExecutionFilter): Promise<number> {
    return this.#executions.count(projectId, workflowId, filter)
  }

  stepRuns(projectId: ProjectId, executionIds: readonly string[]) {
    return this.#executions.stepRuns(projectId, executionIds)
  }

  openRuns(projectId: ProjectId, executionIds: readonly string[]) {
    return this.#executions.openRuns(projectId, executionIds)
  }

  start(executions: readonly Execution[]): Promise<ReadonlySet<string>> {
    return this.#executions.start(executions)
  }

  claimDue(now: Date, limit: number, lease: { readonly token: string; readonly until: Date }) {
    return this.#executions.claimDue(now, limit, lease)
  }

  advance(moves: Parameters<WorkflowRepository['advance']>[0]): Promise<ReadonlySet<string>> {
    return this.#executions.advance(moves)
  }

  waitingFor(
    projectId: ProjectId,
    pairs: readonly { readonly contactId: string; readonly eventName: string }[],
  ): Promise<readonly Execution[]> {
    return this.#executions.waitingFor(projectId, pairs)
  }

  wake(moves: Parameters<WorkflowRepository['wake']>[0]): Promise<ReadonlySet<string>> {
    return this.#executions.wake(moves)
  }

  cancel(projectId: ProjectId, ids: readonly string[], now: Date): Promise<readonly Execution[]> {
    return this.#executions.cancel(projectId, ids, now)
  }

  expireLeases(before: Date): Promise<number> {
    return this.#executions.expireLeases(before)
  }

  active(projectId: ProjectId, workflowId: string, limit: number, after?: string): Promise<readonly Execution[]> {
    return this.#executions.active(projectId, workflowId, limit, after)
  }

  standingOn(projectId: ProjectId, workflowId: string): Promise<ReadonlyMap<string, number>> {
    return this.#executions.standingOn(projectId, workflowId)
  }

  stepCounts(projectId: ProjectId, workflowId: string) {
    return this.#executions.stepCounts(projectId, workflowId)
  }

  nextDue(): Promise<Date | undefined> {
    return this.#executions.nextDue()
  }
}

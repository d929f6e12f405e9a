import type { Figure } from '../../../../../core/ports/store/analytics.ts'
import type {
  Workflow,
  WorkflowGraph,
  WorkflowRepository,
  WorkflowStep,
  WorkflowTransition,
} from '../../../../../core/ports/store/workflows.ts'
import { Pace } from '../../../../../core/values/pace.ts'
import type { NumberedRequest } from '../../../../../core/values/page.ts'
import type { ProjectId } from '../../../../../core/values/project-id.ts'
import { ActivityDeltas } from '../../engine/activity-deltas.ts'
import { BY_ID, ProjectNoun } from '../../engine/project-noun.ts'
import { Rows } from '../../engine/rows.ts'
import type { Session } from '../../engine/session.ts'

/** The workflows with their steps and transitions. */
export class SqlWorkflows extends ProjectNoun<Workflow> implements WorkflowRepository {
  protected readonly rows = new Rows(this.access, this.tables.workflows)
  readonly #steps = new Rows(this.access, this.tables.workflowSteps)
  readonly #transitions = new Rows(this.access, this.tables.workflowTransitions)

  page(projectId: ProjectId, page: NumberedRequest): Promise<readonly Workflow[]> {
    return this.rows.page({ projectId }, page)
  }

  count(projectId: ProjectId): Promise<number> {
    return this.rows.count({ projectId })
  }

  async graph(projectId: ProjectId, id: string): Promise<WorkflowGraph | undefined> {
    return (await this.#graphs(await this.rows.list({ projectId, id })))[0]
  }

  async graphs(projectId: ProjectId): Promise<readonly WorkflowGraph[]> {
    return this.#graphs(await this.rows.list({ projectId }, { orderBy: { id: 'desc' } }))
  }

  async startedBy(projectId: ProjectId, eventName: string): Promise<readonly WorkflowGraph[]> {
    const where = { projectId, eventName, enabled: true, triggerType: 'EVENT' } as const
    return this.#graphs(await this.rows.list(where, { orderBy: { id: 'asc' } }))
  }

  async insert({ workflow, steps, transitions }: WorkflowGraph): Promise<void> {
    await this.access.write(async (session) => {
      await this.rows.in(session).insert(workflow)
      await this.#steps.in(session).insert(...steps)
      await this.#transitions.in(session).insert(...transitions)
    })
  }

  update(workflow: Workflow): Promise<boolean> {
    return this.rows.update(workflow, BY_ID)
  }

  override remove(projectId: ProjectId, id: string): Promise<boolean> {
    const { workflowSteps, workflowTransitions, executions, stepRuns } = this.tables
    return this.access.write(async (session) => {
      if (!(await this.rows.in(session).remove({ projectId, id }))) return false
      await this.#forgetExecutions(session, projectId, id)
      for (const table of [workflowSteps, workflowTransitions, executions, stepRuns]) {
        await session.run(`delete from ${table.name} where "project_id" = ? and "workflow_id" = ?`, [projectId, id])
      }
      return true
    })
  }

  /** Takes a workflow's executions, which are about to be removed, out of the figures. */
  async #forgetExecutions(session: Session, projectId: ProjectId, id: string): Promise<void> {
    const { dialect } = this
    const of = (figure: string, time: string, condition: string) => `select '${figure}' as "figure",
      ${dialect.quarterOf(`"${time}"`)} as "quarter", count(*) as "count" from "workflow_executions"
      where "project_id" = ? and "workflow_id" = ?${condition} group by 2`
    const ended = ` and "completed_at" is not null and "status" in ('COMPLETED', 'EXITED')`
    const sql = `${of('started', 'started_at', '')} union all ${of('completed', 'completed_at', ended)}`
    const figures = new ActivityDeltas()
    for (const { figure, quarter, count } of await session.all(sql, [projectId, id, projectId, id]))
      figures.addAt(projectId, figure as Figure, Number(quarter), -Number(count))
    await figures.write(dialect, session)
  }

  insertStep(step: WorkflowStep): Promise<void> {
    return this.#steps.insert(step)
  }

  updateStep(step: WorkflowStep): Promise<boolean> {
    return this.#steps.update(step, BY_ID)
  }

  removeStep(projectId: ProjectId, workflowId: string, id: string): Promise<boolean> {
    return this.access.write(async (session) => {
      if (!(await this.#steps.in(session).remove({ projectId, workflowId, id }))) return false
      const either = [{ fromStepId: id }, { toStepId: id }]
      await this.#transitions.in(session).remove({ projectId, workflowId, $or: either })
      return true
    })
  }

  insertTransition(transition: WorkflowTransition): Promise<void> {
    return this.#transitions.insert(transition)
  }

  removeTransition(projectId: ProjectId, workflowId: string, id: string): Promise<boolean> {
    return this.#transitions.remove({ projectId, workflowId, id })
  }

  /** Reads a few at a time, since the steps of one workflow may have several megabytes. */
  async #graphs(workflows: readonly Workflow[]): Promise<readonly WorkflowGraph[]> {
    const graphs: WorkflowGraph[] = []
    for (let i = 0; i < workflows.length; i += AT_ONCE) {
      graphs.push(...(await this.#drawn(workflows.slice(i, i + AT_ONCE))))
    }
    return graphs
  }

  #drawn(workflows: readonly Workflow[]): Promise<readonly WorkflowGraph[]> {
    const { workflowSteps, workflowTransitions } = this.tables
    const { dialect } = this
    const of = `"project_id" = ? and "workflow_id" ${dialect.listed('uuid')}`
    const sql = {
      steps: `select ${workflowSteps.list} from "workflow_steps" where ${of}
        order by case when "type" = 'TRIGGER' then 0 else 1 end, "id"`,
      transitions: `select ${workflowTransitions.list} from "workflow_transitions" where ${of} order by "priority", "id"`,
    }
    return this.access.read(async (session) => {
      const [first] = workflows
      if (first === undefined) return []
      const chosen = [first.projectId, dialect.list(workflows.map(({ id }) => id))]
      const pace = new Pace()
      const steps: WorkflowStep[] = []
      for (const row of await session.all(sql.steps, chosen)) {
        steps.push(await pace.run(() => workflowSteps.record(row)))
      }
      const transitions = (await session.all(sql.transitions, chosen)).map((row) => workflowTransitions.record(row))
      const stepsOf = Map.groupBy(steps, ({ workflowId }) => workflowId)
      const transitionsOf = Map.groupBy(transitions, ({ workflowId }) => workflowId)
      return workflows.map((workflow) => ({
        workflow,
        steps: stepsOf.get(workflow.id) ?? [],
        transitions: transitionsOf.get(workflow.id) ?? [],
      }))
    })
  }
}

/** How many workflows are read at once. */
const AT_ONCE = 8

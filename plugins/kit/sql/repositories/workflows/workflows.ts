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
import type { Access } from '../../engine/access.ts'
import { ActivityDeltas } from '../../engine/activity-deltas.ts'
import { Conditions } from '../../engine/conditions.ts'
import type { Params, Session } from '../../engine/session.ts'
import type { Tables } from '../../engine/tables.ts'
import { updateRecord } from '../../engine/update-record.ts'

/** The workflows with their steps and transitions. */
export class SqlWorkflows implements WorkflowRepository {
  readonly #access: Access
  readonly #tables: Tables

  constructor(access: Access, tables: Tables) {
    this.#access = access
    this.#tables = tables
  }

  async find(projectId: ProjectId, id: string): Promise<Workflow | undefined> {
    return (await this.#where('"project_id" = ? and "id" = ?', [projectId, id]))[0]
  }

  async lock(projectId: ProjectId, id: string): Promise<Workflow | undefined> {
    const held = this.#access.dialect.lockRows('"workflows"')
    return (await this.#where(`"project_id" = ? and "id" = ?${held}`, [projectId, id]))[0]
  }

  page(projectId: ProjectId, page: NumberedRequest): Promise<readonly Workflow[]> {
    const where = new Conditions().and('"project_id" = ?', projectId)
    if (page.after) where.and('"id" < ?', page.after.id)
    const text = `${where.text} order by "id" desc limit ? offset ?`
    return this.#where(text, [...where.params, page.limit + 1, page.offset ?? 0])
  }

  async count(projectId: ProjectId): Promise<number> {
    const sql = 'select count(*) as "count" from "workflows" where "project_id" = ?'
    const [row] = await this.#access.all(sql, [projectId])
    return Number(row?.count)
  }

  async graph(projectId: ProjectId, id: string): Promise<WorkflowGraph | undefined> {
    return (await this.#graphs('"project_id" = ? and "id" = ?', [projectId, id]))[0]
  }

  graphs(projectId: ProjectId): Promise<readonly WorkflowGraph[]> {
    return this.#graphs('"project_id" = ? order by "id" desc', [projectId])
  }

  startedBy(projectId: ProjectId, eventName: string): Promise<readonly WorkflowGraph[]> {
    const where = `"project_id" = ? and "event_name" = ? and "enabled" = ? and "trigger_type" = 'EVENT' order by "id"`
    return this.#graphs(where, [projectId, eventName, this.#access.dialect.encode('boolean')(true)])
  }

  async insert({ workflow, steps, transitions }: WorkflowGraph): Promise<void> {
    await this.#access.write(async (session) => {
      await this.#tables.workflows.insert(session, [workflow])
      await this.#tables.workflowSteps.insert(session, steps)
      await this.#tables.workflowTransitions.insert(session, transitions)
    })
  }

  update(workflow: Workflow): Promise<boolean> {
    return this.#access.write((session) => updateRecord(session, this.#tables.workflows, workflow))
  }

  remove(projectId: ProjectId, id: string): Promise<boolean> {
    return this.#access.write(async (session) => {
      const sql = 'delete from "workflows" where "project_id" = ? and "id" = ?'
      if ((await session.run(sql, [projectId, id])) === 0) return false
      await this.#forgetExecutions(session, projectId, id)
      for (const table of ['workflow_steps', 'workflow_transitions', 'workflow_executions', 'workflow_step_runs']) {
        await session.run(`delete from "${table}" where "project_id" = ? and "workflow_id" = ?`, [projectId, id])
      }
      return true
    })
  }

  /** Takes a workflow's executions, which are about to be removed, out of the figures. */
  async #forgetExecutions(session: Session, projectId: ProjectId, id: string): Promise<void> {
    const { dialect } = this.#access
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

  async insertStep(step: WorkflowStep): Promise<void> {
    await this.#access.write((session) => this.#tables.workflowSteps.insert(session, [step]))
  }

  updateStep(step: WorkflowStep): Promise<boolean> {
    return this.#access.write((session) => updateRecord(session, this.#tables.workflowSteps, step))
  }

  removeStep(projectId: ProjectId, workflowId: string, stepId: string): Promise<boolean> {
    const sql = {
      step: 'delete from "workflow_steps" where "project_id" = ? and "workflow_id" = ? and "id" = ?',
      transitions: `delete from "workflow_transitions"
        where "project_id" = ? and "workflow_id" = ? and ("from_step_id" = ? or "to_step_id" = ?)`,
    }
    return this.#access.write(async (session) => {
      if ((await session.run(sql.step, [projectId, workflowId, stepId])) === 0) return false
      await session.run(sql.transitions, [projectId, workflowId, stepId, stepId])
      return true
    })
  }

  async insertTransition(transition: WorkflowTransition): Promise<void> {
    await this.#access.write((session) => this.#tables.workflowTransitions.insert(session, [transition]))
  }

  async removeTransition(projectId: ProjectId, workflowId: string, id: string): Promise<boolean> {
    const sql = 'delete from "workflow_transitions" where "project_id" = ? and "workflow_id" = ? and "id" = ?'
    return (await this.#access.run(sql, [projectId, workflowId, id])) > 0
  }

  #where(where: string, params: Params): Promise<readonly Workflow[]> {
    return this.#access.read((session) => this.#workflows(session, where, params))
  }

  async #workflows(session: Session, where: string, params: Params): Promise<readonly Workflow[]> {
    const { workflows } = this.#tables
    const rows = await session.all(`select ${workflows.list} from "workflows" where ${where}`, params)
    return rows.map((row) => workflows.record(row))
  }

  /** Reads a few at a time, since the steps of one workflow may have several megabytes. */
  async #graphs(where: string, params: Params): Promise<readonly WorkflowGraph[]> {
    const workflows = await this.#where(where, params)
    const graphs: WorkflowGraph[] = []
    for (let i = 0; i < workflows.length; i += AT_ONCE) {
      graphs.push(...(await this.#drawn(workflows.slice(i, i + AT_ONCE))))
    }
    return graphs
  }

  #drawn(workflows: readonly Workflow[]): Promise<readonly WorkflowGraph[]> {
    const { workflowSteps, workflowTransitions } = this.#tables
    const { dialect } = this.#access
    const of = `"project_id" = ? and "workflow_id" ${dialect.listed('uuid')}`
    const sql = {
      steps: `select ${workflowSteps.list} from "workflow_steps" where ${of}
        order by case when "type" = 'TRIGGER' then 0 else 1 end, "id"`,
      transitions: `select ${workflowTransitions.list} from "workflow_transitions" where ${of} order by "priority", "id"`,
    }
    return this.#access.read(async (session) => {
      const [first] = workflows
      if (first === undefined) return []
      const chosen = [first.projectId, dialect.list(workflows.map(({ id }) => id))]
      const pace = new Pace()
      const steps: WorkflowStep[] = []
      for (const row of await session.all(sql.steps, chosen)) {
        steps.push(await pace.run(() => workflowSteps.record(row)))
      }
      const transitions = (await session.all(sql.transitions, chosen)).map((row) => workflowTransitions.record(row))
      const [stepsOf, transitionsOf] = [byWorkflow(steps), byWorkflow(transitions)]
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

function byWorkflow<Part extends { readonly workflowId: string }>(parts: readonly Part[]): Map<string, Part[]> {
  const found = new Map<string, Part[]>()
  for (const part of parts) {
    const list = found.get(part.workflowId)
    if (list) list.push(part)
    else found.set(part.workflowId, [part])
  }
  return found
}

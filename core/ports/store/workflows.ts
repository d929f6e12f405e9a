import type { JsonObject } from '../../values/json.ts'
import type { NumberedRequest } from '../../values/page.ts'
import type { ProjectId } from '../../values/project-id.ts'

export const TRIGGER_TYPES = ['EVENT', 'MANUAL'] as const
export type TriggerType = (typeof TRIGGER_TYPES)[number]

/** A graph of steps that contacts run through. */
export interface Workflow {
  readonly id: string
  readonly projectId: ProjectId
  readonly name: string
  readonly description?: string
  readonly enabled: boolean
  readonly triggerType: TriggerType
  /** The event that starts it; may be absent for MANUAL workflows. */
  readonly eventName?: string
  readonly allowReentry: boolean
  /** The event that ends the execution of a contact that triggers it. */
  readonly goalEvent?: string
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** A stored step. A store keeps any type; only the workflows room knows which there are. */
export interface WorkflowStep<Type extends string = string> {
  readonly id: string
  readonly projectId: ProjectId
  readonly workflowId: string
  readonly type: Type
  readonly name: string
  readonly position: { readonly x: number; readonly y: number }
  /** Checked for the type. */
  readonly config: JsonObject
  readonly templateId?: string
  readonly createdAt: Date
}

/** The name of one of the ways out of a step. The step's type or its config defines which there are. */
export type Branch = string

export interface WorkflowTransition {
  readonly id: string
  readonly projectId: ProjectId
  readonly workflowId: string
  readonly fromStepId: string
  readonly toStepId: string
  readonly branch?: Branch
  readonly priority: number
  /** Added automatically with the step it leads to; a transition that a user draws replaces it. */
  readonly automatic?: boolean
}

/** A workflow with its steps (the trigger first, then as they were made) and transitions. */
export interface WorkflowGraph<Type extends string = string> {
  readonly workflow: Workflow
  readonly steps: readonly WorkflowStep<Type>[]
  readonly transitions: readonly WorkflowTransition[]
}

export interface WorkflowRepository {
  find(projectId: ProjectId, id: string): Promise<Workflow | undefined>
  /** As `find`, inside a transaction, which locks the workflow and its graph until it ends. */
  lock(projectId: ProjectId, id: string): Promise<Workflow | undefined>
  /** Up to `limit + 1`, newest first (by id); `offset` skips rows of a numbered page. */
  page(projectId: ProjectId, page: NumberedRequest): Promise<readonly Workflow[]>
  count(projectId: ProjectId): Promise<number>
  /** The workflow with its steps and transitions. */
  graph(projectId: ProjectId, id: string): Promise<WorkflowGraph | undefined>
  /** Every workflow of the project with its graph, to find references. */
  graphs(projectId: ProjectId): Promise<readonly WorkflowGraph[]>
  insert(graph: WorkflowGraph): Promise<void>
  /** Writes every field of the workflow. */
  update(workflow: Workflow): Promise<boolean>
  /** Removes it with its graph, executions and step runs. */
  remove(projectId: ProjectId, id: string): Promise<boolean>
  insertStep(step: WorkflowStep): Promise<void>
  updateStep(step: WorkflowStep): Promise<boolean>
  /** Removes the step and its transitions. */
  removeStep(projectId: ProjectId, workflowId: string, stepId: string): Promise<boolean>
  insertTransition(transition: WorkflowTransition): Promise<void>
  removeTransition(projectId: ProjectId, workflowId: string, id: string): Promise<boolean>

  /** Enabled workflows of the project that this event starts, with their graphs. */
  startedBy(projectId: ProjectId, eventName: string): Promise<readonly WorkflowGraph[]>
}

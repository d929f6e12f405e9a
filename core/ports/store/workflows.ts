import type { JsonObject } from '../../values/json.ts'
import type { NumberedRequest } from '../../values/page.ts'
import type { ProjectId } from '../../values/project-id.ts'

export const TRIGGER_TYPES = ['EVENT', 'MANUAL', 'DATE'] as const
export type TriggerType = (typeof TRIGGER_TYPES)[number]

/** Which of the events of its name start a workflow; all of them, when it is empty. */
export interface EventTrigger {
  /** Only events by this form. */
  readonly formId?: string
  /** Only events about this topic. */
  readonly topicId?: string
  /** Only events about mails of this campaign. */
  readonly campaignId?: string
  /** Only what is about the subscription as a whole, and not about a topic. */
  readonly wholeSubscription?: boolean
}

/** The date of a contact that starts a workflow. */
export interface DateTrigger {
  /** The field with the date, such as `data.trialEnds`. */
  readonly field: string
  /** How long before or after the date. */
  readonly offset?: {
    /** How many. */
    readonly amount: number
    /** Of the calendar, so that the time of day stays. */
    readonly unit: 'days' | 'weeks'
    /** On which side of the date. */
    readonly direction: 'before' | 'after'
  }
  /** Every year, as for birthdays. */
  readonly yearly?: boolean
  /** The time of day, such as `09:00`. */
  readonly at: string
  /** The time zone of contacts that have none; without it, that of the project. */
  readonly timezone?: string
  /** The field with the contact's time zone. */
  readonly timezoneField?: string
}

/** A graph of steps that contacts run through. */
export interface Workflow {
  /** A UUID (version 7): those made later sort after those made before. */
  readonly id: string
  /** The project that it belongs to. */
  readonly projectId: ProjectId
  /** The name for the team. */
  readonly name: string
  /** Its purpose. */
  readonly description?: string
  /** Only an enabled workflow is started. */
  readonly enabled: boolean
  /** `EVENT`, `DATE` or `MANUAL`: what starts it. */
  readonly triggerType: TriggerType
  /** The event that starts it; may be absent for MANUAL workflows. */
  readonly eventName?: string
  /** Of EVENT: which of these events start it, if not all do. */
  readonly eventTrigger?: EventTrigger
  /** Of DATE: the date that starts it. */
  readonly dateTrigger?: DateTrigger
  /** Of DATE, while it is enabled: contacts whose date came up to this moment were started. */
  readonly startedUntil?: Date
  /** Of DATE, while it is enabled: when contacts are looked through next. */
  readonly dueAt?: Date
  /** Whether a contact may run it more than once, one run at a time. */
  readonly allowReentry: boolean
  /** The event that ends the execution of a contact that triggers it. */
  readonly goalEvent?: string
  /** The number of its current version, from 1: each change of what people write raises it. */
  readonly version: number
  /** When it was made, by the clock of the engine. */
  readonly createdAt: Date
  /** When it last changed; at first, when it was made. */
  readonly updatedAt: Date
}

/** A stored step. A store keeps any type; only the workflows room knows which there are. */
export interface WorkflowStep<Type extends string = string> {
  /** A UUID (version 7): those made later sort after those made before. */
  readonly id: string
  /** The project that it belongs to. */
  readonly projectId: ProjectId
  /** The workflow that it belongs to. */
  readonly workflowId: string
  /** The step type, such as SEND_EMAIL. */
  readonly type: Type
  /** The name for the team. */
  readonly name: string
  /** Where an editor draws it, in units of that editor. */
  readonly position: { readonly x: number; readonly y: number }
  /** Checked for the type. */
  readonly config: JsonObject
  /** The template that it sends; of SEND_EMAIL. */
  readonly templateId?: string
  /** When it was made, by the clock of the engine. */
  readonly createdAt: Date
}

/** The name of one of the ways out of a step. The step's type or its config defines which there are. */
export type Branch = string

export interface WorkflowTransition {
  /** A UUID (version 7): those made later sort after those made before. */
  readonly id: string
  /** The project that it belongs to. */
  readonly projectId: ProjectId
  /** The workflow that it belongs to. */
  readonly workflowId: string
  /** The step that it leaves. */
  readonly fromStepId: string
  /** The step that it leads to. */
  readonly toStepId: string
  /** On which branch of the step; absent for steps without branches. */
  readonly branch?: Branch
  /** For clients: it is answered as it was given, and decides nothing. */
  readonly priority: number
  /** Added automatically with the step it leads to; a transition that a user draws replaces it. */
  readonly automatic?: boolean
}

/** A workflow with its steps (the trigger first, then as they were made) and transitions. */
export interface WorkflowGraph<Type extends string = string> {
  /** The workflow itself. */
  readonly workflow: Workflow
  /** Its steps. */
  readonly steps: readonly WorkflowStep<Type>[]
  /** The ways from step to step. */
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

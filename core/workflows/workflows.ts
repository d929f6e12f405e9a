import { Contacts } from '../contacts/contacts.ts'
import { inject, injectable } from '../di.ts'
import { EngineError } from '../errors.ts'
import { ReadEvents } from '../events/read-events.ts'
import { Filters } from '../filters/filters.ts'
import { Kit } from '../kit.ts'
import { CompiledMails } from '../mail/compiled-mails.ts'
import type { Project } from '../ports/store/projects.ts'
import { type Repositories, Store } from '../ports/store/store.ts'
import type { Workflow, WorkflowTransition } from '../ports/store/workflows.ts'
import { WebhookSender } from '../ports/webhook-sender.ts'
import { NameableTransports } from '../projects/nameable-transports.ts'
import { requireEnabled } from '../projects/project.ts'
import { type CopyInput, CopyRequest } from '../values/copy-name.ts'
import { isId } from '../values/id.ts'
import type { UntrustedInput } from '../values/input.ts'
import type { PageInput } from '../values/page.ts'
import { type NumberedPage, numberedPage } from '../values/page.ts'
import { parse } from '../values/parse.ts'
import { nextVersion, type Versioned } from '../values/record-version.ts'
import { Doorbell } from '../work/doorbell.ts'
import { copyOf } from './copy-workflow.ts'
import { scheduled } from './date-trigger.ts'
import { DispatchEvents } from './dispatch/dispatch-events.ts'
import { StartByDates } from './dispatch/start-by-dates.ts'
import { insertDrawing } from './draw-graph.ts'
import { EditGraph, missingWorkflow } from './edit-graph.ts'
import { EditSteps } from './edit-steps.ts'
import { EditTransitions } from './edit-transitions.ts'
import { EnableWorkflow } from './enable-workflow.ts'
import { holdTrigger } from './event-trigger.ts'
import { Executions } from './executions.ts'
import { checkTrigger, triggerAfter, triggerProblems } from './read-trigger.ts'
import { AnswerWebhooks } from './run/answer-webhooks.ts'
import { RunSteps } from './run/run-steps.ts'
import { RunWorkflows } from './run/run-workflows.ts'
import { StepConfigs } from './step-configs.ts'
import { type KnownGraph, type KnownStep, knownGraph } from './steps/registry.ts'
import { trigger } from './steps/trigger.ts'
import { type WorkflowField, workflowFields } from './workflow-fields.ts'
import type {
  AddStepInput,
  AddTransitionInput,
  ChangeStepInput,
  ChangeTransitionInput,
  ChangeWorkflowInput,
  CreateWorkflowInput,
  RemoveStepInput,
  RemoveTransitionInput,
  WorkflowFieldsInput,
} from './workflow-request.ts'
import { ChangeWorkflow, CreateWorkflow, FieldsQuery, ListWorkflows } from './workflow-request.ts'
import { type WorkflowStats, workflowStats } from './workflow-stats.ts'

/** The automations of a project: graphs of steps, edited here and run by the engine. */
@injectable()
export class Workflows {
  /** Contacts on their way through workflows. */
  readonly executions: Executions
  readonly #events: ReadEvents
  readonly #drawing: EditGraph
  readonly #steps: EditSteps
  readonly #transitions: EditTransitions
  readonly #enabling: EnableWorkflow

  constructor(
    @inject(Store) private readonly store: Store,
    @inject(Filters) private readonly filters: Filters,
    @inject(CompiledMails) mails: CompiledMails,
    @inject(WebhookSender) webhooks: WebhookSender,
    @inject(Contacts) private readonly contacts: Contacts,
    @inject(RunSteps) run: RunSteps,
    @inject(Doorbell) doorbell: Doorbell,
    @inject(NameableTransports) nameable: NameableTransports,
    @inject(Kit) private readonly kit: Kit,
  ) {
    const configs = new StepConfigs(store, filters, mails, webhooks, nameable)
    this.executions = new Executions(store, doorbell, run, kit)
    this.#events = new ReadEvents(store, mails)
    this.#drawing = new EditGraph(store, kit)
    this.#steps = new EditSteps(this.#drawing, configs, kit)
    this.#transitions = new EditTransitions(this.#drawing, kit)
    this.#enabling = new EnableWorkflow(configs)
  }

  /** One page, newest first. Throws EngineError `VALIDATION_ERROR`, `BAD_REQUEST` (cursor). */
  async list(project: Project, query: PageInput | UntrustedInput = {}): Promise<NumberedPage<Workflow>> {
    const { workflows } = this.store
    return numberedPage(
      { projectId: project.id, name: 'workflows' },
      parse(ListWorkflows, query),
      (page) => workflows.page(project.id, page),
      () => workflows.count(project.id),
    )
  }

  /** The workflow's graph. Throws EngineError `WORKFLOW_NOT_FOUND`. */
  get(project: Project, id: string): Promise<KnownGraph> {
    return this.#drawing.graph(project, id)
  }

  /**
   * Creates a workflow from `{ name, eventName | triggerConfig, triggerType?, description?, allowReentry?, goal? }`:
   * disabled, with the trigger as its only step, or with `steps` and `transitions` between their keys, all or nothing. Throws EngineError
   * `VALIDATION_ERROR` with places such as `steps.2.config.amount`, `TEMPLATE_NOT_FOUND`, `DOMAIN_NOT_VERIFIED`,
   * `PROJECT_DISABLED`.
   */
  async create(project: Project, input: CreateWorkflowInput | UntrustedInput): Promise<KnownGraph> {
    requireEnabled(project)
    const wanted = parse(CreateWorkflow, input, (given) => triggerProblems(asCreated(given), NEW))
    const { name, description, allowReentry, goal } = wanted
    const started = triggerAfter(asCreated(wanted), NEW)
    await checkTrigger(project, started, input, { filters: this.filters, reads: this.store })
    const [id, now] = [this.kit.newId(), this.kit.now()]
    const of = { projectId: project.id, createdAt: now }
    const workflow: Workflow = {
      id,
      ...of,
      name,
      ...started,
      enabled: false,
      version: 1,
      updatedAt: now,
      ...(description == null ? {} : { description }),
      allowReentry: allowReentry ?? started.dateTrigger?.yearly ?? false,
      ...(goal == null ? {} : { goalEvent: goal.eventName }),
    }
    const place = { name: trigger.name, position: { x: 0, y: 0 }, config: {} }
    const entry: KnownStep = { id: this.kit.newId(), ...of, workflowId: id, type: trigger.type, ...place }
    const graph = { workflow, steps: [entry], transitions: [] }
    if (wanted.steps || wanted.transitions) {
      const drawing = await this.#steps.draw(project, graph, wanted, input)
      return this.store.transaction(async (tx) => {
        const held = await withHeld(tx, workflow)
        return insertDrawing(tx, project, { ...drawing, graph: { ...drawing.graph, workflow: held } })
      })
    }
    return this.store.transaction(async (tx) => {
      const whole = { ...graph, workflow: await withHeld(tx, workflow) }
      await tx.workflows.insert(whole)
      return whole
    })
  }

  /**
   * Changes the given fields. Only a workflow that can run can be enabled. Contacts in it continue, even when it is
   * disabled. Throws EngineError `VALIDATION_ERROR` that names each step in question, `WORKFLOW_NOT_FOUND`,
   * `PROJECT_DISABLED`.
   */
  async change(project: Project, id: string, input: ChangeWorkflowInput | UntrustedInput): Promise<KnownGraph> {
    requireEnabled(project)
    const wanted = parse(ChangeWorkflow, input)
    const known = await this.#drawing.graph(project, id)
    const started = triggerAfter(wanted, known.workflow)
    await checkTrigger(project, started, input, { filters: this.filters, reads: this.store })
    if (wanted.enabled && !known.workflow.enabled) await this.#enabling.checkConfigs(project, known)
    return this.store.transaction(async (tx) => {
      const before = (await tx.workflows.lock(project.id, id)) ?? missingWorkflow(id)
      const version = nextVersion('workflow', before, wanted.version)
      const now = this.kit.now()
      const after = { ...changed(before, wanted), version, updatedAt: now }
      // what the earlier trigger names cannot be deleted anyway
      const isSame = after.eventTrigger === before.eventTrigger
      const workflow = scheduled(isSame ? after : await withHeld(tx, after), before, now)
      if (workflow.enabled && !before.enabled) await this.#enabling.checkGraph(tx, project, workflow)
      await tx.workflows.update(workflow)
      return knownGraph((await tx.workflows.graph(project.id, id)) ?? missingWorkflow(id))
    })
  }

  /**
   * Removes the workflow with its steps and executions. Throws EngineError `CONFLICT` while contacts are in it,
   * `WORKFLOW_NOT_FOUND`, `PROJECT_DISABLED`.
   */
  async remove(project: Project, id: string): Promise<void> {
    requireEnabled(project)
    if (!isId(id)) return missingWorkflow(id)
    await this.store.transaction(async (tx) => {
      const { name } = (await tx.workflows.lock(project.id, id)) ?? missingWorkflow(id)
      if ((await tx.executions.active(project.id, id, 1)).length > 0) throw inUse(name)
      await tx.workflows.remove(project.id, id)
    })
  }

  /** Stores a disabled copy and answers it. Throws as `get` does, `VALIDATION_ERROR` and `PROJECT_DISABLED`. */
  async duplicate(project: Project, id: string, input: CopyInput | UntrustedInput = {}): Promise<KnownGraph> {
    requireEnabled(project)
    const { name } = parse(CopyRequest, input)
    const copy = copyOf(await this.get(project, id), name, this.kit.newId, this.kit.now())
    await this.store.workflows.insert(copy)
    return copy
  }

  /** The fields a CONDITION can use; with `eventName` only that event's data fields. */
  async fields(project: Project, query: WorkflowFieldsInput | UntrustedInput = {}): Promise<readonly WorkflowField[]> {
    const { eventName } = parse(FieldsQuery, query)
    const { fields } = await this.contacts.fields.list(project)
    return workflowFields(fields, this.#events, project.id, eventName)
  }

  /** How many contacts ran it, and how far. Throws EngineError `WORKFLOW_NOT_FOUND`. */
  async stats(project: Project, id: string): Promise<WorkflowStats> {
    return workflowStats(this.store, await this.get(project, id))
  }

  /**
   * Each change of the graph raises the version of the workflow, which is answered; a `version` in the input must be the
   * current one (`VERSION_CONFLICT`).
   *
   * Adds a step of `{ type, name?, config?, templateId?, position?, afterStepId?, branch?, onTransitionId?, nextBranch?,
   * autoConnect? }`; `afterStepId` connects it to that step, on that branch; `onTransitionId` puts it between two steps,
   * its `nextBranch` leading on. Without either the step follows the only open end of the graph,
   * if there is just one, unless `autoConnect` is false; such an automatic transition is replaced by one that a user
   * draws. Throws EngineError `VALIDATION_ERROR` (`config.<field>`, too many steps), `WORKFLOW_NOT_FOUND`,
   * `STEP_NOT_FOUND`, `TRANSITION_NOT_FOUND`, `TEMPLATE_NOT_FOUND`, `DOMAIN_NOT_VERIFIED`, `CONFLICT` when the enabled workflow could no longer
   * run, `PROJECT_DISABLED`.
   */
  addStep(project: Project, id: string, input: AddStepInput | UntrustedInput): Promise<KnownStep & Versioned> {
    return this.#steps.add(project, id, input)
  }

  /** Changes the given fields of a step, but not its type; a config replaces the earlier one. Throws as `addStep`. */
  changeStep(
    project: Project,
    id: string,
    stepId: string,
    input: ChangeStepInput | UntrustedInput,
  ): Promise<KnownStep & Versioned> {
    return this.#steps.change(project, id, stepId, input)
  }

  /**
   * Removes a step with its transitions; with `{ splice: 'true' }` the step before it is connected to its successor, that
   * at its `branch` where it has branches. Throws EngineError `CONFLICT` while a contact is on it or when the enabled workflow could no longer run,
   * `BAD_REQUEST` for the trigger, or splicing a step with branches, `WORKFLOW_NOT_FOUND`, `STEP_NOT_FOUND`,
   * `VALIDATION_ERROR`, `PROJECT_DISABLED`.
   */
  removeStep(
    project: Project,
    id: string,
    stepId: string,
    query: RemoveStepInput | UntrustedInput = {},
  ): Promise<Versioned> {
    return this.#steps.remove(project, id, stepId, query)
  }

  /**
   * Connects two steps: `{ fromStepId, toStepId, branch?, priority? }`. Throws EngineError `VALIDATION_ERROR` for a circle, a
   * second transition where one is possible, a wrong branch; `WORKFLOW_NOT_FOUND`, `STEP_NOT_FOUND`, `CONFLICT`,
   * `PROJECT_DISABLED`.
   */
  addTransition(
    project: Project,
    id: string,
    input: AddTransitionInput | UntrustedInput,
  ): Promise<WorkflowTransition & Versioned> {
    return this.#transitions.add(project, id, input)
  }

  /**
   * Makes a transition lead to another step or leave at another branch: `{ toStepId?, branch?, priority? }`. Contacts go
   * one way or the other, never into nothing. When one that stands for all branches gets a branch, the others lead where
   * they did. Throws as `addTransition`, and EngineError `TRANSITION_NOT_FOUND`.
   */
  changeTransition(
    project: Project,
    id: string,
    transitionId: string,
    input: ChangeTransitionInput | UntrustedInput,
  ): Promise<WorkflowTransition & Versioned> {
    return this.#transitions.change(project, id, transitionId, input)
  }

  /** Removes a transition. Throws EngineError `TRANSITION_NOT_FOUND`, `WORKFLOW_NOT_FOUND`, `CONFLICT`, `PROJECT_DISABLED`. */
  removeTransition(
    project: Project,
    id: string,
    transitionId: string,
    query: RemoveTransitionInput | UntrustedInput = {},
  ): Promise<Versioned> {
    return this.#transitions.remove(project, id, transitionId, query)
  }
}

function changed(before: Workflow, wanted: ChangeWorkflow): Workflow {
  const { name, description, enabled, allowReentry, goal } = wanted
  const {
    description: earlier,
    goalEvent: earlierGoal,
    eventName: _,
    eventTrigger: _narrowed,
    dateTrigger,
    ...rest
  } = before
  const written = description === undefined ? earlier : description
  const goalEvent = goal === undefined ? earlierGoal : goal?.eventName
  const trigger = triggerAfter(wanted, before)
  // a birthday comes every year
  const returns = trigger.dateTrigger?.yearly && !dateTrigger?.yearly ? true : undefined
  const reentry = allowReentry ?? returns
  return {
    ...rest,
    ...trigger,
    ...(name === undefined ? {} : { name }),
    ...(written == null ? {} : { description: written }),
    ...(enabled === undefined ? {} : { enabled }),
    ...(reentry === undefined ? {} : { allowReentry: reentry }),
    ...(goalEvent === undefined ? {} : { goalEvent }),
  }
}

/** The workflow, whose trigger names only what is there until the transaction ends. */
async function withHeld(tx: Repositories, workflow: Workflow): Promise<Workflow> {
  const { projectId, eventTrigger } = workflow
  return eventTrigger ? { ...workflow, eventTrigger: await holdTrigger(tx, projectId, eventTrigger) } : workflow
}

/** The trigger of a workflow that is not there yet. */
const NEW = { triggerType: 'EVENT' } as const

/** A new workflow begins with an event, unless it is one of dates. */
function asCreated<Wanted extends Pick<Partial<CreateWorkflow>, 'triggerType'>>({ triggerType, ...wanted }: Wanted) {
  return { ...wanted, triggerType: triggerType === 'DATE' ? triggerType : undefined }
}

function inUse(name: string): EngineError {
  return new EngineError('CONFLICT', `Contacts are in the workflow "${name}" now.`, {
    suggestion: 'Cancel its executions with POST /workflows/{id}/executions/cancel-all, or wait until they have ended.',
  })
}

/** The classes of this room that the container makes besides its doors. */
export const WORKFLOWS = {
  runSteps: RunSteps,
  runWorkflows: RunWorkflows,
  answerWebhooks: AnswerWebhooks,
  dispatchEvents: DispatchEvents,
  startByDates: StartByDates,
}
